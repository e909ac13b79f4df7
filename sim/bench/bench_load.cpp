#include "sim/bench/bench_load.hpp"

#include <utility>

#include "sim/files/io_retry.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

namespace {

// Blocks of one size, aligned to it: by chance, or the one behind the last that any task took.
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

ums::Task<void> read_pages(BenchContext& context, BenchFile& file, std::uint64_t seed) {
    BlockChooser chooser(context.options, file, seed);
    const std::uint32_t pages = context.options.block_bytes_max / kPageBytes;
    RangeReader reader = file.make_reader();
    while (!context.run.users_must_stop()) {
        const auto first = static_cast<std::uint32_t>(chooser.next() * pages);
        co_await reader.read(file.data, first, pages, {.keep = false});
    }
}

ums::Task<void> write_pages(BenchContext& context, BenchFile& file, std::uint64_t seed) {
    BlockChooser chooser(context.options, file, seed);
    const std::uint32_t pages = context.options.block_bytes_max / kPageBytes;
    PageWriter writer = file.make_writer();
    while (!context.run.users_must_stop()) {
        const auto first = static_cast<std::uint32_t>(chooser.next() * pages);
        co_await file.write_pages(writer, first, pages, chooser.prng());
    }
}

ums::Task<void> read_blocks(BenchContext& context, BenchFile& file, std::uint64_t seed) {
    BlockChooser chooser(context.options, file, seed);
    const std::uint32_t block_bytes = context.options.block_bytes_max;
    const std::size_t stride = context.options.scatter ? 2 * std::size_t{kPageBytes} : kPageBytes;
    const ums::MemoryRegion memory(block_bytes / kPageBytes * stride, ums::MemoryKind::huge_pages);
    std::vector<ums::IoSegment> segments;
    if (context.options.scatter) {
        for (std::size_t i = 0; i < block_bytes / kPageBytes; ++i) segments.push_back({memory.data() + i * stride, kPageBytes});
    } else {
        segments.push_back({memory.data(), block_bytes});
    }
    IoRetry retry(file.data.file, context.run, file.journal);
    while (!context.run.users_must_stop()) {
        const std::uint64_t offset_bytes = chooser.next() * block_bytes;
        const TransferResult result =
            co_await file.data.file.transfer(ums::IoOperation::read, offset_bytes, segments, ums::WaitType::io_completion);
        if (result.error || result.transferred_bytes != block_bytes) {
            if (!co_await retry.read(offset_bytes, segments, ums::WaitType::io_completion)) break;
        }
    }
}

ums::Task<void> write_log(BenchContext& context, LogStream& log, std::uint64_t seed) {
    LogStream::Block block(context.options.block_bytes_max);
    ums::Prng prng(seed);
    while (!context.run.users_must_stop()) {
        if (!co_await log.write_next(block, prng)) break;
    }
}

}  // namespace

ums::Task<void> run_bench_task(BenchContext& context, std::uint32_t task, std::uint64_t seed) {
    const std::size_t index = task % context.files.size();
    BenchFile& file = *context.files[index];
    const BenchOptions& options = context.options;
    if (options.is_log()) return write_log(context, *context.logs[index], seed);
    if (options.operation == BenchOperation::write) return write_pages(context, file, seed);
    return options.verify ? read_pages(context, file, seed) : read_blocks(context, file, seed);
}

}  // namespace sim
