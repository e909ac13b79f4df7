#include "sim/verify/log_analysis.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ums/base/units.hpp"

namespace sim {

namespace {

// Each re-read adds a block, so this ends even for a log that never reads the same twice.
constexpr int kRepairsMax = 64;

bool is_about_file(const LogRecordHeader& header) {
    switch (static_cast<LogRecordKind>(header.kind)) {
        case LogRecordKind::page_update:
        case LogRecordKind::file_resize:
        case LogRecordKind::file_cuts:
        case LogRecordKind::page_unknown:
        case LogRecordKind::checkpoint_sums: return true;
        case LogRecordKind::filler:
        case LogRecordKind::checkpoint_begin:
        case LogRecordKind::checkpoint_end:
        case LogRecordKind::resume: return false;
    }
    return false;
}

FileCuts read_cuts(std::span<const std::byte> body) {
    FileCuts cuts;
    std::memcpy(&cuts, body.data(), sizeof cuts);
    return cuts;
}

}  // namespace

// No file is ever shorter than its InitialSize. If it was, the run had another one: verify is also called without -size.
std::uint32_t pages_that_stay(const FileOptions& file, const PageBounds& bounds, std::uint32_t pages) {
    const bool is_cut_at_times = file.shrinkable && file.increment_mb != 0;
    if (!is_cut_at_times) return ~std::uint32_t{0};
    const std::uint64_t initial_pages = file.initial_size_mb * (ums::kMb / kPageBytes);
    const std::uint32_t least_pages = bounds.least_pages() != 0 ? bounds.least_pages() : pages;
    return initial_pages <= least_pages ? static_cast<std::uint32_t>(initial_pages) : 1;
}

ums::Task<void> LogAnalysis::run() {
    co_await scan_.find_blocks(contents_);
    if (scan_.other_format() != 0) {
        run_.stop(Outcome::not_done, fmt::format("The log is of format {}, but this version of ioproof reads format {}: another version "
                                                 "made the files. Verify with that version.",
                                                 scan_.other_format(), kLogFormat));
        co_return;
    }
    take_promises();
    extent_ = find_extent(contents_);
    for (int i = 0; i < kRepairsMax && !run_.is_stopping(); ++i) {
        const bool has_any_come = co_await missing_blocks_.read_again();
        if (!has_any_come) break;
        extent_ = find_extent(contents_);
    }
    if (run_.is_stopping()) co_return;
    // The first block is written when all files are made; the ledger names them then, too.
    const bool are_made = !is_empty() || promises_ != nullptr;
    const std::uint16_t format = extent_.checkpoint ? extent_.checkpoint->log_format : kLogFormat;
    for (const SimFile* data : data_files_) {
        ProvenFile& file = files_.try_emplace(data->id(), begin_lsn(), format, data->pages(), are_made).first->second;
        if (promises_ != nullptr) file.promises = FilePromises(*promises_, data->id());
    }
    co_await replay([this](const LogRecordHeader& header, std::span<const std::byte> body) { take_record(header, body); });
    if (has_unnamed_file()) {
        run_.stop(Outcome::not_done,
                  fmt::format("The log has changes of {} data files, but only {} named: file {} of the run is missing. Name all files as "
                              "the run did, by the same -cfg or -dir.",
                              files_.size() + unnamed_files_.size(),
                              named_data_files_ == 1 ? "one was" : fmt::format("{} were", named_data_files_), *unnamed_files_.rbegin()));
        co_return;
    }
    report_short_logs();
    co_await missing_blocks_.report();
    release_unpromised();
}

// A part of the log that is missing, or cannot be read, may say that a file was cut, and a ledger may not have heard of that: what the rest
// says of the pages that were cut off is then no longer so, nor what the ledger holds about them. A page that is as old as the log that is
// there was not cut off, unless that was before the row began.
void LogAnalysis::release_unpromised() {
    const bool promises_nothing = extent_.checkpoint && extent_.checkpoint->unknown_count == kTooManyUnknown;
    const bool is_incomplete = extent_.first_sequence != 0 && scan_.is_incomplete();
    const bool may_hide_cut = is_incomplete || may_hide_blocks_at_end() ||
                              std::any_of(extent_.missing.begin(), extent_.missing.end(),
                                          [this](const BlockRange& missing) { return missing_blocks_.may_be_unreadable(missing); });
    for (auto& [file_id, file] : files_) {
        if (promises_nothing || is_incomplete) file.bounds.release_all();
        if (is_incomplete) file.bounds.allow_any();
        if (promises_nothing || may_hide_cut) file.promises.release_all();
    }
    if (!extent_.has_hole() && !scan_.has_unreadable() && !is_incomplete) return;
    for (const SimFile* data : data_files_) {
        ProvenFile& file = files_.at(data->id());
        const std::uint32_t staying = pages_that_stay(data->options(), file.bounds, data->pages());
        file.bounds.may_have_been_cut(staying);
        file.promises.may_have_been_cut(staying);
        if (!has_every_change()) file.promises.release_from(staying);
    }
}

ums::Task<void> LogAnalysis::replay(const LogScan::Take& take) {
    for (const BlockRange& range : extent_.row) {
        const auto begin = first_from(contents_.blocks, range.first);
        const std::span<const LogBlockPlace> blocks(&*begin, range.last - range.first + 1);
        co_await scan_.replay(blocks, take);
    }
}

RecoveredLog LogAnalysis::recovered() const {
    RecoveredLog log{run_id_, known_from_lsn(), extent_.last_lsn, extent_.has_hole() || may_hide_blocks_at_end(), scan_.has_unreadable()};
    if (!contents_.blocks.empty()) log.last_utc_us = contents_.blocks.back().write_utc_us;
    return log;
}

// From here on, the row has every change. Without a complete checkpoint it need not reach back to the first one: its space was freed by a
// checkpoint of which a block is missing now.
std::uint64_t LogAnalysis::known_from_lsn() const {
    if (has_every_change()) return begin_lsn();
    return first_from(contents_.blocks, extent_.first_sequence)->first_lsn;
}

// What was cut off need not be log that recovery wants.
void LogAnalysis::report_short_logs() {
    for (SimFile* const file : log_files_) {
        const std::uint64_t proven_bytes = least_log_bytes(contents_, file->id());
        const std::uint64_t told_bytes = promises_ == nullptr ? 0 : std::uint64_t{promises_->page_count(file->id())} * kPageBytes;
        const std::uint64_t least_bytes = std::max(proven_bytes, told_bytes);
        if (file->size_bytes() >= least_bytes) continue;
        Finding finding;
        finding.kind = FindingKind::lost_write;
        finding.request.is_write = true;
        finding.place.is_log = true;
        finding.place.file_id = file->id();
        finding.place.path = file->path();
        finding.place.offset_bytes = file->size_bytes();
        finding.place.size_bytes = least_bytes - file->size_bytes();
        // A part of a page at its end is not counted.
        finding.description = fmt::format("The log file has only {} complete pages of 8 KB; {} that it had {} bytes{}.", file->pages(),
                                          told_bytes > proven_bytes ? "the ledger outside of this storage says" : "its blocks prove",
                                          least_bytes, file->requests_durability() ? ", and that this size had been made durable" : "");
        finding.reasoning = {
            told_bytes > proven_bytes
                ? "The ledger was told so only after the storage had acknowledged the sync of the file: log files are never cut."
            : file->requests_durability()
                ? "Each block says how long its virtual log file is, and no block is written before the file, or its growth, is durable."
                : "Each block says how long its virtual log file is. With Durability=None, nothing makes a growth durable."};
        file->report(std::move(finding));
    }
}

bool LogAnalysis::has_sums() const {
    return !scan_.is_incomplete() && extent_.checkpoint && sums_count_ == extent_.checkpoint->sums_count &&
           extent_.checkpoint->unknown_count != kTooManyUnknown;
}

bool LogAnalysis::is_of_checkpoint(std::uint64_t lsn) const {
    return extent_.checkpoint && lsn > extent_.checkpoint->begin_lsn && lsn < extent_.checkpoint->end_lsn;
}

// A log that is newer than the promises belongs to a run that went on without them.
void LogAnalysis::take_promises() {
    if (promises_ == nullptr) return;
    const bool are_outdated = std::any_of(contents_.blocks.begin(), contents_.blocks.end(), [this](const LogBlockPlace& block) {
        return block.incarnation > promises_->section().incarnation;
    });
    if (are_outdated) {
        promises_ = nullptr;
        return;
    }
    contents_.promised_sequence = promises_->hardened_sequence();
    contents_.promised_incarnation = promises_->section().incarnation;
}

bool LogAnalysis::demands_all() const {
    return promises_ != nullptr &&
           std::none_of(files_.begin(), files_.end(), [](const auto& each) { return each.second.promises.is_less(); });
}

void LogAnalysis::take_record(const LogRecordHeader& header, std::span<const std::byte> body) {
    const auto found = files_.find(header.file_id);
    if (found == files_.end()) {
        if (is_about_file(header)) unnamed_files_.insert(header.file_id);
        // The sums of the files that are there can be compared even if another file is missing.
        const bool is_sums = static_cast<LogRecordKind>(header.kind) == LogRecordKind::checkpoint_sums;
        if (is_sums && is_of_checkpoint(header.lsn)) ++sums_count_;
        return;
    }
    PageBounds& bounds = found->second.bounds;
    switch (static_cast<LogRecordKind>(header.kind)) {
        case LogRecordKind::page_update:
        case LogRecordKind::filler:  // the LSN of a change is that of its last record: a checkpoint may have begun between the two
            bounds.changed(header.lsn, header.page_id, header.version);
            return;
        case LogRecordKind::file_resize:
            bounds.resized(header.lsn, header.page_count);
            if (is_cut(header)) found->second.promises.cut(header.lsn, header.page_count);
            return;
        case LogRecordKind::file_cuts:
            bounds.had_at_some_time(header.page_id);
            if (body.size() >= sizeof(FileCuts)) found->second.promises.cut(read_cuts(body).last_lsn, header.page_id);
            return;
        case LogRecordKind::page_unknown:
            if (!is_of_checkpoint(header.lsn)) return;
            bounds.release(header.page_id);
            found->second.promises.release(header.page_id, header.version, extent_.checkpoint->log_format);
            return;
        case LogRecordKind::checkpoint_sums:
            if (!is_of_checkpoint(header.lsn) || !found->second.sums.record(header, body)) return;
            bounds.had_pages(header.page_count);
            ++sums_count_;
            return;
        case LogRecordKind::checkpoint_begin:
        case LogRecordKind::checkpoint_end:
        case LogRecordKind::resume: return;
    }
}

void LogAnalysis::describe(DurabilityResult& result) const {
    result.log_blocks = extent_.blocks_in_row;
    result.first_block = extent_.first_sequence;
    result.last_block = extent_.last_sequence;
    result.hardened_block = extent_.hardened_sequence;
    result.last_lsn = extent_.last_lsn;
    result.blocks_behind = extent_.blocks_behind;
    for (const auto* const ranges : {&extent_.missing, &extent_.missing_unneeded}) {
        for (const BlockRange& missing : *ranges) result.missing_blocks += missing.last - missing.first + 1;
    }
    if (extent_.checkpoint) result.checkpoint_lsn = extent_.checkpoint->begin_lsn;
    for (const LogBlockPlace& block : contents_.blocks) {
        if (block.sequence == extent_.last_sequence) result.last_write_utc_us = block.write_utc_us;
    }
}

}  // namespace sim
