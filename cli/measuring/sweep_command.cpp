#include <algorithm>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/measuring/measure_run.hpp"
#include "cli/measuring/measuring.hpp"
#include "cli/measuring/sweep_arguments.hpp"
#include "cli/process/console.hpp"
#include "cli/process/distinct_files.hpp"
#include "cli/process/json_document.hpp"
#include "cli/words/commands.hpp"
#include "reports/json_text.hpp"
#include "reports/output_file.hpp"
#include "reports/results_document.hpp"
#include "reports/sweep_report.hpp"
#include "reports/text.hpp"
#include "sim/errors.hpp"
#include "ums/base/input_file.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/printable.hpp"

namespace cli {
namespace {

using SweepPoints = std::vector<nlohmann::ordered_json>;

reports::OutputKind csv_kind() {
    return {.what = "CSV file",
            .refusal = "is not a CSV file of ioproof sweep",
            .is_ours = [](std::string_view head) { return head.starts_with(reports::sweep_csv_head()); },
            .takes_streams = true};
}

void check_sweep_files(const SweepArguments& arguments) {
    std::vector<NamedFile> files{{.what = "--json", .path = arguments.json_path},
                                 {.what = "--csv", .path = arguments.csv_path},
                                 {.what = "--html", .path = arguments.html_path}};
    for (const std::string& file : arguments.request.files)
        files.push_back({.what = "the file to measure", .path = file, .is_written = false});
    check_distinct(files);
    if (!arguments.json_path.empty()) reports::check_output(reports::json_kind(reports::kSweepDocument), arguments.json_path);
    if (!arguments.csv_path.empty()) reports::check_output(csv_kind(), arguments.csv_path);
    if (!arguments.html_path.empty()) reports::check_output(reports::html_kind(), arguments.html_path);
}

// What cannot be written must not cost what was measured or found: false, and a message. Since the check, something else may have taken
// the name.
bool write_output(reports::OutputKind kind, const std::string& path, const std::string& text, Console& console) {
    if (path.empty()) return true;
    std::string refusal;
    try {
        reports::OutputFile file(std::move(kind), path);
        return put_file(file, text, console, ExitCode::ok) == ExitCode::ok;
    } catch (const sim::RefusedError& refused) {
        refusal = refused.what();
    } catch (const sim::EnvironmentError& failed) {
        refusal = failed.what();
    }
    console.add_message(fmt::format("ioproof: {}\n", ums::printable(refusal)));
    return false;
}

// Once there are points, one that is refused must not cost their text and files: it ends the sweep as one that failed.
sim::MeasureResults measure_next(const MeasureSession::Measure& measure, const sim::MeasureSpec& spec, const std::string& title,
                                 const SweepPoints& points) {
    try {
        return measure(spec, title);
    } catch (...) {
        if (points.empty()) throw;
        sim::MeasureResults none;
        none.failure_reason = sim::message_of(std::current_exception());
        return none;
    }
}

SweepPoints load_points(const SweepArguments& arguments) {
    const ums::InputFile file = ums::read_input_file(arguments.json_path, reports::kResultsBytesMax);
    if (!file.problem.empty()) throw sim::EnvironmentError(fmt::format("'{}': {}.", arguments.json_path, file.problem));
    return reports::points_of_sweep(file.bytes, arguments.json_path, arguments.request.files, arguments.asked);
}

sim::MeasureSpec spec_of_key(const SweepArguments& arguments, const reports::SweepKey& key) {
    MeasureRequest request = arguments.request;
    request.depth = key.depth;
    request.threads = key.threads;
    request.write_percent = key.write_percent;
    if (arguments.has_blocks) request.block_bytes = key.block_bytes;
    sim::MeasureSpec spec = measure_spec_of(request);
    // Points must not read what a cache still holds of earlier ones; after --resume, a point has the places that it would have had.
    const auto place = std::find(arguments.keys.begin(), arguments.keys.end(), key) - arguments.keys.begin();
    sim::MeasureTimespan& timespan = spec.timespans.front();
    timespan.round = static_cast<std::uint32_t>(place);
    timespan.cpu_count = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.cpus, measure_thread_count(timespan)));
    size_missing_files(spec);
    return spec;
}

bool has_key(const SweepPoints& points, const reports::SweepKey& key) {
    return std::any_of(points.begin(), points.end(), [&](const auto& point) { return reports::key_of_point(point) == key; });
}

std::string title_of(std::size_t number, const SweepArguments& arguments, std::size_t left) {
    const MeasureRequest& request = arguments.request;
    const std::uint64_t seconds = left * (std::uint64_t{request.warm_up_s} + request.seconds + request.cool_down_s);
    return fmt::format("{} of {}, {} left", number, arguments.keys.size(), reports::duration_text(seconds * 1'000'000));
}

struct Sweep {
    const SweepArguments& arguments;
    Console& console;
    SweepPoints points;
    std::optional<sim::MeasureResults> failed;  // of a point that could not be measured
    bool is_written = true;
    bool has_small_pool = false;  // of a point, and a message has said so
    bool has_holes = false;       // likewise

    [[nodiscard]] nlohmann::ordered_json document() const {
        return reports::sweep_document(arguments.request.files, arguments.asked, arguments.keys.size(), points);
    }
};

// The knee may be that of the pool. Deeper points have no message of their own.
void note_small_pool(Sweep& sweep, const reports::SweepKey& key, const sim::MeasureResults& results) {
    if (sweep.has_small_pool) return;
    const std::string text = engine_messages(results, fmt::format("ioproof: depth {}", key.depth));
    if (text.empty()) return;
    sweep.has_small_pool = true;
    sweep.console.add_message(text);
}

void note_holes(Sweep& sweep, const sim::MeasureResults& results) {
    if (sweep.has_holes) return;
    const std::string text = hole_messages(results, "ioproof");
    if (text.empty()) return;
    sweep.has_holes = true;
    sweep.console.add_message(text);
}

void measure_points(Sweep& sweep, const MeasureSession::Measure& measure, const std::function<bool()>& is_stopped) {
    const SweepArguments& arguments = sweep.arguments;
    std::size_t number = 0;
    for (const reports::SweepKey& key : arguments.keys) {
        ++number;
        if (is_stopped() || !sweep.is_written) return;
        if (has_key(sweep.points, key)) continue;
        const std::string title = title_of(number, arguments, arguments.keys.size() - sweep.points.size());
        sim::MeasureResults results = measure_next(measure, spec_of_key(arguments, key), title, sweep.points);
        if (results.stopped) return;
        if (results.finding_count > 0 || !results.failure_reason.empty() || results.timespans.empty()) {
            sweep.failed = std::move(results);
            return;
        }
        note_small_pool(sweep, key, results);
        note_holes(sweep, results);
        sweep.points.push_back(reports::sweep_point(key, results.timespans.back()));
        // Without it, an interruption would cost everything that is measured from now on.
        sweep.is_written = write_output(reports::json_kind(reports::kSweepDocument), arguments.json_path,
                                        reports::json_text(sweep.document()), sweep.console);
    }
}

ExitCode run_sweep(const SweepArguments& arguments, Console& console) {
    check_sweep_files(arguments);
    check_cpus("--affinity", arguments.request.affinity, ums::this_machine().cpus);
    Sweep sweep{.arguments = arguments, .console = console, .points = {}, .failed = {}};
    if (arguments.resume) sweep.points = load_points(arguments);
    // Refuse what cannot be measured before the first measurement.
    for (const reports::SweepKey& key : arguments.keys) static_cast<void>(spec_of_key(arguments, key));
    for (const std::string& text : arguments.left_out)
        console.add_message(fmt::format("Left out: {}, which cannot be shared evenly.\n", text));
    MeasureSession session(console);
    session.run([&sweep](const MeasureSession::Measure& measure, const std::function<bool()>& is_stopped) {
        measure_points(sweep, measure, is_stopped);
    });
    nlohmann::ordered_json all = sweep.document();
    if (sweep.failed) reports::add_sweep_failure(all, *sweep.failed);
    if (!sweep.points.empty()) {
        // With the last point it was written without what ended the sweep.
        if (sweep.failed) write_output(reports::json_kind(reports::kSweepDocument), arguments.json_path, reports::json_text(all), console);
        console.add_result(reports::sweep_text(all));
        sweep.is_written = write_output(csv_kind(), arguments.csv_path, reports::sweep_csv(all), console) && sweep.is_written;
        sweep.is_written = write_output(reports::html_kind(), arguments.html_path, reports::html_sweep(all), console) && sweep.is_written;
    }
    if (sweep.failed) {
        if (!sweep.failed->failure_reason.empty()) console.add_message(fmt::format("ioproof: {}\n", sweep.failed->failure_reason));
        return measure_exit_code(*sweep.failed);
    }
    if (!sweep.is_written) return ExitCode::environment;
    return all["is_complete"].get<bool>() ? ExitCode::ok : ExitCode::stopped;
}

}  // namespace

Command sweep_command() {
    return {
        .name = "sweep",
        .operands = "FILE…",
        .kind = Operand::files,
        .summary = "measure over ranges of depths, threads, blocks and mixes",
        .description =
            "Measures each combination as 'ioproof bench' does, and says in words at which depth more outstanding requests stop being "
            "worthwhile (the knee), and whether the storage or a CPU is the limit there. A RANGE is a list (1,4,16), a range that doubles "
            "(1..64), or one in steps (10..50+10). Ctrl-C keeps what is done; --resume continues from there.",
        .switches = sweep_switches(),
        .examples =
            "ioproof sweep /mnt/data/bench.mdx --depth 1..128 --seconds 10\n"
            "ioproof sweep b.mdx --preset oltp --depth 1..64 --threads 1,4 --json sweep.json --html sweep.html\n"
            "ioproof sweep b.mdx --preset oltp --depth 1..64 --threads 1,4 --json sweep.json --resume",
        .exit_codes =
            "0 done\n"
            "1 a page was wrong, or the storage failed\n"
            "2 wrong usage, or refused because it could do harm\n"
            "3 it could not be done\n"
            "130 stopped by a person",
        .execute = [](const Call& call) { return run_sweep(parse_sweep(call.words), call.console); }};
}

}  // namespace cli
