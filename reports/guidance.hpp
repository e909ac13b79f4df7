// The meaning of a run's figures, in one table: every sentence of a verdict, what to look at next, and the source. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace reports {

// From best to worst.
enum class Grade { good, fair, poor };

// "good", "fair", "poor"
std::string_view name_of(Grade grade);

// Limits of the guidance. Data files: 0-5 ms good, over 15 ms poor; log files: up to 2 ms good.
inline constexpr double kDataGoodMs = 5;
inline constexpr double kLogGoodMs = 2;
inline constexpr double kPoorMs = 15;
// With fewer requests of its kind than this, the speed of a file is not judged. A file of tempdb, where all else is done by extents,
// has one single read, which need not even have reached the device.
inline constexpr std::uint64_t kJudgedRequestsMin = 20;
// The limit for few request blocks on a file whose load was held back: paths that can handle such a load end with 100 or more.
inline constexpr unsigned kFewRequestBlocks = 50;

// `text` and `next` may have the placeholders {average}, {median}, {target}, {count}, {longest}, {blocks}, {pages}, {reason}, {time}.
struct Guidance {
    std::string_view id;
    Grade grade;
    std::string_view text;
    std::string_view next;    // may be empty
    std::string_view source;  // empty: the text follows from the run itself
};

std::span<const Guidance> guidance_table();
// `id` must be in the table.
const Guidance& guidance(std::string_view id);

}  // namespace reports
