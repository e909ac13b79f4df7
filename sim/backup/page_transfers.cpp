#include "sim/backup/page_transfers.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "sim/files/io_retry.hpp"
#include "sim/limits.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

// --- reading ---

ums::Task<bool> PageTransfers::read(DataFile& data, std::uint32_t first_page, std::uint32_t count, std::byte* memory,
                                    std::vector<PageLedger::Entry>& entries) {
    const std::uint32_t present = co_await held_.hold(data, first_page, count);
    entries.assign(present, PageLedger::Entry{});
    wrong_.clear();
    bool is_read = true;
    std::exception_ptr mistake;
    try {
        if (present > 0) is_read = co_await transfer_in(data, first_page, entries, memory);
        co_await checker_.diagnose(data, wrong_);
        for (std::uint32_t i = 0; is_read && i < present; ++i) {
            if (entries[i].unknown == 0) entries[i] = data.ledger[first_page + i];
        }
    } catch (...) {
        mistake = std::current_exception();
    }
    held_.release();
    if (mistake) std::rethrow_exception(mistake);
    co_return is_read;
}

// If a range cannot be read, only single reads can tell which page is to blame. If none is, the request itself was at fault.
ums::Task<bool> PageTransfers::transfer_in(DataFile& data, std::uint32_t first_page, std::vector<PageLedger::Entry>& entries,
                                           std::byte* memory) {
    const ums::IoSegment segment{memory, entries.size() * kPageBytes};
    const std::uint64_t offset_bytes = std::uint64_t{first_page} * kPageBytes;
    stamp_not_read(memory, segment.size_bytes);
    const TransferResult result =
        co_await data.file.transfer(ums::IoOperation::read, offset_bytes, {&segment, 1}, ums::WaitType::backupio, OnStop::abandon);
    if (result.is_abandoned) co_return false;
    if (!result.error && result.transferred_bytes == segment.size_bytes) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const ReadPage read{first_page + static_cast<std::uint32_t>(i), memory + i * kPageBytes};
            co_await checker_.check(data, read, wrong_);
        }
        co_return true;
    }
    const bool is_explained = co_await read_each(data, first_page, entries, memory);
    if (!is_explained) {
        report_recovered_transfer(data.file,
                                  {ums::IoOperation::read, offset_bytes, segment.size_bytes, result.error, result.transferred_bytes});
    }
    co_return !run_.is_stopping();
}

// As many concurrent requests as a usual read-ahead has pages: all tries of a page that fails take half a second, most of which is waiting.
// True if something was reported.
ums::Task<bool> PageTransfers::read_each(DataFile& data, std::uint32_t first_page, std::vector<PageLedger::Entry>& entries,
                                         std::byte* memory) {
    std::size_t next = 0;
    bool has_reported = false;
    auto read_some = [&]() -> ums::Task<void> {
        while (next < entries.size()) {
            const std::size_t i = next++;
            const bool is_reported =
                co_await read_one(data, first_page + static_cast<std::uint32_t>(i), entries[i], memory + i * kPageBytes);
            has_reported = has_reported || is_reported;
        }
    };
    ums::TaskGroup reads;
    const std::size_t at_a_time = std::min<std::size_t>(entries.size(), kReadAheadPages);
    for (std::size_t i = 0; i < at_a_time; ++i) ums::Scheduler::current().fork(reads, read_some());
    co_await reads.join();
    co_return has_reported;
}

// True if it has reported something.
ums::Task<bool> PageTransfers::read_one(DataFile& data, std::uint32_t page, PageLedger::Entry& entry, std::byte* memory) {
    const ums::IoSegment segment{memory, kPageBytes};
    stamp_not_read(memory, kPageBytes);
    IoRetry retry(data.file, run_, journal_);
    const bool is_read = co_await retry.read(std::uint64_t{page} * kPageBytes, {&segment, 1}, ums::WaitType::backupio);
    entry.unknown = is_read ? 0 : 1;
    const ReadPage read{page, memory};
    if (is_read) co_await checker_.check(data, read, wrong_);
    co_return retry.has_reported();
}

// --- writing ---

ums::Task<bool> PageTransfers::write(DataFile& data, std::uint32_t first_page, std::span<const PageLedger::Entry> entries,
                                     std::byte* memory) {
    const std::uint32_t present = co_await held_.hold(data, first_page, static_cast<std::uint32_t>(entries.size()));
    UMS_ASSERT(present == entries.size());
    bool is_written = false;
    std::exception_ptr mistake;
    try {
        is_written = co_await transfer_out(data, first_page, entries, memory);
    } catch (...) {
        mistake = std::current_exception();
    }
    held_.release();
    if (mistake) std::rethrow_exception(mistake);
    co_return is_written;
}

ums::Task<bool> PageTransfers::transfer_out(DataFile& data, std::uint32_t first_page, std::span<const PageLedger::Entry> entries,
                                            std::byte* memory) {
    const std::uint64_t write_utc_us = journal_.clock().utc_us();
    checksums_.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::uint32_t page = first_page + static_cast<std::uint32_t>(i);
        std::byte* const image = memory + i * kPageBytes;
        co_await ums::Scheduler::current().before_computing(data.file.has_device());
        const bool has_image = entries[i].version != 0 && entries[i].unknown == 0;
        if (!has_image) std::memset(image, 0, kPageBytes);
        checksums_.push_back(has_image ? make_page({run_id_, data.file.id(), page, entries[i].version, entries[i].lsn, write_utc_us}, image)
                                       : 0);
    }
    const ums::IoSegment segment{memory, entries.size() * kPageBytes};
    const WatchedWrite watched(data.writes, first_page, static_cast<std::uint32_t>(entries.size()));
    IoRetry retry(data.file, run_, journal_);
    const bool is_written =
        co_await retry.write(std::uint64_t{first_page} * kPageBytes, {&segment, 1}, ums::WaitType::backupio, OnStop::abandon);
    if (!is_written && !retry.has_reported()) co_return false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::uint32_t page = first_page + static_cast<std::uint32_t>(i);
        const PageLedger::Entry& entry = entries[i];
        if (!is_written || entry.unknown != 0) {
            data.ledger.mark_unknown(page);
        } else if (entry.version > data.ledger[page].version) {
            data.ledger.acknowledge(page, entry.version, entry.lsn, checksums_[i]);
        } else if (entry.version == 0) {
            data.ledger.forget(page);
        } else {
            data.ledger.restore(page, entry.version, entry.lsn, checksums_[i], false);
        }
    }
    co_return !run_.is_stopping();
}

}  // namespace sim
