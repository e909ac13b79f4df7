// Lowers a soft limit of the process while the test needs it.
#pragma once

#include <sys/resource.h>

#include <csignal>

#include "ums/base/assert.hpp"

namespace ums::testing {

// Whether the hard limit leaves room for this soft one: a container may have less locked memory than a test needs.
[[nodiscard]] inline bool can_limit(__rlimit_resource resource, rlim_t value) {
    rlimit now{};
    return getrlimit(resource, &now) == 0 && value <= now.rlim_max;
}

class ResourceLimit {
public:
    ResourceLimit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
        UMS_ASSERT(getrlimit(resource_, &before_) == 0);
        const rlimit lower{value, before_.rlim_max};
        UMS_ASSERT(setrlimit(resource_, &lower) == 0);
        previous_handler_ = std::signal(SIGXFSZ, SIG_IGN);  // the test wants the error, not the signal that comes with RLIMIT_FSIZE
    }
    ResourceLimit(const ResourceLimit&) = delete;
    ResourceLimit& operator=(const ResourceLimit&) = delete;
    ~ResourceLimit() {
        setrlimit(resource_, &before_);
        std::signal(SIGXFSZ, previous_handler_);
    }

private:
    __rlimit_resource resource_;
    rlimit before_{};
    void (*previous_handler_)(int) = SIG_DFL;
};

}  // namespace ums::testing
