// Compares what came back with what the ledger expects. Pure: no I/O, no state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/ledger/page_ledger.hpp"
#include "sim/page/page_codec.hpp"

namespace sim {

struct ExpectedPage {
    std::uint64_t run_id = 0;
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    PageLedger::Entry entry;
};

// Whether the page is what was written last (or zeros if nothing was written, or anything if nothing is promised). `page` is 8-aligned.
[[nodiscard]] bool page_matches(const std::byte* page, const ExpectedPage& expected);

// Whether it is a sound image of this page of the run, of any version. `page` is 8-aligned.
[[nodiscard]] bool is_image_of(const std::byte* page, const ExpectedPage& expected);

}  // namespace sim
