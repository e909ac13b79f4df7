// Finds the pages in a write to a data file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/page/page_layout.hpp"
#include "ums/io/request_bytes.hpp"
#include "ums/io/volatile_storage.hpp"

namespace sim {

// Calls `take(header, offset_bytes)` for each of them, with its place in the file. `moment`: of a request. The initial contents of a file
// are no pages.
template <typename Take>
void for_each_written_page(const ums::PowerMoment& moment, const Take& take) {
    for (std::uint64_t at = 0; at + kPageBytes <= moment.size_bytes; at += kPageBytes) {
        PageHeader header;
        ums::copy_from_request(*moment.request, moment.offset_bytes + at, reinterpret_cast<std::byte*>(&header), sizeof header);
        if (header.magic == kPageMagic) take(header, moment.offset_bytes + at);
    }
}

}  // namespace sim
