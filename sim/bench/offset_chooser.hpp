// Where the next request of a thread on its target goes. Offsets are relative to the file. Pure except for the positions that it keeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sim/bench/measure_spec.hpp"
#include "ums/base/prng.hpp"

namespace sim {

// The part of the file that a target uses, and how random requests are distributed over it. Shared by all threads of the target.
class TargetRange {
public:
    // `file_bytes`: size of the file. Throws RefusedError if no block of the target fits, or none fits into a span. Spans by size that
    // begin beyond the end are left out, unless none with requests remains.
    TargetRange(const MeasureTarget& target, std::uint64_t file_bytes);

    [[nodiscard]] std::uint64_t begin_bytes() const { return begin_bytes_; }
    [[nodiscard]] std::uint64_t length_bytes() const { return length_bytes_; }
    [[nodiscard]] std::uint64_t random_offset(ums::Prng& prng) const;
    // For interlocked requests.
    [[nodiscard]] std::uint64_t next_shared_offset(std::uint32_t size_bytes);

private:
    // Aligned offsets at which a block fits: first_slot … first_slot + slots - 1.
    struct Part {
        std::uint64_t share_below = 0;  // in percent, up to and including this part; of the last one below 100 if others were left out
        std::uint64_t first_slot = 0;
        std::uint64_t slots = 0;
    };

    void add_parts(const MeasureTarget& target);
    void add_part(std::uint64_t begin, std::uint64_t end, std::uint32_t io_percent);

    std::uint64_t begin_bytes_ = 0;
    std::uint64_t length_bytes_ = 0;
    std::uint64_t alignment_bytes_ = 0;
    std::uint64_t block_bytes_ = 0;
    std::uint64_t stride_bytes_ = 0;  // 0: the size of the request
    bool is_stride_zero_ = false;
    std::vector<Part> parts_;
    std::atomic<std::uint64_t> shared_position_{0};
};

// A position that advances through the range, for one thread or, with same_start, for one task.
class OffsetChooser {
public:
    // `thread`: from 0, among the threads of the target. Both references must outlive the object. Throws RefusedError if no block fits
    // between the place where the thread begins and the end of the range.
    OffsetChooser(const MeasureTarget& target, TargetRange& range, std::uint32_t thread);

    // Mixed: whether the next request is a random one, which sequential ones may follow. Always true for other kinds of access.
    [[nodiscard]] bool begins_run(ums::Prng& prng);
    // `is_new_run`: what begins_run() has returned for this request.
    [[nodiscard]] std::uint64_t next(std::uint32_t size_bytes, bool is_new_run, ums::Prng& prng);

private:
    [[nodiscard]] std::uint64_t next_sequential(std::uint32_t size_bytes);

    const MeasureTarget& target_;
    TargetRange& range_;
    std::uint64_t again_ = 0;     // in the range: where it goes on after the end of it
    std::uint64_t position_ = 0;  // in the range
    bool has_begun_ = false;      // mixed: the first request is random
};

}  // namespace sim
