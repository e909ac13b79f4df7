// A rehearsal of power cuts: a complete run, with all users, in virtual time on a simulated device that loses power at moments drawn from a
// seed, and what each cut leaves. A pure function of its arguments. The run itself continues to its end: each cut is a copy.
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
    bool has_ledger = false;                             // a ledger outside of the device keeps what the run promises
    LossPlan ledger_loss;                                // ... and cannot be reached at times, counted from the begin of the run
    std::shared_ptr<const CrashStart> start;             // of a run that continues after an earlier cut; null: of a new one
    std::function<void(const ums::PowerMoment&)> watch;  // sees every moment of the run that is cut, to its end; may be empty
};

// The run and the device of a seed. The lies can do harm: syncs are ignored in runs that need them, and the file that is lied about belongs
// to the run.
[[nodiscard]] CrashPlan draw_crash_plan(std::uint64_t seed, ums::PowerLies lies);

// One cut, to be judged.
struct CrashState {
    ums::PowerCut power;
    CutReason reason{};
    Phase phase{};                     // of the run; after Phase::create all files are made and acknowledged
    WriteBook book;                    // as of the cut
    std::optional<Promises> promises;  // likewise, with a ledger
};

using CrashJudge = std::function<void(const CrashPlan& plan, CrashState& state)>;

struct CrashReport {
    Outcome outcome = Outcome::passed;  // of the run, which does not know of the cuts
    std::uint64_t moment_count = 0;
    std::vector<Finding> findings;  // of the run: its device works correctly as long as there is power
    std::vector<std::string> log;   // messages of the run
};

// `judge` is called for each cut, in the order of time, when the run is over: it may run simulations of its own. Any thread. Throws
// std::bad_alloc if memory runs out.
[[nodiscard]] CrashReport rehearse_crash(const CrashPlan& plan, const CrashJudge& judge);

// After a power cut the run continues with what is left, and is cut again: what recovery made of the files must survive the next cut, too.
// What a run that continues begins with.
struct CrashStart {
    std::map<std::string, std::unique_ptr<ums::SimulatedFile>> files;  // by path
    WriteBook book;                                                    // what had been said before, as far as it is still true
    std::optional<Promises> promises;                                  // of a ledger
};

// The same run, resumed on the same device. Nothing if no log is left with which it could continue. Before the files of the cut are taken.
[[nodiscard]] std::optional<CrashPlan> plan_second_cut(const CrashPlan& plan, const CrashState& state);

}  // namespace sim
