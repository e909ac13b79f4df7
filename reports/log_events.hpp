// Results and findings as entries of the XML log, in SQLIOSim's form. Pure.
#pragma once

#include <vector>

#include "sim/event.hpp"
#include "sim/finding.hpp"
#include "sim/results.hpp"

namespace reports {

// One entry for each line of each file's final summary (User Monitor, Func CLogicalFile::OutputSummary), then "Stress Test Attempt
// Complete", then the verdict as INFO entries that begin with "Verdict: ". A run that failed or could not be done gets one more entry of
// severity error, because readers of the log decide by TYPE='ERROR'. Their time is the end of the run; the thread is not set (0).
std::vector<sim::Event> summary_events(const sim::Results& results);

// "Buffer validation failed on /data/sqliosim.mdx Page: 87366, offset 0x8" (the offset is that of the first wrong byte in the page),
// HRESULT 0x80070467 and its text, and then one sentence with what is known. A request that the system failed is "Read failed on …" or
// "Write failed on …", 0x8007045D (ERROR_IO_DEVICE), with the system's text; one that did not come back in time is "Read stalled on …" or
// "Write stalled on …". Severity error; severity warning if the finding is a warning.
sim::Event finding_event(const sim::Finding& finding);

// "Dump file successfully written: /data/SqlSimErrorDump00006.txt", of severity info; follows the finding that has a dump.
sim::Event dump_event(const sim::Finding& finding);

}  // namespace reports
