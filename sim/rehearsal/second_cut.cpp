#include "sim/rehearsal/second_cut.hpp"

#include "sim/rehearsal/left_log.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "ums/base/prng.hpp"

namespace sim {

std::optional<CrashPlan> plan_second_cut(const CrashPlan& plan, const CrashState& state) {
    const LeftLog log(plan.options, state.power, state.book);
    if (log.is_empty() || log.end_sequence() == 0 || log.lost_sequence()) return std::nullopt;
    auto start = std::make_shared<CrashStart>(CrashStart{{}, state.book, std::nullopt});
    if (state.promises) start->promises = copy_of(*state.promises);
    for (const auto& [path, file] : state.power.files) start->files[path] = file->copy();
    start->book.forget_behind(log.end_sequence(), log.end_lsn());
    CrashPlan second = plan;
    second.seed = ums::mix64(plan.seed ^ ums::mix64(state.power.moment));
    second.cut_count = 1;
    second.options.seed = second.seed;
    second.options.job = Job::resume;
    second.device.seed = ums::mix64(plan.device.seed ^ second.seed);
    second.start = std::move(start);
    return second;
}

}  // namespace sim
