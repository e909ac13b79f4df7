#include "config/parameters/rows.hpp"

namespace config {

using sim::Options;

namespace {

constexpr std::uint64_t kLogPerBufferMax = 64'000;
constexpr std::uint64_t kCpuCyclesMax = 1'000'000'000'000;

std::vector<Parameter> io_rows() {
    constexpr Section kSection = Section::random_user;
    return {
        user_count_row(kSection, [](Options& o) -> Field { return &o.random_user.user_count; },
                       {.help = "Number of random users; -1 = twice CPUCount, at most 8; 0 = none.",
                        .details = "All sections together may have at most CPUCount x 1023 - 100 users.",
                        .background = "Each stands for a connection of an OLTP application."}),
        {.section = kSection,
         .ini_name = "JumpToNewRegionPercentage",
         .toml_name = "jump_to_new_region_percent",
         .kind = Kind::ratio,
         .range = ratios(),
         .field = +[](Options& o) -> Field { return &o.random_user.jump_to_new_region_chance; },
         .help = "Chance that a cycle begins in another region, of any data file.",
         .details =
             "A user works in a region of random start and length, in a random data file, in larger ones more often; the less often it "
             "jumps, the more often it meets its own pages again."},
        {.section = kSection,
         .ini_name = "MinIOChainLength",
         .toml_name = "min_io_chain_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = {.min = 0, .max = kUserRegionPagesMax},
         .field = +[](Options& o) -> Field { return &o.random_user.min_io_chain_pages; },
         .help = "Fewest pages of a region, and fewest accesses to them in a cycle.",
         .details =
             "When a user moves to a region, the number of its pages is drawn between this and MaxIOChainLength, and is clamped to the "
             "file. A cycle is a chain of as many accesses, each to a random page of the region: it meets some pages more than once, and "
             "others not at all. With 0 some cycles touch no page.",
         .background = "The pages that a transaction reads and changes."},
        {.section = kSection,
         .ini_name = "MaxIOChainLength",
         .toml_name = "max_io_chain_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = {.min = 0, .max = kUserRegionPagesMax},
         .field = +[](Options& o) -> Field { return &o.random_user.max_io_chain_pages; },
         .help = "Most pages of a region, and most accesses in a cycle; 0 = the users do nothing.",
         .details = "See MinIOChainLength."},
        {.section = kSection,
         .ini_name = "RandomUserReadWriteRatio",
         .toml_name = "read_write_ratio_percent",
         .kind = Kind::ratio,
         .range = ratios(),
         .field = +[](Options& o) -> Field { return &o.random_user.read_write_ratio; },
         .help = "Share of the pages of a chain that are updated.",
         .details = "The others are only read and verified. 0 makes the user read only."},
        {.section = kSection,
         .ini_name = "MinLogPerBuffer",
         .toml_name = "min_log_per_buffer_bytes",
         .kind = Kind::count,
         .unit = "bytes",
         .range = {.min = 1, .max = kLogPerBufferMax},
         .field = +[](Options& o) -> Field { return &o.random_user.min_log_per_buffer_bytes; },
         .help = "Minimum amount of log that the update of a page writes.",
         .details = "The amount is drawn between this and MaxLogPerBuffer."},
        {.section = kSection,
         .ini_name = "MaxLogPerBuffer",
         .toml_name = "max_log_per_buffer_bytes",
         .kind = Kind::count,
         .unit = "bytes",
         .range = {.min = 1, .max = kLogPerBufferMax},
         .field = +[](Options& o) -> Field { return &o.random_user.max_log_per_buffer_bytes; },
         .help = "Maximum amount of log that the update of a page writes.",
         .details = "A multiple of the sector size of 512 bytes, or a divisor of it.",
         .background = "SQL Server's log blocks are at most 60 KB long."},
        {.section = kSection,
         .ini_name = "RollbackChance",
         .toml_name = "rollback_chance_percent",
         .kind = Kind::ratio,
         .range = ratios(),
         .field = +[](Options& o) -> Field { return &o.random_user.rollback_chance; },
         .help = "Chance that an update is rolled back.",
         .details = "The page is changed only in memory, then restored; no log is written for it. The disk must still hold the old image."},
    };
}

std::vector<Parameter> cpu_rows() {
    constexpr Section kSection = Section::random_user;
    return {
        {.section = kSection,
         .ini_name = "SleepAfter",
         .toml_name = "sleep_after_ms",
         .kind = Kind::count,
         .unit = "ms",
         .range = pauses_ms(),
         .field = +[](Options& o) -> Field { return &o.random_user.sleep_after_ms; },
         .help = "Pause after each cycle.",
         .details = "0 = no pause: the user works as fast as the path allows.",
         .background = "The think time of the application."},
        {.section = kSection,
         .ini_name = "YieldPercentage",
         .toml_name = "yield_chance_percent",
         .kind = Kind::ratio,
         .range = ratios(),
         .field = +[](Options& o) -> Field { return &o.random_user.yield_chance; },
         .help = "Chance that the user yields its scheduler to others between two pages.",
         .details = "Users yield anyway when they wait or have used up their quantum of 4 ms.",
         .background = "SQLOS schedules cooperatively: a worker runs until it waits or yields."},
        {.section = kSection,
         .ini_name = "CPUSimulation",
         .toml_name = "cpu_simulation",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.random_user.cpu_simulation; },
         .help = "Burn CPU for each page, as a query would.",
         .details = "The amount is drawn between CPUCyclesMin and CPUCyclesMax."},
        {.section = kSection,
         .ini_name = "CPUCyclesMin",
         .toml_name = "cpu_cycles_min",
         .kind = Kind::count,
         .unit = "cycles",
         .range = {.min = 0, .max = kCpuCyclesMax},
         .field = +[](Options& o) -> Field { return &o.random_user.cpu_cycles_min; },
         .help = "Fewest CPU cycles to burn.",
         .details = "Needs CPUSimulation."},
        {.section = kSection,
         .ini_name = "CPUCyclesMax",
         .toml_name = "cpu_cycles_max",
         .kind = Kind::count,
         .unit = "cycles",
         .range = {.min = 0, .max = kCpuCyclesMax},
         .field = +[](Options& o) -> Field { return &o.random_user.cpu_cycles_max; },
         .help = "Most CPU cycles to burn.",
         .details = "Needs CPUSimulation."},
    };
}

}  // namespace

std::vector<Parameter> random_user_parameters() {
    std::vector<Parameter> rows = io_rows();
    for (Parameter& row : cpu_rows()) rows.push_back(row);
    return rows;
}

}  // namespace config
