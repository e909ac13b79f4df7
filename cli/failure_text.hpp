// What an exception says to people, with the name of the limit where one was reached: Boost.Asio's words name its own parts.
#pragma once

#include <exception>
#include <string>

#include <boost/system/system_error.hpp>

#include "ums/io/errno_error.hpp"

namespace cli {

inline std::string failure_text(const std::exception& error) {
    if (const auto* refused = dynamic_cast<const boost::system::system_error*>(&error)) return ums::error_text(refused->code());
    return error.what();
}

}  // namespace cli
