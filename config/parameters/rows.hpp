// The parts of the table of parameters, one per section, and the ranges that several of them use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "config/parameter.hpp"
#include "sim/limits.hpp"

namespace config {

std::vector<Parameter> run_parameters();     // [CONFIG]: what a run is
std::vector<Parameter> io_parameters();      // [CONFIG]: how it talks to the files
std::vector<Parameter> engine_parameters();  // [CONFIG]: ioproof's own
std::vector<Parameter> recent_parameters();  // [CONFIG]: what SQL Server gained later
std::vector<Parameter> random_user_parameters();
std::vector<Parameter> other_user_parameters();  // audit, read-ahead, bulk update, shrink
std::vector<Parameter> backup_user_parameters();
std::vector<Parameter> recent_user_parameters();  // columnstore, tempdb, version store
std::vector<Parameter> file_parameters();

// 10000 hundredths of a percent are 100 %.
inline constexpr std::uint64_t kRatioMax = 10'000;
inline constexpr std::uint64_t kUsersMax = std::uint64_t{sim::kCpusMax} * sim::kUsersPerCpu - sim::kUsersReserved;
// Of a region in which a user works; 512 MB.
inline constexpr std::uint64_t kUserRegionPagesMax = 65'536;
// An hour: longer pauses are typing errors, and all sums of pauses fit into 32 bits.
inline constexpr std::uint64_t kPauseMsMax = 3'600'000;
// A year.
inline constexpr std::uint64_t kDurationSMax = 31'536'000;
inline constexpr std::uint64_t kFileMbMax = sim::kFilePagesMax / (1024 * 1024 / sim::kPageBytes);

// In the order of sim::Durability.
inline std::vector<std::string_view> durability_words() { return {"Default", "WriteThrough", "ForcedFlush", "None"}; }

inline Range ratios() { return {.min = 0, .max = kRatioMax}; }
inline Range user_counts() { return {.min = sim::kAutomaticUserCount, .max = kUsersMax}; }
inline Range pauses_ms() { return {.min = 0, .max = kPauseMsMax}; }
inline Range transfer_pages() { return {.min = 1, .max = sim::kTransferPagesMax}; }

// What differs in rows that many users have.
struct RowTexts {
    std::string_view help;
    std::string_view details;
    std::string_view background{};
};

inline Parameter user_count_row(Section section, OptionsField field, const RowTexts& texts) {
    return {.section = section,
            .ini_name = "UserCount",
            .toml_name = "user_count",
            .kind = Kind::count,
            .unit = "users",
            .range = user_counts(),
            .field = field,
            .help = texts.help,
            .details = texts.details,
            .background = texts.background};
}

// After how many steps the user pauses, and (the next row) for how long. SQLIOSim has a name of its own for some users' pause.
inline Parameter delay_after_cycles_row(Section section, OptionsField field, const RowTexts& texts) {
    return {.section = section,
            .ini_name = "DelayAfterCycles",
            .toml_name = "delay_after_cycles",
            .kind = Kind::count,
            .unit = "steps",
            .range = {.min = 0, .max = 1'000'000},
            .field = field,
            .help = texts.help,
            .details = texts.details,
            .background = texts.background};
}

inline Parameter delay_row(Section section, std::string_view ini_name, OptionsField field) {
    return {.section = section,
            .ini_name = ini_name,
            .toml_name = "delay_ms",
            .kind = Kind::count,
            .unit = "ms",
            .range = pauses_ms(),
            .field = field,
            .help = "Pause after every DelayAfterCycles steps.",
            .details = "0 = no pause."};
}

}  // namespace config
