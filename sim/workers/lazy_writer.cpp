#include "sim/workers/lazy_writer.hpp"

namespace sim {

namespace {

// Frames that the clock hand passes in one sweep, and the most writes that it starts meanwhile.
constexpr std::uint32_t kFramesPerSweep = 1024;
constexpr std::uint32_t kWritesPerSweep = 16;
// Everything is in use: others must get the CPU to change that.
constexpr std::uint64_t kLazyPauseNs = ums::kNsPerMs;

}  // namespace

ums::Task<void> LazyWriter::serve() {
    ums::Event& wanted = context_.buffers.memory_requested();
    while (!stopping_) {
        co_await wanted.wait(ums::WaitType::lazywriter_sleep, context_.now_ns() + ums::kNsPerSecond);
        wanted.reset();
        co_await make_room();
        WorkCounters::add(context_.lazy_writer.cycles, 1);
    }
}

void LazyWriter::stop() {
    stopping_ = true;
    context_.buffers.memory_requested().set();
}

ums::Task<void> LazyWriter::make_room() {
    SlotAllocator& slots = context_.buffers.pool().slots();
    const std::uint64_t target = context_.buffers.free_target();
    while (slots.has_waiters() || (slots.free_count() < target && !stopping_ && !context_.run.users_are_ending())) {
        const bool progress = co_await sweep_some();
        if (!progress) co_await ums::sleep_until(context_.now_ns() + kLazyPauseNs, ums::WaitType::lazywriter_sleep);
        co_await ums::Scheduler::current().yield_if_due();
    }
}

// One step of the clock hand. True if memory was freed or will be on the next round.
ums::Task<bool> LazyWriter::sweep_some() {
    BufferPool& pool = context_.buffers.pool();
    ums::TaskGroup writes;
    std::uint32_t write_count = 0;
    const std::uint32_t writes_max = context_.run.users_are_ending() ? 1 : kWritesPerSweep;
    bool progress = false;
    for (std::uint32_t i = 0; i < kFramesPerSweep && write_count < writes_max; ++i) {
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
    // Users that are ending must not wait for queued pages, but may wait for memory.
    const bool are_ending = context_.run.users_are_ending();
    PageWriter writer = context_.make_writer(are_ending ? OnStop::abandon : OnStop::abandon_with_users);
    const PageWriter::Written written = co_await writer.write_around(*context_.data_file(key.file_id), key.page_id, false);
    WorkCounters::add(context_.lazy_writer.pages_updated, written.pages);
}

}  // namespace sim
