#include "sim/verify/log_analysis.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "sim/files/rereader.hpp"

namespace sim {

namespace {

// Each re-read adds a block, so this ends even for a log that never reads the same twice.
constexpr int kRepairsMax = 64;
// Of gaps that stay; each takes half a second.
constexpr std::size_t kGapsReadAgainMax = 64;

std::string blocks_text(const BlockRange& missing) {
    return missing.first == missing.last
               ? fmt::format("block {}", missing.first)
               : fmt::format("the {} blocks {} to {}", missing.last - missing.first + 1, missing.first, missing.last);
}

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
        const bool was_there = co_await read_missing_again();
        if (!was_there) break;
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
    co_await report_missing();
    release_unpromised();
}

// A part of the log that cannot be read may say that a file was cut, and a ledger may not have heard of that.
void LogAnalysis::release_unpromised() {
    const bool promises_nothing = extent_.checkpoint && extent_.checkpoint->unknown_count == kTooManyUnknown;
    const bool is_incomplete = extent_.first_sequence != 0 && scan_.is_incomplete();
    const bool may_hide_cut = is_incomplete || may_be_unreadable(extent_.last_sequence + 1) ||
                              std::any_of(extent_.missing.begin(), extent_.missing.end(),
                                          [this](const BlockRange& missing) { return may_be_unreadable(missing.first); });
    for (auto& [file_id, file] : files_) {
        if (promises_nothing || is_incomplete) file.bounds.release_all();
        if (is_incomplete) file.bounds.allow_any();
        if (promises_nothing || may_hide_cut) file.promises.release_all();
    }
}

ums::Task<void> LogAnalysis::replay(const LogScan::Take& take) {
    for (const BlockRange& range : extent_.row) {
        const auto begin = std::find_if(contents_.blocks.begin(), contents_.blocks.end(),
                                        [&](const LogBlockPlace& block) { return block.sequence == range.first; });
        const std::span<const LogBlockPlace> blocks(&*begin, range.last - range.first + 1);
        co_await scan_.replay(blocks, take);
    }
}

RecoveredLog LogAnalysis::recovered() const {
    return {run_id_, known_from_lsn(), extent_.last_lsn, extent_.has_hole() || may_be_unreadable(extent_.last_sequence + 1)};
}

// From here on, the row has every change. Without a complete checkpoint it need not reach back to the first one: its space was freed by a
// checkpoint of which a block is missing now.
std::uint64_t LogAnalysis::known_from_lsn() const {
    if (extent_.checkpoint || extent_.first_sequence <= 1) return begin_lsn();
    const auto first = std::find_if(contents_.blocks.begin(), contents_.blocks.end(),
                                    [this](const LogBlockPlace& block) { return block.sequence == extent_.first_sequence; });
    return first->first_lsn;
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
    if (are_outdated) promises_ = nullptr;
    contents_.promised_sequence = promises_ == nullptr ? 0 : promises_->hardened_sequence();
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
            if (body.size() >= sizeof(FileCuts)) found->second.promises.cut(read_cuts(body).last_lsn, header.page_id);
            return;
        case LogRecordKind::page_unknown:
            if (!is_of_checkpoint(header.lsn)) return;
            bounds.release(header.page_id);
            found->second.promises.release(header.page_id, header.version);
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

// --- what is missing ---

const LogBlockPlace* LogAnalysis::find_block(std::uint64_t sequence) const {
    const auto found = std::find_if(contents_.blocks.begin(), contents_.blocks.end(),
                                    [sequence](const LogBlockPlace& block) { return block.sequence == sequence; });
    return found == contents_.blocks.end() ? nullptr : &*found;
}

SimFile* LogAnalysis::file_of(const LogBlockPlace& block) const {
    return *std::find_if(log_files_.begin(), log_files_.end(), [&block](const SimFile* log) { return log->id() == block.file_id; });
}

std::optional<LogAnalysis::Place> LogAnalysis::place_of_missing(std::uint64_t sequence) const {
    const LogBlockPlace* const before = find_block(sequence - 1);
    if (before == nullptr) return std::nullopt;
    const std::uint64_t vlf_end_bytes = before->offset_bytes + std::uint64_t{before->vlf_sectors - before->vlf_sector} * kSectorBytes;
    Place place;
    place.file = file_of(*before);
    place.offset_bytes = before->offset_bytes + before->size_bytes;
    if (place.offset_bytes + kSectorBytes > vlf_end_bytes) return std::nullopt;
    place.size_bytes = std::min<std::uint64_t>(kLogBlockBytesMax, vlf_end_bytes - place.offset_bytes);
    const std::uint32_t vlf_sector = before->vlf_sector + before->size_bytes / kSectorBytes;
    place.expected = {run_id_, sequence, vlf_of_lsn(before->first_lsn), vlf_sector};
    return place;
}

// One block that began a VLF of which the next block is there ends where that one begins.
std::optional<LogAnalysis::Place> LogAnalysis::place_of(const BlockRange& missing) const {
    const LogBlockPlace* const before = find_block(missing.first - 1);
    const LogBlockPlace* const behind = find_block(missing.last + 1);
    const bool is_one = missing.first == missing.last && behind != nullptr && behind->vlf_sector != 0;
    if (!is_one || (before != nullptr && vlf_of_lsn(before->first_lsn) == vlf_of_lsn(behind->first_lsn))) {
        return place_of_missing(missing.first);
    }
    const std::uint32_t sectors = std::min(behind->vlf_sector, kLogBlockBytesMax / kSectorBytes);
    Place place;
    place.file = file_of(*behind);
    place.size_bytes = std::uint64_t{sectors} * kSectorBytes;
    place.offset_bytes = behind->offset_bytes - place.size_bytes;
    place.expected = {run_id_, missing.first, vlf_of_lsn(behind->first_lsn), behind->vlf_sector - sectors};
    return place;
}

bool LogAnalysis::may_be_unreadable(std::uint64_t sequence) const {
    if (!scan_.has_unreadable()) return false;
    const std::optional<Place> place = place_of_missing(sequence);
    // If it did not fit there, it was written at the beginning of the next VLF.
    const bool may_be_elsewhere = !place || place->size_bytes < kLogBlockBytesMax;
    return may_be_elsewhere || scan_.is_unreadable(*place->file, place->offset_bytes, place->size_bytes);
}

// A block that a later read brings is not lost, but the read was wrong: a finding, and the analysis goes on with it.
ums::Task<bool> LogAnalysis::read_missing_again() {
    for (const auto* const ranges : {&extent_.missing, &extent_.missing_unneeded}) {
        for (const BlockRange& missing : *ranges) {
            if (run_.is_stopping() || gaps_that_stay_.size() >= kGapsReadAgainMax) co_return false;
            if (gaps_that_stay_.contains(missing.first)) continue;
            const bool was_there = co_await read_again(missing);
            if (was_there) co_return true;
            gaps_that_stay_.insert(missing.first);
        }
    }
    co_return false;
}

ums::Task<bool> LogAnalysis::read_again(const BlockRange& missing) {
    if (may_be_unreadable(missing.first)) co_return false;
    const std::optional<Place> place = place_of(missing);
    if (!place) co_return false;
    Rereader rereader(*place->file, journal_, place->offset_bytes, place->size_bytes, kReadAlignmentBytes);
    const std::vector<std::byte> nothing(place->size_bytes);
    for (std::uint32_t attempt = 1; attempt <= kRereadsMax; ++attempt) {
        const Reread reread = co_await rereader.read(attempt, nothing.data());
        if (!reread.has_come() || check_block(rereader.bytes(), place->size_bytes, place->expected)) continue;
        // What cannot be a block of this log would be missing again, and read again, without end.
        if (!scan_.add_late_block(contents_, *place->file, place->offset_bytes, rereader.bytes())) continue;
        Finding finding;
        finding.kind = FindingKind::log_gap;
        finding.transient = true;
        finding.place.is_log = true;
        finding.place.file_id = place->file->id();
        finding.place.path = place->file->path();
        finding.place.offset_bytes = place->offset_bytes;
        finding.place.size_bytes = read_block_header(rereader.bytes()).size_bytes;
        finding.reads = 1 + attempt;
        finding.description = fmt::format("The first read did not return log block {}; a later one did.", missing.first);
        place->file->report(std::move(finding));
        co_return true;
    }
    co_return false;
}

ums::Task<void> LogAnalysis::report_missing() {
    if (log_files_.empty()) co_return;  // that they are not there is told of each
    for (const BlockRange& missing : extent_.missing) {
        if (!may_be_unreadable(missing.first)) co_await report_missing(missing, true);
    }
    for (const BlockRange& missing : extent_.missing_unneeded) {
        if (!may_be_unreadable(missing.first)) co_await report_missing(missing, false);
    }
}

ums::Task<void> LogAnalysis::report_missing(const BlockRange& missing, bool is_needed) {
    Finding finding;
    finding.kind = FindingKind::log_gap;
    finding.place.is_log = true;
    SimFile* file = log_files_.front();
    const std::optional<Place> place = place_of(missing);
    if (place) {
        file = place->file;
        finding.place.offset_bytes = place->offset_bytes;
        finding.place.size_bytes = place->size_bytes;
        finding.expected = ExpectedIdentity{.lsn = make_lsn(place->expected.vlf_sequence, place->expected.vlf_sector, 0)};
        Rereader rereader(*file, journal_, place->offset_bytes, place->size_bytes, kReadAlignmentBytes);
        const std::vector<std::byte> nothing(place->size_bytes);
        const Reread reread = co_await rereader.read(1, nothing.data());
        if (reread.has_come()) {
            finding.evidence.image.assign(rereader.bytes(), rereader.bytes() + place->size_bytes);
            finding.received = received_block(rereader.bytes(), place->size_bytes);
            if (const auto fault = check_block(rereader.bytes(), place->size_bytes, place->expected)) finding.kind = fault->kind;
        }
    }
    finding.place.file_id = file->id();
    finding.place.path = file->path();
    finding.description = fmt::format("The log had been acknowledged up to block {} at least, but {} {} not there. {}",
                                      extent_.hardened_sequence, blocks_text(missing), missing.first == missing.last ? "is" : "are",
                                      is_needed ? "Recovery stops before it." : "Recovery happens not to need that part of the log.");
    finding.reasoning = {
        is_said_by_block()
            ? fmt::format("Each block says up to which block the log was hardened when it was made; one that is there says {}.",
                          extent_.hardened_sequence)
            : fmt::format("According to the ledger outside of this storage, the log was hardened up to block {}.",
                          extent_.hardened_sequence),
        is_said_by_block() ? "What is missing lies at or below that number, so it had been acknowledged before the block that says so was "
                             "even written: it was not in flight at the cut."
                           : "The ledger was told so only after the storage had acknowledged all blocks up to that one: none of them was "
                             "in flight at the cut.",
        why_kept(is_needed)};
    file->report(std::move(finding));
}

std::string LogAnalysis::why_kept(bool is_needed) const {
    if (!is_needed) {
        return "The last complete checkpoint began later in the same virtual log file. Such a file is freed as a whole, by a checkpoint "
               "that began in a later one: nothing may have been written over this part.";
    }
    return extent_.checkpoint
               ? fmt::format("Recovery needs it: the last complete checkpoint began at LSN 0x{:x}.", extent_.checkpoint->begin_lsn)
               : std::string("Recovery needs it: no complete checkpoint is left from which recovery could start.");
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
        finding.description = fmt::format("The log file has {} bytes; {} that it had {}{}.", file->size_bytes(),
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

bool LogAnalysis::is_said_by_block() const {
    return std::any_of(contents_.blocks.begin(), contents_.blocks.end(),
                       [this](const LogBlockPlace& block) { return block.hardened_sequence == extent_.hardened_sequence; });
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
