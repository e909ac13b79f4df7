#include "sim/run/task_failure.hpp"

#include <new>
#include <system_error>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/io/errno_error.hpp"

namespace sim {

TaskFailure classify_failure(const std::exception_ptr& failure, std::string_view memory_advice) {
    try {
        std::rethrow_exception(failure);
    } catch (const EnvironmentError& error) {
        return {error.what(), false};
    } catch (const std::bad_alloc&) {
        return {memory_refused_text(memory_advice), false};
    } catch (const std::system_error& error) {
        return {fmt::format("The system refused what the run needs: {}.", ums::error_text(error)), false};
    } catch (const std::exception& error) {
        return {fmt::format("An internal error of ioproof ended the run: {}.", error.what()), true};
    } catch (...) {
        return {"An internal error of ioproof ended the run.", true};
    }
}

std::string memory_refused_text(std::string_view memory_advice) { return fmt::format("{}. {}", ums::kMemoryLimitText, memory_advice); }

}  // namespace sim
