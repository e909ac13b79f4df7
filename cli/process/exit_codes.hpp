// The exit codes of the process. Scripts depend on these numbers: they are part of the interface.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include <boost/system/system_error.hpp>

#include "ums/io/errno_error.hpp"

namespace cli {

enum class ExitCode : int {
    ok = 0,               // ran to the end, nothing wrong
    integrity = 1,        // the storage returned something that was not written, lost data, or failed; or a limit was exceeded
    usage = 2,            // wrong command line or configuration, or refused because it could do harm
    environment = 3,      // the run could not be done: no space, a missing or read-only folder, a file in use
    internal_error = 70,  // a bug in this program (EX_SOFTWARE of sysexits.h)
    stopped = 130,        // stopped by the user, nothing wrong until then (128 + SIGINT, as shells do it)
};

constexpr int to_int(ExitCode code) { return static_cast<int>(code); }

// The command line is wrong. The message is for the user: what, where, and what is allowed. Exit code 2.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// An exception's text for users. Names the limit if one was reached, because Boost.Asio would name its own internals.
inline std::string failure_text(const std::exception& error) {
    if (const auto* refused = dynamic_cast<const boost::system::system_error*>(&error)) return ums::error_text(refused->code());
    return error.what();
}

}  // namespace cli
