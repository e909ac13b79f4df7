// A campaign of power cuts: what each cycle has shown, and what all of them show together. Plain data, and the text made from it. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reports {

enum class CutOutcome : std::uint8_t {
    intact,    // nothing acknowledged is missing
    findings,  // something acknowledged is missing, or the storage failed
    nothing,   // the files prove nothing: cut before the first change, or they cannot be read
};

// "intact", "findings", "nothing": part of the state's format.
std::string_view name_of(CutOutcome outcome);

struct PowerCycle {
    std::uint32_t number = 0;   // 1, 2, …
    bool was_cut = true;        // false: the run ended in another way, and its files were verified nevertheless
    std::string moment{};       // "checkpoint", "flush", "growth": the moment that the cut waited for; empty: any
    std::uint64_t load_ms = 0;  // how long the run worked
    CutOutcome outcome = CutOutcome::nothing;
    std::uint64_t finding_count = 0;
    std::uint64_t torn_pages = 0;     // in flight at the cut: not a fault
    std::uint64_t blocks_behind = 0;  // after the end of the log
    std::uint64_t verify_ms = 0;
    std::string said{};  // the verification's own headline
};

struct CampaignSums {
    std::uint32_t cuts = 0;  // the others count only cuts, too, except `with_findings`, which counts all cycles
    std::uint32_t intact = 0;
    std::uint32_t nothing = 0;
    std::uint32_t with_findings = 0;
    std::uint32_t with_torn_pages = 0;
    std::uint64_t torn_pages = 0;
};

CampaignSums sums_of(const std::vector<PowerCycle>& cycles);

// "cycle 3: cut after 12.3 s: intact, 0 torn pages, …": one line, ending with '\n'.
std::string cycle_text(const PowerCycle& cycle);

// The line of each cycle; then PASS, FAIL or INCOMPLETE, why, and what is not proven. `wanted`: the planned number of cuts.
// `keeps_promises`: the runs had a ledger or a witness, whose promises the verifications demanded.
std::string campaign_text(const std::vector<PowerCycle>& cycles, std::uint32_t wanted, bool keeps_promises, std::size_t columns);

inline constexpr std::string_view kPowertestDocument = "ioproof powertest";
// The document of `powertest --json` (docs/powertest.schema.json).
nlohmann::ordered_json campaign_document(const std::vector<PowerCycle>& cycles, std::uint32_t wanted, std::string_view version);

}  // namespace reports
