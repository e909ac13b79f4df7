// What a search through the files holds: files that must not change size meanwhile, and wrong pages that it met, which stay latched until
// it is their turn to be diagnosed, unless another task holds them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/files/data_file.hpp"
#include "sim/page/page_image.hpp"
#include "sim/pool/buffer_pool.hpp"
#include "sim/pool/frame.hpp"

namespace sim {

// A page that is held for transfers, acquired without waiting.
struct HeldPage {
    DataFile* data = nullptr;
    std::uint32_t page = 0;
    Frame* frame = nullptr;     // null: another task holds the page
    bool is_new = false;        // was not in memory: held EX, else UP
    bool is_file_held = false;  // the file cannot change size
};

struct SuspectPage {
    HeldPage held;
    PageImage image;  // as it came back
    PageLedger::Entry entry;
    std::optional<std::uint64_t> write_mark;  // of a page that another task holds: no write of it has been in flight since
};

// Used by the tasks of one diagnosis, all on one scheduler's thread.
class ScanHoldings {
public:
    // `home`: a file that the caller itself keeps from changing size. `in_hand`: pages of it, ascending, that the caller is diagnosing
    // anyway, and may hold only by that latch; they must outlive the object.
    ScanHoldings(BufferPool& pool, const DataFile& home, std::span<const ReadPage> in_hand) : pool_(pool), home_(home), in_hand_(in_hand) {}
    ScanHoldings(const ScanHoldings&) = delete;
    ScanHoldings& operator=(const ScanHoldings&) = delete;
    ~ScanHoldings();

    // Never waits. False if a task is changing the size of the file, or wants to.
    bool hold_file(DataFile& data);
    // Never waits. The frame is null if another task holds the page, or the caller has it in hand. The file must be held.
    [[nodiscard]] HeldPage hold_page(DataFile& data, std::uint32_t page);
    void release(const HeldPage& held);

    void keep(SuspectPage suspect) { suspects_.push_back(std::move(suspect)); }
    // For a wrong page that another task holds: it is not repaired meanwhile, so every search meets it. True the first time, never for
    // pages in hand.
    bool is_first_look(const HeldPage& page) {
        return !is_in_hand(*page.data, page.page) && looked_at_.insert(PageKey{page.data->file.id(), page.page}.packed()).second;
    }
    // Null if there is none left. The caller releases the page, if it is held.
    [[nodiscard]] std::unique_ptr<SuspectPage> next_suspect();

private:
    [[nodiscard]] bool is_in_hand(const DataFile& data, std::uint32_t page) const;

    BufferPool& pool_;
    const DataFile& home_;
    const std::span<const ReadPage> in_hand_;
    std::vector<DataFile*> files_;
    std::deque<SuspectPage> suspects_;
    std::unordered_set<std::uint64_t> looked_at_;
};

}  // namespace sim
