#include "cli/rehearsal_text.hpp"

#include <fmt/format.h>

namespace cli {
namespace {

std::string line_of(std::string_view name, const sim::FaultTally& tally) {
    return fmt::format("{:<18}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}\n", name, tally.injected, tally.exposed, tally.detected,
                       tally.classified_right, tally.classified_wrong, tally.missed, tally.false_alarms);
}

}  // namespace

std::string tallies_text(const sim::FaultTallies& tallies) {
    std::string text = fmt::format("{:<18}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}\n", "", "", "given to", "", "named", "named", "", "false");
    text += fmt::format("{:<18}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}\n", "class", "injected", "program", "detected", "right", "wrong",
                        "missed", "alarms");
    sim::FaultTallies sum{};
    for (std::size_t i = 0; i < tallies.size(); ++i) {
        const sim::FaultTally& tally = tallies[i];
        if (tally.injected + tally.false_alarms == 0) continue;
        text += line_of(name_of(static_cast<sim::FindingKind>(i)), tally);
        sim::FaultTallies one{};
        one[0] = tally;
        add_tallies(sum, one);
    }
    return text + line_of("all", sum[0]);
}

}  // namespace cli
