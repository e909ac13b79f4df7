#include "sim/bench/file_passes.hpp"

#include <optional>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

ums::Task<void> FilePasses::run(BenchFile& file, Step step) {
    ranges_.begin_again();
    count_.store(0, std::memory_order_relaxed);
    ums::TaskGroup tasks;
    for (std::uint32_t i = 0; i < kPassTasks; ++i) {
        schedulers_[i % schedulers_.size()].spawn(tasks, "Preparation", (this->*step)(file));
    }
    co_await tasks.join();
}

ums::Task<void> FilePasses::fill(BenchFile& file) { return run(file, &FilePasses::fill_ranges); }

ums::Task<void> FilePasses::fill_ranges(BenchFile& file) {
    PageWriter writer = file.make_writer();
    ums::Prng prng(seed_);
    while (!file.run.is_stopping()) {
        const std::optional<PageRanges::Range> range = ranges_.take(kPassPages, file.used_pages());
        if (!range) break;
        co_await file.write_pages(writer, range->first, range->count, prng);
    }
}

ums::Task<void> FilePasses::examine(BenchFile& file, std::uint64_t& foreign) {
    co_await run(file, &FilePasses::examine_ranges);
    foreign = count_.load(std::memory_order_relaxed);
}

ums::Task<void> FilePasses::examine_ranges(BenchFile& file) {
    const ums::MemoryRegion memory(std::size_t{kPassPages} * kPageBytes, ums::MemoryKind::huge_pages);
    IoRetry retry(file.data.file, file.run, file.journal);
    while (!file.run.is_stopping()) {
        const std::optional<PageRanges::Range> range = ranges_.take(kPassPages, file.used_pages());
        if (!range) break;
        const auto [first, count] = *range;
        const ums::IoSegment segment{memory.data(), std::size_t{count} * kPageBytes};
        stamp_not_read(segment.data, segment.size_bytes);
        const bool is_read = co_await retry.read(std::uint64_t{first} * kPageBytes, {&segment, 1}, ums::WaitType::io_completion);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (is_read) {
                take(file, first + i, memory.data() + std::size_t{i} * kPageBytes);
            } else {
                file.data.ledger.mark_unknown(first + i);
            }
        }
        co_await ums::Scheduler::current().yield_if_due();
    }
}

void FilePasses::take(BenchFile& file, std::uint32_t page, const std::byte* image) {
    PageLedger& ledger = file.data.ledger;
    if (is_all_zero(image, kPageBytes)) return;
    const PageHeader header = read_header(image);
    const std::uint32_t calculated = page_checksum(image);
    const bool is_sound =
        header.magic == kPageMagic && header.checksum == calculated && header.version != 0 && header.version < kVersionMax;
    const bool is_here = header.file_id == file.data.file.id() && header.page_id == page;
    // A page whose versions are nearly used up begins again with the first one, like a page of another run.
    if (is_sound && is_here && header.run_id == file.run_id && header.version < kVersionEnd) {
        ledger.acknowledge(page, header.version, header.lsn, calculated);
        return;
    }
    ledger.mark_unknown(page);
    count_.fetch_add(1, std::memory_order_relaxed);
    if (is_sound && header.page_id == page) return;
    Finding finding;
    finding.kind = is_sound ? FindingKind::misdirected_write : FindingKind::bit_corruption;
    finding.place.file_id = file.data.file.id();
    finding.place.path = file.data.file.path();
    finding.place.page_id = page;
    finding.place.offset_bytes = std::uint64_t{page} * kPageBytes;
    finding.received = {.version = header.version,
                        .lsn = header.lsn,
                        .checksum = header.checksum,
                        .calculated_checksum = calculated,
                        .file_id = header.file_id,
                        .page_id = header.page_id};
    finding.evidence.image.assign(image, image + kPageBytes);
    finding.description = fmt::format(
        "Page {} is not what a run wrote there: {}. Either it was damaged since, or something else wrote to the file, or the run that "
        "wrote it was cut off.",
        page, is_sound ? fmt::format("it is page {} of file {}", header.page_id, header.file_id) : "its checksum does not match its bytes");
    file.data.file.report(std::move(finding));
}

ums::Task<void> FilePasses::read_back(BenchFile& file, std::uint64_t& pages) {
    co_await run(file, &FilePasses::read_ranges);
    pages += count_.load(std::memory_order_relaxed);
}

ums::Task<void> FilePasses::read_ranges(BenchFile& file) {
    RangeReader reader = file.make_reader();
    while (!file.run.is_stopping()) {
        const std::optional<PageRanges::Range> range = ranges_.take(kPassPages, file.used_pages());
        if (!range) break;
        const auto [first, count] = *range;
        count_.fetch_add(co_await reader.read(file.data, first, count, {.keep = false}), std::memory_order_relaxed);
        co_await ums::Scheduler::current().yield_if_due();
    }
}

}  // namespace sim
