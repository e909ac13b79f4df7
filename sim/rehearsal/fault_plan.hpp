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
    last_page,    // of a file, at its size at that time
    middle_page,  // of a request for several pages, neither its first nor its last
    moving_end,   // of a file that has been smaller: where it grows and shrinks
    sync,         // no page: syncs of a file fail (io_error only)
    chain,        // chunks of the backup chain instead of log blocks (log faults only)
    log_backup,   // log blocks, from the moment when a backup reads them (log faults only)
};

inline constexpr std::uint32_t kFaultPlaceCount = 8;

// Which requests an io_error hits.
enum class FailingRequests : std::uint8_t {
    any,            // a request and its repetitions, as drawn
    written_pages,  // writes of data files, each page by itself, until that is reported
    read_ranges,    // reads of neighbouring pages, or of parts of a log, each by itself
};

struct FaultPlan {
    FindingKind kind{};
    double rate = 0;  // chance for each page transferred; for requests that fail, end early or stall: for each request
    FaultPlace place = FaultPlace::anywhere;
    std::optional<Phase> during{};    // empty: the whole run after the files are created
    std::uint64_t not_before_ns = 0;  // by the clock
    std::uint64_t count_max = ~0ULL;  // no more than this many
    FailingRequests failing{};        // io_error only
};

[[nodiscard]] std::string_view name_of(FaultPlace place);
[[nodiscard]] std::optional<FaultPlace> fault_place_of(std::string_view name);
// "main_run", for instance; for the phases in which faults can be injected.
[[nodiscard]] std::string_view switch_name_of(Phase phase);
[[nodiscard]] std::optional<Phase> fault_phase_of(std::string_view name);

// True for faults of the log itself.
[[nodiscard]] bool is_log_fault(FindingKind kind);

// Parses "stale_read" or "stale_read:1e-5". Without a rate, `default_rate` applies. For any other text returns nothing, and sets `problem`
// to a sentence.
[[nodiscard]] std::optional<FaultPlan> parse_fault_plan(std::string_view text, double default_rate, std::string& problem);

}  // namespace sim
