#include "sim/diagnosis/scan_holdings.hpp"

#include <algorithm>
#include <utility>

#include "ums/base/assert.hpp"

namespace sim {

ScanHoldings::ScanHoldings(BufferPool& pool, const DataFile& home, std::span<const ReadPage> in_hand) : pool_(pool), home_(home) {
    for (const ReadPage& read : in_hand) in_hand_.insert(PageKey{home.file.id(), read.page}.packed());
    looked_at_ = in_hand_;
}

ScanHoldings::~ScanHoldings() {
    UMS_ASSERT(suspects_.empty());
    for (DataFile* data : files_) data->file.resize_latch().release_shared();
}

bool ScanHoldings::hold_file(DataFile& data) {
    if (&data == &home_ || std::find(files_.begin(), files_.end(), &data) != files_.end()) return true;
    if (!data.file.resize_latch().try_acquire_shared()) return false;
    files_.push_back(&data);
    return true;
}

HeldPage ScanHoldings::hold_page(DataFile& data, std::uint32_t page) {
    HeldPage held{.data = &data, .page = page, .is_file_held = true};
    if (in_hand_.contains(PageKey{data.file.id(), page}.packed())) return held;
    Frame& frame = pool_.find_or_insert({data.file.id(), page}, held.is_new);
    if (!held.is_new && !frame.latch.try_acquire(ums::LatchMode::update)) {
        pool_.unpin(frame);
        return held;
    }
    held.frame = &frame;
    if (held.is_new || frame.in_table()) return held;
    release(held);
    held.frame = nullptr;
    return held;
}

void ScanHoldings::release(const HeldPage& held) {
    if (held.is_new) pool_.discard(*held.frame);
    held.frame->latch.release(held.is_new ? ums::LatchMode::exclusive : ums::LatchMode::update);
    pool_.unpin(*held.frame);
}

std::unique_ptr<SuspectPage> ScanHoldings::next_suspect() {
    if (suspects_.empty()) return nullptr;
    auto suspect = std::make_unique<SuspectPage>(std::move(suspects_.front()));
    suspects_.pop_front();
    return suspect;
}

}  // namespace sim
