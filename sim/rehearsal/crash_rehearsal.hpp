// A rehearsal of power cuts: a complete run, with all users, in virtual time on a simulated device that loses power at moments drawn from a
// seed, and what each cut leaves. A pure function of its arguments. The run itself continues to its end, because each cut is a copy.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/options.hpp"
#include "sim/promises/promises.hpp"
#include "sim/rehearsal/cut_moments.hpp"
#include "sim/rehearsal/fault_plan.hpp"
#include "sim/rehearsal/host_loss.hpp"
#include "sim/rehearsal/write_book.hpp"
#include "sim/results.hpp"
#include "ums/io/power_cut.hpp"
#include "ums/io/simulated_storage.hpp"
#include "ums/io/volatile_storage.hpp"

namespace sim {

struct CrashStart;

struct CrashPlan {
    std::uint64_t seed = 0;
    std::uint32_t cut_count = 4;
    Options options;
    ums::VolatileOptions device;
    std::vector<FaultPlan> faults;                       // what goes wrong while there is power: writes that fail
    bool has_ledger = false;                             // a ledger outside the device keeps the promises of the run
    LossPlan ledger_loss;                                // ... and is unreachable at times, counted from the start of the run
    std::shared_ptr<const CrashStart> start;             // for a run that continues after an earlier cut; null: a new run
    std::function<void(const ums::PowerMoment&)> watch;  // sees every moment of the run that is cut, up to its end; may be empty
};

// Draws the run and its device from a seed. The lies can do harm: syncs are ignored in runs that need them, and the file that is lied about
// belongs to the run. In a sixteenth of the runs writes fail before the power does.
[[nodiscard]] CrashPlan draw_crash_plan(std::uint64_t seed, ums::PowerLies lies);

// One cut, to be judged.
struct CrashState {
    ums::PowerCut power;
    CutReason reason{};
    Phase phase{};                     // of the run; after Phase::create, all files exist and are acknowledged
    WriteBook book;                    // as of the cut
    std::optional<Promises> promises;  // likewise, if there is a ledger
};

using CrashJudge = std::function<void(const CrashPlan& plan, CrashState& state)>;

struct CrashReport {
    Outcome outcome = Outcome::passed;  // of the run, which does not know about the cuts
    std::string outcome_reason;         // a sentence when not passed
    std::uint64_t moment_count = 0;
    std::vector<Finding> findings;      // of the run; none if no faults are planned: the device works correctly while it has power
    std::vector<std::string> log;       // messages of the run
    std::vector<std::string> problems;  // faults that the run missed or named wrongly, false alarms, and a wrong outcome
};

// Calls `judge` for each cut, in order of time, after the run has ended, so that `judge` may run simulations itself. Any thread. Throws
// std::bad_alloc if memory runs out.
[[nodiscard]] CrashReport rehearse_crash(const CrashPlan& plan, const CrashJudge& judge);

// The state from which a run continues after a power cut, to be cut again: what recovery wrote must survive the next cut, too.
struct CrashStart {
    std::map<std::string, std::unique_ptr<ums::SimulatedFile>> files;  // by path
    WriteBook book;                                                    // from before the cut, as far as it still holds
    std::optional<Promises> promises;                                  // from a ledger
};

// The same run, resumed on the same device, in half of the cases with other settings. Nothing if no log is left with which it could
// continue. Call it before the files of the cut are consumed.
[[nodiscard]] std::optional<CrashPlan> plan_second_cut(const CrashPlan& plan, const CrashState& state);

}  // namespace sim
