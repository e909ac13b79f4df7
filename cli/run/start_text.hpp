// What is printed before the first byte is written: everything that was drawn or determined, and the command that repeats it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/options.hpp"
#include "sim/preflight_line.hpp"

namespace cli {

struct StartFacts {
    std::string engine{};         // "uring"
    std::string engine_reason{};  // why not another one; may be empty
    std::uint32_t cpu_count = 0;
    std::uint64_t pool_mb = 0;
    std::string profile{};    // empty = none
    std::string config_path;  // empty = defaults
    std::string log_path;
    std::string findings_path{};  // empty: not requested
    std::string status_url{};     // of the live view; empty = none
    std::string group{};          // the run's place in its group; empty = none
    std::string repeat_command;
};

// A name and its text; of a longer list, only the first line has the name.
struct StartLine {
    std::string name;
    std::string text;
};

std::vector<StartLine> start_lines(const sim::Options& options, const StartFacts& facts);

// How the files are opened and made durable, for those who look for the requests in a trace: "O_DIRECT; d.mdx: O_DSYNC; l.ldx: O_DSYNC".
std::string access_text(const sim::Options& options);

// A summary of the preflight: how many lines are OK, and the others, briefly. Empty if there was none.
std::vector<StartLine> preflight_start_lines(const std::vector<sim::PreflightLine>& lines);

// The lines as a block with a title, for a terminal.
std::string start_text(std::string_view version, const std::vector<StartLine>& lines);

}  // namespace cli
