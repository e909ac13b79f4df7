#include "cli/bench_command.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/console_sink.hpp"
#include "cli/exit_at_once.hpp"
#include "cli/json_output.hpp"
#include "cli/run_control.hpp"
#include "reports/bench_report.hpp"
#include "sim/bench/bench.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/posix_storage.hpp"

namespace cli {
namespace {

ExitCode exit_code_of(const sim::BenchResults& results) {
    if (results.finding_count > 0) return ExitCode::integrity;
    if (!results.failure_reason.empty()) return ExitCode::environment;
    return results.stopped ? ExitCode::stopped : ExitCode::ok;
}

}  // namespace

ExitCode bench_command(const BenchArguments& arguments, Console& console) {
    JsonOutput json(arguments.json_path, reports::kBenchDocument);
    const ums::RealClock clock;
    ums::PosixStorage storage;
    RunControl* control = nullptr;
    ConsoleSink sink(console, [&control] { control->wake(); }, {});
    sim::Bench bench(arguments.options, storage, clock, sink);
    RunControl run_control({.on_stop_signal =
                                [&](int) {
                                    exit_at_once_on_signals(console.redraws());
                                    bench.request_stop();
                                },
                            .on_wake = [&] { console.flush(""); },
                            .on_second = [&] { console.flush(""); }});
    control = &run_control;

    sim::BenchResults results;
    run_control.run([&] { results = bench.run(); });
    if (json.shows_text()) console.add_result(reports::bench_text(results));
    json.put(reports::bench_json(results), console);
    return exit_code_of(results);
}

}  // namespace cli
