#include "sim/log/log_auditor.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "sim/diagnosis/classifier.hpp"
#include "sim/files/io_retry.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// One read; blocks that reach over its end are read again from their beginning.
constexpr std::uint64_t kReadBytes = 1 << 20;

// The block may be longer than what has been read of it.
bool is_cut(const std::byte* block, std::uint64_t available_bytes) {
    const LogBlockHeader header = read_block_header(block);
    return header.magic == kLogMagic && header.size_bytes > available_bytes && header.size_bytes <= kLogBlockBytesMax;
}

}  // namespace

ums::Task<std::uint64_t> LogAuditor::audit() {
    bytes_read_ = 0;
    last_vlf_with_blocks_.reset();
    for (const VirtualLogFile& vlf : log_.used_vlfs()) {
        if (!run_.is_stopping()) co_await audit_vlf(vlf);
    }
    co_return bytes_read_;
}

ExpectedBlock LogAuditor::expected_at(const Position& position) const {
    return {log_.run_id(), position.sequence, position.vlf.sequence, static_cast<std::uint32_t>(position.at_bytes / kSectorBytes)};
}

ums::Task<void> LogAuditor::audit_vlf(const VirtualLogFile& vlf) {
    Position position{vlf, 0, vlf.first_block};
    const bool is_read = co_await read(position, nullptr);
    if (!is_read) co_return;
    const bool is_complete = position.digest == vlf.digest && position.sequence - vlf.first_block == vlf.block_count;
    if (!position.is_faulty && !is_complete) report_digest(position);
}

ums::Task<bool> LogAuditor::read_blocks(const VirtualLogFile& vlf, std::uint64_t begin_bytes, std::uint64_t first_sequence,
                                        ums::WaitType wait_type, BlockSink& sink) {
    Position position{.vlf = vlf, .at_bytes = begin_bytes, .sequence = first_sequence, .is_part = true, .wait_type = wait_type};
    const bool is_read = co_await read(position, &sink);
    co_return is_read && !position.is_faulty;
}

// False if the run stops or the storage is gone.
ums::Task<bool> LogAuditor::read(Position& position, BlockSink* sink) {
    const VirtualLogFile& vlf = position.vlf;
    const ums::MemoryRegion buffer(kReadBytes, ums::MemoryKind::huge_pages);
    while (position.at_bytes < vlf.end_bytes) {
        if (run_.is_stopping()) co_return false;
        const std::uint64_t begin_bytes = position.at_bytes;
        const ums::IoSegment segment{buffer.data(), std::min(kReadBytes, vlf.end_bytes - begin_bytes)};
        stamp_not_read(buffer.data(), segment.size_bytes);
        IoRetry retry(*vlf.file, run_, journal_);
        if (!co_await retry.read(vlf.offset_bytes + begin_bytes, {&segment, 1}, position.wait_type)) co_return false;
        bytes_read_ += segment.size_bytes;
        std::optional<BlockFault> fault;
        take_blocks(position, buffer.data(), segment.size_bytes, fault, sink);
        if (fault) {
            const std::uint64_t done_bytes = position.at_bytes - begin_bytes;
            co_await diagnose(position, std::move(*fault), buffer.data() + done_bytes, segment.size_bytes - done_bytes, sink);
        }
        bool goes_on = true;
        if (sink != nullptr) goes_on = co_await sink->has_taken();
        if (!goes_on) co_return false;
        co_await ums::Scheduler::current().yield_if_due();
    }
    co_return true;
}

// Passes over sound blocks up to the end of what was read, a block that crosses it, or a wrong one.
void LogAuditor::take_blocks(Position& position, const std::byte* bytes, std::uint64_t size_bytes, std::optional<BlockFault>& fault,
                             BlockSink* sink) const {
    std::uint64_t done_bytes = 0;
    while (done_bytes < size_bytes) {
        const std::byte* const block = bytes + done_bytes;
        const std::uint64_t available_bytes = size_bytes - done_bytes;
        const bool is_end = position.at_bytes + available_bytes >= position.vlf.end_bytes;
        if (is_cut(block, available_bytes) && done_bytes > 0 && !is_end) return;
        fault = check_block(block, available_bytes, expected_at(position));
        if (fault) return;
        done_bytes += pass_over(position, block, sink);
    }
}

// The block is as it was written. Returns its size.
std::uint32_t LogAuditor::pass_over(Position& position, const std::byte* block, BlockSink* sink) {
    const LogBlockHeader header = read_block_header(block);
    position.digest += block_digest(position.sequence, header.checksum);
    if (sink != nullptr) sink->take(block, header.size_bytes);
    ++position.sequence;
    position.at_bytes += header.size_bytes;
    return header.size_bytes;
}

ums::Task<void> LogAuditor::diagnose(Position& position, BlockFault fault, const std::byte* image, std::uint64_t available_bytes,
                                     BlockSink* sink) {
    const std::uint64_t part_end_bytes = position.vlf.end_bytes;
    bool is_end_of_log = co_await is_behind_all(position);
    const VirtualLogFile& vlf = position.vlf;
    if (reported_.count({vlf.sequence, position.at_bytes}) != 0) {
        position.is_faulty = true;
        co_await skip_to_next_block(position);
        co_return;
    }
    const std::vector<std::byte> first(image, image + std::min<std::uint64_t>(available_bytes, kLogBlockBytesMax));
    const std::uint64_t size_bytes = std::min<std::uint64_t>(kLogBlockBytesMax, vlf.end_bytes - position.at_bytes);
    Rereader rereader(*vlf.file, journal_, vlf.offset_bytes + position.at_bytes, size_bytes);
    std::vector<Reread> rereads;
    const bool became_right = co_await read_until_right(position, first, size_bytes, rereader, rereads);
    const Position begin = position;
    std::optional<std::uint64_t> known_end_bytes;  // of what is wrong, if what follows cannot be read
    if (became_right) {
        // A request that always brings it wrong must not be repeated forever.
        pass_over(position, rereader.bytes(), sink);
        position.vlf.end_bytes = part_end_bytes;  // the next copy begins there
    } else {
        position.is_faulty = true;
        reported_.insert({vlf.sequence, position.at_bytes});
        const bool is_rest_read = co_await skip_to_next_block(position);
        const bool is_at_end = is_rest_read && position.at_bytes >= vlf.end_bytes;
        if (is_at_end && is_end_of_log && !position.is_part) {
            const bool goes_on = co_await may_go_on_after(vlf);
            is_end_of_log = !goes_on;
        }
        if (is_rest_read) name_what_follows(begin, position, is_end_of_log, fault);
        if (!is_rest_read) known_end_bytes = begin.at_bytes + log_.alignment_bytes();
    }
    report(begin, known_end_bytes.value_or(position.at_bytes), std::move(fault), std::move(rereads), first, became_right);
}

// `first`: what came first, or the beginning of it.
ums::Task<bool> LogAuditor::read_until_right(const Position& position, const std::vector<std::byte>& first, std::uint64_t size_bytes,
                                             Rereader& rereader, std::vector<Reread>& rereads) {
    std::vector<std::byte> comparable = first;
    comparable.resize(size_bytes);
    bool became_right = false;
    for (std::uint32_t attempt = 1; attempt <= kRereadsMax && !became_right; ++attempt) {
        Reread reread = co_await rereader.read(attempt, comparable.data());
        became_right = reread.has_come() && !check_block(rereader.bytes(), size_bytes, expected_at(position));
        if (became_right) reread.result = RereadResult::right;
        rereads.push_back(reread);
    }
    co_return became_right;
}

// The block at `begin` stays wrong, and the next sound one is at `end`.
void LogAuditor::name_what_follows(const Position& begin, const Position& end, bool is_end_of_log, BlockFault& fault) const {
    const bool is_at_end = end.at_bytes >= end.vlf.end_bytes;
    const std::uint64_t lsn = make_lsn(end.vlf.sequence, static_cast<std::uint32_t>(begin.at_bytes / kSectorBytes), 0);
    if (is_at_end && is_end_of_log && fault.kind != FindingKind::log_block_damaged && pages_depend_on(lsn)) {
        fault.kind = FindingKind::wal_violation;
        fault.description += " The log ends before changes that are already in the data files: crash recovery would know nothing of them.";
    } else if (end.sequence > begin.sequence + 1) {
        const std::uint64_t more = end.sequence - begin.sequence - 1;
        fault.description += more == 1 ? std::string(" Nor did the block after it come back.")
                                       : fmt::format(" Nor did the {} blocks after it come back.", more);
    }
}

// The log continues in a later VLF: a block that is missing at the end of this one is missing in the middle of the log. Looks from the end
// of the log, once: blocks may also be missing at the beginning of the next VLF.
ums::Task<bool> LogAuditor::may_go_on_after(const VirtualLogFile& vlf) {
    if (!last_vlf_with_blocks_) {
        std::vector<VirtualLogFile> vlfs = log_.used_vlfs();
        std::sort(vlfs.begin(), vlfs.end(), [](const VirtualLogFile& a, const VirtualLogFile& b) { return a.sequence > b.sequence; });
        std::uint32_t last = 0;
        for (std::size_t i = 0; i < vlfs.size() && last == 0; ++i) {
            const bool has_blocks = co_await may_have_blocks(vlfs[i]);
            if (has_blocks) last = vlfs[i].sequence;
        }
        last_vlf_with_blocks_ = last;
    }
    co_return *last_vlf_with_blocks_ > vlf.sequence;
}

// What cannot be read may be blocks of the log.
ums::Task<bool> LogAuditor::may_have_blocks(const VirtualLogFile& vlf) {
    Position position{vlf, 0, vlf.first_block - 1};
    const bool is_read = co_await find_block(position, 0);
    co_return !is_read || position.at_bytes < vlf.end_bytes;
}

// The copied part may end long before the log does: a block missing at its end is then missing in the middle of the log. Takes the VLF as
// it is now, and returns whether nothing has been logged after it.
ums::Task<bool> LogAuditor::is_behind_all(Position& position) {
    if (!position.is_part) co_return true;
    const LogMark end = log_.mark();
    const bool is_hard = co_await log_.harden(end.last_lsn);
    if (!is_hard) co_return false;
    const bool is_last = position.vlf.sequence == end.vlf_sequence;
    for (const VirtualLogFile& vlf : log_.used_vlfs()) {
        if (vlf.sequence != position.vlf.sequence) continue;
        position.vlf = vlf;
        if (is_last) position.vlf.end_bytes = end.at_bytes;
    }
    co_return is_last;
}

// After a wrong block nothing says where the next one begins: continues at the next sector that starts a block of this VLF. False if that
// could not be read: the VLF is given up, and nothing is known of what follows.
ums::Task<bool> LogAuditor::skip_to_next_block(Position& position) {
    return find_block(position, position.at_bytes + log_.alignment_bytes());
}

// The next block after the position's that begins at `begin_bytes` or behind.
ums::Task<bool> LogAuditor::find_block(Position& position, std::uint64_t begin_bytes) {
    const VirtualLogFile& vlf = position.vlf;
    const ums::MemoryRegion buffer(kReadBytes + kLogBlockBytesMax, ums::MemoryKind::plain);
    bool is_read = true;
    while (is_read && begin_bytes < vlf.end_bytes) {
        const ums::IoSegment segment{buffer.data(), std::min(buffer.size_bytes(), vlf.end_bytes - begin_bytes)};
        stamp_not_read(buffer.data(), segment.size_bytes);
        IoRetry retry(*vlf.file, run_, journal_);
        is_read = co_await retry.read(vlf.offset_bytes + begin_bytes, {&segment, 1}, ums::WaitType::io_completion);
        for (std::uint64_t at = 0; is_read && at < std::min(segment.size_bytes, kReadBytes); at += log_.alignment_bytes()) {
            const LogBlockHeader header = read_block_header(buffer.data() + at);
            const bool is_next = header.run_id == log_.run_id() && header.vlf_sequence == vlf.sequence &&
                                 header.vlf_sector == (begin_bytes + at) / kSectorBytes && header.sequence > position.sequence &&
                                 header.sequence < vlf.first_block + vlf.block_count;
            if (!is_next || !is_sound_block(buffer.data() + at, segment.size_bytes - at)) continue;
            position.at_bytes = begin_bytes + at;
            position.sequence = header.sequence;
            co_return true;
        }
        begin_bytes += kReadBytes;
    }
    position.at_bytes = vlf.end_bytes;
    position.sequence = vlf.first_block + vlf.block_count;
    co_return is_read;
}

// Pages that have been written to the data files and whose last change is in the log from `lsn` on.
bool LogAuditor::pages_depend_on(std::uint64_t lsn) const {
    for (const auto& data : data_files_) {
        for (std::uint32_t page = 0; page < data->file.pages(); ++page) {
            const PageLedger::Entry entry = data->ledger[page];
            if (entry.version != 0 && entry.unknown == 0 && entry.lsn >= lsn) return true;
        }
    }
    return false;
}

// There is one digest for all blocks of a VLF: it tells that one of them is another than the one that was written, and not which. So there
// is no image, and the place is the whole row.
void LogAuditor::report_digest(const Position& end) {
    const VirtualLogFile& vlf = end.vlf;
    Finding finding;
    finding.kind = FindingKind::log_block_damaged;
    finding.place.file_id = vlf.file->id();
    finding.place.path = vlf.file->path();
    finding.place.is_log = true;
    finding.place.offset_bytes = vlf.offset_bytes;
    finding.place.size_bytes = vlf.end_bytes;
    finding.expected = {.lsn = make_lsn(vlf.sequence, 0, 0)};
    finding.description = fmt::format(
        "The blocks {} to {} of the log are each sound and in their place, but at least one of them is not the block that was written. "
        "Which one is not known.",
        vlf.first_block, end.sequence - 1);
    finding.reasoning = {fmt::format("The {} blocks that were written to VLF {} have a different digest from the {} blocks that came back.",
                                     vlf.block_count, vlf.sequence, end.sequence - vlf.first_block),
                         "One digest covers the whole VLF, so the finding covers the whole VLF, too, and has no image of a single block."};
    vlf.file->report(std::move(finding));
}

void LogAuditor::report(const Position& begin, std::uint64_t end_bytes, BlockFault fault, std::vector<Reread> rereads,
                        const std::vector<std::byte>& image, bool transient) {
    const VirtualLogFile& vlf = begin.vlf;
    Finding finding;
    finding.kind = fault.kind;
    finding.transient = transient;
    finding.place.file_id = vlf.file->id();
    finding.place.path = vlf.file->path();
    finding.place.offset_bytes = vlf.offset_bytes + begin.at_bytes;
    finding.place.size_bytes = end_bytes - begin.at_bytes;
    finding.place.is_log = true;
    finding.expected = {.lsn = make_lsn(vlf.sequence, static_cast<std::uint32_t>(begin.at_bytes / kSectorBytes), 0)};
    finding.received = received_block(image.data(), image.size());
    finding.evidence.image = image;
    finding.reads = 1 + static_cast<std::uint32_t>(rereads.size());
    finding.reasoning = {fmt::format("The log must hold block {} here: VLF {}, at {} bytes.", begin.sequence, vlf.sequence, begin.at_bytes),
                         transient ? "The fault is transient: a later read returned the right block."
                                   : persistence_reason(later_reads_in(rereads), "block")};
    if (begin.is_part) finding.reasoning.emplace_back("A backup read it for its chain, into which it copies no wrong block.");
    finding.rereads = std::move(rereads);
    finding.description = std::move(fault.description) + (begin.is_part ? " A backup read it." : "");
    vlf.file->report(std::move(finding));
}

}  // namespace sim
