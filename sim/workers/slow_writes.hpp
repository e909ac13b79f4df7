// How many writes a checkpoint has outstanding: all that it may, until they take too long. SQL Server's automatic checkpoints watch the
// duration of their writes in the same way and write less while it is above 50 ms.
#pragma once

#include <atomic>
#include <cstdint>

namespace sim {

// Any thread.
class SlowWrites {
public:
    // `limit_ms` 0: nothing is ever too long.
    SlowWrites(std::uint32_t limit_ms, std::uint32_t writers)
        : limit_us_(std::uint64_t{limit_ms} * 1000), writers_(writers), allowed_(writers) {}

    // Totals of the files since the run began. Halves the writers if the writes since the last check took too long on average, and adds one
    // if they did not.
    void look(std::uint64_t writes, std::uint64_t write_time_us);
    [[nodiscard]] bool is_on() const { return limit_us_ != 0; }
    // Writers with smaller numbers may write.
    [[nodiscard]] std::uint32_t allowed() const { return allowed_.load(std::memory_order_relaxed); }

private:
    const std::uint64_t limit_us_;
    const std::uint32_t writers_;
    std::atomic<std::uint32_t> allowed_;
    std::uint64_t writes_ = 0;  // at the last look, which one task takes
    std::uint64_t write_time_us_ = 0;
};

}  // namespace sim
