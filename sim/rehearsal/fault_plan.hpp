// Which faults to inject, how often, where and when. Plain data, and its text form for command lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/finding.hpp"
#include "sim/results.hpp"

namespace sim {

enum class FaultPlace : std::uint8_t {
    anywhere,
    first_page,   // of a file
    last_page,    // of a file as it is then
    middle_page,  // of a request for several pages, neither its first nor its last one
    moving_end,   // of a file that has been smaller: where it grows and shrinks
    sync,         // no place: syncs of a file fail (io_error only)
    chain,        // chunks of the chain of backups, instead of blocks of the log (faults of the log only)
    log_backup,   // blocks of the log, from the moment when a backup reads them (faults of the log only)
};

inline constexpr std::uint32_t kFaultPlaceCount = 8;

struct FaultPlan {
    FindingKind kind{};
    double rate = 0;  // chance for each page that is transferred; for requests that fail, end early or stall: for each request
    FaultPlace place = FaultPlace::anywhere;
    std::optional<Phase> during{};    // empty: the whole run once the files are made
    std::uint64_t not_before_ns = 0;  // of the clock
    std::uint64_t count_max = ~0ULL;  // then no more
};

[[nodiscard]] std::string_view name_of(FaultPlace place);
[[nodiscard]] std::optional<FaultPlace> fault_place_of(std::string_view name);
// "main_run"; of the phases in which faults can be injected.
[[nodiscard]] std::string_view switch_name_of(Phase phase);
[[nodiscard]] std::optional<Phase> fault_phase_of(std::string_view name);

// True for faults of the log file's own.
[[nodiscard]] bool is_log_fault(FindingKind kind);

// "stale_read" or "stale_read:1e-5". A rate that is not given is `default_rate`. Nothing, and a sentence in `problem`, for any other text.
[[nodiscard]] std::optional<FaultPlan> parse_fault_plan(std::string_view text, double default_rate, std::string& problem);

}  // namespace sim
