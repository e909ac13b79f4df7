#include "sim/errors.hpp"

#include <new>
#include <system_error>

#include "ums/base/error_text.hpp"
#include "ums/base/memory_reserve.hpp"

namespace sim {

std::string message_of(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const RefusedError& error) {
        return error.what();
    } catch (const EnvironmentError& error) {
        return error.what();
    } catch (const std::bad_alloc&) {
        return std::string(ums::kMemoryLimitText) + '.';
    } catch (const std::system_error& error) {
        return ums::error_text(error);
    }
}

}  // namespace sim
