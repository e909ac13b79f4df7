// Whether a request of a measurement was answered correctly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/bench/measure_files.hpp"
#include "sim/bench/page_book.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/io/file_handle.hpp"
#include "ums/io/io_request.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// True if what came back is what was requested. Otherwise this is reported, and the measurement ends, because its figures would be about
// something else. Requests that came late, or in parts, are reported, too, and the measurement continues.
[[nodiscard]] bool is_answered(const MeasureFile& file, const ums::IoRequest& request, RunState& run, Journal& journal);

// Reads the page once more, to distinguish a wrong read from a wrong page, and reports it. `image` came back; `mark` is what was known
// about the page. Afterwards nothing is promised for the page until it is written again.
ums::Task<void> report_wrong_page(MeasureFile& file, ums::FileHandle handle, std::uint64_t page, const std::byte* image,
                                  PageBook::Mark mark, Journal& journal);

}  // namespace sim
