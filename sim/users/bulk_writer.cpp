#include "sim/users/bulk_writer.hpp"

#include <algorithm>

namespace sim {

ums::Task<std::uint64_t> BulkWriter::update(DataFile& data, std::uint32_t first_page, std::uint32_t count) {
    constexpr std::uint64_t kRecordBytes = sizeof(LogRecordHeader);
    std::uint64_t last_lsn = 0;
    for (std::uint32_t done = 0; done < count && !context_.run.users_are_ending();) {
        const std::uint32_t chunk = std::min(count - done, kExtentPages);
        LogReservation reservation = co_await context_.log.space().reserve(kRecordBytes * chunk, chunk);
        if (!reservation) break;
        for (std::uint32_t i = 0; i < chunk; ++i, ++done) {
            const std::uint32_t page = first_page + done;
            const FixedPage fixed = co_await context_.buffers.fix(data, page, FixIntent::overwrite, prng_);
            if (!fixed) continue;
            const std::uint32_t version = BufferManager::change(data, fixed.frame());
            last_lsn = co_await context_.log.append(reservation, {LogRecordKind::page_update, data.file.id(), page, version}, kRecordBytes);
            BufferManager::logged(fixed.frame(), last_lsn);
            WorkCounters::add(counters_.pages_updated, 1);
            WorkCounters::add(counters_.log_bytes, kRecordBytes);
        }
        co_await ums::Scheduler::current().yield_if_due();
    }
    co_return last_lsn;
}

ums::Task<void> BulkWriter::write(DataFile& data, std::uint32_t first_page, std::uint32_t count) {
    const std::uint32_t end_page = first_page + count;
    for (std::uint32_t page = first_page; page < end_page && !context_.run.is_stopping() && !context_.run.users_are_ending();) {
        const PageWriter::Written written = co_await writer_.write_around(data, page, true);
        page = std::max(page + 1, written.end_page);
    }
}

}  // namespace sim
