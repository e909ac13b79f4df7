#include "cli/rehearse/rehearsal_on_files.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/rehearse/rehearsal_text.hpp"
#include "sim/rehearsal/fault_matching.hpp"

namespace cli {

RehearsalOnFiles::RehearsalOnFiles(ums::Storage& files, const ums::Clock& clock, const sim::Options& options,
                                   std::vector<sim::FaultPlan> plans)
    : files_(files) {
    if (plans.empty()) return;
    for (const sim::FaultPlan& plan : plans) {
        faults_text_ += fmt::format("{}{}:{}", faults_text_.empty() ? "" : ", ", name_of(plan.kind), plan.rate);
    }
    injector_ = std::make_unique<sim::FaultInjector>(files, clock, sim::FaultInjector::setup_for(options, std::move(plans), options.seed));
}

void RehearsalOnFiles::follow(const sim::Simulation& simulation) {
    if (injector_) injector_->set_phase_source([&simulation] { return simulation.phase(); });
}

void RehearsalOnFiles::unfollow() {
    if (injector_) injector_->set_phase_source({});
}

// Keeps what the comparison needs, without the images.
void RehearsalOnFiles::on_finding(const sim::Finding& finding) {
    if (!injector_) return;
    injector_->on_finding(finding);
    sim::Finding kept = finding;
    kept.evidence.drop();
    const std::lock_guard guard(mutex_);
    findings_.push_back(std::move(kept));
}

std::string RehearsalOnFiles::comparison_text() const {
    const std::lock_guard guard(mutex_);
    const sim::MatchResult match = match_faults(injector_->faults(), findings_);
    std::string text = fmt::format("REHEARSAL: what was injected on purpose, and what was found:\n\n{}", tallies_text(match.tallies));
    for (const std::string& problem : match.problems) text += problem + "\n";
    return text;
}

}  // namespace cli
