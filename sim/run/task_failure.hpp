// An exception that left a task in the middle of a run, where none is expected: what it means for the run.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace sim {

struct TaskFailure {
    std::string reason;              // a sentence
    bool is_internal_error = false;  // of this program; otherwise the system refused something that the run cannot do without
};

// What to change in a run, or in a measurement, that got no memory, in a sentence.
inline constexpr std::string_view kRunMemoryAdvice = "Lower MaxMemoryMB, the number of users, or the size of the files.";
inline constexpr std::string_view kMeasuringMemoryAdvice =
    "Take smaller blocks or fewer requests at a time; with verification, a part of the file.";

// `memory_advice`: what to change if memory was refused.
[[nodiscard]] TaskFailure classify_failure(const std::exception_ptr& failure, std::string_view memory_advice = kRunMemoryAdvice);

// Memory was refused: why, and what to change.
[[nodiscard]] std::string memory_refused_text(std::string_view memory_advice = kRunMemoryAdvice);

}  // namespace sim
