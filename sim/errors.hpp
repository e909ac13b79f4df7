// Why a run could not begin or continue, as an exception with a message for a person: what, where, what is allowed. Only for start-up and
// for files; results of I/O are values.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace sim {

// The request is wrong or would do harm: a file that is not ours, a real database file. Exit code 2.
class RefusedError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// None of the files begins with ioproof's signature: there is no run to verify or to continue with.
class NoFilesError : public RefusedError {
public:
    using RefusedError::RefusedError;
};

// The machine cannot do what was requested: no space, a read-only or missing folder, a file in use, O_DIRECT refused. Exit code 3.
class EnvironmentError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The text of such an exception, or of a system that refuses memory, a thread or a descriptor, for a run that reports it among its results.
// Other exceptions pass through.
[[nodiscard]] std::string message_of(const std::exception_ptr& failure);

}  // namespace sim
