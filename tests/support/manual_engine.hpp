// An engine without an operating system, for tests of the scheduler: a request comes back after a delay that the test chooses, or when
// the test completes it by hand. It moves no data. With a RealClock the delay is real, with a VirtualClock it is virtual.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ums/base/clock.hpp"
#include "ums/base/units.hpp"
#include "ums/io/io_engine.hpp"
#include "ums/io/storage.hpp"

namespace ums::testing {

// How long a request takes; kNever: until the test completes it by hand.
using RequestDelay = std::function<std::uint64_t(const IoRequest& request)>;

inline RequestDelay fixed_delay(std::uint64_t delay_ns) {
    return [delay_ns](const IoRequest&) { return delay_ns; };
}

class ManualEngine final : public IoEngine {
public:
    // With `sleep_ns_min` > 0, wait() ignores shorter timeouts, so that a lost wake-up shows as an expired wait. Only for tests whose tasks
    // wait for no timer.
    ManualEngine(const Clock& clock, RequestDelay delay, std::uint64_t sleep_ns_min)
        : clock_(clock), delay_(std::move(delay)), sleep_ns_min_(sleep_ns_min) {}

    [[nodiscard]] std::string_view name() const override { return "manual"; }

    void submit(IoRequest& request) override {
        const std::uint64_t delay_ns = delay_(request);
        const std::lock_guard guard(lock_);
        out_.push_back(Out{&request, delay_ns == kNever ? kNever : clock_.now_ns() + delay_ns, next_order_++});
        in_flight_.store(in_flight_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    [[nodiscard]] bool perform_immediately(IoRequest& request) override {
        ++copies_;
        request.transferred_bytes = request.size_bytes;
        return true;
    }

    // `call` is made in every poll, e.g. to advance the time of a device that answers immediately.
    void call_in_polls(std::function<void()> call) { in_polls_ = std::move(call); }

    void poll(IoRequestList& finished) override {
        ++polls_;
        if (in_polls_) in_polls_();
        const std::lock_guard guard(lock_);
        const std::uint64_t now = clock_.now_ns();
        while (const Out* out = first()) {
            if (out->due_ns > now) break;
            IoRequest& request = *out->request;
            if (!out->by_hand) request.transferred_bytes = request.size_bytes;
            if (!clock_.is_real() && !out->by_hand) request.completed_ns = out->due_ns;
            out_.erase(out_.begin() + (out - out_.data()));
            in_flight_.store(in_flight_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
            finished.push_back(request);
        }
    }

    void wait(std::uint64_t timeout_ns) override {
        std::unique_lock guard(lock_);
        ++waits_;
        const std::uint64_t limit_ns = clock_.now_ns() + std::max(timeout_ns, sleep_ns_min_);
        while (!woken_) {
            const Out* out = first();
            const std::uint64_t until_ns = std::min(limit_ns, out != nullptr ? out->due_ns : kNever);
            const std::uint64_t now = clock_.now_ns();
            if (limit_ns <= now) ++expired_waits_;
            if (until_ns <= now) break;
            changed_.wait_for(guard, std::chrono::nanoseconds(until_ns - now));
        }
        woken_ = false;
    }

    void wake() override {
        const std::lock_guard guard(lock_);
        ++wakes_;
        woken_ = true;
        changed_.notify_one();
    }

    [[nodiscard]] std::uint32_t in_flight() const override { return in_flight_.load(std::memory_order_relaxed); }

    [[nodiscard]] std::uint64_t next_completion_ns() const override {
        const std::lock_guard guard(lock_);
        const Out* out = first();
        return out != nullptr ? out->due_ns : kNever;
    }

    // Completes a request now, with this result. False if the engine does not have it. Any thread.
    bool complete(const IoRequest& request, std::uint64_t transferred_bytes, std::error_code error = {}) {
        const std::lock_guard guard(lock_);
        for (Out& out : out_) {
            if (out.request != &request) continue;
            out.request->transferred_bytes = transferred_bytes;
            out.request->error = error;
            out.due_ns = 0;
            out.by_hand = true;
            changed_.notify_one();
            return true;
        }
        return false;
    }

    // Counts of calls. Only from the engine's thread or after the run, except wakes().
    [[nodiscard]] std::uint64_t polls() const { return polls_; }
    [[nodiscard]] std::uint64_t waits() const { return waits_; }
    [[nodiscard]] std::uint64_t copies() const { return copies_; }
    [[nodiscard]] std::uint64_t submits() const { return next_order_; }
    // Waits that ended only by their timeout.
    [[nodiscard]] std::uint64_t expired_waits() const { return expired_waits_; }
    [[nodiscard]] std::uint64_t wakes() const {
        const std::lock_guard guard(lock_);
        return wakes_;
    }

private:
    struct Out {
        IoRequest* request;
        std::uint64_t due_ns;
        std::uint64_t order;
        bool by_hand = false;
    };

    [[nodiscard]] const Out* first() const {
        const auto place = std::min_element(out_.begin(), out_.end(), [](const Out& a, const Out& b) {
            return std::pair(a.due_ns, a.order) < std::pair(b.due_ns, b.order);
        });
        return place != out_.end() ? &*place : nullptr;
    }

    const Clock& clock_;
    const RequestDelay delay_;
    const std::uint64_t sleep_ns_min_;
    std::atomic<std::uint32_t> in_flight_{0};
    std::function<void()> in_polls_;
    std::uint64_t polls_ = 0;
    std::uint64_t copies_ = 0;
    mutable std::mutex lock_;  // guards everything below
    std::condition_variable changed_;
    bool woken_ = false;
    std::uint64_t waits_ = 0;
    std::uint64_t expired_waits_ = 0;
    std::uint64_t wakes_ = 0;
    std::uint64_t next_order_ = 0;
    std::vector<Out> out_;
};

// A storage with engines but no files.
class ManualStorage final : public Storage {
public:
    explicit ManualStorage(const Clock& clock, RequestDelay delay = fixed_delay(0), std::uint64_t sleep_ns_min = 0)
        : clock_(clock), delay_(std::move(delay)), sleep_ns_min_(sleep_ns_min) {}

    std::error_code resolve(const std::string&, std::string&) override { return no_files(); }
    std::error_code status(const std::string&, FileStatus&) override { return no_files(); }
    std::error_code status_of(FileHandle, FileStatus&) override { return no_files(); }
    std::error_code open(const std::string&, const OpenOptions&, FileHandle&) override { return no_files(); }
    std::error_code reopen(FileHandle, const OpenOptions&, FileHandle&) override { return no_files(); }
    void close(FileHandle) override {}
    std::error_code remove(FileHandle) override { return no_files(); }
    std::error_code check_removal(FileHandle) override { return no_files(); }
    std::error_code check_size(FileHandle, std::uint64_t) override { return no_files(); }
    std::error_code lock(FileHandle) override { return no_files(); }
    std::error_code size(FileHandle, std::uint64_t&) override { return no_files(); }
    std::error_code allocate(FileHandle, std::uint64_t, std::uint64_t) override { return no_files(); }
    std::error_code truncate(FileHandle, std::uint64_t) override { return no_files(); }
    std::error_code sync(FileHandle) override { return no_files(); }
    std::error_code read(FileHandle, std::uint64_t, std::byte*, std::size_t, std::size_t&) override { return no_files(); }
    std::error_code next_data(FileHandle, std::uint64_t, std::uint64_t&, std::uint64_t&) override { return no_files(); }
    std::error_code free_space(const std::string&, std::uint64_t&) override { return no_files(); }
    std::error_code drop_cache(FileHandle) override { return {}; }

    std::unique_ptr<IoEngine> make_engine(const EngineOptions&, std::string&) override {
        auto made = std::make_unique<ManualEngine>(clock_, delay_, sleep_ns_min_);
        engines_.push_back(made.get());
        return made;
    }

    // The engine of scheduler `id`; the scheduler owns it.
    [[nodiscard]] ManualEngine& engine(std::size_t id) const { return *engines_.at(id); }

private:
    static std::error_code no_files() { return std::make_error_code(std::errc::function_not_supported); }

    const Clock& clock_;
    const RequestDelay delay_;
    const std::uint64_t sleep_ns_min_;
    std::vector<ManualEngine*> engines_;
};

}  // namespace ums::testing
