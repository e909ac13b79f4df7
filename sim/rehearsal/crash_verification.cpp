#include "sim/rehearsal/crash_verification.hpp"

#include <optional>
#include <utility>

#include "sim/rehearsal/promise_memory.hpp"
#include "sim/run/simulation.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

namespace {

class FindingsSink final : public EventSink {
public:
    explicit FindingsSink(std::vector<Finding>& findings) : findings_(findings) {}
    void on_event(const Event& /*event*/) override {}
    void on_finding(const Finding& finding) override { findings_.push_back(finding); }

private:
    std::vector<Finding>& findings_;
};

}  // namespace

CrashVerdict verify_cut(const CrashPlan& plan, ums::PowerCut& power, const Promises* promises) {
    CrashVerdict verdict;
    const ums::VirtualClock clock;
    ums::SimulatedStorage disk(clock, ums::simulated_disk(ums::mix64(plan.seed)));
    for (auto& [path, file] : power.files) disk.put(path, std::move(file));
    Options options = plan.options;
    options.job = Job::verify;
    FindingsSink sink(verdict.findings);
    std::optional<PromiseMemory> ledger;
    if (promises != nullptr) ledger.emplace(*promises);
    Simulation verification(options, disk, clock, sink, ledger ? &*ledger : nullptr);
    Results results = verification.run();
    verdict.outcome = results.outcome;
    verdict.reason = results.outcome_reason;
    verdict.durability = results.durability.value_or(DurabilityResult{});
    return verdict;
}

}  // namespace sim
