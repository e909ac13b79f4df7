// Makes images of ioproof's pages from docs/page_format.md alone: for faults that need a sound page which nobody wrote. A second
// implementation of the format on purpose.
#pragma once

#include <cstdint>
#include <span>

namespace faultfs {

std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

struct PageIdentity {
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    std::uint64_t run_id = 0;
    std::uint32_t version = 0;
    std::uint64_t lsn = 0;
    std::uint64_t write_utc_us = 0;
};

// False if the 8192 bytes do not begin with ioproof's magic.
bool read_identity(std::span<const std::uint8_t> page, PageIdentity& identity);

void build_page(std::span<std::uint8_t> page, const PageIdentity& identity);

}  // namespace faultfs
