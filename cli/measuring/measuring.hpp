// Carries out a measurement for a front end: shows messages on the console meanwhile, and ends cleanly on Ctrl-C.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/process/console.hpp"
#include "sim/bench/measurement.hpp"

namespace cli {

// Blocks until the measurement is over. Calls `on_second` every second, on the calling thread. Throws UsageError for what the engine cannot
// do, and whatever sim::Measurement::run() throws.
sim::MeasureResults run_measurement(const sim::MeasureSpec& spec, Console& console,
                                    const std::function<void(const sim::MeasureProgress&)>& on_second);

// Messages that begin with `tool`, without which latencies would mislead: that a pool of threads serves fewer requests at a time than are
// outstanding, and why there is a pool. Empty, or complete lines.
std::string engine_messages(const sim::MeasureResults& results, std::string_view tool);

// Likewise, without which the figures would be taken for the storage's: which files are read where they hold no data.
std::string hole_messages(const sim::MeasureResults& results, std::string_view tool);

// Throws UsageError for a path that has a meaning only on Windows: "#1", "X:", "X:\file", "dir\file",
// "\\server\share".
void refuse_windows_path(const std::string& path);

// Throws UsageError for a CPU to which no thread can be bound: it would run anywhere, unnoticed. `allowed`: ums::this_machine().cpus.
void check_cpus(std::string_view option, const std::vector<std::uint32_t>& wanted, const std::vector<std::uint32_t>& allowed);

// Sets may_overwrite for targets that are to be written and hold nothing: holds_nothing().
void allow_empty_targets(sim::MeasureSpec& spec);

// The text of a file that a user names, in UTF-8: Windows also writes a byte order mark, or UTF-16. Throws UsageError, beginning with
// `name`, for what is no text.
std::string decoded_document(std::string_view bytes, const std::string& name);

// The name in a program's path, in lower case, without its folder and without ".exe" or ".com".
std::string program_name(const std::string& path);

}  // namespace cli
