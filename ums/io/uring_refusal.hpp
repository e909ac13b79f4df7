// io_uring is not available: a std::system_error whose reason can be put into another sentence.
#pragma once

#include <string>
#include <system_error>

namespace ums {

class UringRefusal : public std::system_error {
public:
    // `reason`: see UringSupport.
    UringRefusal(const std::error_code& error, const std::string& reason)
        : std::system_error(error, "io_uring cannot be used because " + reason), reason_(reason) {}

    [[nodiscard]] const std::string& reason() const { return reason_; }

private:
    std::string reason_;
};

}  // namespace ums
