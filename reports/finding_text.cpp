#include "reports/finding_text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "reports/lost_write_text.hpp"
#include "reports/text.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

bool is_wrong(const sim::SectorFact& fact) { return fact.state != sim::SectorState::expected; }

// Right sectors show it, or a right header; those of a torn page may all be wrong.
bool is_in_part(const sim::Finding& finding) {
    const std::vector<sim::SectorFact>& sectors = or_empty(finding.comparison).sectors;
    const bool is_torn = finding.kind == sim::FindingKind::torn_page;
    const bool has_right_header = or_empty(finding.received).version == or_empty(finding.expected).version;
    const bool may_be_right_in_part = is_torn || has_right_header || !std::all_of(sectors.begin(), sectors.end(), is_wrong);
    return may_be_right_in_part && std::any_of(sectors.begin(), sectors.end(), is_wrong);
}

// A whole page of another run. Runs count versions by themselves, so its version may even be the higher one.
bool is_of_other_run(const sim::Finding& finding) {
    const std::vector<sim::SectorFact>& sectors = or_empty(finding.comparison).sectors;
    const auto is_foreign = [](const sim::SectorFact& fact) { return fact.state == sim::SectorState::foreign; };
    return !sectors.empty() && std::all_of(sectors.begin(), sectors.end(), is_foreign);
}

// It was read again, and no read returned what was written.
bool never_became_right(const sim::Finding& finding) {
    return !finding.rereads.empty() && std::none_of(finding.rereads.begin(), finding.rereads.end(),
                                                    [](const sim::Reread& reread) { return reread.result == sim::RereadResult::right; });
}

// SQL Server would notice it. Zeros have no checksum, nor have regions and files as a whole.
bool has_wrong_checksum(const sim::Finding& finding) {
    const sim::ReceivedIdentity& received = or_empty(finding.received);
    return received.version != 0 && received.checksum != received.calculated_checksum;
}

// Nothing is known to have been written to the page.
bool is_on_unwritten_page(const sim::Finding& finding) { return finding.expected && finding.expected->version == 0; }

// Nothing has been written since the file was cut before the page and grew again. A verification knows of no version either, but compares
// with none.
bool is_from_before_cut(const sim::Finding& finding) {
    const bool is_old = finding.kind == sim::FindingKind::stale_read || finding.kind == sim::FindingKind::reverted_page;
    if (!is_old || !is_on_unwritten_page(finding)) return false;
    const std::vector<sim::SectorFact>& sectors = or_empty(finding.comparison).sectors;
    return std::any_of(sectors.begin(), sectors.end(), [](const sim::SectorFact& fact) { return fact.state == sim::SectorState::newer; });
}

// A verification found the file too short: of what was written there nothing could be read, and nothing older either.
bool has_lost_its_end(const sim::Finding& finding) { return finding.kind == sim::FindingKind::lost_write && finding.request.is_write; }

// A verification found no file under its name.
bool is_missing_file(const sim::Finding& finding) {
    const bool is_missing = or_empty(finding.failure).error_code == static_cast<int>(std::errc::no_such_file_or_directory);
    return finding.request.of_file == sim::FileRequest::open && is_missing;
}

// "8 sectors of version 3 instead of version 5". At least one is wrong.
std::string detail_of_part(const std::vector<sim::SectorFact>& sectors, std::uint32_t expected_version) {
    const sim::SectorFact& first = *std::find_if(sectors.begin(), sectors.end(), is_wrong);
    const auto count = static_cast<std::uint64_t>(std::count_if(sectors.begin(), sectors.end(), is_wrong));
    const bool is_common = std::all_of(sectors.begin(), sectors.end(), [&](const sim::SectorFact& fact) {
        return !is_wrong(fact) || (fact.state == first.state && fact.version == first.version);
    });
    std::string what = "other versions";
    if (is_common) what = first.state == sim::SectorState::zero ? "zeros" : fmt::format("version {}", first.version);
    const std::string expected = expected_version == 0 ? "zeros" : fmt::format("version {}", expected_version);
    if (what == expected && first.state == sim::SectorState::older) {
        return fmt::format("{} of an earlier write of {}", counted(count, "sector"), what);
    }
    if (what == expected) return fmt::format("{}, but not what was written", what);
    return fmt::format("{} of {} instead of {}", counted(count, "sector"), what, expected);
}

// All sectors are of an older version, but the checksum in the first one is not that version's.
KindText older_with_wrong_checksum(const sim::Finding& finding) {
    const std::string_view advice = kind_text(finding.kind).advice;
    if (finding.kind == sim::FindingKind::lost_write) {
        return {
            "The storage acknowledged a write that is not there: it never arrived, or was undone later. Its place holds an older version "
            "with a checksum that does not fit. SQL Server reports error 824 and needs a restore of the page.",
            advice};
    }
    if (never_became_right(finding)) {
        return {
            "A read returned an older version of the page, with a checksum that does not fit, although a newer one had been written and "
            "acknowledged. No later read returned the newer one, so nothing shows that it is on the medium. SQL Server reports error 824.",
            advice};
    }
    return {
        "A read returned an older version of the page, with a checksum that does not fit, although a newer one had been written and "
        "acknowledged; a later read returned the newer one. Something on the path answers from an outdated copy, or the write was "
        "acknowledged before reads could see it. SQL Server reports error 824.",
        advice};
}

}  // namespace

std::string finding_detail(const sim::Finding& finding) {
    const sim::ImageComparison& comparison = or_empty(finding.comparison);
    const sim::ExpectedIdentity& expected = or_empty(finding.expected);
    const sim::ReceivedIdentity& received = or_empty(finding.received);
    const sim::RequestFailure& failure = or_empty(finding.failure);
    using Kind = sim::FindingKind;
    const std::string_view verb = sim::operation_of(finding);
    switch (finding.kind) {
        case Kind::stale_read:
        case Kind::lost_write:
        case Kind::reverted_page:
        case Kind::torn_page:
        case Kind::future_version:
            // For a file that is too short, or a region that is checked by its sums, no single page is known.
            if (!finding.expected && !finding.received) return fmt::format("{} affected from here on", size_text(finding.place.size_bytes));
            if (is_of_other_run(finding))
                return fmt::format("version {} of another run came back, {} was written", received.version, expected.version);
            if (is_in_part(finding)) return detail_of_part(comparison.sectors, expected.version);
            if (is_from_before_cut(finding)) return fmt::format("version {} from before a cut of the file", received.version);
            return fmt::format("version {} came back, {} was written", received.version, expected.version);
        case Kind::misdirected_write:
        case Kind::misdirected_read:
            if (!finding.other) return fmt::format("holds page {} of file {}", received.page_id, received.file_id);
            return fmt::format("{} page {} of file {}", holds_other_page(finding) ? "holds" : "its image is in", finding.other->page_id,
                               finding.other->file_id);
        case Kind::zeroed_page:
            if (has_partly_zeroed_sector(comparison)) {
                return fmt::format("{} of zeros instead of version {}", counted(comparison.wrong_bytes, "byte"), expected.version);
            }
            if (is_in_part(finding)) return detail_of_part(comparison.sectors, expected.version);
            return fmt::format("zeros, version {} was written", expected.version);
        case Kind::bytes_not_read: return fmt::format("{} bytes were not filled", comparison.not_read_bytes);
        case Kind::bit_corruption:
            if (expected.version == 0) return "not zeros, nothing was written";
            return fmt::format("{} in {}", counted(comparison.wrong_bits, "wrong bit"), counted(comparison.wrong_bytes, "byte"));
        case Kind::foreign_page:
            if (!finding.expected) return "foreign data";  // a verification does not know what was written
            if (expected.version == 0) return "foreign data, nothing was written";
            return fmt::format("foreign data, version {} was written", expected.version);
        case Kind::short_transfer: return fmt::format("{}: fewer bytes than asked for", verb);
        case Kind::io_error:
            if (failure.error_text.empty()) return fmt::format("{}: error {}", verb, failure.error_code);
            return fmt::format("{}: {} ({})", verb, ums::printable(failure.error_text), failure.error_code);
        case Kind::stalled_io: return fmt::format("{}: {} s", verb, failure.duration_us / 1'000'000);
        case Kind::log_gap: return finding.transient ? "only a later read returned the block" : "an acknowledged block is not there";
        case Kind::log_block_damaged:
            // The header may be lost, or sound but another block's.
            if (received.calculated_checksum == 0 || received.calculated_checksum == received.checksum) return "not what was written";
            return fmt::format("stored {:08x}, calculated {:08x}", received.checksum, received.calculated_checksum);
        case Kind::log_stale_block: return "an older block came back";
        case Kind::wal_violation:
            if (finding.place.role == sim::FileRole::restored) return "not what was backed up";
            if (finding.place.is_log) return "ends before changes in the data files";
            return fmt::format("version {} is not in the log", received.version);
    }
    UMS_ASSERT(false && "unknown finding kind");
}

std::string finding_place(const sim::Finding& finding) {
    if (finding.request.of_file != sim::FileRequest::none) return std::string(sim::operation_of(finding));
    if (finding.place.is_log) return fmt::format("offset {:#x}", finding.place.offset_bytes);
    return fmt::format("page {} (offset {:#x})", finding.place.page_id, finding.place.offset_bytes);
}

std::string finding_sentence(const sim::Finding& finding) {
    if (!finding.description.empty()) return finding.description;
    return fmt::format("{}: {}.", sim::title_of(finding.kind), finding_detail(finding));
}

KindText kind_text(sim::FindingKind kind) {
    using Kind = sim::FindingKind;
    switch (kind) {
        case Kind::stale_read:
            return {
                "A read returned an older version of the page although a newer one had been written and acknowledged; a later read "
                "returned the newer one. Something on the path answers from an outdated copy, or the write was acknowledged before reads "
                "could see it. SQL Server cannot see this by checksum: it would continue with old data.",
                "Look at every cache between the host and the medium: controller, array, multipath and replication software, filter "
                "drivers, the hypervisor. If the first re-reads in the dump file returned the old version, too, look also at what "
                "acknowledges writes early. Give the vendor the times and offsets of the requests, as the dump file has them. Do not use "
                "this path for databases until the cause is found."};
        case Kind::lost_write:
            return {
                lost_write_meaning({}),
                "Look at write caches, at firmware and drivers that drop or reorder writes, and at snapshots and thin provisioning. Give "
                "the vendor the time and the offset of the write: it was reported as done. The dump file says when it was "
                "made, if that can be determined, and has the request itself, if not too many came after it."};
        case Kind::reverted_page:
            return {
                "The newest version of the page had arrived: it was read back. Now an older version is there and stays. Something put "
                "an old copy over it, or answers from another copy of the volume.",
                "Look at mirrors and replication that are out of step, at caches that write old contents back, at snapshots that were "
                "rolled back, and at other hosts that write to the same volume. With multipath (NVMe over Fabrics, iSCSI), a "
                "write that is repeated on another path may still arrive on the failed one, later, over a newer one: the target must drop "
                "what it has of a path before the host gives it up."};
        case Kind::torn_page:
            return {
                "Some sectors of the page are of one write and some of another: a write of the page was carried out in part. SQL "
                "Server reports error 824 and needs a restore of the page.",
                "A tear on 4096-byte lines points to a layer that splits writes into blocks of that size; one on 512-byte lines to the "
                "device or its controller. Look for errors and resets at the time of the write."};
        case Kind::misdirected_write:
            return {
                "An image of this run is where it does not belong, or the newest image of this page is elsewhere: a write went to a wrong "
                "address, which damages two pages, the one that was hit and the one that was missed; or this place was given the data of "
                "another one, which may be whole.",
                "Look at everything that maps addresses: volume managers, RAID, multipath, the array's own mapping, deduplication, "
                "firmware. Both ends are named where they are known: the difference of the two offsets often tells which layer it was."};
        case Kind::misdirected_read:
            return {
                "A read returned a sound image of another page, and a later read returned the right one: the data is where it "
                "belongs, but the request or its answer was mixed up with another one.",
                "Look at what handles many requests at a time: drivers, multipath, host bus adapters, controller firmware. The request "
                "for the other page may be near this one in the history of the dump file."};
        case Kind::zeroed_page:
            return {"Zeros came back where data had been written and acknowledged.",
                    "Look at thin provisioning, at discard and TRIM, at file system repairs, at snapshots, and at arrays that lost a cache "
                    "or a member. Zeros that begin within a sector point to a layer that compresses or copies pages. A file that somebody "
                    "has cut during the run, and that grew again, has zeros, too."};
        case Kind::bytes_not_read:
            return {
                "The system reported a successful read, but left the buffer, or a part of it, as it was: the pattern from before is still "
                "there. SQL Server would take whatever was in its memory for the page.",
                "Look at drivers, host bus adapters and their DMA, and at the file system. Multiples of 512 or 4096 bytes point to "
                "single segments of a request that were dropped."};
        case Kind::bit_corruption:
            return {"The right page came back with wrong bytes in it. SQL Server reports error 824.",
                    "Single bits point to memory, buses and cables (look for ECC and CRC errors in the system's logs); whole sectors or "
                    "bytes that are moved point to firmware and drivers. If a later read was right, the fault is on the path; if not, it "
                    "is on the medium or was written that way."};
        case Kind::foreign_page:
            return {
                "This run did not write what came back: it is another run's data, another program's, or noise.",
                "Find out who else writes to this file or volume: another host, a backup or snapshot that was restored, a second path to "
                "the same disk. If nobody does, storage mixes up volumes."};
        case Kind::future_version:
            return {"This page, or a part of it, came back in a version that has never been written.",
                    "Find out who else writes to this file. If nobody does, this may be a bug in ioproof: please report it with this "
                    "file."};
        case Kind::short_transfer:
            return {"The system reported success for fewer bytes than asked for, although the file should not end there.",
                    "Check whether something else cut the file. If not, look at the file system and the drivers. The system's log may say "
                    "more."};
        case Kind::io_error:
            return {
                "The system returned an error for this request. SQL Server tries a failed read again four times: it then reports error "
                "823, or 825 if a later try succeeded. After a sync that failed, nobody knows which of the earlier writes are lost.",
                "Look at the system's log (dmesg) for that time, at the health of the medium (SMART), at cables and paths."};
        case Kind::stalled_io:
            return {"A request was outstanding for a very long time. SQL Server logs error 833 after 15 seconds.",
                    "Look at path failovers, at error recovery of drives (time limits), at overloaded arrays and at snapshots that were "
                    "being made. The system's log may show timeouts and resets at that time."};
        case Kind::log_gap:
            return {
                "A block of the transaction log was written and acknowledged, but there is none in its place, or a later one. Crash "
                "recovery would end there and lose committed transactions.",
                "As for a lost write: look at write caches and at firmware and drivers that drop writes."};
        case Kind::log_block_damaged:
            return {"A block of the transaction log is not what its checksum says. Crash recovery and log backups would end there.",
                    "As for wrong bytes in a page: memory, cables, firmware, drivers."};
        case Kind::log_stale_block:
            return {
                "An older block is where a newer one was written and acknowledged: the newer write was lost, or an old copy came back. "
                "Crash recovery would end there and lose committed transactions.",
                "As for a lost write or a stale read: look at the caches on the path, and at firmware and drivers that drop writes."};
        case Kind::wal_violation:
            return {
                "The data files hold changes that the log, as it reads now, does not, although the log was acknowledged first. After a "
                "crash the database could not be made consistent.",
                "Look at what treats the log's volume differently from the data's: write caches, replication in another order, snapshots "
                "that are not taken at the same moment."};
    }
    UMS_ASSERT(false && "unknown finding kind");
}

KindText kind_text(const sim::Finding& finding) {
    using Kind = sim::FindingKind;
    const bool is_of_log =
        finding.kind == Kind::log_gap || finding.kind == Kind::log_block_damaged || finding.kind == Kind::log_stale_block;
    if (finding.place.role == sim::FileRole::backup_chain && is_of_log) {
        return {
            "A chunk of a backup chain, which describes backups and holds their log, was written and acknowledged, but is not what came "
            "back. A restore would end there, and the changes after it would be lost.",
            kind_text(finding.kind).advice};
    }
    if (is_from_before_cut(finding)) {
        return {
            "The file was cut before this page and has grown again. What a file gains must be zeros, but what the page held before the cut "
            "came back.",
            "Look at what frees and allocates space: the file system, thin provisioning, discard and TRIM, snapshots. Space that is not "
            "cleared when it is given to a file again may as well show another file's deleted data."};
    }
    if (finding.kind == Kind::misdirected_write && is_on_unwritten_page(finding)) {
        return {
            "Another page's image is where nothing is known to have been written: a write went to a wrong address, or the file was given "
            "space that held this image and was not cleared.",
            "If the file had grown to here, look at what frees and allocates space: the file system, thin provisioning, discard and TRIM, "
            "snapshots. Otherwise look at everything that maps addresses: volume managers, RAID, multipath, the array's own mapping, "
            "firmware."};
    }
    if (has_lost_its_end(finding)) {
        return {
            "The file is shorter than the size that the storage had acknowledged: its end is not there, nor what was written to it.",
            "Look at what keeps the sizes of files: the journal of the file system, flushes that never reached the device, snapshots that "
            "were rolled back. If something else has cut the file, the storage is not to blame."};
    }
    if (is_missing_file(finding)) {
        return {
            "There is no file of this name any more. SQL Server could not open the database.",
            "Look at what keeps the names of files: the journal of the file system, flushes that never reached the device, snapshots that "
            "were rolled back. If something else has removed the file, or its volume is not mounted, the storage is not to blame."};
    }
    if ((finding.kind == Kind::stale_read || finding.kind == Kind::lost_write) && has_wrong_checksum(finding)) {
        return older_with_wrong_checksum(finding);
    }
    if (finding.kind == Kind::lost_write) return {lost_write_meaning(finding), kind_text(finding.kind).advice};
    if (finding.kind == Kind::stale_read && never_became_right(finding)) {
        return {
            "A read returned an older version of the page although a newer one had been written and acknowledged. No later read returned "
            "the newer one, so nothing shows that it is on the medium. SQL Server cannot see this by checksum: it would continue with old "
            "data.",
            kind_text(finding.kind).advice};
    }
    if (finding.kind == Kind::misdirected_read && never_became_right(finding)) {
        return {
            "A read returned a sound image of another page. No later read returned the right one, so nothing shows that the data is where "
            "it belongs.",
            kind_text(finding.kind).advice};
    }
    if (finding.transient && finding.kind == Kind::torn_page) {
        return {
            "A read returned some sectors of the page from one write and some from another; a later read did not. So part "
            "of the answer came from an outdated copy, or the write was acknowledged before reads could see all of it. SQL Server reports "
            "error 824.",
            kind_text(Kind::stale_read).advice};
    }
    if (finding.transient && finding.kind == Kind::log_gap) {
        return {
            "A read did not return a block of the transaction log that had been written; a later one did. Crash recovery that is given "
            "such an answer ends there, and loses what was committed from there on.",
            kind_text(Kind::stale_read).advice};
    }
    if (finding.place.role == sim::FileRole::restored && finding.kind == Kind::wal_violation) {
        return {
            "The restored file is not what its data file was at the end of the backup, although each page and each block of the log that "
            "the restore used was right when it was read.",
            "Look at what else may write to these files. If nothing does, this may be a bug in ioproof: please report it with this file."};
    }
    return kind_text(finding.kind);
}

std::string_view persistence_text(bool transient) { return transient ? "transient" : "persistent"; }

}  // namespace reports
