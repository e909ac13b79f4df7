#include "sim/diagnosis/scan_holdings.hpp"

#include <algorithm>
#include <utility>

#include "ums/base/assert.hpp"

namespace sim {

ScanHoldings::~ScanHoldings() {
    UMS_ASSERT(suspects_.empty());
    for (DataFile* data : files_) data->file.resize_latch().release_shared();
}

bool ScanHoldings::is_in_hand(const DataFile& data, std::uint32_t page) const {
    if (&data != &home_) return false;
    const auto found = std::lower_bound(in_hand_.begin(), in_hand_.end(), page,
                                        [](const ReadPage& read, std::uint32_t wanted) { return read.page < wanted; });
    return found != in_hand_.end() && found->page == page;
}

bool ScanHoldings::hold_file(DataFile& data) {
    if (&data == &home_ || std::find(files_.begin(), files_.end(), &data) != files_.end()) return true;
    if (!data.file.resize_latch().try_acquire_shared()) return false;
    files_.push_back(&data);
    return true;
}

HeldPage ScanHoldings::hold_page(DataFile& data, std::uint32_t page) {
    HeldPage held{.data = &data, .page = page, .is_file_held = true};
    if (is_in_hand(data, page)) return held;
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
