#include "cli/crash_command.hpp"

#include <string>

#include <fmt/format.h>

#include "cli/crash_series.hpp"
#include "cli/crash_text.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/time.hpp"

namespace cli {

ExitCode rehearse_crashes(const RehearseArguments& arguments, Console& console) {
    const ums::RealClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    CrashSeries series(arguments, console);
    series.run();
    const double elapsed_s = static_cast<double>(clock.now_ns() - start_ns) / static_cast<double>(ums::kNsPerSecond);
    console.add_result(crash_table_text(series.rows()));
    console.add_result(
        fmt::format("\nRehearsal of {} runs with {} power cuts each, {} of them resumed and cut again, seeds {} to {}, in {:.1f} s.\n",
                    series.run_count(), arguments.cuts, series.resumed_count(), arguments.first_seed,
                    arguments.first_seed + arguments.seed_count - 1, elapsed_s));
    const CrashJudgement judgement = judge_crashes(series.rows(), series.wrong_count());
    console.add_result(judgement.sentence);
    const std::string problems = series.first_problems();
    if (!problems.empty()) console.add_result("The first problems:\n" + problems);
    return judgement.is_good ? ExitCode::ok : ExitCode::integrity;
}

}  // namespace cli
