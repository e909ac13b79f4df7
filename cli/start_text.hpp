// What is printed before the first byte is written: everything that was drawn or found out, and the command that repeats it. Pure.
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
    std::string findings_path{};  // empty: not asked for
    std::string status_url{};     // of the live view; empty = none
    std::string group{};          // of which it is one, and which one; empty = none
    std::string repeat_command;
};

// A name and its values; the first line of a longer list has the name.
struct StartLine {
    std::string name;
    std::string text;
};

std::vector<StartLine> start_lines(const sim::Options& options, const StartFacts& facts);

// The result of examining the folders: how many lines are OK, and those that are not, briefly. Empty if nobody looked.
std::vector<StartLine> preflight_start_lines(const std::vector<sim::PreflightLine>& lines);

// The lines as a block with a title, for a terminal.
std::string start_text(std::string_view version, const std::vector<StartLine>& lines);

}  // namespace cli
