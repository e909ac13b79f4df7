#include "ums/io/errno_error.hpp"

#include <cerrno>

namespace ums {

bool is_lost_file(const std::error_code& error) { return error.value() == ESTALE || error.value() == ESHUTDOWN; }

bool is_damaged_storage(const std::error_code& error) { return error.value() == EREMOTEIO || error.value() == EUCLEAN; }

}  // namespace ums
