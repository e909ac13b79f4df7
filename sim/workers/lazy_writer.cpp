#include "sim/workers/lazy_writer.hpp"

#include <algorithm>

namespace sim {

namespace {

// Frames the hand passes in one step, and the writes it starts in it at most.
constexpr std::uint32_t kFramesPerStep = 1024;
constexpr std::uint32_t kWritesPerStep = 16;
// Everything is in use: others must get the CPU to change that.
constexpr std::uint64_t kPauseNs = ums::kNsPerMs;

}  // namespace

ums::Task<void> LazyWriter::serve() {
    ums::Event& wanted = context_.buffers.memory_wanted();
    while (!stopping_) {
        co_await wanted.wait(ums::WaitType::lazywriter_sleep, context_.now_ns() + ums::kNsPerSecond);
        wanted.reset();
        co_await make_room();
        WorkCounters::add(context_.lazy_writer.cycles, 1);
    }
}

void LazyWriter::stop() {
    stopping_ = true;
    context_.buffers.memory_wanted().set();
}

ums::Task<void> LazyWriter::make_room() {
    SlotAllocator& slots = context_.buffers.pool().slots();
    const std::uint64_t target = context_.buffers.free_target();
    while (slots.has_waiters() || (slots.free_count() < target && !stopping_)) {
        const bool progress = co_await sweep_some();
        if (!progress) co_await ums::sleep_until(context_.now_ns() + kPauseNs, ums::WaitType::lazywriter_sleep);
        co_await ums::Scheduler::current().yield_if_due();
    }
}

// One step of the clock hand. True if memory was freed or will be on the next round.
ums::Task<bool> LazyWriter::sweep_some() {
    BufferPool& pool = context_.buffers.pool();
    ums::TaskGroup writes;
    std::uint32_t write_count = 0;
    bool progress = false;
    for (std::uint32_t i = 0; i < kFramesPerStep && write_count < kWritesPerStep; ++i) {
        PageKey key;
        const BufferPool::Sweep result = pool.sweep(key);
        progress |= result == BufferPool::Sweep::evicted || result == BufferPool::Sweep::spared;
        if (result != BufferPool::Sweep::dirty) continue;
        ++write_count;
        ums::Scheduler::current().fork(writes, write(key));
    }
    co_await writes.join();
    co_return progress || write_count > 0;
}

ums::Task<void> LazyWriter::write(PageKey key) {
    PageWriter writer = context_.make_writer();
    const PageWriter::Written written = co_await writer.write_around(*context_.data_file(key.file_id), key.page_id, false);
    WorkCounters::add(context_.lazy_writer.pages_updated, written.pages);
}

}  // namespace sim
