// Adjacent pages of a data file, held for transfers that bypass the pool: nothing else changes, writes or reads them meanwhile. Pages in
// memory stay there; the others are not read in.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/files/data_file.hpp"
#include "sim/pool/buffer_pool.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// Owned by one task; reuses its vector from call to call. Each page that is not in memory occupies a frame of the pool meanwhile.
class HeldRange {
public:
    explicit HeldRange(BufferPool& pool) : pool_(pool) {}
    HeldRange(const HeldRange&) = delete;
    HeldRange& operator=(const HeldRange&) = delete;
    // Asserts that it holds nothing.
    ~HeldRange();

    // Keeps the file from changing size and holds the pages, as many as it has. Returns their number. Hold no latch.
    ums::Task<std::uint32_t> hold(DataFile& data, std::uint32_t first_page, std::uint32_t count);
    // On the scheduler of hold().
    void release();

private:
    struct Held {
        Frame* frame = nullptr;
        bool is_new = false;  // held EX, else UP
    };

    ums::Task<Held> take(PageKey key);

    BufferPool& pool_;
    DataFile* data_ = nullptr;
    std::vector<Held> pages_;
};

}  // namespace sim
