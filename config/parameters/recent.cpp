// Features that SQL Server gained after SQLIOSim: parameters of the system's tasks. The users are in recent_users.cpp.
#include "config/parameters/rows.hpp"

namespace config {

using sim::Options;

std::vector<Parameter> recent_parameters() {
    constexpr Section kSection = Section::config;
    constexpr std::uint64_t kRecoverySMax = 86'400;
    constexpr std::uint64_t kSlowWriteMsMax = 60'000;
    constexpr std::uint32_t kBlockKb = sim::kLogBlockBytesMax >> 10;
    return {
        {.section = kSection,
         .ini_name = "TargetRecoveryTime",
         .toml_name = "target_recovery_time_s",
         .kind = Kind::count,
         .unit = "s",
         .range = {.min = 0, .max = kRecoverySMax},
         .field = +[](Options& o) -> Field { return &o.recent.target_recovery_time_s; },
         .help = "Indirect checkpoints, for a recovery that takes this long; 0 = by CheckpointInterval instead.",
         .details =
             "Ten times a second an indirect checkpoint checks how many pages of all files are dirty, and writes those above the target: "
             "as many pages as the files could write within this time, by their request blocks and average duration. It also stays ahead "
             "of the log, a little at a time, so that a log that fills up needs no burst. A backup, which begins with a checkpoint, does "
             "not wait for that. CheckpointInterval then has no effect. The chart of dirty pages in the HTML report shows the difference. "
             "An extension of ioproof.",
         .background = "TARGET_RECOVERY_TIME of a database: 60 s for new ones since SQL Server 2016, 0 (automatic checkpoints) before."},
        {.section = kSection,
         .ini_name = "CheckpointSlowWrite",
         .toml_name = "checkpoint_slow_write_ms",
         .kind = Kind::count,
         .unit = "ms",
         .range = {.min = 0, .max = kSlowWriteMsMax},
         .field = +[](Options& o) -> Field { return &o.recent.checkpoint_slow_write_ms; },
         .help = "Checkpoints of the main run slow down while writes take longer; 0 = never.",
         .details =
             "If the data files' writes of the last tenth of a second took longer on average, the number of writes that the checkpoint "
             "has outstanding is halved, down to one; otherwise it rises again, one at a time. This does not apply while the log is "
             "short of space or a backup waits for its checkpoint, nor to the first and last one. An extension of ioproof.",
         .background = "Automatic checkpoints of SQL Server slow down when the latency of their writes rises above 50 ms."},
        {.section = kSection,
         .ini_name = "LogInstantGrowth",
         .toml_name = "log_instant_growth",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.recent.log_instant_growth; },
         .help = "The log grows as it does since SQL Server 2022; FALSE = by one VLF that is zeroed first.",
         .details =
             "Increments of a log file up to 64 MB are not zeroed and become one virtual log file. Larger ones are zeroed, all their "
             "virtual log files at a time: 8 of them, 16 above 1 GB, and one if the increment is below an eighth of the log. Old "
             "contents of space that was not zeroed are never taken for log: 'ioproof rehearse --crash' fills it with the log of another "
             "run. Applies to log files with an Increment and a MaxSize above InitialSize. An extension of ioproof.",
         .background = "Instant file initialization of log growth, SQL Server 2022."},
        {.section = kSection,
         .ini_name = "LogKBOutstanding",
         .toml_name = "log_outstanding_kb",
         .kind = Kind::count,
         .unit = "KB",
         .range = {.min = kBlockKb, .max = std::uint64_t{sim::kLogFlushesMax} * kBlockKb, .or_zero = true},
         .field = +[](Options& o) -> Field { return &o.recent.log_kb_outstanding; },
         .help = "Maximum of log being written at the same time; 0 = as much as LogFlushesOutstanding blocks hold.",
         .details = "Log blocks are at most 60 KB long, whatever the value. An extension of ioproof.",
         .background = "3840 KB for each database, in at most 112 writes of at most 60 KB."},
    };
}

}  // namespace config
