#include "ums/io/null_engine.hpp"

#include <algorithm>
#include <chrono>

#include "ums/base/assert.hpp"
#include "ums/io/transfer_progress.hpp"

namespace ums {

NullEngine::~NullEngine() { UMS_ASSERT(in_flight_ == 0); }

void NullEngine::submit(IoRequest& request) {
    check_request(request);
    request.transferred_bytes = request.size_bytes;
    ++in_flight_;
    finished_.push_back(request);
}

void NullEngine::poll(IoRequestList& finished) {
    finished.append(finished_);
    in_flight_ = 0;
}

void NullEngine::wait(std::uint64_t timeout_ns) {
    if (in_flight_ > 0) return;
    std::unique_lock lock(mutex_);
    wake_up_.wait_for(lock, std::chrono::nanoseconds(std::min(timeout_ns, kWaitNsMax)), [this] { return woken_; });
    woken_ = false;
}

void NullEngine::wake() {
    {
        const std::lock_guard lock(mutex_);
        woken_ = true;
    }
    wake_up_.notify_one();
}

}  // namespace ums
