// Which pages of a file are being written. A task that reads a page held by another task learns here whether a write of it was in flight
// before, during or after the read: if none was, what came back must be what the ledger says.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace sim {

// Any thread. Pages share counters: a page may seem to be written when only another one is, but never the other way round.
class WriteWatch {
public:
    // Enclose everything from before the first request of a write is posted until the ledger knows its result.
    void begin(std::uint32_t first_page, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) counter(first_page + i).fetch_add(kInFlight + 1);
    }
    void end(std::uint32_t first_page, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) counter(first_page + i).fetch_sub(kInFlight);
    }

    // Pass it to is_quiet_since(); nothing while the page is being written.
    [[nodiscard]] std::optional<std::uint64_t> mark(std::uint32_t page) const {
        const std::uint64_t count = counters_[page % kCounters].load();
        return count < kInFlight ? std::optional(count) : std::nullopt;
    }
    // No write of the page has begun since mark() returned this.
    [[nodiscard]] bool is_quiet_since(std::uint32_t page, std::uint64_t mark) const { return counters_[page % kCounters].load() == mark; }

private:
    static constexpr std::uint32_t kCounters = 4096;
    static constexpr std::uint64_t kInFlight = std::uint64_t{1} << 48;  // the bits below: how many have begun

    [[nodiscard]] std::atomic<std::uint64_t>& counter(std::uint32_t page) { return counters_[page % kCounters]; }

    std::array<std::atomic<std::uint64_t>, kCounters> counters_{};
};

// One write of adjacent pages, from its construction to its end.
class WatchedWrite {
public:
    WatchedWrite(WriteWatch& watch, std::uint32_t first_page, std::uint32_t count) : watch_(watch), first_page_(first_page), count_(count) {
        watch_.begin(first_page_, count_);
    }
    ~WatchedWrite() { watch_.end(first_page_, count_); }
    WatchedWrite(const WatchedWrite&) = delete;
    WatchedWrite& operator=(const WatchedWrite&) = delete;

private:
    WriteWatch& watch_;
    const std::uint32_t first_page_;
    const std::uint32_t count_;
};

}  // namespace sim
