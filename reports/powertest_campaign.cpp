#include "reports/powertest_campaign.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "reports/text.hpp"

namespace reports {
namespace {

constexpr std::uint64_t kCampaignUsPerMs = 1000;

std::string_view campaign_verdict(const CampaignSums& sums, std::uint32_t wanted) {
    if (sums.with_findings > 0) return "FAIL";
    return sums.intact > 0 && sums.cuts >= wanted ? "PASS" : "INCOMPLETE";
}

std::string headline_of(const CampaignSums& sums, std::uint32_t wanted) {
    if (sums.with_findings > 0) {
        return fmt::format(
            "FAIL: acknowledged writes are lost, or the storage failed, in {} of {}. Do not trust this storage with a database until the "
            "cause is found. The files are as the last cut has left them.",
            counted(sums.with_findings, "cycle"), counted(sums.cuts, "cut"));
    }
    if (sums.intact == 0) return fmt::format("INCOMPLETE: none of {} left anything that could be verified.", counted(sums.cuts, "cut"));
    const std::string proven = fmt::format("after {} of {} every write that the log proves to have been acknowledged was there",
                                           sums.intact, counted(sums.cuts, "cut"));
    if (sums.cuts >= wanted) return fmt::format("PASS: {}.", proven);
    return fmt::format("INCOMPLETE: {}, and {} were wanted.", proven, counted(wanted, "cut"));
}

std::string torn_text(const CampaignSums& sums) {
    if (sums.torn_pages == 0) return "No page that was in flight at a cut was torn.";
    return fmt::format(
        "{} left torn pages, {} in all: no broken promise, but this storage does not write 8 KB as one. SQL Server would report error "
        "824 for them.",
        counted(sums.with_torn_pages, "cut"), count_text(sums.torn_pages));
}

std::string unproven_text(bool keeps_promises) {
    const std::string_view unseen = keeps_promises ? "what no promise to the ledger or witness covers (the text of each verification says "
                                                     "which were demanded)"
                                                   : "what the log may have lost at its own end, with all that depended on it; page writes "
                                                     "that recovery would redo";
    return fmt::format(
        "Not proven: {}; and that each cut really took the power from the storage while it had something to lose (docs/durability.md, "
        "docs/powertest.md).",
        unseen);
}

std::string remark(const std::string& text, std::size_t columns) { return "  " + wrapped("* " + text, columns - 2, 4); }

std::string_view moment_text(const std::string& moment) {
    if (moment == "checkpoint") return " in a checkpoint";
    if (moment == "flush") return " after a log flush";
    return moment == "growth" ? " in a growth" : "";
}

}  // namespace

std::string_view name_of(CutOutcome outcome) {
    switch (outcome) {
        case CutOutcome::intact: return "intact";
        case CutOutcome::findings: return "findings";
        case CutOutcome::nothing: break;
    }
    return "nothing";
}

CampaignSums sums_of(const std::vector<PowerCycle>& cycles) {
    CampaignSums sums;
    for (const PowerCycle& cycle : cycles) {
        sums.with_findings += cycle.outcome == CutOutcome::findings ? 1 : 0;
        if (!cycle.was_cut) continue;
        ++sums.cuts;
        sums.intact += cycle.outcome == CutOutcome::intact ? 1 : 0;
        sums.nothing += cycle.outcome == CutOutcome::nothing ? 1 : 0;
        sums.with_torn_pages += cycle.torn_pages > 0 ? 1 : 0;
        sums.torn_pages += cycle.torn_pages;
    }
    return sums;
}

std::string cycle_text(const PowerCycle& cycle) {
    const std::string begin = fmt::format("cycle {}: {} after {}{}: ", cycle.number, cycle.was_cut ? "cut" : "ended, not cut,",
                                          duration_text(cycle.load_ms * kCampaignUsPerMs), moment_text(cycle.moment));
    if (cycle.outcome == CutOutcome::nothing) return fmt::format("{}nothing can be said: {}\n", begin, cycle.said);
    const std::string verdict =
        cycle.outcome == CutOutcome::intact ? "intact" : fmt::format("{} FOUND", counted(cycle.finding_count, "finding"));
    return fmt::format("{}{}, {}, {} after the end, verified in {}\n", begin, verdict, counted(cycle.torn_pages, "torn page"),
                       counted(cycle.blocks_behind, "block"), duration_text(cycle.verify_ms * kCampaignUsPerMs));
}

std::string campaign_text(const std::vector<PowerCycle>& cycles, std::uint32_t wanted, bool keeps_promises, std::size_t columns) {
    const CampaignSums sums = sums_of(cycles);
    std::string text;
    for (const PowerCycle& cycle : cycles) text += cycle_text(cycle);
    text += "\n" + wrapped(headline_of(sums, wanted), columns, 0);
    for (const PowerCycle& cycle : cycles) {
        if (cycle.outcome == CutOutcome::findings) text += remark(fmt::format("Cycle {}: {}", cycle.number, cycle.said), columns);
    }
    if (sums.nothing > 0)
        text += remark(fmt::format("After {} the files said nothing: these prove nothing.", counted(sums.nothing, "cut")), columns);
    if (sums.cuts > sums.nothing) text += remark(torn_text(sums), columns);
    return text + remark(unproven_text(keeps_promises), columns);
}

nlohmann::ordered_json campaign_document(const std::vector<PowerCycle>& cycles, std::uint32_t wanted, std::string_view version) {
    const CampaignSums sums = sums_of(cycles);
    nlohmann::ordered_json json{{"document", kPowertestDocument},
                                {"version", 1},
                                {"program_version", version},
                                {"verdict", campaign_verdict(sums, wanted)},
                                {"headline", headline_of(sums, wanted)},
                                {"cuts_wanted", wanted},
                                {"cuts", sums.cuts},
                                {"cuts_intact", sums.intact},
                                {"cuts_nothing", sums.nothing},
                                {"cycles_with_findings", sums.with_findings},
                                {"cuts_with_torn_pages", sums.with_torn_pages},
                                {"torn_pages", sums.torn_pages}};
    json["cycles"] = nlohmann::ordered_json::array();
    for (const PowerCycle& cycle : cycles) {
        json["cycles"].push_back({{"number", cycle.number},
                                  {"was_cut", cycle.was_cut},
                                  {"moment", cycle.moment.empty() ? "any" : cycle.moment},
                                  {"load_ms", cycle.load_ms},
                                  {"outcome", name_of(cycle.outcome)},
                                  {"finding_count", cycle.finding_count},
                                  {"torn_pages", cycle.torn_pages},
                                  {"blocks_behind", cycle.blocks_behind},
                                  {"verify_ms", cycle.verify_ms},
                                  {"said", cycle.said}});
    }
    return json;
}

}  // namespace reports
