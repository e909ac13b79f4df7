// The command line is wrong. The message is for a person: what, where, what is allowed. Exit code 2.
#pragma once

#include <stdexcept>

namespace cli {

class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace cli
