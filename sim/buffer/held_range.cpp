#include "sim/buffer/held_range.hpp"

#include <algorithm>

#include "ums/base/assert.hpp"

namespace sim {

HeldRange::~HeldRange() { UMS_ASSERT(data_ == nullptr); }

ums::Task<std::uint32_t> HeldRange::hold(DataFile& data, std::uint32_t first_page, std::uint32_t count) {
    UMS_ASSERT(data_ == nullptr);
    co_await data.file.resize_latch().acquire_shared(ums::WaitType::file_resize);
    data_ = &data;
    const std::uint32_t pages = data.file.pages();
    const std::uint32_t present = first_page >= pages ? 0 : std::min(count, pages - first_page);
    for (std::uint32_t i = 0; i < present; ++i) {
        const Held held = co_await take({data.file.id(), first_page + i});
        pages_.push_back(held);
    }
    co_return present;
}

// In ascending order, like every task that takes several.
ums::Task<HeldRange::Held> HeldRange::take(PageKey key) {
    for (;;) {
        Held held;
        Frame& frame = pool_.find_or_insert(key, held.is_new);
        held.frame = &frame;
        if (held.is_new) {
            frame.in_io.store(true, std::memory_order_relaxed);
            co_return held;
        }
        const bool in_io = frame.in_io.load(std::memory_order_relaxed);
        co_await frame.latch.acquire(ums::LatchMode::update, in_io ? ums::WaitType::pageiolatch_sh : ums::WaitType::pagelatch_up);
        if (frame.in_table()) co_return held;
        frame.latch.release(ums::LatchMode::update);
        pool_.unpin(frame);
    }
}

void HeldRange::release() {
    for (const Held& held : pages_) {
        Frame& frame = *held.frame;
        if (held.is_new) {
            frame.in_io.store(false, std::memory_order_relaxed);
            pool_.discard(frame);
        }
        frame.latch.release(held.is_new ? ums::LatchMode::exclusive : ums::LatchMode::update);
        pool_.unpin(frame);
    }
    pages_.clear();
    data_->file.resize_latch().release_shared();
    data_ = nullptr;
}

}  // namespace sim
