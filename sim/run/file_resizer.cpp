#include "sim/run/file_resizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ums/base/memory_region.hpp"

namespace sim {

ums::Task<void> FileResizer::resize(DataFile& data, std::uint64_t size_bytes) {
    SimFile& file = data.file;
    const auto pages = static_cast<std::uint32_t>(size_bytes / kPageBytes);
    LogReservation reservation = co_await context_.log.reserve(sizeof(LogRecordHeader));
    co_await file.resize_latch().acquire(ums::LatchMode::exclusive, ums::WaitType::file_resize);
    const std::uint64_t old_bytes = file.size_bytes();
    const std::uint32_t old_pages = file.pages();
    context_.buffers.pool().discard_from(file.id(), pages);
    std::error_code error = co_await file.resize(size_bytes);
    if (!error && pages > old_pages && context_.options.stamp_files) error = co_await stamp_zeros(data, old_bytes, size_bytes);
    if (!error) {
        for (std::uint32_t page = pages; page < old_pages; ++page) data.ledger.forget(page);
        (pages < old_pages ? file.shrunk_count : file.grown_count).fetch_add(1, std::memory_order_relaxed);
        co_await context_.log.append(reservation, {.kind = LogRecordKind::file_resize, .file_id = file.id(), .page_count = pages},
                                     sizeof(LogRecordHeader));
    }
    file.resize_latch().release(ums::LatchMode::exclusive);
    if (error) {
        context_.journal.warning(fmt::format("{}: cannot be brought from {} MB to {} MB: {}. It stays as it is.", file.path(), old_bytes >> 20,
                                             size_bytes >> 20, error.message()));
    } else {
        WorkCounters::add(context_.shrink_user.pages_updated, pages < old_pages ? old_pages - pages : pages - old_pages);
        context_.journal.info(fmt::format("{}: {} from {} MB to {} MB.", file.path(), pages < old_pages ? "shrunk" : "grown", old_bytes >> 20,
                                          size_bytes >> 20));
    }
}

ums::Task<std::error_code> FileResizer::stamp_zeros(DataFile& data, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    constexpr std::uint64_t kStampBytes = 1 << 20;
    const ums::MemoryRegion zeros(kStampBytes, ums::MemoryKind::plain);
    for (std::uint64_t offset = begin_bytes; offset < end_bytes; offset += kStampBytes) {
        const ums::IoSegment segment{zeros.data(), std::min(kStampBytes, end_bytes - offset)};
        const TransferResult result =
            co_await data.file.transfer(ums::IoOperation::write, offset, {&segment, 1}, ums::WaitType::io_completion);
        if (result.error) co_return result.error;
        if (result.transferred_bytes < segment.size_bytes) co_return std::make_error_code(std::errc::no_space_on_device);
    }
    co_return std::error_code{};
}

}  // namespace sim
