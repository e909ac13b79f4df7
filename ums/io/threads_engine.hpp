// Transfers by a pool of threads with ordinary system calls: for kernels, containers and security profiles that do not allow io_uring.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "ums/io/blocking_pool.hpp"
#include "ums/io/io_engine.hpp"
#include "ums/io/storage.hpp"

namespace ums {

// More threads than this in one engine cost more than the disk gains.
inline constexpr std::uint32_t kEngineThreadsMax = 64;

class ThreadsEngine final : public IoEngine {
public:
    // Of `options`: `queue_depth` threads, at most kEngineThreadsMax, on own_thread_cpus(). All but the first are created when they are
    // needed. Throws std::system_error if the system refuses the first one.
    explicit ThreadsEngine(const EngineOptions& options);
    // Asserts that no request is outstanding.
    ~ThreadsEngine() override;

    [[nodiscard]] std::string_view name() const override { return "threads"; }
    void submit(IoRequest& request) override;
    void poll(IoRequestList& finished) override;
    void wait(std::uint64_t timeout_ns) override;
    void wake() override;
    [[nodiscard]] bool is_short_of_threads() const override { return pool_.is_short_of_threads(); }
    [[nodiscard]] std::uint32_t in_flight() const override { return in_flight_; }

private:
    void request_finished();

    // Own thread only.
    IoRequestList queued_;
    IoRequestList finished_;  // those that need no system call
    std::uint32_t in_flight_ = 0;

    std::mutex mutex_;  // guards woken_
    std::condition_variable wake_up_;
    bool woken_ = false;
    std::atomic<bool> waiting_{false};

    BlockingPool pool_;  // last: its threads use the members above
};

}  // namespace ums
