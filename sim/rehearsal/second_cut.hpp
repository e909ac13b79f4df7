// After a power cut the run continues with what is left, and is cut again: what recovery made of the files must survive the next cut, too.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/rehearsal/write_book.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

// What a run that continues begins with.
struct CrashStart {
    std::map<std::string, std::unique_ptr<ums::SimulatedFile>> files;  // by path
    WriteBook book;                                                    // what had been said before, as far as it is still true
    std::optional<Promises> promises;                                  // of a ledger
};

// The same run, resumed on the same device. Nothing if no log is left with which it could continue. Before the files of the cut are taken.
[[nodiscard]] std::optional<CrashPlan> plan_second_cut(const CrashPlan& plan, const CrashState& state);

}  // namespace sim
