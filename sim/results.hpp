// What happened: everything the reports need, plain data without pointers into the run. Times in microseconds, sizes in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/backup_results.hpp"
#include "sim/finding.hpp"
#include "sim/group/group_result.hpp"
#include "sim/latency_result.hpp"
#include "sim/preflight_line.hpp"

namespace sim {

enum class Phase : std::uint8_t {
    create,
    initial_update,
    initial_checkpoint,
    main_run,
    backup,  // what the main run began is completed, verified and restored
    final_checkpoint,
    final_audit,
    log_analysis,       // of a verification, and of files with which a run continues
    page_verification,  // likewise
    redo,               // of files with which a run continues
    summary,
};

std::string_view name_of(Phase phase);

// The block device below a file, as the kernel reports it. If it does not (overlay, network file systems), `known` is false and the figures
// are 0.
struct DriveFacts {
    bool known = false;
    std::string name;          // "sda", "nvme0n1", "dm-3"
    std::uint32_t number = 0;  // minor device number: "Storage number"
    std::string manager;       // driver, for "Storage manager name": "virtio_blk", "nvme", "device-mapper"
    std::uint32_t logical_sector_bytes = 512;
    std::uint32_t physical_sector_bytes = 512;
    std::uint64_t size_bytes = 0;
    bool rotational = false;
    bool removable = false;
    bool read_cache = false;
    bool write_cache = false;  // volatile write cache on ("write back")
    bool fua = false;

    // /proc/diskstats, since the run began.
    std::uint64_t reads = 0;
    std::uint64_t read_time_ms = 0;
    std::uint64_t writes = 0;
    std::uint64_t write_time_ms = 0;
    std::uint64_t idle_time_ms = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t merged_requests = 0;
};

// Powers of two from 512 ns on: bucket i holds durations of at least 512 ns * 2^i and less than twice that; the ends hold everything below
// and above.
inline constexpr std::size_t kCoarseLatencyBuckets = 31;
using CoarseLatency = std::array<std::uint64_t, kCoarseLatencyBuckets>;

// What a file did in one interval of the time series.
struct FileSample {
    std::uint64_t reads = 0;  // completed requests, of one page or many
    std::uint64_t writes = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t read_time_us = 0;  // the sum of their durations
    std::uint64_t write_time_us = 0;
    std::uint64_t throttles = 0;
    std::uint32_t outstanding = 0;     // at its end; of merged intervals, the larger number
    std::uint32_t request_blocks = 0;  // at its end
    std::uint64_t dirty_pages = 0;     // in memory, at its end; of merged intervals, the larger number
    CoarseLatency read_latency{};
    CoarseLatency write_latency{};
};

struct FileResult {
    std::string path;
    std::string named_as{};  // the user's name for it, if symbolic links led from there to `path`; otherwise empty
    std::uint32_t file_id = 0;
    bool is_log = false;
    bool compressed = false;
    bool encrypted = false;
    bool sparse = false;
    std::uint64_t size_bytes = 0;

    // The load governor.
    std::uint32_t target_io_duration_ms = 0;
    std::uint64_t average_io_duration_us = 0;
    std::uint64_t throttle_count = 0;
    std::uint64_t request_blocks = 0;  // at the end
    // In the main runs, sampled at the completions.
    double request_blocks_mean = 0;
    std::uint32_t request_blocks_min = 0;
    std::uint32_t request_blocks_max = 0;

    // Single-page and multi-page requests.
    std::uint64_t reads = 0;
    std::uint64_t scatter_reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t gather_writes = 0;
    std::uint64_t total_io_time_us = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t max_io_time_us = 0;  // also of long_ios, which may be others, such as syncs

    std::uint64_t pages_verified = 0;
    std::uint64_t long_ios = 0;
    std::uint64_t write_retries = 0;
    std::uint64_t grown_count = 0;
    std::uint64_t shrunk_count = 0;
    std::uint64_t findings = 0;
    std::uint64_t warnings = 0;  // requests that came late: all of them, also those that Results::warnings does not list
    DriveFacts drive;

    std::array<LatencyResult, kIoClassCount> latency{};  // by IoClass
    std::vector<FileSample> samples;                     // one for each of Results::intervals
};

// An interval of the time series. A new one begins every second and with every phase; when there are too many, adjacent ones are merged.
struct Interval {
    std::uint64_t start_us = 0;  // since the run began
    std::uint64_t duration_us = 0;
    Phase phase{};  // of merged intervals, that of the longer one
    std::uint32_t cycle = 1;
};

struct PhaseResult {
    Phase phase{};
    std::uint32_t cycle = 1;
    std::uint64_t duration_us = 0;
    std::uint64_t pages_read = 0;
    std::uint64_t pages_written = 0;
    std::uint64_t pages_verified = 0;
    std::uint64_t log_bytes_written = 0;
    std::uint64_t count = 1;  // more: the sum of so many phases, of which `cycle` is that of the first

    // Adds one of the same kind.
    PhaseResult& operator+=(const PhaseResult& other) {
        duration_us += other.duration_us;
        pages_read += other.pages_read;
        pages_written += other.pages_written;
        pages_verified += other.pages_verified;
        log_bytes_written += other.log_bytes_written;
        count += other.count;
        return *this;
    }
};

// What the users of one section, or one of the system's own tasks, did.
struct UserResult {
    std::string name;  // "RandomUser", "AuditUser", "Checkpoint", …
    std::uint32_t count = 0;
    std::uint64_t cycles = 0;
    std::uint64_t pages_read = 0;     // looked at
    std::uint64_t pages_updated = 0;  // changed in memory, or written for the system's tasks
    std::uint64_t rollbacks = 0;
    std::uint64_t log_bytes = 0;
};

struct SchedulerResult {
    std::uint32_t id = 0;
    std::uint64_t switches = 0;
    std::uint64_t yields = 0;
    std::uint64_t quantum_overruns = 0;
    std::uint64_t idle_us = 0;
    std::uint64_t io_requests = 0;
};

struct WaitResult {
    std::string type;
    std::uint64_t count = 0;
    std::uint64_t wait_us = 0;
    std::uint64_t max_wait_us = 0;
    std::uint64_t signal_wait_us = 0;
};

enum class Outcome : std::uint8_t {
    passed,    // ran to the end, nothing wrong
    stopped,   // a person stopped it, nothing wrong until then
    failed,    // wrong data, lost data, or requests that failed
    not_done,  // the run could not be done: no space, no memory
};

// Why a verification has found nothing that it could verify: the cut came before anything had been acknowledged.
enum class NothingToVerify : std::uint8_t {
    no,              // there was something, or the verification could not be done
    no_files,        // no file begins with ioproof's signature
    being_replaced,  // a new run was about to replace the files
    no_changes,      // the log is empty, and so are the data files
};

// A limit for the run (--fail-on), and the measured value.
struct ThresholdResult {
    std::string expression;  // "log_flush.p99 > 5 ms"
    bool is_exceeded = false;
    std::string measured;  // the worst of what it covers: "7.2 ms"; empty if there was nothing to measure
    double value = 0;      // this value and the limit as numbers, in microseconds if they are times
    double limit = 0;
    std::string path;      // of the file with this value; empty if of none
    std::string io_class;  // of the requests, "read"; empty if it is not about requests
};

// What a ledger outside the storage, a file or a witness, contributed to a verification.
struct PromisesResult {
    std::string keeper;       // "the ledger /x/y"
    bool are_used = false;    // otherwise the remark says why not
    std::string remark{};     // a sentence, or empty
    std::uint64_t pages = 0;  // for which it holds a minimum version
    std::uint64_t block = 0;  // up to which the log was hardened; 0: nothing of it is promised
    std::uint64_t checkpoint_lsn = 0;
    std::uint64_t last_utc_us = 0;  // of the last promise, by the clock of the run
};

// What a run has promised to such a ledger.
struct PromiseKeepingResult {
    std::string keeper;
    std::uint64_t batches = 0;
    std::uint64_t pages = 0;
    std::uint64_t dropped_pages = 0;  // written and acknowledged, but not promised: the keeper was too slow, or not there
    std::uint64_t last_utc_us = 0;    // of the last promise
    std::uint64_t breaks = 0;         // how often promises had stopped
    std::string stopped_because;      // why they had not resumed when the run ended; otherwise empty
};

// What a verification after a crash has read and proven. docs/durability.md explains each figure.
struct DurabilityResult {
    // The log.
    std::uint64_t log_blocks = 0;   // in the unbroken row at whose end recovery stops
    std::uint64_t first_block = 0;  // their numbers; 0: there is no log
    std::uint64_t last_block = 0;
    std::uint64_t hardened_block = 0;     // at least up to this one everything had been acknowledged
    std::uint64_t last_lsn = 0;           // of the last record
    std::uint64_t last_write_utc_us = 0;  // when the last block was made
    std::uint64_t blocks_behind = 0;      // after the end: in flight at the cut
    std::uint64_t missing_blocks = 0;     // acknowledged, but gone
    std::uint64_t checkpoint_lsn = 0;     // where the last complete checkpoint began; 0: there is none
    // The pages.
    std::uint64_t pages_proven = 0;          // for which the log proves a minimum version
    std::uint64_t pages_released = 0;        // about which nothing is promised
    std::uint64_t regions_compared = 0;      // with the sums of the checkpoint
    std::uint64_t regions_skipped = 0;       // because something in them is wrong or not promised
    std::uint64_t torn_pages = 0;            // in flight at the cut, of old and new sectors: no fault, but SQL Server would report 824
    std::uint64_t torn_on_4k_lines = 0;      // of these
    std::uint64_t pages_beyond_log = 0;      // whose changes were lost in a hole in the log
    std::uint64_t wrong_pages = 0;           // all of them, including those that are not listed individually
    std::uint64_t unreported_pages = 0;      // of these: no findings, because there are too many
    std::optional<PromisesResult> promises;  // if there is a ledger
    std::uint64_t undurable_files = 0;       // with Durability=None: nothing was requested of the storage for them
};

// What it took to continue with the files that a crash left.
struct ResumeResult {
    std::uint32_t incarnation = 0;      // of the run; it began then
    std::uint64_t last_block = 0;       // with which the previous log ended
    std::uint64_t pages_redone = 0;     // rewritten, because the log had a later change of them, or because they were torn or wrong
    std::uint64_t torn_pages = 0;       // of these: torn by the crash, which is legal
    std::uint64_t pages_given_up = 0;   // were wrong, and nothing is left of them: they start over
    std::uint64_t blocks_given_up = 0;  // log blocks after the end or after a hole, with the changes in them
};

struct Results {
    std::string version;
    std::uint64_t seed = 0;
    std::uint64_t run_id = 0;
    std::uint64_t start_utc_us = 0;
    std::uint64_t duration_us = 0;
    std::string engine;
    std::string engine_reason;
    std::string rehearsal;  // "stale_read:1e-05, …" if faults were injected on purpose; empty in a real run
    std::uint32_t cpu_count = 0;
    std::uint64_t buffer_pool_bytes = 0;
    std::uint32_t cycles_completed = 0;
    Outcome outcome = Outcome::passed;
    std::string outcome_reason;      // a sentence when not passed
    bool is_internal_error = false;  // of this program, because of which the run was not done
    bool is_unfinished = false;      // made when the run had begun, in place of the results of an earlier one; replaced at its end
    NothingToVerify nothing_to_verify = NothingToVerify::no;

    std::vector<PreflightLine> preflight;  // of the files' folders, before the run; filled in by the code that looked
    std::vector<FileResult> files;
    std::vector<PhaseResult> phases;  // of long runs the middle ones as sums: sim/run/kept_phases.hpp
    std::vector<Interval> intervals;  // in order, without gaps
    std::vector<UserResult> users;
    std::vector<SchedulerResult> schedulers;
    std::vector<WaitResult> waits;
    std::vector<Finding> findings;  // the first ones; all were handed to the sink
    std::uint64_t finding_count = 0;
    std::vector<Finding> warnings;  // requests that came late; the first ones, as above
    std::uint64_t warning_count = 0;
    std::vector<ThresholdResult> thresholds;        // filled in by the code that set them
    std::optional<DurabilityResult> durability;     // of a verification
    std::optional<PromiseKeepingResult> promising;  // of a run with a ledger
    std::optional<ResumeResult> resumed;            // of a run that continued, and of a repair
    std::optional<GroupResult> group;               // of a run that was one of several; filled in by the code that knows the others
    std::optional<BackupResult> backup;             // of a run that made backups
};

// For the progress display; taken at any time, from any thread.
struct Progress {
    struct File {
        std::string path;
        std::uint64_t average_io_duration_us = 0;
        std::uint64_t request_blocks = 0;
    };
    // A call into the storage, other than a request: "sync" of a file.
    struct Call {
        std::string name;
        std::string path;
        std::uint64_t duration_us = 0;
    };
    Phase phase = Phase::create;
    std::uint32_t cycle = 1;
    std::uint32_t cycles = 1;             // 0 = until stopped
    std::uint64_t elapsed_us = 0;         // of the phase
    std::uint64_t phase_duration_us = 0;  // planned; 0 = not known, see done_fraction
    double done_fraction = 0;             // of the phase, 0 … 1
    std::uint64_t io_count = 0;           // since the run began
    std::uint64_t io_bytes = 0;
    std::uint64_t pages_verified = 0;
    std::uint64_t findings = 0;
    std::uint64_t warnings = 0;
    std::uint64_t throttle_count = 0;
    std::uint64_t outstanding_io = 0;
    std::uint64_t oldest_io_us = 0;   // how long the oldest of them has been outstanding
    bool is_ending = false;           // the main run or the entire run: waiting for outstanding requests
    bool is_creating = false;         // files, with calls that may write all of them
    bool is_closing = false;          // nothing is outstanding any more: files are being closed and deleted, which may take minutes
    std::uint64_t lost_requests = 0;  // did not come back within two minutes: the run may never drain
    bool may_begin = false;           // everything that could prevent the run from starting has been checked; the first file is touched
    std::uint64_t run_id = 0;         // of a run that may begin; 0: not known yet, or no run
    bool is_internal_error = false;   // an error of this program ends the run
    std::vector<File> files;
    std::vector<Call> long_calls;  // that have not returned for 15 seconds
};

}  // namespace sim
