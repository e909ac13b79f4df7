#include "cli/bench_command.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/bench_arguments.hpp"
#include "cli/console.hpp"
#include "cli/console_sink.hpp"
#include "cli/distinct_files.hpp"
#include "cli/json_output.hpp"
#include "cli/run_control.hpp"
#include "cli/stop_signals.hpp"
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

// Blocks until the measurement is over.
ExitCode measure(const BenchArguments& arguments, Console& console) {
    std::vector<NamedFile> files{{.what = "--json", .path = arguments.json_path == "-" ? "" : arguments.json_path}};
    for (const std::string& file : arguments.options.files)
        files.push_back({.what = "the file to measure", .path = file, .is_written = false});
    check_distinct(files);
    const GracefulStop stop;
    JsonOutput json(arguments.json_path, reports::kBenchDocument);
    const ums::RealClock clock;
    ums::PosixStorage storage;
    RunControl* control = nullptr;
    ConsoleSink sink(console, [&control] { control->wake(); }, {});
    sim::Bench bench(arguments.options, storage, clock, sink);
    RunControl run_control(stop, {.on_stop_signal =
                                      [&](int) {
                                          erase_line_at_exit(console.redraws());
                                          bench.request_stop();
                                      },
                                  .on_wake = [&] { console.flush(""); },
                                  .on_second = [&] { console.flush(""); }});
    control = &run_control;

    sim::BenchResults results;
    run_control.run([&] { results = bench.run(); });
    if (json.shows_text()) console.add_result(reports::bench_text(results));
    return json.put(reports::bench_json(results), console, exit_code_of(results));
}

}  // namespace

Command bench_command() {
    return {.name = "bench",
            .operands = "FILE…",
            .kind = Operand::files,
            .summary = "measure this path's speed on files",
            .description =
                "Measures what a run's own path does on these files: scheduler, engine, pages, verification. A file that a run or a "
                "measurement left behind is used as it is: its pages are examined first, and must stay what they are. A missing file is "
                "created, filled with pages, and kept. Other files are refused.\n"
                "The FILE 'null:' is no file: requests succeed at once, which shows what the path costs without a device.",
            .switches = bench_switches(),
            .examples =
                "ioproof bench null: --verify=off\n"
                "ioproof bench /mnt/data/bench.mdx --depth 64 --seconds 10\n"
                "ioproof bench /mnt/data/bench.mdx --block 512K --depth 8 --scatter\n"
                "ioproof bench /mnt/log/bench.ldx --op write --pattern sequential --block 4K-60K --durable --depth 1",
            .exit_codes =
                "0 done\n"
                "1 a page was wrong, or the storage failed\n"
                "2 wrong usage, or refused because it could do harm\n"
                "3 it could not be done\n"
                "130 stopped by a person",
            .execute = [](const Call& call) { return measure(parse_bench(call.words), call.console); }};
}

}  // namespace cli
