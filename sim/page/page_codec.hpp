// Makes page images and decodes them. Pure functions: the same identity gives the same bytes, so an expected image can always be recreated
// and compared with what came back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/page/page_layout.hpp"

namespace sim {

// Everything an image depends on.
struct PageIdentity {
    std::uint64_t run_id = 0;
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    std::uint32_t version = 0;
    std::uint64_t lsn = 0;
    std::uint64_t write_utc_us = 0;
};

// The seed of the body: a hash of run, file, page and version.
[[nodiscard]] std::uint64_t page_seed(const PageIdentity& identity);

// Fills `size_bytes` (a multiple of 8) with bytes that follow from `seed` and that neither compress nor deduplicate. `out` is 8-aligned.
void fill_from_seed(std::uint64_t seed, std::byte* out, std::size_t size_bytes);

// True if these bytes contain part of what fill_from_seed() makes, whatever the seed: they are our noise, not foreign data. 8-aligned.
[[nodiscard]] bool is_made_from_a_seed(const std::byte* bytes, std::size_t size_bytes);

// Writes the whole image of kPageBytes to `page` (8-aligned) and returns its checksum. Page 0 is a file header.
std::uint32_t make_page(const PageIdentity& identity, std::byte* page);

// The checksum that the header should have.
[[nodiscard]] std::uint32_t page_checksum(const std::byte* page);

[[nodiscard]] PageHeader read_header(const std::byte* page);
// A page of any run, place and version, whose bytes are those that its checksum was made from.
[[nodiscard]] bool is_sound_page(const std::byte* page);
[[nodiscard]] SectorStamp read_stamp(const std::byte* page, std::uint32_t sector);

// The first page of a file says that the file is ours, whatever else it may say.
[[nodiscard]] bool has_signature(const std::byte* page);

// Only zeros: the contents of a place that was never written. `size_bytes` is a multiple of 8.
[[nodiscard]] bool is_all_zero(const std::byte* bytes, std::size_t size_bytes);

// Stamps a buffer before a read, so that bytes that a "successful" read did not fill can be recognized ("bytes not read").
void stamp_not_read(std::byte* buffer, std::size_t size_bytes);
inline constexpr std::uint64_t kNotReadPattern = 0xb7e1'5162'8aed'2a6aULL;

}  // namespace sim
