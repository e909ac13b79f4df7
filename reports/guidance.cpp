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
constexpr std::string_view kError825 = "Microsoft, MSSQLSERVER_825 and MSSQLSERVER_823";

constexpr std::array kTable{
    // The whole run.
    Guidance{"pass", Grade::good, "{pages} verified, none was wrong, old or missing. In this run the storage kept what it was given.", "",
             ""},
    Guidance{"nothing_verified", Grade::poor, "No page was read back. That proves nothing about the storage.",
             "Run it longer, or with users that read, and let it come to its final audit.", ""},
    Guidance{"fail", Grade::poor, "{count}. Do not trust this storage with a database until the cause is found.",
             "Keep the test files and the dump files as they are, and hand the dumps to whoever answers for the storage: they hold the "
             "times, the offsets and the bytes.",
             ""},
    Guidance{"stopped", Grade::fair, "The run was stopped before its end: {pages} verified until then, none was wrong, old or missing.",
             "What was not read back is not proven: let a run go to its end before you trust the storage.", ""},
    Guidance{"no_space", Grade::poor,
             "The run broke off because there was no space left. That proves nothing about the storage's data, neither good nor bad.",
             "Free space, or choose a smaller -size (a data file may grow to twice that), then run again.", ""},
    Guidance{"not_done", Grade::poor, "The run broke off. That proves nothing about the storage's data, neither good nor bad.",
             "Cure what the reason names, then run again. If the storage went away by itself, that is a fault of its own.", ""},

    // The average of a file's requests.
    Guidance{"data_good", Grade::good, "Requests took {average} on average under full load: 0-5 ms is good for data files.", "",
             kCharacterization},
    Guidance{"data_fair", Grade::fair,
             "Requests took {average} on average under full load: 0-5 ms would be good for data files, over 15 ms is "
             "poor.",
             "If your load is smaller than this one, it may do. Else compare with a file on another path.", kCharacterization},
    Guidance{"data_poor", Grade::poor, "Requests took {average} on average under full load: over 15 ms is poor for data files.",
             "Look at the disks below, at who else uses them, at RAID level and number of disks, at limits of the volume or the virtual "
             "machine, and compare with a file on another path.",
             kSlowIo},
    Guidance{"log_good", Grade::good, "Log flushes took {average} on average: up to 2 ms is good for log files.", "", kCharacterization},
    Guidance{"log_fair", Grade::fair,
             "Log flushes took {average} on average: up to 2 ms would be good for log files. Every commit waits so "
             "long.",
             "Give the log a volume of its own, with a write cache that survives a power cut.", kCharacterization},
    Guidance{"log_poor", Grade::poor, "Log flushes took {average} on average: over 15 ms is poor. Every commit waits so long.",
             "Give the log a volume of its own, with a write cache that survives a power cut; look at who else uses the disk.", kSlowIo},

    // The load governor.
    Guidance{
        "above_target", Grade::poor,
        "At the end the running average was {average}, above the target of {target}: the path does not keep up with this load although "
        "requests were held back.",
        "Look at this path before any other: its concurrency is at its lowest and it still does not answer in time.", kKb231619},
    Guidance{"throttled", Grade::fair,
             "{count} a request came back while the average was above the target of {target}, and the load was lowered: at times there was "
             "more to do than the path could carry.",
             "See in the time series when that was. A file on a better path has fewer, best none.", kCharacterization},
    Guidance{"few_blocks", Grade::poor,
             "It ended with {blocks}: so many requests at a time the path could carry within the target. Paths that are up to the load end "
             "with 100 and more.",
             "Look at queue depths: of the driver, the host bus adapter, the volume, and at limits on I/O operations per second.",
             kCharacterization},

    // Single requests.
    Guidance{"long_io", Grade::poor, "{count} over 15 s, the longest {longest}. SQL Server would log error 833 for each.",
             "Look into the system's log at that time: resets, path failovers, error recovery of drives, exhausted burst credits.",
             kError833},
    Guidance{"write_retries", Grade::poor, "{count} and had to be repeated. A repetition that succeeds is a warning of worse to come.",
             "Look into the system's log and the drives' own (SMART).", kError825},

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
