#include "sim/preflight/preflight.hpp"

#include <iterator>

#include "sim/preflight/judgement.hpp"

namespace sim {

std::vector<PreflightLine> preflight(const std::vector<std::string>& folders, PreflightEffort effort, const ums::Clock& clock) {
    std::vector<PreflightLine> lines;
    for (const std::string& folder : folders) {
        std::vector<PreflightLine> judged = evaluate_preflight(gather_preflight_facts(folder, effort, clock));
        lines.insert(lines.end(), std::make_move_iterator(judged.begin()), std::make_move_iterator(judged.end()));
    }
    return lines;
}

}  // namespace sim
