#include "sim/verify/log_scan.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "sim/files/byte_range.hpp"
#include "sim/files/io_retry.hpp"
#include "sim/files/rereader.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kWindowBytes = 1 << 20;
// So many pieces that cannot be read are tried again, and reported, one by one; then neighbours together.
constexpr std::size_t kUnreadablePiecesMax = 64;

// A VLF begins after the signature and VLFs of the same length, or where a file ended before it grew.
bool is_vlf_begin(std::uint64_t offset_bytes, std::uint64_t vlf_bytes) {
    if (offset_bytes < kPageBytes || vlf_bytes == 0) return false;
    return (offset_bytes - kPageBytes) % vlf_bytes == 0 || offset_bytes % ums::kMb == 0;
}

// A checksum shows that the bytes are those that were written, not who wrote them. A block of ours knows only earlier blocks to be
// hardened, lies within its VLF, and has the LSNs of its place; the search for the end of the log relies on that.
bool is_consistent(const LogBlockHeader& header) {
    const std::uint64_t end_sector = std::uint64_t{header.vlf_sector} + header.size_bytes / kSectorBytes;
    const bool is_in_vlf = end_sector <= header.vlf_sectors && header.vlf_sectors <= kVlfBytesMax / kSectorBytes;
    const bool is_numbered = header.sequence != 0 && header.sequence <= kLogBlocksMax && header.hardened_sequence < header.sequence;
    return is_in_vlf && is_numbered && header.vlf_sequence != 0 && header.first_lsn == make_lsn(header.vlf_sequence, header.vlf_sector, 0);
}

bool comes_before(const LogBlockPlace& a, const LogBlockPlace& b) {
    return a.sequence != b.sequence ? a.sequence < b.sequence : a.incarnation > b.incarnation;
}

// By number, each once. An owner that does not know that it has been replaced uses numbers that belong to another.
void put_in_order(std::vector<LogBlockPlace>& blocks) {
    std::stable_sort(blocks.begin(), blocks.end(), comes_before);
    const auto is_same = [](const LogBlockPlace& a, const LogBlockPlace& b) { return a.sequence == b.sequence; };
    blocks.erase(std::unique(blocks.begin(), blocks.end(), is_same), blocks.end());
}

// The same if only the last one is out of place. A wrong read may have hidden thousands, and to sort all for each would take minutes.
void put_last_in_order(std::vector<LogBlockPlace>& blocks) {
    const LogBlockPlace late = blocks.back();
    blocks.pop_back();
    const auto at = std::lower_bound(blocks.begin(), blocks.end(), late, comes_before);
    const bool is_newer_there = at != blocks.begin() && std::prev(at)->sequence == late.sequence;
    if (is_newer_there) return;
    if (at == blocks.end() || at->sequence != late.sequence) {
        blocks.insert(at, late);
    } else if (at->incarnation < late.incarnation) {
        *at = late;
    }
}

}  // namespace

SimFile* LogScan::file_of(std::uint32_t file_id) const {
    const auto found = std::find_if(files_.begin(), files_.end(), [&](const SimFile* file) { return file->id() == file_id; });
    return found == files_.end() ? nullptr : *found;
}

double LogScan::done_fraction() const {
    std::uint64_t total_bytes = 0;
    for (const SimFile* file : files_) total_bytes += file->size_bytes();
    if (total_bytes == 0) return 0;
    return std::min(1.0, static_cast<double>(done_bytes_.load(std::memory_order_relaxed)) / static_cast<double>(total_bytes));
}

ums::Task<void> LogScan::find_blocks(LogContents& contents) {
    for (SimFile* file : files_) co_await find_blocks_of(*file, contents);
    put_in_order(contents.blocks);
}

bool LogScan::add_late_block(LogContents& contents, const SimFile& file, std::uint64_t offset_bytes, const std::byte* block) {
    if (!add_block(contents, file, offset_bytes, block)) return false;
    put_last_in_order(contents.blocks);
    return true;
}

ums::Task<void> LogScan::find_blocks_of(SimFile& file, LogContents& contents) {
    const ums::MemoryRegion buffer(kWindowBytes + kLogBlockBytesMax, ums::MemoryKind::plain);
    const std::uint64_t end_bytes = file.size_bytes();
    std::uint64_t at_bytes = kPageBytes;
    while (at_bytes < end_bytes && !run_.is_stopping()) {
        Window window;
        window.offset_bytes = at_bytes / kReadAlignmentBytes * kReadAlignmentBytes;
        window.size_bytes = std::min(buffer.size_bytes() / kReadAlignmentBytes * kReadAlignmentBytes, end_bytes - window.offset_bytes);
        window.taken_bytes = at_bytes - window.offset_bytes;
        window.is_end = window.offset_bytes + window.size_bytes == end_bytes;
        co_await read_window(file, window, buffer.data());
        take_window(file, window, buffer.data(), contents);
        done_bytes_.fetch_add(window.offset_bytes + window.taken_bytes - at_bytes, std::memory_order_relaxed);
        at_bytes = window.offset_bytes + window.taken_bytes;
        co_await ums::Scheduler::current().yield_if_due();
    }
}

// A bad sector costs the blocks that it holds, not those beside it, nor the pages whose changes are in those.
ums::Task<void> LogScan::read_window(SimFile& file, const Window& window, std::byte* bytes) {
    const ums::IoSegment segment{bytes, window.size_bytes};
    stamp_not_read(bytes, window.size_bytes);
    const TransferResult result =
        co_await file.transfer(ums::IoOperation::read, window.offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    const TransferFailure failure{ums::IoOperation::read, window.offset_bytes, window.size_bytes, result.error, result.transferred_bytes};
    if (failure.is_complete()) co_return;
    const bool is_explained = co_await read_pieces(file, window.offset_bytes, {bytes, window.size_bytes});
    if (!is_explained) report_recovered_transfer(file, failure);
}

// Each piece alone and once, then with patience those that did not come: all tries of one take half a second, most of which is waiting, so
// they wait at the same time. True if something was reported. Windows overlap: what the one before could not read was reported then.
ums::Task<bool> LogScan::read_pieces(SimFile& file, std::uint64_t offset_bytes, std::span<std::byte> bytes) {
    std::vector<Piece> missing;
    bool is_explained = false;
    for (std::uint64_t done_bytes = 0; done_bytes < bytes.size();) {
        const std::uint64_t rest_bytes = bytes.size() - done_bytes;
        const std::uint64_t piece_bytes = run_.is_stopping() ? rest_bytes : std::min(kReadAlignmentBytes, rest_bytes);
        Piece piece{offset_bytes + done_bytes, bytes.subspan(done_bytes, piece_bytes)};
        done_bytes += piece_bytes;
        if (is_known_unreadable(file, piece.offset_bytes, piece_bytes)) {
            std::fill(piece.bytes.begin(), piece.bytes.end(), std::byte{0});
            is_explained = true;
            continue;
        }
        co_await try_piece(file, piece);
        if (piece.has_come) continue;
        const bool is_alone = missing.empty() || missing.back().offset_bytes + missing.back().bytes.size() != piece.offset_bytes;
        if (is_alone || unreadable_.size() + missing.size() < kUnreadablePiecesMax) {
            missing.push_back(piece);
        } else {
            missing.back().bytes = {missing.back().bytes.data(), missing.back().bytes.size() + piece_bytes};
        }
    }
    ums::TaskGroup reads;
    for (Piece& piece : missing) ums::Scheduler::current().fork(reads, retry_piece(file, piece));
    co_await reads.join();
    co_return is_explained || std::any_of(missing.begin(), missing.end(), [](const Piece& piece) { return piece.is_reported; });
}

ums::Task<void> LogScan::try_piece(SimFile& file, Piece& piece) {
    const ums::IoSegment segment{piece.bytes.data(), piece.bytes.size()};
    stamp_not_read(segment.data, segment.size_bytes);
    const TransferResult result =
        co_await file.transfer(ums::IoOperation::read, piece.offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    const TransferFailure failure{ums::IoOperation::read, piece.offset_bytes, segment.size_bytes, result.error, result.transferred_bytes};
    piece.has_come = failure.is_complete();
}

ums::Task<void> LogScan::retry_piece(SimFile& file, Piece& piece) {
    const ums::IoSegment segment{piece.bytes.data(), piece.bytes.size()};
    stamp_not_read(segment.data, segment.size_bytes);
    IoRetry retry(file, run_, journal_);
    const bool has_come = co_await retry.read(piece.offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    piece.is_reported = retry.has_reported();
    if (!has_come) co_await give_up(file, piece);
}

// Of several together, one may fail for good, and another one only now and then: each alone once more.
ums::Task<void> LogScan::give_up(SimFile& file, const Piece& piece) {
    std::vector<Piece> parts;
    for (std::uint64_t done_bytes = 0; done_bytes < piece.bytes.size(); done_bytes += parts.back().bytes.size()) {
        const std::uint64_t part_bytes = std::min<std::uint64_t>(kReadAlignmentBytes, piece.bytes.size() - done_bytes);
        parts.push_back({piece.offset_bytes + done_bytes, piece.bytes.subspan(done_bytes, part_bytes)});
    }
    const bool is_tried = parts.size() > 1 && !run_.is_stopping();
    ums::TaskGroup reads;
    for (Piece& part : parts) {
        if (is_tried) ums::Scheduler::current().fork(reads, try_piece(file, part));
    }
    co_await reads.join();
    std::vector<Range> lost;
    for (const Piece& part : parts) {
        if (part.has_come) continue;
        std::fill(part.bytes.begin(), part.bytes.end(), std::byte{0});
        const bool goes_on = !lost.empty() && lost.back().offset_bytes + lost.back().size_bytes == part.offset_bytes;
        if (!goes_on) lost.push_back({&file, part.offset_bytes, 0});
        lost.back().size_bytes += part.bytes.size();
    }
    unreadable_.insert(unreadable_.end(), lost.begin(), lost.end());
}

bool LogScan::is_known_unreadable(const SimFile& file, std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    return std::any_of(unreadable_.begin(), unreadable_.end(), [&](const Range& range) {
        return range.file == &file && range.offset_bytes <= offset_bytes &&
               offset_bytes + size_bytes <= range.offset_bytes + range.size_bytes;
    });
}

bool LogScan::is_unreadable(const SimFile& file, std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    return std::any_of(unreadable_.begin(), unreadable_.end(), [&](const Range& range) {
        return range.file == &file && range.offset_bytes < offset_bytes + size_bytes &&
               offset_bytes < range.offset_bytes + range.size_bytes;
    });
}

bool LogScan::is_of_run(const std::byte* block) const {
    const LogBlockHeader header = read_block_header(block);
    return header.magic == kLogMagic && header.run_id == run_id_;
}

// A block that may reach beyond the window begins the next one.
void LogScan::take_window(const SimFile& file, Window& window, const std::byte* bytes, LogContents& contents) {
    std::uint64_t& at = window.taken_bytes;
    while (at + kSectorBytes <= window.size_bytes) {
        const std::uint64_t available_bytes = window.size_bytes - at;
        if (!window.is_end && available_bytes < kLogBlockBytesMax) return;
        const std::byte* const block = bytes + at;
        std::uint64_t step_bytes = kSectorBytes;
        if (is_of_run(block) && is_sound_block(block, available_bytes)) {
            static_cast<void>(add_block(contents, file, window.offset_bytes + at, block));
            step_bytes = read_block_header(block).size_bytes;
        }
        at += step_bytes;
    }
    at = window.size_bytes;
}

// False if it cannot be a block of this log.
bool LogScan::add_block(LogContents& contents, const SimFile& file, std::uint64_t offset_bytes, const std::byte* block) {
    const LogBlockHeader header = read_block_header(block);
    if (!is_log_format(header.format)) {
        other_format_ = header.format;
        return false;
    }
    const std::uint64_t sector_bytes = std::uint64_t{header.vlf_sector} * kSectorBytes;
    const bool is_in_place = header.file_id == file.id() && offset_bytes >= sector_bytes &&
                             is_vlf_begin(offset_bytes - sector_bytes, std::uint64_t{header.vlf_sectors} * kSectorBytes);
    if (!is_in_place || !is_consistent(header)) return false;
    LogBlockPlace place;
    place.sequence = header.sequence;
    place.hardened_sequence = header.hardened_sequence;
    place.first_lsn = place.last_lsn = header.first_lsn;
    place.offset_bytes = offset_bytes;
    place.write_utc_us = header.write_utc_us;
    place.size_bytes = header.size_bytes;
    place.file_id = file.id();
    place.vlf_sector = header.vlf_sector;
    place.vlf_sectors = header.vlf_sectors;
    place.incarnation = header.incarnation;
    std::uint64_t next_lsn = header.first_lsn;
    bool is_in_order = true;
    const bool is_whole = for_each_record(block, [&](const LogRecordHeader& record, std::span<const std::byte> body) {
        is_in_order &= record.lsn == next_lsn++;
        place.last_lsn = record.lsn;
        CheckpointEnd end;
        ResumePoint resume;
        if (record.kind == static_cast<std::uint16_t>(LogRecordKind::checkpoint_end) && read_body(body, end)) {
            contents.checkpoints.push_back(
                {header.sequence, end.begin_lsn, record.lsn, end.sums_count, end.unknown_count, header.incarnation, header.format});
        } else if (record.kind == static_cast<std::uint16_t>(LogRecordKind::resume) && read_body(body, resume) &&
                   resume.last_sequence < header.sequence) {
            contents.resumes.push_back({header.sequence, resume.last_sequence, resume.last_lsn, header.incarnation});
        }
    });
    if (!is_whole || !is_in_order) return false;
    contents.blocks.push_back(place);
    return true;
}

ExpectedBlock LogScan::expected_of(const LogBlockPlace& place) const {
    return {run_id_, place.sequence, vlf_of_lsn(place.first_lsn), place.vlf_sector};
}

// It was there a moment ago.
ums::Task<bool> LogScan::read_again(const LogBlockPlace& place, std::byte* block) {
    SimFile& file = *file_of(place.file_id);
    Finding finding;
    finding.kind = check_block(block, place.size_bytes, expected_of(place))->kind;
    finding.place.is_log = true;
    finding.place.file_id = file.id();
    finding.place.path = file.path();
    finding.place.offset_bytes = place.offset_bytes;
    finding.place.size_bytes = place.size_bytes;
    finding.evidence.image.assign(block, block + place.size_bytes);
    Rereader rereader(file, journal_, place.offset_bytes, place.size_bytes, kReadAlignmentBytes);
    for (std::uint32_t attempt = 1; attempt <= kRereadsMax && !finding.transient && !run_.is_stopping(); ++attempt) {
        Reread reread = co_await rereader.read(attempt, block);
        finding.transient = reread.has_come() && !check_block(rereader.bytes(), place.size_bytes, expected_of(place));
        if (finding.transient) reread.result = RereadResult::right;
        finding.rereads.push_back(reread);
    }
    finding.reads = 2 + static_cast<std::uint32_t>(finding.rereads.size());
    finding.description = fmt::format("The first read returned log block {} as it was written, the second one did not, and {}.",
                                      place.sequence, finding.transient ? "a later one did again" : "no later one did");
    if (finding.transient) std::copy_n(rereader.bytes(), place.size_bytes, block);
    const bool has_come = finding.transient;
    file.report(std::move(finding));
    co_return has_come;
}

ums::Task<void> LogScan::replay(std::span<const LogBlockPlace> blocks, const Take& take) {
    const ums::MemoryRegion buffer(kWindowBytes + 2 * kReadAlignmentBytes, ums::MemoryKind::plain);
    std::size_t begin = 0;
    while (begin < blocks.size() && !run_.is_stopping()) {
        // Neighbours come with one read.
        const LogBlockPlace& first = blocks[begin];
        std::uint64_t size_bytes = first.size_bytes;
        std::size_t end = begin + 1;
        while (end < blocks.size() && blocks[end].file_id == first.file_id && blocks[end].offset_bytes == first.offset_bytes + size_bytes &&
               size_bytes + blocks[end].size_bytes <= kWindowBytes) {
            size_bytes += blocks[end++].size_bytes;
        }
        SimFile* const file = file_of(first.file_id);
        // The blocks may be in smaller units: made through the cache, or on another disk.
        const ByteRange aligned = ByteRange{first.offset_bytes, size_bytes}.rounded_out(kReadAlignmentBytes);
        const ums::IoSegment segment{buffer.data(), aligned.size_bytes};
        stamp_not_read(buffer.data(), segment.size_bytes);
        IoRetry retry(*file, run_, journal_);
        const bool has_come = co_await retry.read(aligned.offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
        for (; begin < end; ++begin) {
            std::byte* const block = buffer.data() + (blocks[begin].offset_bytes - aligned.offset_bytes);
            bool is_there = has_come && !check_block(block, blocks[begin].size_bytes, expected_of(blocks[begin]));
            if (has_come && !is_there) is_there = co_await read_again(blocks[begin], block);
            if (!is_there || !for_each_record(block, take)) is_incomplete_ = true;
        }
        begin = end;
        co_await ums::Scheduler::current().yield_if_due();
    }
}

}  // namespace sim
