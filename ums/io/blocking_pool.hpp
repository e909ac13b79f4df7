// Threads that carry out requests with blocking system calls, for an engine whose own thread must not block. They are created when there is
// more work than idle threads, and stay until the end.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ums/io/io_request.hpp"

namespace ums {

struct EngineOptions;

struct BlockingPoolOptions {
    std::uint32_t threads_max = 1;
    // For its threads; none = all that the thread that creates the pool may use. The one that uses it may be bound to fewer.
    std::vector<std::uint32_t> cpus{};
    std::string thread_name;
};

// The CPUs for an engine's own threads.
[[nodiscard]] std::vector<std::uint32_t> own_thread_cpus(const EngineOptions& options);

// Unless it says otherwise, a member is only called by one thread, the owner's.
class BlockingPool {
public:
    // Starts the first thread: there is always one. The pool's threads call `on_finished` after each request, without a lock. Throws
    // std::system_error if the system refuses that thread.
    BlockingPool(BlockingPoolOptions options, std::function<void()> on_finished);
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;
    // Ends the threads after they have carried out all submitted requests. Asserts that every request was collected.
    ~BlockingPool();

    // Takes all of `requests`.
    void submit(IoRequestList& requests);

    // True if collect() has something to return; one load.
    [[nodiscard]] bool has_finished() const { return finished_count_.load(std::memory_order_seq_cst) > 0; }

    // Appends what has finished since the last call.
    void collect(IoRequestList& finished);

    // The system refused a thread that was needed: the pool works with those that it has. Any thread.
    [[nodiscard]] bool is_short_of_threads() const { return is_short_of_threads_.load(std::memory_order_relaxed); }

private:
    [[nodiscard]] bool may_add_threads() const;
    void add_threads(std::uint32_t wanted);
    void add_thread();
    void work();

    const BlockingPoolOptions options_;
    const std::function<void()> on_finished_;
    std::vector<std::thread> threads_;

    std::mutex mutex_;  // guards the members up to stopping_
    std::condition_variable work_to_do_;
    IoRequestList queue_;
    std::uint32_t queued_count_ = 0;
    std::uint32_t idle_threads_ = 0;
    IoRequestList finished_;
    bool stopping_ = false;

    std::atomic<std::uint32_t> finished_count_{0};
    std::atomic<bool> is_short_of_threads_{false};
};

}  // namespace ums
