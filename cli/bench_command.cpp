#include "cli/bench_command.hpp"

#include <fstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/console_sink.hpp"
#include "cli/exit_at_once.hpp"
#include "cli/run_control.hpp"
#include "reports/bench_report.hpp"
#include "sim/bench/bench.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/posix_storage.hpp"

namespace cli {
namespace {

void write_json(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    if (!file) throw sim::EnvironmentError(fmt::format("{}: cannot be written.", path));
}

ExitCode exit_code_of(const sim::BenchResults& results) {
    if (results.finding_count > 0) return ExitCode::integrity;
    if (!results.failure_reason.empty()) return ExitCode::environment;
    return results.stopped ? ExitCode::stopped : ExitCode::ok;
}

}  // namespace

ExitCode bench_command(const BenchArguments& arguments, Console& console) {
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
    const std::string json = reports::bench_json(results);
    if (arguments.json_path == "-") {
        console.add_result(json);
    } else {
        console.add_result(reports::bench_text(results));
        if (!arguments.json_path.empty()) write_json(arguments.json_path, json);
    }
    return exit_code_of(results);
}

}  // namespace cli
