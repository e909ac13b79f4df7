#include "sim/bench/measure_passes.hpp"

#include <algorithm>
#include <vector>

#include "sim/bench/measure_answer.hpp"
#include "sim/bench/measured_page.hpp"
#include "sim/bench/write_contents.hpp"
#include "sim/page/measure_mark.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

constexpr std::uint32_t kMeasurePassTasks = 8;
constexpr std::uint64_t kMeasurePassBytes = ums::kMb;

}  // namespace

ums::Task<bool> MeasurePasses::transfer(MeasureFile& file, ums::FileHandle handle, ums::IoOperation operation, std::uint64_t offset_bytes,
                                        std::byte* data, std::uint64_t size_bytes) {
    const ums::IoSegment segment{data, size_bytes};
    ums::IoRequest request;
    request.operation = operation;
    request.file = handle;
    request.offset_bytes = offset_bytes;
    request.size_bytes = size_bytes;
    request.segments = &segment;
    request.segment_count = 1;
    request.owner = &file;
    co_await ums::Scheduler::current().io(request);
    co_return is_answered(file, request, run_, journal_);
}

ums::Task<void> MeasurePasses::fill(MeasureFile& file, const MeasureSource& source, std::uint64_t seed) {
    // An incomplete page or sector at the end of the file is not written.
    const std::uint32_t unit_bytes = std::max(file.pages ? file.pages->unit_bytes() : kSectorBytes, file.sector_bytes);
    const std::uint64_t end_bytes = file.size_bytes / unit_bytes * unit_bytes;
    const std::uint64_t first_bytes = std::min(end_bytes, kMeasurePassBytes);
    const bool is_begun = co_await begin_file(file, first_bytes);
    if (!is_begun) co_return;
    next_offset_bytes_.store(first_bytes, std::memory_order_relaxed);
    ums::TaskGroup tasks;
    for (std::uint32_t i = 0; i < kMeasurePassTasks; ++i) {
        schedulers_[i % schedulers_.size()].spawn(tasks, "Preparation", fill_ranges(file, source, ums::mix64(seed + i), end_bytes));
    }
    co_await tasks.join();
    next_offset_bytes_.store(0, std::memory_order_relaxed);
    co_await fill_ranges(file, source, ums::mix64(seed + kMeasurePassTasks), first_bytes);
}

// The first piece gets its contents last. Until then it marks the file as unfinished: otherwise the file would be taken for a complete one,
// and reads of space that was never written do not reach the device.
ums::Task<bool> MeasurePasses::begin_file(MeasureFile& file, std::uint64_t size_bytes) {
    if (size_bytes < kMeasureMarkBytes) co_return true;
    const ums::MemoryRegion memory(kMeasurePassBytes, ums::MemoryKind::plain);
    make_unfinished_mark(memory.data());
    const bool is_written = co_await transfer(file, file.control, ums::IoOperation::write, 0, memory.data(), size_bytes);
    co_return is_written;
}

ums::Task<void> MeasurePasses::fill_ranges(MeasureFile& file, const MeasureSource& source, std::uint64_t seed, std::uint64_t end_bytes) {
    const ums::MemoryRegion memory(kMeasurePassBytes, ums::MemoryKind::huge_pages);
    ums::Prng prng(seed);
    WriteContents contents(source);
    while (!run_.is_stopping()) {
        const std::uint64_t offset_bytes = next_offset_bytes_.fetch_add(kMeasurePassBytes, std::memory_order_relaxed);
        if (offset_bytes >= end_bytes) break;
        const std::uint64_t size_bytes = std::min(kMeasurePassBytes, end_bytes - offset_bytes);
        if (!file.pages) {
            // The user's buffer may be smaller than a piece of this pass; contents that are read before they are written mean nothing.
            const bool has_own_bytes = source.contents == MeasureContents::buffer;
            if (has_own_bytes) {
                fill_from_seed(prng.next(), memory.data(), size_bytes);
                keep_measure_mark(memory.data(), offset_bytes, size_bytes);
            } else {
                contents.fill(memory.data(), offset_bytes, size_bytes, prng);
            }
            if (!co_await transfer(file, file.control, ums::IoOperation::write, offset_bytes, memory.data(), size_bytes)) break;
            continue;
        }
        PageBook& book = *file.pages;
        const std::uint64_t unit_bytes = book.unit_bytes();
        const std::uint64_t first = offset_bytes / unit_bytes;
        const std::uint64_t count = size_bytes / unit_bytes;
        const std::uint64_t utc_us = journal_.clock().utc_us();
        for (std::uint64_t i = 0; i < count; ++i) {
            book.make_image(first + i, book.begin_write(first + i), utc_us, memory.data() + i * unit_bytes);
        }
        const bool is_written = co_await transfer(file, file.control, ums::IoOperation::write, offset_bytes, memory.data(), size_bytes);
        for (std::uint64_t i = 0; i < count; ++i) book.end_write(first + i, is_written);
        if (!is_written) break;
    }
}

ums::Task<void> MeasurePasses::mark(MeasureFile& file) {
    // No more than one sector of the device, and only if it must: what is written back may be an older version that this read returned.
    const ums::MemoryRegion memory(kPageBytes, ums::MemoryKind::plain);
    const std::uint64_t sector_bytes = std::max<std::uint64_t>(file.sector_bytes, kMeasureMarkBytes);
    const std::uint64_t size_bytes = std::min(file.size_bytes / kSectorBytes * kSectorBytes, sector_bytes);
    const bool is_read = co_await transfer(file, file.control, ums::IoOperation::read, 0, memory.data(), size_bytes);
    if (!is_read || (has_measure_mark(memory.data()) && !has_unfinished_mark(memory.data()))) co_return;
    make_measure_mark(memory.data());
    static_cast<void>(co_await transfer(file, file.control, ums::IoOperation::write, 0, memory.data(), size_bytes));
}

ums::Task<std::uint64_t> MeasurePasses::read_back(MeasureFile& file, ums::FileHandle handle) {
    next_offset_bytes_.store(0, std::memory_order_relaxed);
    count_.store(0, std::memory_order_relaxed);
    ums::TaskGroup tasks;
    for (std::uint32_t i = 0; i < kMeasurePassTasks; ++i) {
        schedulers_[i % schedulers_.size()].spawn(tasks, "Reading back", read_ranges(file, handle));
    }
    co_await tasks.join();
    co_return count_.load(std::memory_order_relaxed);
}

ums::Task<void> MeasurePasses::read_ranges(MeasureFile& file, ums::FileHandle handle) {
    const ums::MemoryRegion memory(kMeasurePassBytes, ums::MemoryKind::huge_pages);
    PageBook& book = *file.pages;
    const std::uint64_t unit_bytes = book.unit_bytes();
    const std::uint64_t end = file.size_bytes / file.sector_bytes * file.sector_bytes / unit_bytes;
    std::vector<PageBook::Mark> marks(kMeasurePassBytes / unit_bytes);
    while (!run_.is_stopping()) {
        const std::uint64_t first = next_offset_bytes_.fetch_add(kMeasurePassBytes, std::memory_order_relaxed) / unit_bytes;
        if (first >= end) break;
        const std::uint64_t count = std::min<std::uint64_t>(marks.size(), end - first);
        std::uint64_t own = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            marks[i] = book.mark(first + i);
            if (book.was_written_by_us(first + i)) ++own;
        }
        if (own == 0) continue;
        const std::uint64_t size_bytes = count * unit_bytes;
        stamp_not_read(memory.data(), size_bytes);
        const bool is_read = co_await transfer(file, handle, ums::IoOperation::read, first * unit_bytes, memory.data(), size_bytes);
        if (!is_read) break;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::byte* const image = memory.data() + i * unit_bytes;
            if (book.judge(first + i, image, marks[i]) != BookJudgement::wrong) continue;
            co_await report_wrong_page(file, handle, first + i, image, marks[i], journal_);
        }
        count_.fetch_add(own, std::memory_order_relaxed);
        co_await ums::Scheduler::current().yield_if_due();
    }
}

}  // namespace sim
