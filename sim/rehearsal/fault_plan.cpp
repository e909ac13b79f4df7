#include "sim/rehearsal/fault_plan.hpp"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sim {

namespace {

constexpr std::array<std::pair<FaultPlace, std::string_view>, kFaultPlaceCount> kPlaces = {{
    {FaultPlace::anywhere, "anywhere"},
    {FaultPlace::first_page, "first"},
    {FaultPlace::last_page, "last"},
    {FaultPlace::middle_page, "middle"},
    {FaultPlace::moving_end, "end"},
    {FaultPlace::sync, "sync"},
    {FaultPlace::chain, "chain"},
    {FaultPlace::log_backup, "log_backup"},
}};

constexpr std::array<std::pair<Phase, std::string_view>, 6> kPhases = {{
    {Phase::initial_update, "initial_update"},
    {Phase::initial_checkpoint, "initial_checkpoint"},
    {Phase::main_run, "main_run"},
    {Phase::backup, "backup"},
    {Phase::final_checkpoint, "final_checkpoint"},
    {Phase::final_audit, "final_audit"},
}};

std::string all_kinds() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < kFindingKindCount; ++i) names.push_back(name_of(static_cast<FindingKind>(i)));
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string_view name_of(FaultPlace place) { return kPlaces.at(static_cast<std::size_t>(place)).second; }

std::optional<FaultPlace> fault_place_of(std::string_view name) {
    for (const auto& [place, place_name] : kPlaces) {
        if (place_name == name) return place;
    }
    return std::nullopt;
}

std::string_view switch_name_of(Phase phase) {
    for (const auto& [known, name] : kPhases) {
        if (known == phase) return name;
    }
    return name_of(phase);
}

std::optional<Phase> fault_phase_of(std::string_view name) {
    for (const auto& [phase, phase_name] : kPhases) {
        if (phase_name == name) return phase;
    }
    return std::nullopt;
}

bool is_log_fault(FindingKind kind) {
    return kind == FindingKind::log_gap || kind == FindingKind::log_block_damaged || kind == FindingKind::log_stale_block ||
           kind == FindingKind::wal_violation;
}

std::optional<FaultPlan> parse_fault_plan(std::string_view text, double default_rate, std::string& problem) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto kind = finding_kind_of(name);
    if (!kind) {
        problem = fmt::format("'{}' is not a class of faults; allowed are {}", name, all_kinds());
        return std::nullopt;
    }
    FaultPlan plan{.kind = *kind, .rate = default_rate};
    if (colon == std::string_view::npos) return plan;
    const std::string_view rate = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(rate.data(), rate.data() + rate.size(), plan.rate);
    if (error == std::errc{} && end == rate.data() + rate.size() && plan.rate > 0 && plan.rate <= 1) return plan;
    problem = fmt::format("'{}' is not a rate; allowed is a number above 0, up to 1, such as 1e-5: the chance of each page", rate);
    return std::nullopt;
}

}  // namespace sim
