// An exception that left a task in the middle of a run, where none is expected: what it means for the run.
#pragma once

#include <exception>
#include <string>

namespace sim {

struct TaskFailure {
    std::string reason;              // a sentence
    bool is_internal_error = false;  // of this program; otherwise the system refused something that the run cannot do without
};

[[nodiscard]] TaskFailure classify_failure(const std::exception_ptr& failure);

// Memory was refused: why, and what to change.
[[nodiscard]] std::string memory_refused_text();

}  // namespace sim
