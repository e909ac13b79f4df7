#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/measuring/bench_arguments.hpp"
#include "cli/measuring/finding_keeper.hpp"
#include "cli/measuring/measure_demands.hpp"
#include "cli/measuring/measure_outputs.hpp"
#include "cli/measuring/measure_presets.hpp"
#include "cli/measuring/measure_request.hpp"
#include "cli/measuring/measure_run.hpp"
#include "cli/measuring/measuring.hpp"
#include "cli/process/composite_sink.hpp"
#include "cli/process/console.hpp"
#include "cli/process/console_sink.hpp"
#include "cli/process/distinct_files.hpp"
#include "cli/process/run_control.hpp"
#include "cli/process/stop_signals.hpp"
#include "cli/words/commands.hpp"
#include "reports/bench_report.hpp"
#include "reports/finding_json.hpp"
#include "reports/measure_json.hpp"
#include "reports/measure_report.hpp"
#include "reports/measure_rounds.hpp"
#include "sim/bench/bench.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/machine.hpp"
#include "ums/io/posix_storage.hpp"

namespace cli {
namespace {

bool has_ended_early(ExitCode code) { return code == ExitCode::stopped || code == ExitCode::environment; }

ExitCode measure(const BenchArguments& arguments, Console& console) {
    std::vector<NamedFile> files = arguments.paths.named();
    for (const std::string& file : arguments.options.files)
        files.push_back({.what = "the file to measure", .path = file, .is_written = false});
    check_distinct(files);
    const GracefulStop stop;
    MeasureOutputs outputs(arguments.paths, reports::kBenchDocument);
    const ums::RealClock clock;
    ums::PosixStorage storage;
    RunControl* control = nullptr;
    ConsoleSink console_sink(console, [&control] { control->wake(); }, {.has_log = false});
    FindingKeeper keeper;
    CompositeSink sink({&console_sink, &keeper});
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
    if (outputs.shows_text()) console.add_result(reports::bench_text(results));
    nlohmann::ordered_json document = reports::bench_json(results);
    document["finding_list"] = reports::findings_json(keeper.findings());
    const ExitCode code = measure_exit_code(results);
    if (has_ended_early(code) && results.requests == 0) outputs.keep_earlier(console);
    return outputs.put(document, console, code);
}

bool has_figures(const sim::MeasureResults& results, const reports::MeasureRounds& rounds) {
    if (!rounds.requests_per_s.empty()) return true;
    return !results.timespans.empty() && results.timespans.back().total().both().requests > 0;
}

// Measures the storage itself, as the switches specify.
ExitCode measure_storage(const BenchArguments& arguments, Console& console) {
    sim::MeasureSpec spec = measure_spec_of(*arguments.measure);
    check_cpus("--affinity", arguments.measure->affinity, ums::this_machine().cpus);
    std::vector<NamedFile> files = arguments.paths.named();
    files.push_back({.what = "--baseline", .path = arguments.demands.baseline_path, .is_written = false});
    for (const sim::MeasureTarget& target : spec.timespans.front().targets) {
        files.push_back({.what = "the file to measure", .path = target.path, .is_written = false});
    }
    check_distinct(files);
    size_missing_files(spec);
    const auto baseline = load_baseline(arguments.demands, spec);
    MeasureOutputs outputs(arguments.paths, reports::kMeasureDocument);
    sim::MeasureResults results;
    reports::MeasureRounds rounds;
    nlohmann::ordered_json each_round;
    MeasureSession session(console);
    session.run([&](const MeasureSession::Measure& measure, const std::function<bool()>& is_stopped) {
        results = measure_rounds(measure, is_stopped, spec, arguments.plan, rounds, [&](const sim::MeasureResults& round) {
            if (arguments.plan.rounds == 1) return;
            reports::add_round(each_round, reports::measure_json(round));
            if (outputs.shows_text()) console.add_result(reports::rounds_text(rounds));
        });
    });
    nlohmann::ordered_json document = reports::measure_json(results);
    document["verify"] = spec.verify;
    if (arguments.plan.rounds > 1 && !each_round.empty()) {
        document["rounds"] = reports::rounds_json(rounds);
        document["rounds"].update(each_round);
    }
    std::string text = reports::measure_text(results);
    if (document.contains("rounds") && !text.empty()) text = "The last round:\n" + text;
    ExitCode code = measure_exit_code(results);
    if (code == ExitCode::ok) {
        const DemandsVerdict verdict = judge_demands(arguments.demands, baseline, rounds, document);
        text += verdict.text;
        if (!verdict.are_kept) code = ExitCode::integrity;
    }
    if (has_ended_early(code) && !has_figures(results, rounds)) outputs.keep_earlier(console);
    if (outputs.shows_text()) console.add_result(text);
    document["finding_list"] = reports::findings_json(session.findings());
    document["text_report"] = (document.contains("rounds") ? reports::rounds_text(rounds) : "") + text;
    return outputs.put(document, console, code);
}

std::string_view bench_description() {
    static const std::string text = fmt::format(
        "Measures how fast ioproof's own path is on these files: scheduler, engine, pages, verification. It uses a file that a run or a "
        "measurement left behind as it is: it examines the pages first, and nothing else may change them meanwhile. It creates a missing "
        "file, fills it with pages, and keeps it. It refuses other files.\n"
        "The FILE 'null:' is not a file: requests succeed immediately, which shows what the path costs without a device.\n"
        "With any of the switches from --preset on, it measures the storage itself instead: requests go directly to the engine, in mixes, "
        "at rates, in several classes of work, with percentiles and repeats. Pages, and sectors of blocks that are not pages, are "
        "verified there, too. A FILE may then be any file or device; one without ioproof's mark is only read. Presets:\n"
        "{}",
        presets_text());
    return text;
}

}  // namespace

Command bench_command() {
    return {.name = "bench",
            .operands = "FILE…",
            .kind = Operand::files,
            .summary = "measure this path's speed on files",
            .description = bench_description(),
            .switches = bench_switches(),
            .examples =
                "ioproof bench null: --verify=off\n"
                "ioproof bench /mnt/data/bench.mdx --depth 64 --seconds 10\n"
                "ioproof bench /mnt/data/bench.mdx --block 512K --depth 8 --scatter\n"
                "ioproof bench /mnt/log/bench.ldx --op write --pattern sequential --block 4K-60K --durable --depth 1\n"
                "ioproof bench /mnt/data/bench.mdx --preset oltp --size 8G --warm-up 10 --seconds 60 --json oltp.json\n"
                "ioproof bench /mnt/data/b --mix oltp=70,log=20,backup=10 --depth 64 --threads 4 --repeat 5\n"
                "ioproof bench /dev/nvme1n1 --random-percent 100 --rate 1000 --until-stable\n"
                "ioproof bench b.mdx --preset oltp --repeat 5 --fail-on 'read.p99.9 > 5ms, requests_per_s < 10000'\n"
                "ioproof bench b.mdx --preset oltp --repeat 5 --baseline oltp.json --tolerance 5%",
            .exit_codes =
                "0 done\n"
                "1 a page was wrong, or the storage failed; or a limit of --fail-on was exceeded, or the figures were worse "
                "than the --baseline allows\n"
                "2 wrong usage, or refused because it could do harm\n"
                "3 it could not be done\n"
                "130 stopped by a person",
            .execute = [](const Call& call) {
                const BenchArguments arguments = parse_bench(call.words);
                return arguments.measure ? measure_storage(arguments, call.console) : measure(arguments, call.console);
            }};
}

}  // namespace cli
