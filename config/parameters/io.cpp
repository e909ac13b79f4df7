#include "config/parameters/rows.hpp"

namespace config {

using sim::Options;

std::vector<Parameter> io_parameters() {
    constexpr Section kSection = Section::config;
    return {
        {.section = kSection,
         .ini_name = "CacheHitRatio",
         .toml_name = "cache_hit_ratio_percent",
         .kind = Kind::ratio,
         .range = ratios(),
         .field = +[](Options& o) -> Field { return &o.cache_hit_ratio; },
         .help = "Share of the random and bulk update users' accesses that are served from the buffer pool.",
         .details =
             "The other accesses read the file although the page may be in the pool, so that the path is exercised. 10000 reads only "
             "what is not in the pool. It also applies to the loads of columnstore users and the reads of version store users.",
         .background = "A healthy server shows a 'Buffer cache hit ratio' above 90 %; SQLIOSim tests with 10 %."},
        {.section = kSection,
         .ini_name = "NoBuffering",
         .toml_name = "no_buffering",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.no_buffering; },
         .help = "Bypass the operating system's page cache (O_DIRECT).",
         .details =
             "If a file system does not support O_DIRECT, FALSE, together with UseScatterGather=FALSE, is the only way; the page cache "
             "may then answer reads, which say less about the storage.",
         .background = "SQL Server opens its files with FILE_FLAG_NO_BUFFERING, on Linux with O_DIRECT."},
        {.section = kSection,
         .ini_name = "WriteThrough",
         .toml_name = "write_through",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.write_through; },
         .help = "A write is complete only when it is on stable media (O_DSYNC).",
         .details =
             "With FALSE, writes go through the caches on the path: data files are synced at each checkpoint, the log after each block.",
         .background = "SQL Server opens its files with FILE_FLAG_WRITE_THROUGH; on Linux it relies on FUA or on a flush."},
        {.section = kSection,
         .ini_name = "Durability",
         .toml_name = "durability",
         .kind = Kind::choice,
         .choices = durability_words(),
         .field = +[](Options& o) -> Field { return &o.durability; },
         .help = "How writes become durable, for all files that do not set it themselves.",
         .details =
             "Default: WriteThrough or ForcedFlush, as the parameter WriteThrough says. WriteThrough: each write is durable when it "
             "completes (O_DSYNC). ForcedFlush: the log is flushed after each block, before the block counts; data files at each "
             "checkpoint, before it is complete (fdatasync). None: nothing is requested, and a write counts when it completes: 'ioproof "
             "verify' then shows, after a power cut, what such a configuration loses, which is not the storage's fault. Whatever the "
             "value, data files are synced before the final audit, so that no page that is only cached answers it.",
         .background = "SQL Server on Linux: write-through with FUA is trace flag 3979 with control.writethrough=1 and "
                       "control.alternatewritethrough=0; forced flush is trace flag 3982 with control.alternatewritethrough=1."},
        {.section = kSection,
         .ini_name = "MaxOutstandingIO",
         .toml_name = "max_outstanding_io",
         .kind = Kind::count,
         .unit = "requests",
         .range = {.min = 0, .max = sim::kOutstandingIoMax},
         .field = +[](Options& o) -> Field { return &o.max_outstanding_io; },
         .help = "Maximum of outstanding requests in the entire process; 0 = up to 140000.",
         .details = "The limit also applies in the phases in which AllowIOBursts turns throttling off."},
        {.section = kSection,
         .ini_name = "TargetIODuration",
         .toml_name = "target_io_duration_ms",
         .kind = Kind::count,
         .unit = "ms",
         .range = {.min = 1, .max = 86'400'000},
         .field = +[](Options& o) -> Field { return &o.target_io_duration_ms; },
         .help = "Average duration of requests to which the load is throttled, per file.",
         .details =
             "While a file's running average is above it, completed requests are not replaced; below it, more are issued. A very large "
             "value, e.g. 1000000, turns throttling off.",
         .background = "SQL Server's lazy writer and checkpoint watch the duration of their writes in the same way."},
        {.section = kSection,
         .ini_name = "AllowIOBursts",
         .toml_name = "allow_io_bursts",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.allow_io_bursts; },
         .help = "No throttling in the initial update and the first and last checkpoint.",
         .details = "These phases then write however long their requests take, within MaxOutstandingIO: some 16 gather writes at a time "
                    "for each file in the initial update, for each CPU in a checkpoint. Expect warnings about long I/O on slow storage. "
                    "Whatever the value, the rest of the log is not throttled when the main run ends, nor are the files of backups.",
         .background = "A checkpoint after a bulk load floods the disk in the same way."},
        {.section = kSection,
         .ini_name = "UseScatterGather",
         .ini_alias = "ScatterGather",
         .toml_name = "use_scatter_gather",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.use_scatter_gather; },
         .help = "One request for several neighbouring pages; FALSE = one request per page.",
         .details = "Read-ahead, bulk update, checkpoint and audit transfer runs of pages. As in SQLIOSim, TRUE implies unbuffered "
                    "access: NoBuffering=FALSE has an effect only together with UseScatterGather=FALSE.",
         .background = "ReadFileScatter and WriteFileGather on Windows, preadv and pwritev on Linux."},
        {.section = kSection,
         .ini_name = "ForceReadAhead",
         .toml_name = "force_read_ahead",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.force_read_ahead; },
         .help = "Read ahead even what is already in the buffer pool.",
         .details = "The second copy is verified as well. This has found real faults that a cached page would have hidden.",
         .background = "SQL Server itself reads ahead only what is missing."},
        {.section = kSection,
         .ini_name = "DeleteFilesAtStartup",
         .toml_name = "delete_files_at_startup",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.delete_files_at_startup; },
         .help = "Delete the files of an earlier run first.",
         .details =
             "Only files with ioproof's signature are deleted. FALSE reuses them: a larger file is not shrunk, a smaller one is extended."},
        {.section = kSection,
         .ini_name = "DeleteFilesAtShutdown",
         .toml_name = "delete_files_at_shutdown",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.delete_files_at_shutdown; },
         .help = "Delete the files when the run is over.",
         .details = "The switch --ephemeral does the same. Keep the files if you expect a fault: they are the evidence."},
        {.section = kSection,
         .ini_name = "StampFiles",
         .toml_name = "stamp_files",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.stamp_files; },
         .help = "Write zeros to new space of data files instead of only reserving it.",
         .details = "FALSE reserves it the fast way (fallocate). Of a sparse data file only what it grows by is written. Log files are "
                    "written with zeros in any case, sparse ones, too, except for what LogInstantGrowth adds.",
         .background = "FALSE is 'instant file initialization'."},
    };
}

std::vector<Parameter> engine_parameters() {
    constexpr Section kSection = Section::config;
    return {
        {.section = kSection,
         .ini_name = "CheckpointPages",
         .toml_name = "checkpoint_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = {.min = 32, .max = sim::kGatherPagesMax, .only = {32, sim::kGatherPagesMax}},
         .field = +[](Options& o) -> Field { return &o.checkpoint_pages; },
         .help = "Largest gather write of checkpoint and lazy writer.",
         .details = "They look for dirty neighbours of a page in both directions and write all in one request. An extension of ioproof; in "
                    "SQLIOSim it is built in.",
         .background = "32 pages (256 KB) up to SQL Server 2014, 128 pages (1 MB) since 2016."},
        {.section = kSection,
         .ini_name = "CheckpointInterval",
         .toml_name = "checkpoint_interval_ms",
         .kind = Kind::count,
         .unit = "ms",
         .range = {.min = 1, .max = kPauseMsMax},
         .field = +[](Options& o) -> Field { return &o.checkpoint_interval_ms; },
         .help = "Pause between two checkpoints of the main run.",
         .details =
             "Short intervals cause many small writes and keep the log short, long ones cause bursts. A log that fills up requests a "
             "checkpoint by itself: with the 50 MB of -dir that happens several times a second on a fast disk, whatever the interval; "
             "longer intervals need a larger log file. An extension of ioproof.",
         .background = "SQL Server derives it from 'recovery interval' or the database's target recovery time."},
        {.section = kSection,
         .ini_name = "LogFlushesOutstanding",
         .toml_name = "log_flushes_outstanding",
         .kind = Kind::count,
         .unit = "flushes",
         .range = {.min = 1, .max = sim::kLogFlushesMax},
         .field = +[](Options& o) -> Field { return &o.log_flushes_outstanding; },
         .help = "Maximum of log blocks that are being written at the same time.",
         .details = "1 writes the log strictly one block after the other. An extension of ioproof.",
         .background = "32 since SQL Server 2008, 112 since 2012."},
        {.section = kSection,
         .ini_name = "MergeBuffers",
         .toml_name = "merge_buffers",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.merge_buffers; },
         .help = "Pass adjacent buffers in memory to the system as one.",
         .details = "A device has less to do with one long buffer than with 64 of a page each, so the load is faster, but tests less: a "
                    "driver's path for many buffers is not used. An extension of ioproof.",
         .background = "ReadFileScatter and WriteFileGather take one buffer for each page."},
    };
}

}  // namespace config
