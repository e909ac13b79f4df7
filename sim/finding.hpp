// A finding: one wrong answer of the storage, with everything that is known about it. Plain data. A finding is a result, not an error of
// the program: it is never thrown. docs/fault_model.md says what each kind means, how it is distinguished from the others, and what cannot
// be found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/file_role.hpp"
#include "sim/group/group_fact.hpp"

namespace sim {

// One operation on a file, as the history keeps it for findings.
struct HistoryEntry {
    std::uint64_t utc_us = 0;  // when it was posted
    std::uint64_t duration_us = 0;
    std::uint32_t cpu = 0;  // logical CPU (scheduler)
    std::string user;       // "Random User 3", "Checkpoint", …
    bool is_write = false;
    bool is_diagnosis = false;  // repeated because an answer was wrong
    std::uint32_t file_id = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    // From the header of the first page or log block, as written or as it came back; 0 if there is none. Log blocks have no version.
    std::uint32_t version = 0;
    std::uint64_t lsn = 0;
    int error_code = 0;
    std::uint64_t transferred_bytes = 0;
};

enum class FindingKind : std::uint8_t {
    stale_read,         // an older version came back, a later read was right
    lost_write,         // an acknowledged write never arrived: what was there before stays
    reverted_page,      // the newest version had been read back, now an older one is there and stays
    torn_page,          // sectors of two versions of the page
    misdirected_write,  // an image of ours is where it does not belong, or elsewhere instead of here
    misdirected_read,   // another page's image came back, a later read did not return it
    zeroed_page,        // zeros where data was acknowledged
    bytes_not_read,     // success was reported, but (part of) the buffer was not filled
    bit_corruption,     // the right version with wrong bits, or wrong bytes that nothing else explains
    foreign_page,       // nothing that this run wrote
    future_version,     // a version of the page that was never written
    short_transfer,     // fewer bytes than requested, before the end of the file
    io_error,           // the system returned an error
    stalled_io,         // a request took very long (warning) or never came back
    log_gap,            // an acknowledged log block is not there
    log_block_damaged,  // a log block that does not match its checksum
    log_stale_block,    // an older log block where an acknowledged one must be
    wal_violation,      // the data file holds changes that the log, as it reads now, does not
};

inline constexpr std::size_t kFindingKindCount = 18;

// "stale_read": for files and switches. "stale read": for people.
[[nodiscard]] std::string_view name_of(FindingKind kind);
[[nodiscard]] std::string_view title_of(FindingKind kind);
[[nodiscard]] std::optional<FindingKind> finding_kind_of(std::string_view name);

// What one 512-byte sector of an image is, judged by its stamp and its contents.
enum class SectorState : std::uint8_t {
    expected,    // as it was written
    older,       // of an older version of this page, or of an earlier write of the expected one
    newer,       // of a version of this page that was never written
    other_page,  // of another page of this run, or another sector of this page
    foreign,     // a sector of another run
    zero,        // all zeros, where something was written
    not_read,    // still holds the pattern that was there before the read
    damaged,     // none of these; with a version: of the expected one, but not of its last write
};

[[nodiscard]] std::string_view name_of(SectorState state);

// What crash recovery makes of a page that lacks acknowledged writes.
enum class PageRedo : std::uint8_t {
    none,      // nothing, as far as is known: the log no longer has a change of it
    complete,  // all that is missing, because the log still has it
    refused,   // the log has later changes, which cannot be made on what is there
};

// A request about a file as a whole, without a page or bytes.
enum class FileRequest : std::uint8_t { none, sync, resize, open };

struct SectorFact {
    SectorState state = SectorState::expected;
    std::uint32_t version = 0;  // from the stamp, if the state implies a sound one
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    std::uint32_t sector = 0;  // 0 … 15, from the stamp
};

// A place in our files, for the other end of a misdirected transfer.
struct PagePlace {
    std::uint32_t file_id = 0;
    std::string path;
    std::uint32_t page_id = 0;
    std::uint32_t version = 0;
};

enum class RereadResult : std::uint8_t { right, same_image, other_image, short_transfer, io_error };

[[nodiscard]] std::string_view name_of(RereadResult result);

struct Reread {
    std::uint32_t attempt = 0;      // 1 … 15
    std::uint64_t after_us = 0;     // since the first wrong image came back
    bool through_new_file = false;  // the file was flushed, its cached pages dropped, and a newly opened descriptor used
    RereadResult result = RereadResult::right;
    std::uint32_t version = 0;  // from the header that came back
    std::uint32_t checksum = 0;
    int error_code = 0;

    // All bytes came, and have not been judged yet.
    [[nodiscard]] bool has_come() const { return result == RereadResult::same_image || result == RereadResult::other_image; }
};

// Where the page is on the device below, according to the file system (FIEMAP).
struct DevicePlace {
    std::string device;              // "/dev/sda1"; empty if it is not known
    std::uint64_t offset_bytes = 0;  // on that device
};

// What a finding is about: bytes of a file. A request about the file as a whole has no page, no offset and no size.
struct FindingPlace {
    std::uint32_t file_id = 0;
    std::string path;
    FileRole role = FileRole::test;
    bool is_log = false;                // about a log block, or a chunk of a backup chain, not about a page
    std::uint32_t page_id = 0;          // of the first byte, in a data file
    std::uint64_t offset_bytes = 0;     // in the file
    std::uint64_t size_bytes = 0;       // of the page, block or request that is wrong
    std::optional<DevicePlace> device;  // determined when the finding is written down
};

// What was requested of the storage.
struct FindingRequest {
    bool is_write = false;
    FileRequest of_file = FileRequest::none;  // of io_error and stalled_io
};

// How a request failed, or how long it took: for io_error, stalled_io and short_transfer.
struct RequestFailure {
    int error_code = 0;  // the system's
    std::string error_text{};
    std::uint64_t duration_us = 0;  // stalled_io: how long it took, or has been outstanding
};

// What the ledger expects: for findings about a page or a log block.
struct ExpectedIdentity {
    std::uint32_t version = 0;
    std::uint64_t lsn = 0;
    std::uint32_t checksum = 0;
};

// What the header that came back says; 0 without a header.
struct ReceivedIdentity {
    std::uint32_t version = 0;
    std::uint64_t lsn = 0;
    std::uint32_t checksum = 0;             // stored in the image
    std::uint32_t calculated_checksum = 0;  // of the image
    std::uint64_t run_id = 0;
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
};

// The image compared with the one that was written, if a page came back.
struct ImageComparison {
    std::vector<SectorFact> sectors{};  // kSectorsPerPage of them
    std::uint32_t first_wrong_byte = 0;
    std::uint32_t wrong_bytes = 0;
    std::uint32_t wrong_bits = 0;
    std::vector<std::uint32_t> wrong_bit_positions{};  // byte * 8 + bit (0 = lowest) in the page; the first kBitPositionsMax
    std::int32_t shift_bytes = 0;                      // the expected bytes came, shifted by this many; 0: not shifted
    std::uint32_t not_read_bytes = 0;
    bool tear_on_4k_lines = false;  // torn page: every 4096-byte block is of one version
};

// Numbers of log blocks, from `first` to `last`.
struct BlockRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

// When and by whom it was found.
struct FindingMoment {
    std::string phase;
    std::string user;
    std::uint32_t cpu = 0;
    std::uint64_t thread_id = 0;  // of the operating system
    std::uint64_t tick_ms = 0;    // since the run began
    std::uint64_t utc_us = 0;
};

// The evidence. Large.
struct FindingEvidence {
    std::vector<std::byte> image;           // as it came back first, or last if it stays wrong in a verification; empty if nothing came
    std::vector<std::byte> expected_image;  // as it was written: recreated, or read later; empty if nothing was written or it is not known
    // Otherwise expected_image holds, where its time and what else `expected` does not tell belong, what came back.
    bool is_write_time_known = true;
    std::vector<HistoryEntry> page_history;  // operations that touched the page, oldest first
    std::vector<HistoryEntry> file_history;  // the last operations of all files, oldest first
    std::string dump_path;                   // where the evidence was saved; empty if it was not

    // Frees what takes much memory: images and histories. (Assigned {}, a vector would keep its memory.)
    void drop() {
        image = std::vector<std::byte>();
        expected_image = std::vector<std::byte>();
        page_history = std::vector<HistoryEntry>();
        file_history = std::vector<HistoryEntry>();
    }
};

struct Finding {
    std::uint64_t number = 0;  // 1, 2, … in the order of reporting
    FindingKind kind{};
    bool is_warning = false;  // not a failure: a stalled request that did come back
    bool transient = false;   // a later read returned the right bytes, or a later try succeeded
    bool repaired = false;    // the expected image was written again

    FindingPlace place;
    FindingRequest request;
    // Parts that do not apply to this kind of finding are empty.
    std::optional<RequestFailure> failure;
    std::optional<ExpectedIdentity> expected;
    std::optional<ReceivedIdentity> received;
    std::optional<ImageComparison> comparison;
    std::optional<PagePlace> other;       // misdirected: the page whose image is here, or where this page's image is
    std::optional<GroupFact> group_fact;  // what it means among several hosts
    // Of a log that a crash left: acknowledged blocks that are gone. The place is that of the first.
    std::optional<BlockRange> missing_blocks;
    PageRedo redo = PageRedo::none;  // of a lost write that a verification found

    std::uint32_t reads = 1;  // how often it was read or tried until this was decided
    std::vector<Reread> rereads;
    FindingMoment moment;
    FindingEvidence evidence;
    std::string description;             // one sentence for a person
    std::vector<std::string> reasoning;  // why this kind and no other, a sentence each
};

// For code that writes findings: zeros for a missing part.
template <typename Part>
[[nodiscard]] const Part& or_empty(const std::optional<Part>& part) {
    static const Part kEmpty{};
    return part ? *part : kEmpty;
}

inline constexpr std::size_t kBitPositionsMax = 64;

// What was requested of the storage: "read", "write", "sync", "resize", "open".
[[nodiscard]] std::string_view operation_of(const Finding& finding);

// Misdirected: another page's image, or a part of it, is here. Otherwise the page is as it was before the write, and its image is in
// `other`.
[[nodiscard]] bool holds_other_page(const Finding& finding);
// Of a zeroed page: its zeros begin or end within a sector, so that bytes say more of them than sectors.
[[nodiscard]] bool has_partly_zeroed_sector(const ImageComparison& comparison);

}  // namespace sim
