// Transfers by io_uring, one ring per engine. A turn of the scheduler costs one system call at most: it submits what was queued and
// collects finished requests.
//
// Transfers of files in memory (tmpfs) are copies, which can be made immediately, without the ring.
//
// The ring never holds more requests than the queue depth, so its completion queue (which is larger) never overflows; further requests wait
// in a list. No memory is allocated per request.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <liburing.h>

#include "ums/io/blocking_pool.hpp"
#include "ums/io/io_engine.hpp"
#include "ums/io/storage.hpp"
#include "ums/io/uring_memory.hpp"
#include "ums/io/uring_probe.hpp"

namespace ums {

class UringEngine final : public IoEngine {
public:
    // May be constructed on a thread other than the one that uses it; the thread of the first call, except wake(), becomes its owner. If
    // the memory limits do not allow queues for `queue_depth`, the queues are smaller. Throws UringRefusal; std::system_error if there is
    // no thread for it.
    UringEngine(const EngineOptions& options, const UringSupport& support);
    UringEngine(const UringEngine&) = delete;
    UringEngine& operator=(const UringEngine&) = delete;
    // Asserts that no request is outstanding.
    ~UringEngine() override;

    [[nodiscard]] std::string_view name() const override { return "uring"; }
    void submit(IoRequest& request) override;
    [[nodiscard]] bool perform_immediately(IoRequest& request) override;
    void use_memory(std::byte* data, std::size_t size_bytes) override;
    void poll(IoRequestList& finished) override;
    void wait(std::uint64_t timeout_ns) override;
    void wake() override;
    [[nodiscard]] bool is_short_of_threads() const override { return is_short_of_threads_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t in_flight() const override { return in_flight_; }

private:
    struct WakeUp {
        WakeUp();
        ~WakeUp();
        WakeUp(const WakeUp&) = delete;
        WakeUp& operator=(const WakeUp&) = delete;
        int event_fd;
    };
    struct Ring {
        Ring() = default;
        ~Ring();
        Ring(const Ring&) = delete;
        Ring& operator=(const Ring&) = delete;
        io_uring ring{};
        bool is_open = false;
    };

    void create(std::uint32_t depth);
    void enable_on_first_use();
    void start(IoRequest& request);
    void retry_later(IoRequest& request);
    void prepare(io_uring_sqe& submission, IoRequest& request) const;
    void start_waiting();
    void start_due_retries();
    void start_all();
    [[nodiscard]] bool enter();
    [[nodiscard]] bool is_enter_needed() const;
    void arm_wake_up();
    void sleep(std::uint64_t timeout_ns);
    void reap();
    void completed(IoRequest& request, std::int32_t result);
    void delegate_to_helper(IoRequest& request);

    const UringSupport support_;
    const std::uint64_t io_affinity_;
    WakeUp wake_up_;
    Ring ring_;
    UringMemory memory_;
    std::uint32_t depth_ = 0;
    bool has_owner_ = false;

    IoRequestList backlog_;  // beyond the queue depth
    IoRequestList retries_;  // those that the system could not do at the moment, until retry_at_ns_
    std::uint64_t retry_at_ns_ = 0;
    IoRequestList finished_;
    std::uint32_t in_flight_ = 0;
    std::atomic<bool> is_short_of_threads_{false};
    std::uint32_t in_ring_ = 0;  // without the wake-up
    bool wake_up_armed_ = false;
    bool woken_ = false;

    BlockingPool
        helper_;  // for what the ring cannot do; created early, while threads are available; last: its thread uses the members above
};

}  // namespace ums
