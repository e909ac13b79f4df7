// Reports a page of a measured file that came back wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/bench/measure_files.hpp"
#include "sim/bench/page_book.hpp"
#include "sim/journal/journal.hpp"
#include "ums/io/file_handle.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// Reads the page (or sector, whichever the file's book records) once more, to distinguish a wrong read from a wrong page, and reports it.
// `image` is what came back; `mark` is what was known about the page. Afterwards nothing is promised about the page until it is written
// again.
ums::Task<void> report_wrong_page(MeasureFile& file, ums::FileHandle handle, std::uint64_t page, const std::byte* image,
                                  PageBook::Mark mark, Journal& journal);

}  // namespace sim
