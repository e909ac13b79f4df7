#include "sim/recovery/redo.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

namespace {

constexpr std::uint32_t kWritersPerFile = 16;
// Pages that a writer examines at a time.
constexpr std::uint32_t kRedoRangePages = 128;

// In place of a checksum, which an entry of a page that is to be written does not have yet: whether anything but zeros is there now.
constexpr std::uint32_t kNothingStandsThere = 0;
constexpr std::uint32_t kSomethingStandsThere = 1;

// Whether the page is to be written as its entry says. An entry about which nothing more is known has no LSN.
bool is_to_be_written(const PageLedger::Entry& entry) { return entry.unknown != 0 && entry.version != 0 && entry.lsn != 0; }

bool is_in_log_alone(const PageLedger::Entry& entry) { return is_to_be_written(entry) && entry.checksum == kNothingStandsThere; }

bool is_empty(const PageLedger::Entry& entry) { return entry.version == 0 && entry.unknown == 0; }

bool is_as_judged(const std::byte* image, const PageJudgement& judgement) {
    if (judgement.condition != PageCondition::sound) return false;
    if (judgement.version == 0) return is_all_zero(image, kPageBytes);
    const PageHeader header = read_header(image);
    return header.version == judgement.version && header.checksum == page_checksum(image);
}

// 0 if no run gets that far: the page would soon have no next version.
std::uint32_t possible_version(const PageJudgement& judgement) { return judgement.version < kVersionMax / 2 ? judgement.version : 0; }

}  // namespace

Redo::Redo(std::vector<DataFile*> data_files, LogAnalysis& log, ums::SchedulerGroup& schedulers, RunState& run, Journal& journal)
    : data_files_(std::move(data_files)), log_(log), schedulers_(schedulers), run_(run), journal_(journal) {}

DataFile* Redo::file_of(std::uint32_t file_id) const {
    const auto found =
        std::find_if(data_files_.begin(), data_files_.end(), [file_id](const DataFile* data) { return data->file.id() == file_id; });
    return found == data_files_.end() ? nullptr : *found;
}

// --- what stands there ---

void Redo::take(const ProvenPage& proven, const PageJudgement& judgement, const std::byte* image) {
    DataFile& data = *file_of(proven.file_id);
    const std::uint32_t page = proven.page_id;
    const PageHeader header = read_header(image);
    if (is_as_judged(image, judgement)) {
        if (judgement.version != 0) data.ledger.restore(page, judgement.version, header.lsn, header.checksum, false);
        return;
    }
    const bool is_left_by_others = judgement.condition == PageCondition::sound && judgement.version == 0;
    if (is_left_by_others) return data.ledger.mark_unknown(page);
    const bool is_torn = judgement.condition == PageCondition::torn;
    // The log has the change that was in flight; if it does not, nothing is promised, and the next change must appear new.
    const bool is_in_log = proven.bound.newest != 0;
    const std::uint32_t version = possible_version(judgement);
    data.ledger.restore(page, is_torn && !is_in_log ? version : 0, 0, 0, true);
    if (is_torn) return;
    const std::lock_guard guard(mutex_);
    lost_.push_back({&data, page, std::min(std::max(proven.least(), version), kVersionMax - 1)});
}

// --- what the log says ---

void Redo::take_record(const LogRecordHeader& header) {
    DataFile* const data = file_of(header.file_id);
    if (data == nullptr) return;
    PageLedger& ledger = data->ledger;
    const auto kind = static_cast<LogRecordKind>(header.kind);
    if (kind == LogRecordKind::file_resize) return take_resize(*data, header);
    const bool is_change = kind == LogRecordKind::page_update || kind == LogRecordKind::filler;
    if (!is_change || header.page_id >= ledger.pages_max() || header.version == 0 || header.version > kVersionMax) return;
    const PageLedger::Entry entry = ledger[header.page_id];
    // The LSN of a change is that of its last record.
    // Behind a cut, versions begin again: only the LSN says whether an image has the change. What an earlier record says is older.
    const bool is_next = header.version > entry.version || (header.version == entry.version && entry.unknown != 0);
    if (header.lsn <= entry.lsn || (!is_next && !is_to_be_written(entry))) return;
    const bool is_first = is_empty(entry) || is_in_log_alone(entry);
    ledger.restore(header.page_id, header.version, header.lsn, is_first ? kNothingStandsThere : kSomethingStandsThere, true);
}

// A growth takes nothing, and what was written after it, or after a cut, stays as it is: an outside ledger knows its checksum, and may be
// the only one to know it if the recovery is cut off.
void Redo::take_resize(DataFile& data, const LogRecordHeader& header) {
    if (const auto cut = open_cuts_.find(&data); cut != open_cuts_.end()) {
        const bool is_size_back = header.page_id == cut->second.page_count && header.page_count == cut->second.page_id;
        if (is_size_back) {
            forget_unless_there(data.ledger, cut->second);
        } else {
            data.ledger.forget_from(cut->second.page_count, cut->second.lsn);
        }
        open_cuts_.erase(cut);
    }
    if (is_cut(header)) open_cuts_.emplace(&data, header);
}

// Either the system had refused the cut, and took nothing, or the file has grown again since, by zeros.
void Redo::forget_unless_there(PageLedger& ledger, const LogRecordHeader& cut) {
    const std::uint64_t end = std::min<std::uint64_t>(cut.page_id, ledger.pages_max());
    for (std::uint64_t page = cut.page_count; page < end; ++page) {
        const auto each = static_cast<std::uint32_t>(page);
        if (is_in_log_alone(ledger[each])) ledger.forget(each);
    }
}

void Redo::end_open_cuts() {
    for (const auto& [data, cut] : open_cuts_) data->ledger.forget_from(cut.page_count, cut.lsn);
    open_cuts_.clear();
}

ums::Task<void> Redo::run() {
    const bool was_complete = !log_.is_incomplete();
    co_await log_.replay([this](const LogRecordHeader& header, std::span<const std::byte> /*body*/) { take_record(header); });
    // Pages whose changes are missing would pass for new, and after the next checkpoint nobody could tell.
    if (was_complete && log_.is_incomplete() && !run_.is_stopping()) {
        run_.stop(
            Outcome::failed,
            "A part of the log that was read before cannot be read again, so the pages cannot be brought to its end. Nothing was written "
            "to the data files.");
        co_return;
    }
    end_open_cuts();
    for (DataFile* const data : data_files_) co_await fit_size(*data);
    give_up_lost_pages();
    co_await write_pages();
    for (DataFile* const data : data_files_) {
        co_await sync(*data);
        data->unwritten.find(data->ledger, data->file.pages());  // no checkpoint promises anything about them until they are written
    }
}

// A cut is logged before it is made, a growth after.
ums::Task<void> Redo::fit_size(DataFile& data) {
    const std::uint32_t promised = log_.file(data.file.id()).bounds.promised_pages();
    if (promised == 0 || promised == data.file.pages() || data.file.is_device() || run_.is_stopping()) co_return;
    if (promised > data.ledger.pages_max()) {
        std::string text = fmt::format(
            "{}: its log says that it has {} pages, and MaxSize of this configuration allows {}. Use the configuration of the run, or its "
            "-size.",
            data.file.path(), promised, data.ledger.pages_max());
        journal_.error(text);
        run_.stop(Outcome::not_done, std::move(text));
        co_return;
    }
    co_await data.file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    const std::uint32_t old_pages = data.file.pages();
    const std::error_code error = co_await data.file.resize(std::uint64_t{promised} * kPageBytes);
    data.file.resize_latch().release_exclusive();
    if (error) {
        run_.stop(Outcome::not_done, fmt::format("{}: cannot be brought from {} to the {} pages that its log says it has: {}.",
                                                 data.file.path(), old_pages, promised, ums::error_text(error)));
        co_return;
    }
    journal_.info(fmt::format("{}: brought from {} to the {} pages that its log says it has.", data.file.path(), old_pages, promised));
}

// Of a wrong page without a change in the log, only the least version that it must have is known.
void Redo::give_up_lost_pages() {
    for (const LostPage& lost : lost_) {
        if (lost.page >= lost.data->file.pages() || lost.data->ledger[lost.page].version != 0) continue;
        ++pages_given_up_;
        const std::uint64_t lsn = std::max<std::uint64_t>(log_.extent().last_lsn, 1);
        lost.data->ledger.restore(lost.page, std::max<std::uint32_t>(lost.version, 1), lsn, 0, true);
    }
}

// --- writing ---

ums::Task<void> Redo::write_pages() {
    std::vector<PageRanges> ranges(data_files_.size());
    ums::TaskGroup writers;
    std::uint32_t cpu = 0;
    for (std::size_t i = 0; i < data_files_.size(); ++i) {
        for (std::uint32_t writer = 0; writer < kWritersPerFile; ++writer) {
            schedulers_[cpu++ % schedulers_.size()].spawn(writers, "Redo", write_some(*data_files_[i], ranges[i]));
        }
    }
    co_await writers.join();
}

ums::Task<void> Redo::write_some(DataFile& data, PageRanges& ranges) {
    const ums::MemoryRegion image(kPageBytes, ums::MemoryKind::plain);
    const std::uint32_t pages = data.file.pages();
    while (!run_.is_stopping()) {
        const std::optional<PageRanges::Range> range = ranges.take(kRedoRangePages, pages);
        if (!range) co_return;
        const auto [first, count] = *range;
        if (data.ledger.is_untouched(first, count)) continue;
        for (std::uint32_t page = first; page < first + count; ++page) {
            if (is_to_be_written(data.ledger[page])) co_await write_page(data, page, image.data());
        }
        co_await ums::Scheduler::current().yield_if_due();
    }
}

ums::Task<void> Redo::write_page(DataFile& data, std::uint32_t page, std::byte* image) {
    const PageLedger::Entry entry = data.ledger[page];
    const PageIdentity identity{log_.recovered().run_id, data.file.id(), page, entry.version, entry.lsn, journal_.clock().utc_us()};
    const std::uint32_t checksum = make_page(identity, image);
    const ums::IoSegment segment{image, kPageBytes};
    IoRetry retry(data.file, run_, journal_);
    const bool is_written = co_await retry.write(std::uint64_t{page} * kPageBytes, {&segment, 1}, ums::WaitType::io_completion);
    if (!is_written) co_return;
    data.ledger.acknowledge(page, identity.version, identity.lsn, checksum);
    pages_written_.fetch_add(1, std::memory_order_relaxed);
}

// Even if each write is durable by itself: a new size is not, nor need be what stands there. A run that was killed, or whose machine was
// reset, may have left pages that only a cache holds, and the next checkpoint promises them.
ums::Task<void> Redo::sync(DataFile& data) {
    if (!data.file.requests_durability() || run_.is_stopping()) co_return;
    const std::error_code error = co_await data.file.sync();
    if (error) co_await end_run_unsynced(data.file, error, run_, journal_);
}

void Redo::describe(ResumeResult& result) const {
    result.pages_redone = pages_written_.load(std::memory_order_relaxed) - std::min(pages_given_up_, pages_written_.load());
    result.pages_given_up = pages_given_up_;
}

}  // namespace sim
