#include "ums/io/blocking_pool.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/os_thread.hpp"
#include "ums/io/blocking_io.hpp"
#include "ums/io/storage.hpp"

namespace ums {

namespace {

BlockingPoolOptions with_cpus(BlockingPoolOptions options) {
    if (options.cpus.empty()) options.cpus = cpus_of_this_thread();
    return options;
}

}  // namespace

std::vector<std::uint32_t> own_thread_cpus(const EngineOptions& options) {
    return options.thread_cpus.empty() ? cpus_of_mask(options.io_affinity) : options.thread_cpus;
}

BlockingPool::BlockingPool(BlockingPoolOptions options, std::function<void()> on_finished)
    : options_(with_cpus(std::move(options))), on_finished_(std::move(on_finished)) {
    UMS_ASSERT(options_.threads_max > 0);
    threads_.reserve(options_.threads_max);
    add_thread();
}

BlockingPool::~BlockingPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    work_to_do_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    UMS_ASSERT(queue_.empty() && finished_.empty());
}

void BlockingPool::submit(IoRequestList& requests) {
    std::uint32_t added = 0;
    std::uint32_t threads_missing = 0;
    {
        const std::lock_guard lock(mutex_);
        while (IoRequest* request = requests.pop_front()) {
            queue_.push_back(*request);
            ++added;
        }
        queued_count_ += added;
        threads_missing = queued_count_ - std::min(queued_count_, idle_threads_);
    }
    for (std::uint32_t i = 0; i < added; ++i) work_to_do_.notify_one();
    if (threads_missing > 0 && may_add_threads()) add_threads(threads_missing);
}

// A thread's stack would take the memory that is needed to end cleanly.
bool BlockingPool::may_add_threads() const {
    return threads_.size() < options_.threads_max && !is_short_of_threads() && !MemoryReserve::is_spent();
}

// Fewer threads than requested are enough to continue.
void BlockingPool::add_threads(std::uint32_t wanted) {
    try {
        for (; wanted > 0 && may_add_threads(); --wanted) add_thread();
    } catch (const std::system_error&) {
        is_short_of_threads_.store(true, std::memory_order_relaxed);
    } catch (const std::bad_alloc&) {
        is_short_of_threads_.store(true, std::memory_order_relaxed);
    }
}

void BlockingPool::add_thread() {
    threads_.push_back(start_thread([this, number = threads_.size()] {
        bind_this_thread(options_.cpus);  // first, for whoever looks up the CPUs of the threads with this name
        name_this_thread(options_.thread_name + " " + std::to_string(number));
        work();
    }));
}

void BlockingPool::collect(IoRequestList& finished) {
    if (!has_finished()) return;
    IoRequestList taken;
    {
        const std::lock_guard lock(mutex_);
        std::swap(taken, finished_);
        finished_count_.store(0, std::memory_order_seq_cst);
    }
    finished.append(taken);
}

void BlockingPool::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        while (queue_.empty()) {
            if (stopping_) return;
            ++idle_threads_;
            work_to_do_.wait(lock);
            --idle_threads_;
        }
        IoRequest& request = *queue_.pop_front();
        --queued_count_;
        lock.unlock();
        perform_blocking(request);
        lock.lock();
        finished_.push_back(request);
        finished_count_.fetch_add(1, std::memory_order_seq_cst);
        lock.unlock();
        on_finished_();
        lock.lock();
    }
}

}  // namespace ums
