// Whether a measurement (bench, sweep, diskspd, sqlio) has written to the files since the run. Then they are not what the run left: nothing
// can be said about that, and nothing is wrong with them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/journal/journal.hpp"
#include "sim/verify/left_files.hpp"
#include "sim/verify/page_judge.hpp"
#include "ums/io/storage.hpp"

namespace sim {

// Throws EnvironmentError if a file begins with the mark of a measurement, or with its pages, and closes all files before. Blocks.
void refuse_measured(const FoundFiles& found, ums::Storage& storage, Journal& journal);

// `page`: kPageBytes, 8-aligned, as it came from this place. True if it is whole, and of a measurement that came after the run: without log
// it gives its pages no LSN. In a run only signature pages that were never changed have none.
[[nodiscard]] bool is_of_later_measurement(const std::byte* page, const ProvenPage& place, const RecoveredLog& log);

// For messages. `sign`: what shows it, as "page 7 is of one".
[[nodiscard]] std::string measured_since_text(const std::string& path, std::string_view sign);

}  // namespace sim
