// What the process says to its caller when it ends. Scripts build on these numbers; they are part of the interface.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include <boost/system/system_error.hpp>

#include "ums/io/errno_error.hpp"

namespace cli {

enum class ExitCode : int {
    ok = 0,               // ran to the end, nothing wrong
    integrity = 1,        // the storage gave back something that had not been written, lost it, or failed; or a limit was exceeded
    usage = 2,            // command line or configuration, and what was refused because it could do harm
    environment = 3,      // the run could not be done: no space, a missing or read-only folder, a file in use
    internal_error = 70,  // a mistake of this program (EX_SOFTWARE of sysexits.h)
    stopped = 130,        // stopped by a person, nothing wrong until then (128 + SIGINT, as shells say it)
};

constexpr int to_int(ExitCode code) { return static_cast<int>(code); }

// The command line is wrong. The message is for a person: what, where, what is allowed. Exit code 2.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// What an exception says to people, with the name of the limit where one was reached: Boost.Asio's words name its own parts.
inline std::string failure_text(const std::exception& error) {
    if (const auto* refused = dynamic_cast<const boost::system::system_error*>(&error)) return ums::error_text(refused->code());
    return error.what();
}

}  // namespace cli
