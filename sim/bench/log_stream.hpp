// Log blocks one after the other, as a log writer makes them: header, noise, checksum (log_block_maker.hpp). At the end of the file, the
// stream starts over after the signature page.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bench/bench_options.hpp"
#include "sim/bench/log_block_maker.hpp"
#include "sim/files/sim_file.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/spinlock.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class LogStream {
public:
    // Memory for the blocks of one task, one at a time.
    struct Block {
        explicit Block(const LogStream& log);
        ums::MemoryRegion memory;
    };

    // All references must outlive the stream.
    LogStream(SimFile& file, std::uint64_t run_id, const BenchOptions& options, RunState& run, Journal& journal);

    // Writes one block of random size at the end of the log. False if it cannot be written, which has been reported.
    ums::Task<bool> write_next(Block& block, ums::Prng& prng);

    // Reads what was written since the stream last started over; each block must be the acknowledged one. Returns the number of pages,
    // rounded up. Call it only while nothing writes. Skips blocks that a slow write of an earlier lap may have overwritten, because nobody
    // knows which of the two is there.
    ums::Task<std::uint64_t> read_back();

private:
    struct Written {
        std::uint64_t offset_bytes = 0;
        std::uint32_t size_bytes = 0;
        std::uint32_t checksum = 0;
    };

    std::uint64_t take_place(std::uint32_t size_bytes, std::uint64_t& sequence, std::uint64_t& lap);
    std::uint32_t make_block(std::byte* data, std::uint32_t size_bytes, std::uint64_t offset_bytes, std::uint64_t sequence) const;
    [[nodiscard]] bool was_overlapped(const Written& written) const;
    void report_wrong(const Written& written, const std::byte* data, std::uint32_t calculated);

    SimFile& file_;
    const std::uint64_t run_id_;
    const std::uint32_t unit_bytes_;  // divides all sizes
    const std::uint32_t units_min_;
    const std::uint32_t units_max_;
    const LogBlockMaker maker_;
    RunState& run_;
    Journal& journal_;

    ums::Spinlock lock_;  // guards everything below
    std::uint64_t next_offset_bytes_ = kPageBytes;
    std::uint64_t next_sequence_ = 1;
    std::uint64_t lap_ = 1;
    std::vector<Written> written_;     // acknowledged in this lap
    std::vector<Written> stragglers_;  // of earlier laps, which came back in this one
};

}  // namespace sim
