// Where all time comes from. The scheduler, the governor and the users never ask the operating system directly: with a VirtualClock and a
// simulated storage an entire run is a pure function of its seed.
#pragma once

#include <atomic>
#include <cstdint>

namespace ums {

// Thread-safe. Both times are in fixed units: nanoseconds since an arbitrary start, microseconds since 1970-01-01 UTC.
class Clock {
public:
    virtual ~Clock() = default;

    // Monotonic time.
    [[nodiscard]] virtual std::uint64_t now_ns() const = 0;

    // Wall-clock time in UTC; for people and for page headers, never for durations.
    [[nodiscard]] virtual std::uint64_t utc_us() const = 0;

    // True if time passes by itself. A virtual clock moves only by advance_to().
    [[nodiscard]] virtual bool is_real() const = 0;
};

class RealClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t now_ns() const override;
    [[nodiscard]] std::uint64_t utc_us() const override;
    [[nodiscard]] bool is_real() const override { return true; }
};

class VirtualClock final : public Clock {
public:
    explicit VirtualClock(std::uint64_t utc_start_us = 1'700'000'000'000'000) : utc_start_us_(utc_start_us) {}

    [[nodiscard]] std::uint64_t now_ns() const override { return now_ns_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t utc_us() const override { return utc_start_us_ + now_ns() / 1000; }
    [[nodiscard]] bool is_real() const override { return false; }

    // Time never runs backwards: an earlier `time_ns` is ignored.
    void advance_to(std::uint64_t time_ns) {
        if (time_ns > now_ns()) now_ns_.store(time_ns, std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> now_ns_{1};
    std::uint64_t utc_start_us_;
};

}  // namespace ums
