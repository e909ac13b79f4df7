// Reads ranges of pages: one scatter read into 64 pages (512 KB) as SQL Server's read-ahead does, up to 1024. Every page that comes back is
// verified, even if the page is already in memory (ForceReadAhead): its second copy goes to separate memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/buffer/buffer_manager.hpp"

namespace sim {

struct RangeReadOptions {
    bool read_present = true;  // also read pages that are in memory
    bool keep = true;          // leave the pages in the pool
};

struct RangeReaderSettings {
    bool use_scatter = true;     // false: one request for each page
    bool merge_buffers = false;  // pages that are adjacent in memory form one segment
};

// Owned by one task; reuses its vectors from call to call.
class RangeReader {
public:
    RangeReader(BufferManager& buffers, RunState& run, Journal& journal, const RangeReaderSettings& settings)
        : buffers_(buffers), run_(run), journal_(journal), settings_(settings) {}

    // Reads and verifies [first_page, first_page + count), cut at the end of the file; at most kTransferPagesMax. Returns how many pages
    // were read. Hold no latch.
    ums::Task<std::uint32_t> read(DataFile& data, std::uint32_t first_page, std::uint32_t count, RangeReadOptions options);

private:
    struct Item {
        Frame* frame = nullptr;  // null: in memory and not to be read
        Slot slot = kNoSlot;
        bool inserted = false;
        bool complete = false;
    };
    struct Part {  // of items_
        std::size_t begin;
        std::size_t end;
    };

    [[nodiscard]] bool take_page(DataFile& data, std::uint32_t page, Item& item, bool read_present);
    ums::Task<void> wait_for_page(DataFile& data, std::uint32_t page, Item& item);
    void hold(DataFile& data, std::uint32_t page, Item& item, Frame& frame);
    ums::Task<void> read_runs(DataFile& data, std::uint32_t first_page);
    ums::Task<bool> read_pages(DataFile& data, std::uint32_t first_page, Part part, OnStop on_stop);
    ums::Task<void> read_again(DataFile& data, std::uint32_t first_page, Part part, TransferResult result);
    ums::Task<bool> read_page(DataFile& data, std::uint32_t page, Item& item, OnStop on_stop);  // true if it has reported something
    ums::Task<void> check_page(DataFile& data, std::uint32_t page, Item& item);
    void finish_pages(DataFile& data, std::uint32_t first_page, bool keep);
    void release(Item& item, bool keep);

    BufferManager& buffers_;
    RunState& run_;
    Journal& journal_;
    const RangeReaderSettings settings_;
    std::vector<Slot> slots_;
    std::vector<Slot> unused_;
    std::vector<Item> items_;
    std::uint32_t read_count_ = 0;
    std::vector<ReadPage> wrong_;  // of the pages that have been read, in the order in which they came
    std::vector<ums::IoSegment> segments_;
};

}  // namespace sim
