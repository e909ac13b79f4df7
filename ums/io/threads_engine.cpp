#include "ums/io/threads_engine.hpp"

#include <algorithm>
#include <chrono>

#include "ums/base/assert.hpp"
#include "ums/io/transfer_progress.hpp"

namespace ums {

namespace {

BlockingPoolOptions pool_options(const EngineOptions& options) {
    return {std::clamp(options.queue_depth, 1U, kEngineThreadsMax), own_thread_cpus(options), "io"};
}

}  // namespace

ThreadsEngine::ThreadsEngine(const EngineOptions& options) : pool_(pool_options(options), [this] { request_finished(); }) {}

ThreadsEngine::~ThreadsEngine() { UMS_ASSERT(in_flight_ == 0); }

void ThreadsEngine::submit(IoRequest& request) {
    check_request(request);
    ++in_flight_;
    (is_empty_transfer(request) ? finished_ : queued_).push_back(request);
}

void ThreadsEngine::poll(IoRequestList& finished) {
    if (!queued_.empty()) pool_.submit(queued_);
    pool_.collect(finished_);
    while (IoRequest* request = finished_.pop_front()) {
        --in_flight_;
        finished.push_back(*request);
    }
}

void ThreadsEngine::wait(std::uint64_t timeout_ns) {
    if (!queued_.empty()) pool_.submit(queued_);
    if (!finished_.empty()) return;
    // Either a finishing request sees that we wait, or we see that it has finished.
    waiting_.store(true, std::memory_order_seq_cst);
    if (!pool_.has_finished()) {
        const std::chrono::nanoseconds timeout(std::min(timeout_ns, kWaitNsMax));
        std::unique_lock lock(mutex_);
        wake_up_.wait_for(lock, timeout, [this] { return woken_ || pool_.has_finished(); });
        woken_ = false;
    }
    waiting_.store(false, std::memory_order_relaxed);
}

void ThreadsEngine::wake() {
    {
        const std::lock_guard lock(mutex_);
        woken_ = true;
    }
    wake_up_.notify_one();
}

void ThreadsEngine::request_finished() {
    if (!waiting_.load(std::memory_order_seq_cst)) return;
    // Taking the lock ensures that the other thread is asleep or has not checked yet.
    { const std::lock_guard lock(mutex_); }
    wake_up_.notify_one();
}

}  // namespace ums
