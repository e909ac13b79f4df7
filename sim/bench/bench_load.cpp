#include "sim/bench/bench_load.hpp"

#include "sim/files/io_retry.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// Blocks of one size, aligned to it: a random one, or the next after the last one that any task took.
class BlockChooser {
public:
    BlockChooser(const BenchOptions& options, BenchFile& file, std::uint64_t seed)
        : is_random_(options.pattern == BenchPattern::random),
          block_count_(file.used_bytes / options.block_bytes_max),
          next_block_(file.next_block),
          prng_(seed) {}

    std::uint64_t next() {
        return is_random_ ? prng_.below(block_count_) : next_block_.fetch_add(1, std::memory_order_relaxed) % block_count_;
    }
    [[nodiscard]] ums::Prng& prng() { return prng_; }

private:
    const bool is_random_;
    const std::uint64_t block_count_;
    std::atomic<std::uint64_t>& next_block_;
    ums::Prng prng_;
};

// Tasks beyond the depth keep a device busy while the others verify or make pages. A device that answers at once leaves no gaps to fill:
// there, spare tasks would only cost memory and switches, so they rest.
class SpareTask {
public:
    SpareTask(const BenchContext& context, std::uint32_t task) : run_(context.run), is_spare_(task >= context.options.depth) {}

    [[nodiscard]] bool should_rest() const { return is_spare_ && ums::Scheduler::current().device_completes_immediately(); }
    [[nodiscard]] ums::Task<void> rest() {
        co_await run_.users_stop().wait(ums::WaitType::sleep_task, ums::Scheduler::current().now_ns() + kRestNs);
    }

private:
    static constexpr std::uint64_t kRestNs = 10 * ums::kNsPerMs;

    RunState& run_;
    const bool is_spare_;
};

ums::Task<void> read_pages(BenchContext& context, BenchFile& file, SpareTask spare, std::uint64_t seed) {
    BlockChooser chooser(context.options, file, seed);
    const std::uint32_t pages = context.options.block_bytes_max / kPageBytes;
    RangeReader reader = file.make_reader();
    while (!context.run.users_must_stop()) {
        if (spare.should_rest()) {
            co_await spare.rest();
            continue;
        }
        const auto first = static_cast<std::uint32_t>(chooser.next() * pages);
        co_await reader.read(file.data, first, pages, {.keep = false});
    }
}

ums::Task<void> write_pages(BenchContext& context, BenchFile& file, SpareTask spare, std::uint64_t seed) {
    BlockChooser chooser(context.options, file, seed);
    const std::uint32_t pages = context.options.block_bytes_max / kPageBytes;
    PageWriter writer = file.make_writer();
    while (!context.run.users_must_stop()) {
        if (spare.should_rest()) {
            co_await spare.rest();
            continue;
        }
        const auto first = static_cast<std::uint32_t>(chooser.next() * pages);
        co_await file.write_pages(writer, first, pages, chooser.prng());
    }
}

ums::Task<void> read_blocks(BenchContext& context, BenchFile& file, std::uint64_t seed) {
    BlockChooser chooser(context.options, file, seed);
    const std::uint32_t block_bytes = context.options.block_bytes_max;
    // The pool's memory: it is registered with the engine, and comes in adjacent pages, or not (--scatter).
    SlotAllocator& memory = file.pool.slots();
    std::vector<Slot> slots;
    co_await memory.acquire(block_bytes / kPageBytes, slots);
    std::vector<ums::IoSegment> segments;
    for (const Slot slot : slots) ums::append_segment(segments, memory.data(slot), kPageBytes, true);
    while (!context.run.users_must_stop()) {
        const std::uint64_t offset_bytes = chooser.next() * block_bytes;
        const TransferResult result =
            co_await file.data.file.transfer(ums::IoOperation::read, offset_bytes, segments, ums::WaitType::io_completion);
        if (!result.error && result.transferred_bytes == block_bytes) continue;
        IoRetry retry(file.data.file, context.run, file.journal);
        if (!co_await retry.read(offset_bytes, segments, ums::WaitType::io_completion)) break;
        if (retry.has_reported()) continue;
        report_recovered_transfer(file.data.file,
                                  {ums::IoOperation::read, offset_bytes, block_bytes, result.error, result.transferred_bytes});
    }
    memory.release(slots);
}

ums::Task<void> write_log(BenchContext& context, LogStream& log, SpareTask spare, std::uint64_t seed) {
    LogStream::Block block(log);
    ums::Prng prng(seed);
    while (!context.run.users_must_stop()) {
        if (spare.should_rest()) {
            co_await spare.rest();
            continue;
        }
        if (!co_await log.write_next(block, prng)) break;
    }
}

}  // namespace

ums::Task<void> run_bench_task(BenchContext& context, std::uint32_t task, std::uint64_t seed) {
    const std::size_t index = task % context.files.size();
    BenchFile& file = *context.files[index];
    const BenchOptions& options = context.options;
    const SpareTask spare(context, task);
    if (options.is_log()) return write_log(context, *context.logs[index], spare, seed);
    if (options.operation == BenchOperation::write) return write_pages(context, file, spare, seed);
    return options.verify ? read_pages(context, file, spare, seed) : read_blocks(context, file, seed);
}

}  // namespace sim
