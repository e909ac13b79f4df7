#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/process/console.hpp"
#include "cli/rehearse/crash_command.hpp"
#include "cli/rehearse/hosts_command.hpp"
#include "cli/rehearse/rehearsal_text.hpp"
#include "cli/rehearse/rehearse_arguments.hpp"
#include "cli/rehearse/side_by_side.hpp"
#include "cli/words/commands.hpp"
#include "reports/text.hpp"
#include "sim/rehearsal/rehearsal.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/units.hpp"

namespace cli {
namespace {

// Each seed is rehearsed with each class, and once without faults.
constexpr std::size_t kWithoutFaults = sim::kFindingKindCount;

class Series {
public:
    Series(const RehearseArguments& arguments, Console& console) : arguments_(arguments), console_(console) {
        const bool all = arguments.faults.empty() && !arguments.without_faults;
        for (std::size_t kind = 0; all && kind < sim::kFindingKindCount; ++kind) variants_.push_back(kind);
        if (arguments.faults.empty()) variants_.push_back(kWithoutFaults);
        if (variants_.empty()) variants_.push_back(0);
        total_ = variants_.size() * arguments.seed_count;
    }

    void run(std::uint32_t jobs) {
        do_side_by_side(jobs, total_, [this](std::uint64_t index) { rehearse_one(index); });
    }

    [[nodiscard]] const sim::FaultTallies& tallies() const { return tallies_; }
    [[nodiscard]] std::uint64_t run_count() const { return total_; }
    [[nodiscard]] std::uint64_t failed_count() const { return problems_.size(); }
    // The first runs that went wrong, in the order of the seeds, with commands that repeat them.
    [[nodiscard]] std::string first_problems() const {
        return problems_text(problems_, [this](std::uint64_t index) { return replay_command(index); });
    }

private:
    [[nodiscard]] std::uint64_t seed_of(std::uint64_t index) const { return arguments_.first_seed + index / variants_.size(); }
    [[nodiscard]] std::size_t variant_of(std::uint64_t index) const { return variants_[index % variants_.size()]; }

    [[nodiscard]] std::vector<sim::FaultPlan> plans_of(std::uint64_t index) const {
        const std::uint64_t seed = seed_of(index);
        std::vector<sim::FaultPlan> plans;
        if (arguments_.faults.empty()) {
            if (variant_of(index) != kWithoutFaults) plans = sim::draw_fault_plans(static_cast<sim::FindingKind>(variant_of(index)), seed);
        }
        for (const sim::FaultPlan& fault : arguments_.faults) {
            const auto drawn = fault.rate == 0 ? sim::draw_fault_plans(fault.kind, seed) : std::vector<sim::FaultPlan>{fault};
            plans.insert(plans.end(), drawn.begin(), drawn.end());
        }
        for (sim::FaultPlan& plan : plans) {
            if (arguments_.place) plan.place = *arguments_.place;
            if (arguments_.during) plan.during = arguments_.during;
        }
        return plans;
    }

    [[nodiscard]] std::string replay_command(std::uint64_t index) const {
        std::string command = "ioproof rehearse";
        if (arguments_.faults.empty()) {
            const std::size_t variant = variant_of(index);
            command += fmt::format(" --fault {}", variant == kWithoutFaults ? "none" : name_of(static_cast<sim::FindingKind>(variant)));
        }
        for (const sim::FaultPlan& fault : arguments_.faults) {
            command += fmt::format(" --fault {}", name_of(fault.kind));
            if (fault.rate != 0) command += fmt::format(":{}", fault.rate);
        }
        if (arguments_.place) command += fmt::format(" --place {}", name_of(*arguments_.place));
        if (arguments_.during) command += fmt::format(" --during {}", switch_name_of(*arguments_.during));
        return fmt::format("{} --seed {} --verbose", command, seed_of(index));
    }

    void rehearse_one(std::uint64_t index) {
        const sim::RehearsalReport report = sim::rehearse(seed_of(index), plans_of(index));
        const std::lock_guard guard(mutex_);
        add_tallies(tallies_, report.match.tallies);
        if (arguments_.verbose) tell(index, report);
        if (!report.is_good()) problems_[index] = fmt::format("{}\n", fmt::join(report.match.problems, "\n"));
    }

    void tell(std::uint64_t index, const sim::RehearsalReport& report) {
        std::string text =
            fmt::format("--- seed {}, {} requests, trace {:016x}\n", seed_of(index), report.request_count, report.trace_hash);
        for (const std::string& line : report.log) text += line + "\n";
        for (const sim::InjectedFault& fault : report.faults) text += describe(fault) + "\n";
        console_.add_result(text);
    }

    const RehearseArguments& arguments_;
    Console& console_;
    std::vector<std::size_t> variants_;
    std::uint64_t total_ = 0;
    std::mutex mutex_;  // guards the rest
    sim::FaultTallies tallies_{};
    std::map<std::uint64_t, std::string> problems_;  // by run
};

ExitCode rehearse(const RehearseArguments& arguments, Console& console) {
    const ums::RealClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    Series series(arguments, console);
    series.run(arguments.jobs);
    const double elapsed_s = static_cast<double>(clock.now_ns() - start_ns) / static_cast<double>(ums::kNsPerSecond);
    const std::uint64_t last_seed = arguments.first_seed + arguments.seed_count - 1;
    console.add_result(tallies_text(series.tallies()));
    console.add_result(fmt::format("\nRehearsal of {} on a simulated disk, seeds {} to {}, in {:.1f} s.\n",
                                   reports::counted(series.run_count(), "run"), arguments.first_seed, last_seed, elapsed_s));
    if (series.failed_count() > 0) {
        console.add_result(
            fmt::format("FAILED: {} of the runs went wrong. The first:\n{}", series.failed_count(), series.first_problems()));
        return ExitCode::integrity;
    }
    std::uint64_t exposed = 0;
    for (const sim::FaultTally& tally : series.tallies()) exposed += tally.exposed;
    const bool wanted_faults = !arguments.without_faults;
    console.add_result(
        wanted_faults && exposed == 0
            ? "PASSED, but no fault was given to the program: that proves nothing. Try more seeds or a higher rate.\n"
            : "PASSED: every fault that was given to the program was found and named correctly, and nothing else was reported.\n");
    return ExitCode::ok;
}

}  // namespace

Command rehearse_command() {
    return {.name = "rehearse",
            .operands = "",
            .summary = "prove on a simulated disk that faults are found",
            .description =
                "Proves that the alarm works: performs complete runs, in virtual time, on a simulated disk that goes wrong on purpose, "
                "and compares what was injected with what was found. With --crash the disk loses power instead, honest or lying about "
                "what is durable, and what is left is verified. With --hosts files are handed from host to host, or read by other hosts "
                "while their owner writes, and things go wrong that only several hosts can see. Writes no file.",
            .switches = rehearse_switches(),
            .examples =
                "ioproof rehearse --seeds 100\nioproof rehearse --fault stale_read --seed 7 --verbose\n"
                "ioproof rehearse --crash --lie flush_ignored --seeds 100\nioproof rehearse --hosts --seeds 100\n"
                "ioproof rehearse --hosts --readers in_turn --seeds 100",
            .exit_codes =
                "0 every fault that was given to the program was found and named, and nothing else was reported; with --crash: "
                "all damage that is provable was found, nobody was blamed wrongly\n"
                "1 otherwise\n"
                "2 wrong usage\n"
                "3 it could not be done: a limit of the process was reached\n"
                "130 stopped by a person",
            .execute = [](const Call& call) {
                const RehearseArguments arguments = parse_rehearse(call.words);
                if (arguments.hosts) return rehearse_hosts(arguments, call.console);
                return arguments.crash ? rehearse_crashes(arguments, call.console) : rehearse(arguments, call.console);
            }};
}

}  // namespace cli
