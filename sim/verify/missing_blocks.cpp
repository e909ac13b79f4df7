#include "sim/verify/missing_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/files/byte_range.hpp"
#include "sim/files/io_retry.hpp"
#include "sim/files/rereader.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

namespace {

// Of gaps that stay; each takes half a second. Further ones are read once more.
constexpr std::size_t kGapsReadPatientlyMax = 64;

bool is_empty_range(const BlockRange& range) { return range.first > range.last; }

std::string blocks_text(const BlockRange& missing) {
    return missing.first == missing.last
               ? fmt::format("block {}", missing.first)
               : fmt::format("the {} blocks {} to {}", missing.last - missing.first + 1, missing.first, missing.last);
}

}  // namespace

SimFile* MissingBlocks::file_of(std::uint32_t file_id) const {
    return *std::find_if(log_files_.begin(), log_files_.end(), [file_id](const SimFile* log) { return log->id() == file_id; });
}

bool MissingBlocks::may_be_unreadable(const BlockRange& missing) const {
    if (!scan_.has_unreadable()) return false;
    const std::optional<MissingPlace> place = certain_place(places_of_missing(contents_, missing));
    // A checkpoint that cannot be read may have freed its virtual log file: without the block before it, it may have been overwritten, and
    // where that file is in use again, it has been.
    if (!place || !place->begins_there || is_used_again(contents_, *place)) return true;
    return scan_.is_unreadable(*file_of(place->file_id), place->offset_bytes, place->size_bytes);
}

ums::Task<bool> MissingBlocks::read_again() {
    bool has_any_come = co_await read_gaps_again();
    if (!has_any_come) has_any_come = co_await read_behind_end();
    co_return has_any_come;
}

// A block that a later read brings is not lost, but the read was wrong: a finding, and the analysis goes on with it.
ums::Task<bool> MissingBlocks::read_gaps_again() {
    bool has_any_come = false;
    for (const auto* const ranges : {&extent_.missing, &extent_.missing_unneeded}) {
        for (const BlockRange& missing : *ranges) {
            // What is known to be unreadable is not read again, and does not count.
            if (gaps_that_stay_.contains(missing.first) || may_be_unreadable(missing)) continue;
            const std::uint32_t attempts = gaps_that_stay_.size() < kGapsReadPatientlyMax ? kRereadsMax : 1;
            const BlockRange staying = co_await take_those_that_come(missing, attempts);
            if (run_.is_stopping()) co_return false;
            has_any_come = has_any_come || staying.first != missing.first;
            if (!is_empty_range(staying) && !may_be_unreadable(staying)) gaps_that_stay_[staying.first] = 1 + attempts;
        }
    }
    co_return has_any_come;
}

// Nothing says that the block behind the end had been acknowledged, so it may be missing, or torn. But if it is there now, it was there
// before: the first read was wrong, which would hide all that was acknowledged from there on.
ums::Task<bool> MissingBlocks::read_behind_end() {
    if (extent_.has_hole() || extent_.last_sequence == 0) co_return false;
    const BlockRange behind = not_there_behind_end();
    const BlockRange staying = co_await take_those_that_come(behind, std::nullopt);
    co_return staying.first != behind.first;
}

// Up to the next block that is there.
BlockRange MissingBlocks::not_there_behind_end() const {
    const std::uint64_t first = extent_.last_sequence + 1;
    const auto next = first_from(contents_.blocks, first);
    return {first, next == contents_.blocks.end() ? kLogBlocksMax : next->sequence - 1};
}

ums::Task<BlockRange> MissingBlocks::take_those_that_come(BlockRange missing, std::optional<std::uint32_t> attempts) {
    while (!is_empty_range(missing) && !run_.is_stopping()) {
        const bool was_there = co_await take_first(missing, attempts);
        if (!was_there) break;
        ++missing.first;
    }
    co_return missing;
}

ums::Task<bool> MissingBlocks::take_first(const BlockRange& missing, std::optional<std::uint32_t> attempts) {
    const std::vector<MissingPlace> places = places_of_missing(contents_, missing);
    for (const MissingPlace& place : places) {
        bool was_there = false;
        if (attempts) {
            was_there = co_await read_patiently(missing, place, *attempts);
        } else {
            was_there = co_await read_once(missing, place);
        }
        if (was_there) co_return true;
    }
    co_return false;
}

// Where the block begins in what stands at the place, if it is there.
std::optional<std::uint64_t> MissingBlocks::find_in(const BlockRange& missing, const MissingPlace& place, const std::byte* bytes) const {
    const std::uint64_t end_bytes = place.begins_there ? kSectorBytes : place.size_bytes;
    for (std::uint64_t at = 0; at < end_bytes; at += kSectorBytes) {
        if (!check_block(bytes + at, place.size_bytes - at, expected_at(missing, place))) return at;
    }
    return std::nullopt;
}

ums::Task<bool> MissingBlocks::read_patiently(const BlockRange& missing, const MissingPlace& place, std::uint32_t attempts) {
    Rereader rereader(*file_of(place.file_id), journal_, place.offset_bytes, place.size_bytes, kReadAlignmentBytes);
    const std::vector<std::byte> nothing(place.size_bytes);
    for (std::uint32_t attempt = 1; attempt <= attempts; ++attempt) {
        const Reread reread = co_await rereader.read(attempt, nothing.data());
        if (!reread.has_come()) continue;
        if (take_late_block(missing, place, rereader.bytes(), 1 + attempt)) co_return true;
    }
    co_return false;
}

// Unlike a diagnosis, this read has no finding to which its failure belongs, so that is one of its own. What the scan has reported as
// unreadable is not read again.
ums::Task<bool> MissingBlocks::read_once(const BlockRange& behind, const MissingPlace& place) {
    if (may_be_unreadable(behind)) co_return false;
    SimFile& file = *file_of(place.file_id);
    const ByteRange aligned = ByteRange{place.offset_bytes, place.size_bytes}.rounded_out(kReadAlignmentBytes);
    if (aligned.end_bytes() > file.size_bytes() || scan_.is_unreadable(file, aligned.offset_bytes, aligned.size_bytes)) co_return false;
    const ums::MemoryRegion buffer(aligned.size_bytes, ums::MemoryKind::plain);
    const ums::IoSegment segment{buffer.data(), aligned.size_bytes};
    stamp_not_read(segment.data, segment.size_bytes);
    IoRetry retry(file, run_, journal_);
    const bool has_come = co_await retry.read(aligned.offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    if (!has_come) co_return false;
    co_return take_late_block(behind, place, buffer.data() + (place.offset_bytes - aligned.offset_bytes), 2);
}

// False if the first of the blocks has not come with these bytes of the place.
bool MissingBlocks::take_late_block(const BlockRange& missing, const MissingPlace& place, const std::byte* bytes, std::uint32_t reads) {
    SimFile& file = *file_of(place.file_id);
    const std::optional<std::uint64_t> at = find_in(missing, place, bytes);
    // What cannot be a block of this log would be missing again, and read again, without end.
    if (!at || !scan_.add_late_block(contents_, file, place.offset_bytes + *at, bytes + *at)) return false;
    const LogBlockHeader header = read_block_header(bytes + *at);
    Finding finding;
    finding.kind = FindingKind::log_gap;
    finding.transient = true;
    finding.place.is_log = true;
    finding.place.file_id = file.id();
    finding.place.path = file.path();
    finding.place.offset_bytes = place.offset_bytes + *at;
    finding.place.size_bytes = header.size_bytes;
    finding.expected = ExpectedIdentity{.lsn = header.first_lsn, .checksum = header.checksum};
    // In a hand-over it says who made it, and when.
    finding.evidence.expected_image.assign(bytes + *at, bytes + *at + header.size_bytes);
    finding.reads = reads;
    finding.description = fmt::format("The first read did not return log block {}; a later one did.", missing.first);
    file.report(std::move(finding));
    return true;
}

ums::Task<void> MissingBlocks::report() {
    if (log_files_.empty()) co_return;  // a finding of its own says so of each
    for (const BlockRange& missing : extent_.missing) co_await report_if_missing(missing, true);
    for (const BlockRange& missing : extent_.missing_unneeded) co_await report_if_missing(missing, false);
}

// A block that comes only now is too late for the analysis, but not missing. The one behind it may be unreadable.
ums::Task<void> MissingBlocks::report_if_missing(const BlockRange& missing, bool is_needed) {
    if (may_be_unreadable(missing)) co_return;
    const BlockRange staying = co_await take_those_that_come(missing, 1);
    if (!is_empty_range(staying) && !may_be_unreadable(staying)) co_await report_gap(staying, is_needed);
}

// What stands where the first of the blocks must be.
ums::Task<void> MissingBlocks::look_at(const BlockRange& missing, const MissingPlace& place, Finding& finding) {
    finding.place.offset_bytes = place.offset_bytes;
    finding.place.size_bytes = place.size_bytes;
    Rereader rereader(*file_of(place.file_id), journal_, place.offset_bytes, place.size_bytes, kReadAlignmentBytes);
    const std::vector<std::byte> nothing(place.size_bytes);
    const Reread reread = co_await rereader.read(1, nothing.data());
    if (reread.has_come()) finding.evidence.image.assign(rereader.bytes(), rereader.bytes() + place.size_bytes);
    if (!place.begins_there) co_return;
    finding.expected = ExpectedIdentity{.lsn = make_lsn(place.vlf_sequence, place.vlf_sector, 0)};
    if (!reread.has_come()) co_return;
    finding.received = received_block(rereader.bytes(), place.size_bytes);
    const std::optional<BlockFault> fault = check_block(rereader.bytes(), place.size_bytes, expected_at(missing, place));
    if (fault) finding.kind = fault->kind;
}

// A log continues directly behind a block, or in another virtual log file if there was too little room.
std::string MissingBlocks::why_unplaced(const BlockRange& missing) const {
    const bool is_one = log_files_.size() == 1;
    return fmt::format(
        "Where block {} was is not known: nothing shows in which virtual log file the log went on. So the finding covers the whole {}.",
        missing.first, is_one ? "log file" : "file, although the block may have been in another log file");
}

ums::Task<void> MissingBlocks::report_gap(const BlockRange& missing, bool is_needed) {
    const std::vector<MissingPlace> places = places_of_missing(contents_, missing);
    const std::optional<MissingPlace> place = certain_place(places);
    SimFile* const file = places.empty() ? log_files_.front() : file_of(places.front().file_id);
    Finding finding;
    finding.kind = FindingKind::log_gap;
    finding.place.is_log = true;
    finding.place.file_id = file->id();
    finding.place.path = file->path();
    finding.place.offset_bytes = kPageBytes;
    finding.place.size_bytes = std::max<std::uint64_t>(file->size_bytes(), kPageBytes) - kPageBytes;
    finding.missing_blocks = missing;
    const auto read_before = gaps_that_stay_.find(missing.first);
    if (!places.empty()) finding.reads = 1 + (read_before == gaps_that_stay_.end() ? 1U : read_before->second);
    if (place) co_await look_at(missing, *place, finding);
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
    if (!place) finding.reasoning.push_back(why_unplaced(missing));
    if (!place && is_needed && !extent_.checkpoint) {
        finding.reasoning.emplace_back(
            "The last complete checkpoint may be among what is lost. Then it had freed some of these blocks, which were rightly written "
            "over: not all of them are lost.");
    }
    file->report(std::move(finding));
}

std::string MissingBlocks::why_kept(bool is_needed) const {
    if (!is_needed) {
        return "The last complete checkpoint began later in the same virtual log file. Such a file is freed as a whole, by a checkpoint "
               "that began in a later one: nothing may have been written over this part.";
    }
    return extent_.checkpoint
               ? fmt::format("Recovery needs it: the last complete checkpoint began at LSN 0x{:x}.", extent_.checkpoint->begin_lsn)
               : std::string("Recovery needs it: no complete checkpoint is left from which recovery could start.");
}

bool MissingBlocks::is_said_by_block() const {
    return std::any_of(contents_.blocks.begin(), contents_.blocks.end(),
                       [this](const LogBlockPlace& block) { return block.hardened_sequence == extent_.hardened_sequence; });
}

}  // namespace sim
