#include "reports/guidance.hpp"

#include <algorithm>
#include <array>

#include "ums/base/assert.hpp"

namespace reports {

namespace {

constexpr std::string_view kKb231619 = "Microsoft, KB 231619, SQLIOSim utility";
constexpr std::string_view kCharacterization =
    "Jimmy May with Bob Dorr and George Reynya (Microsoft), characterization of SQLIOSim's output";
constexpr std::string_view kSlowIo = "Microsoft, Troubleshoot slow SQL Server performance caused by I/O issues";
constexpr std::string_view kError833 = "Microsoft, MSSQLSERVER_833";
constexpr std::string_view kTornPages = "Microsoft, MSSQLSERVER_824";
constexpr std::string_view kError825 = "Microsoft, MSSQLSERVER_825 and MSSQLSERVER_823";

constexpr std::array kTable{
    // The whole run.
    Guidance{"pass", Grade::good, "{pages} verified: no corrupt, stale or missing pages. In this run the storage kept what it was given.",
             "", ""},
    Guidance{"nothing_verified", Grade::poor, "No page was read back. That proves nothing about the storage.",
             "Run it longer, or with users that read, and let it come to its final audit.", ""},
    Guidance{"fail", Grade::poor, "{count}. Do not trust this storage with a database until the cause is found.",
             "Keep the dump files and what is left of the test files as they are, and hand the dumps to whoever answers for the storage: "
             "they hold the times, the offsets and the bytes.",
             ""},
    Guidance{"threshold", Grade::poor, "The storage kept what it was given, but is slower than you allow: {reason}.",
             "Look at the percentiles and the time series of that file. If your load can live with that, raise the limit in --fail-on.",
             ""},
    Guidance{"threshold_incomplete", Grade::poor, "Until the run ended, the storage was slower than you allow: {reason}.",
             "Look at the percentiles and the time series of that file.", ""},
    Guidance{"threshold_besides", Grade::poor, "In addition, the storage is slower than you allow: {reason}.",
             "Find the cause of what was wrong first: it may be the same.", ""},
    Guidance{
        "late", Grade::poor,
        "{count} came back late, after more than 15 s. That alone is a warning; an answer that was wrong as well is a finding, too. SQL "
        "Server would log error 833 for each.",
        "Check the system log for that time: resets, path failovers, drive error recovery, exhausted burst credits. If this process itself "
        "was stopped then, a warning says so. --fail-on 'warnings > 0' makes it a failure.",
        kError833},
    Guidance{"stopped", Grade::fair, "The run was stopped before its end: {pages} verified until then, no corrupt, stale or missing pages.",
             "What was not read back is not proven: before you trust the storage, let a run complete its cycles, each of which ends with "
             "an audit of every page.",
             ""},
    Guidance{"complete_cycles", Grade::good, "Complete before that, with an audit of every page: {count}.", "", ""},
    Guidance{"no_space", Grade::poor,
             "The run ended early because there was no space left. That proves nothing about the storage, good or bad.",
             "Free some space, raise the quota, or choose a smaller -size (a data file may grow to twice that), then run again. If the "
             "file system still has space, its metadata (btrfs) or the volume below it (thin provisioning, a sparse image) is full.",
             ""},
    Guidance{"not_done", Grade::poor, "The test was not completed. That proves nothing about the storage, good or bad.",
             "Fix this cause, then start it again.", ""},
    Guidance{"unfinished", Grade::poor,
             "These results are from the beginning of the test, not from its end. They prove nothing about the storage, good or bad.",
             "If it no longer works, look for findings in its log and let 'ioproof verify' judge the files that it left.", ""},
    Guidance{"group_incomplete", Grade::poor, "The group was not complete. That proves nothing about the storage, good or bad.",
             "Find out why that run did not come, or was lost or cut off, then start all of them again.", ""},

    // A verification after a crash.
    Guidance{"verify_pass", Grade::good,
             "{pages} and {count} of the log verified: every write that the log proves to have been acknowledged is there.", "", ""},
    Guidance{"verify_scope", Grade::good,
             "The files alone cannot show what the log may have lost at its own end, with all that depended on it.", "", ""},
    Guidance{
        "verify_scope_ledger", Grade::good,
        "Everything that the ledger or witness holds as acknowledged is there, too: a log that lost its own end would have been found, "
        "unless that end was newer than the last promise.",
        "", ""},
    Guidance{
        "verify_ledger_short", Grade::fair,
        "Everything that the ledger or witness holds as acknowledged is there, too. But its last promise was made {reason} before the "
        "last block of the log: a log or volume that lost only what is newer would not have been found.",
        "The run's report and log say whether it could no longer promise anything; a storage that stalled before the cut looks the same.",
        ""},
    Guidance{"verify_ledger_unused", Grade::fair, "The ledger or witness was not used.",
             "Give each run on these files the same one, and verify with it before they are used again.", ""},
    Guidance{"verify_unreported", Grade::poor, "{count} wrong, too: after so many findings, further pages are only counted.",
             "Judge the extent by the number of wrong pages above, not by that of the findings.", ""},
    Guidance{
        "verify_torn", Grade::fair,
        "{count} torn by the cut: partly old, partly new. That write had not been acknowledged, so nothing is lost that was promised; but "
        "this storage does not write 8 KB as one. SQL Server would report error 824 there, and need a restore of the page.",
        "Give the database storage that writes 8 KB atomically, or count on restores after a power cut.", kTornPages},
    Guidance{"verify_unasked", Grade::fair,
             "{count} ran with Durability=None, which demands nothing from the storage: what a power cut took from them is not its fault.",
             "Run with WriteThrough or ForcedFlush to test the storage.", ""},
    Guidance{"verify_stopped", Grade::fair,
             "The verification was stopped before its end: {pages} verified until then, nothing was missing.",
             "What was not read is not proven: let a verification go to its end.", ""},
    Guidance{"verify_not_done", Grade::poor, "The verification came to no result. That proves nothing about the storage, good or bad.",
             "If the cut came too early, run again and let it work for longer before the next one.", ""},

    // The median of the requests that the guidance is about: single reads of a data file, flushes of a log.
    Guidance{"data_good", Grade::good, "Half of the 8 KB reads took no more than {median} under this load: 0-5 ms is good for data files.",
             "", kCharacterization},
    Guidance{"data_fair", Grade::fair,
             "Half of the 8 KB reads took more than {median} under this load: 0-5 ms would be good for data files, over 15 ms is poor.",
             "It may be enough if your load is lighter than this one. Otherwise compare with a file on another path.", kCharacterization},
    Guidance{"data_poor", Grade::poor, "Half of the 8 KB reads took more than {median} under this load: over 15 ms is poor for data files.",
             "Look at the disks below, at who else uses them, at RAID level and number of disks, at limits of the volume or the virtual "
             "machine, and compare with a file on another path.",
             kSlowIo},
    Guidance{"log_good", Grade::good, "Half of the log flushes took no more than {median}: up to 2 ms is good for log files.", "",
             kCharacterization},
    Guidance{"log_fair", Grade::fair,
             "Half of the log flushes took more than {median}: up to 2 ms would be good for log files. Every commit waits for "
             "its flush.",
             "Give the log a volume of its own, with a write cache that survives a power cut.", kCharacterization},
    Guidance{"log_poor", Grade::poor,
             "Half of the log flushes took more than {median}: over 15 ms is poor. Every commit waits for its flush.",
             "Give the log a volume of its own, with a write cache that survives a power cut; look at who else uses the disk.", kSlowIo},

    // The load governor.
    Guidance{
        "above_target", Grade::poor,
        "At the end the running average was {average}, above the target of {target}: the path cannot keep up with this load even though "
        "requests were held back.",
        "Look at this path before any other.", kKb231619},
    Guidance{"slow_at_end", Grade::fair,
             "At the end the running average was {average}, above the target of {target}: the last requests were slow.",
             "The time series shows since when, and the table of latencies which kind of request is slow. The last ones of a complete run "
             "are the large reads of its final audit.",
             kKb231619},
    Guidance{"throttled", Grade::fair,
             "{count} a request completed while the average was above the target of {target}, and the load was held back: at times "
             "requests took too long.",
             "The time series shows when. A file on a better path has fewer, ideally none.", kCharacterization},
    Guidance{
        "few_blocks", Grade::poor,
        "For {time} of the main run the load was held back, on average to {blocks} at a time: the path could not answer more at a time "
        "within the target of {target}.",
        "Look at queue depths: of the driver, the host bus adapter, the volume, and at limits on bandwidth and I/O operations per second.",
        kCharacterization},

    // Single requests.
    Guidance{"long_io", Grade::poor, "{count} over 15 s, the longest {longest}. SQL Server would log error 833 for each.",
             "Check the system log for that time: resets, path failovers, drive error recovery, exhausted burst credits.", kError833},
    Guidance{"write_retries", Grade::poor,
             "{count} a write failed and was tried again. A retry that succeeds is a warning of worse to come.",
             "Check the system log and the drives' own (SMART).", kError825},

    // What was proven.
    Guidance{"file_findings", Grade::poor, "{count} in this file.", "", ""},
};

}  // namespace

std::string_view name_of(Grade grade) {
    switch (grade) {
        case Grade::good: return "good";
        case Grade::fair: return "fair";
        case Grade::poor: return "poor";
    }
    UMS_ASSERT(false && "unknown grade");
}

std::span<const Guidance> guidance_table() { return kTable; }

const Guidance& guidance(std::string_view id) {
    const auto found = std::find_if(kTable.begin(), kTable.end(), [&](const Guidance& row) { return row.id == id; });
    UMS_ASSERT(found != kTable.end());
    return *found;
}

}  // namespace reports
