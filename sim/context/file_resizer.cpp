#include "sim/context/file_resizer.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "sim/buffer/snapshot.hpp"
#include "sim/files/file_stamper.hpp"
#include "sim/files/io_retry.hpp"
#include "ums/io/errno_error.hpp"

namespace sim {

ums::Task<void> FileResizer::read_last_time(DataFile& data, std::uint32_t begin_page, std::uint32_t end_page) {
    RangeReader reader = context_.make_reader();
    const std::uint32_t step = std::min(kReadAheadPages, context_.transfer_pages_max());
    for (std::uint32_t page = begin_page; page < end_page && !context_.run.is_stopping(); page += step) {
        const std::uint32_t count = std::min(step, end_page - page);
        WorkCounters::add(context_.shrink_user.pages_read, co_await reader.read(data, page, count, {.keep = false}));
    }
}

// Piece by piece: whoever uses the file waits for one piece at a time, not for all of them. What is changed between two pieces is copied by
// whoever writes it.
ums::Task<void> FileResizer::copy_to_snapshot(DataFile& data, std::uint32_t begin_page, std::uint32_t end_page) {
    if (data.snapshot == nullptr) co_return;
    // Where the run stops meanwhile the cut takes place all the same: nobody reads the snapshot then.
    for (std::uint32_t page = begin_page; page < end_page && !context_.run.is_stopping(); page += kReadAheadPages) {
        co_await data.file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
        static_cast<void>(co_await data.snapshot->copy_before_change(page, std::min(kReadAheadPages, end_page - page), OnStop::abandon));
        data.file.resize_latch().release_exclusive();
    }
}

ums::Task<void> FileResizer::resize(DataFile& data, std::uint64_t size_bytes) {
    SimFile& file = data.file;
    const auto pages = static_cast<std::uint32_t>(size_bytes / kPageBytes);
    co_await read_last_time(data, pages, file.pages());
    co_await copy_to_snapshot(data, pages, file.pages());
    constexpr std::uint32_t kRecords = 2;  // a cut that fails is taken back
    LogReservation reservation = co_await context_.log.space().reserve(std::uint64_t{kRecords} * sizeof(LogRecordHeader), kRecords);
    if (!reservation) co_return;
    co_await file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    const std::uint64_t old_bytes = file.size_bytes();
    const bool is_cut = pages < file.pages();
    std::error_code error;
    std::exception_ptr mistake;
    try {
        if (is_cut) {
            error = co_await cut(data, pages, reservation);
        } else {
            error = co_await grow(data, pages, reservation);
        }
    } catch (...) {
        mistake = std::current_exception();
    }
    file.resize_latch().release_exclusive();
    if (mistake) std::rethrow_exception(mistake);
    tell(file, old_bytes, size_bytes, error);
}

ums::Task<std::error_code> FileResizer::cut(DataFile& data, std::uint32_t pages, LogReservation& reservation) {
    SimFile& file = data.file;
    const std::uint32_t old_pages = file.pages();
    // Nothing is left to be copied, unless another snapshot has been taken meanwhile.
    if (data.snapshot != nullptr) {
        static_cast<void>(co_await data.snapshot->copy_before_change(pages, old_pages - pages, OnStop::abandon));
    }
    const PageSums::File before_cut = context_.log.sums_of(file.id());
    const std::uint64_t cut_lsn = co_await log_size(data, pages, reservation);
    if (cut_lsn == 0) co_return std::make_error_code(std::errc::operation_canceled);
    if (context_.promises != nullptr) context_.promises->cut(file.id(), pages, cut_lsn);
    const std::error_code error = co_await file.resize(std::uint64_t{pages} * kPageBytes);
    if (error) {
        // What the cut pages had been promised is not promised again before they are written again: less is demanded than could be.
        static_cast<void>(co_await log_size(data, old_pages, reservation, &before_cut));
        co_return error;
    }
    const std::uint64_t dirty_pages = co_await context_.buffers.forget_from(data, pages);
    file.local_counters().pages_cleaned.add(dirty_pages);
    file.shrunk_count.fetch_add(1, std::memory_order_relaxed);
    co_return co_await sync(file);
}

ums::Task<std::error_code> FileResizer::grow(DataFile& data, std::uint32_t pages, LogReservation& reservation) {
    SimFile& file = data.file;
    const std::uint64_t old_bytes = file.size_bytes();
    const std::uint64_t new_bytes = std::uint64_t{pages} * kPageBytes;
    context_.journal.moment(Moment::growth);
    std::error_code error = co_await file.resize(new_bytes);
    if (!error && context_.options.stamp_files) error = co_await stamp_zeros(file, context_.run, context_.journal, old_bytes, new_bytes);
    if (!error) error = co_await sync(file);
    if (error) {
        static_cast<void>(co_await file.resize(old_bytes));
        co_return error;
    }
    // If the log has failed, the record may have arrived all the same, and no file is ever shorter than its log says: it stays as it is.
    const std::uint64_t lsn = co_await log_size(data, pages, reservation);
    if (lsn == 0) co_return std::make_error_code(std::errc::operation_canceled);
    if (context_.promises != nullptr) context_.promises->grown(file.id(), pages);
    file.grown_count.fetch_add(1, std::memory_order_relaxed);
    co_return error;
}

// The LSN of the record, which is hardened; 0 if the log has failed.
ums::Task<std::uint64_t> FileResizer::log_size(DataFile& data, std::uint32_t pages, LogReservation& reservation,
                                               const PageSums::File* before_cut) {
    const std::uint32_t file_id = data.file.id();
    const auto version_of = [this, &data, file_id](std::uint32_t page) {
        std::uint32_t version = data.ledger[page].version;
        if (Frame* frame = context_.buffers.pool().find({file_id, page})) {
            version = std::max(version, frame->version);
            context_.buffers.pool().unpin(*frame);
        }
        return version;
    };
    const std::uint64_t lsn = co_await context_.log.append_resize(reservation, file_id, pages, version_of, before_cut);
    const bool is_hardened = co_await context_.log.harden(lsn);
    co_return is_hardened ? lsn : 0;
}

ums::Task<std::error_code> FileResizer::sync(SimFile& file) {
    if (!file.requests_durability()) co_return std::error_code{};
    const std::error_code error = co_await file.sync();
    if (error) co_await end_run_unsynced(file, error, context_.run, context_.journal);
    co_return error;
}

void FileResizer::tell(const SimFile& file, std::uint64_t old_bytes, std::uint64_t new_bytes, std::error_code error) {
    const bool is_cut = new_bytes < old_bytes;
    if (is_called_off(error, context_.run)) return;
    if (error) {
        context_.journal.warning(fmt::format("{}: cannot be brought from {} MB to {} MB: {}. It stays as it is.", file.path(),
                                             old_bytes >> 20, new_bytes >> 20, ums::error_text(error)));
        return;
    }
    WorkCounters::add(context_.shrink_user.pages_updated, (is_cut ? old_bytes - new_bytes : new_bytes - old_bytes) / kPageBytes);
    context_.journal.info(
        fmt::format("{}: {} from {} MB to {} MB.", file.path(), is_cut ? "shrunk" : "grown", old_bytes >> 20, new_bytes >> 20));
}

}  // namespace sim
