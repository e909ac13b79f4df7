#include "sim/preflight/preflight.hpp"

#include <iterator>

#include "sim/preflight/judgement.hpp"

namespace sim {

std::vector<PreflightLine> preflight(const std::vector<std::string>& folders, PreflightEffort effort, const ums::Clock& clock,
                                     PreflightUse use) {
    std::vector<PreflightLine> lines;
    for (const std::string& folder : folders) {
        PreflightFacts facts = gather_preflight_facts(folder, effort, clock);
        facts.is_for_tempdb = use == PreflightUse::tempdb;
        std::vector<PreflightLine> judged = evaluate_preflight(facts);
        lines.insert(lines.end(), std::make_move_iterator(judged.begin()), std::make_move_iterator(judged.end()));
    }
    return lines;
}

}  // namespace sim
