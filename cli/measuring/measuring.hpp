// Carries out a measurement for a front end: messages on the console while it runs, Ctrl-C ends it in order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "sim/bench/measurement.hpp"

namespace cli {

// Blocks until it is over. `on_second`: every second, on the calling thread. Throws UsageError for what the engine cannot do, and what
// sim::Measurement::run() throws.
sim::MeasureResults run_measurement(const sim::MeasureSpec& spec, Console& console,
                                    const std::function<void(const sim::MeasureProgress&)>& on_second);

// Throws UsageError for a path that means something on Windows only: "#1", "X:", "X:\file", "\\server\share".
void refuse_windows_path(const std::string& path);

// Sets may_overwrite for targets that would be written and hold nothing: holds_nothing().
void allow_empty_targets(sim::MeasureSpec& spec);

// The CPUs below 64 that this process may run on, by number.
std::vector<std::uint32_t> allowed_cpus();

// The name in a program's path without its folder and ".exe" or ".com", in lower case.
std::string program_name(const std::string& path);

}  // namespace cli
