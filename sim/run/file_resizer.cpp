#include "sim/run/file_resizer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/files/zero_stamp.hpp"

namespace sim {

ums::Task<void> FileResizer::read_last_time(DataFile& data, std::uint32_t begin_page, std::uint32_t end_page) {
    RangeReader reader = context_.make_reader();
    const std::uint32_t step = std::min(kReadAheadPages, context_.transfer_pages_max());
    for (std::uint32_t page = begin_page; page < end_page && !context_.run.is_stopping(); page += step) {
        const std::uint32_t count = std::min(step, end_page - page);
        WorkCounters::add(context_.shrink_user.pages_read, co_await reader.read(data, page, count, {.keep = false}));
    }
}

ums::Task<void> FileResizer::resize(DataFile& data, std::uint64_t size_bytes) {
    SimFile& file = data.file;
    const auto pages = static_cast<std::uint32_t>(size_bytes / kPageBytes);
    co_await read_last_time(data, pages, file.pages());
    LogReservation reservation = co_await context_.log.reserve(sizeof(LogRecordHeader));
    if (!reservation) co_return;
    co_await file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    const std::uint64_t old_bytes = file.size_bytes();
    const std::uint32_t old_pages = file.pages();
    std::error_code error = co_await file.resize(size_bytes);
    if (!error && pages > old_pages && context_.options.stamp_files) {
        error = co_await stamp_zeros(file, context_.run, context_.journal, old_bytes, size_bytes);
        if (error) static_cast<void>(co_await file.resize(old_bytes));
    }
    if (!error) {
        context_.buffers.pool().discard_from(file.id(), pages);
        for (std::uint32_t page = pages; page < old_pages; ++page) data.ledger.forget(page);
        (pages < old_pages ? file.shrunk_count : file.grown_count).fetch_add(1, std::memory_order_relaxed);
        co_await context_.log.append(reservation, {.kind = LogRecordKind::file_resize, .file_id = file.id(), .page_count = pages},
                                     sizeof(LogRecordHeader));
    }
    file.resize_latch().release_exclusive();
    if (error) {
        context_.journal.warning(fmt::format("{}: cannot be brought from {} MB to {} MB: {}. It stays as it is.", file.path(),
                                             old_bytes >> 20, size_bytes >> 20, error.message()));
    } else {
        WorkCounters::add(context_.shrink_user.pages_updated, pages < old_pages ? old_pages - pages : pages - old_pages);
        context_.journal.info(fmt::format("{}: {} from {} MB to {} MB.", file.path(), pages < old_pages ? "shrunk" : "grown",
                                          old_bytes >> 20, size_bytes >> 20));
    }
}

}  // namespace sim
