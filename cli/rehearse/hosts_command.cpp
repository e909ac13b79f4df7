#include "cli/rehearse/hosts_command.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "cli/rehearse/rehearsal_text.hpp"
#include "cli/rehearse/side_by_side.hpp"
#include "sim/rehearsal/reader_rehearsal.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/units.hpp"

namespace cli {
namespace {

constexpr std::string_view kHonestHosts = "honest";

// Consecutive owners, or an owner with readers.
struct HostsRehearsal {
    HostsWords words;
    std::vector<HostsRow> rows;
    bool in_turn = false;
    std::function<sim::HostsReport(std::uint64_t seed, std::size_t row)> rehearse;
    std::function<std::string(std::size_t row)> switches;  // of a command that repeats only this row
};

std::string loss_switch(const RehearseArguments& arguments) {
    return arguments.loss ? fmt::format(" --loss {}", name_of(*arguments.loss)) : "";
}

HostsRehearsal hand_overs(const RehearseArguments& arguments) {
    HostsRehearsal rehearsal;
    rehearsal.words = {"hand-", "overs", "owner", "series of owners", "a new owner"};
    for (const sim::HandOverFault fault : arguments.hand_over_faults) rehearsal.rows.push_back({name_of(fault), {}});
    rehearsal.in_turn = arguments.hand_over_in_turn;
    rehearsal.rehearse = [&arguments](std::uint64_t seed, std::size_t row) {
        return sim::rehearse_hand_over(seed, arguments.hand_over_faults[row], arguments.loss);
    };
    rehearsal.switches = [&arguments](std::size_t row) {
        return fmt::format("--hand-over {}{}", name_of(arguments.hand_over_faults[row]), loss_switch(arguments));
    };
    return rehearsal;
}

HostsRehearsal readers(const RehearseArguments& arguments) {
    HostsRehearsal rehearsal;
    rehearsal.words = {"", "readers", "reader", "series of an owner and its readers", "a reader"};
    for (const sim::ReaderFault fault : arguments.reader_faults) rehearsal.rows.push_back({name_of(fault), {}});
    rehearsal.in_turn = arguments.readers_in_turn;
    rehearsal.rehearse = [&arguments](std::uint64_t seed, std::size_t row) {
        return sim::rehearse_readers(seed, arguments.reader_faults[row], arguments.coherence, arguments.loss);
    };
    rehearsal.switches = [&arguments](std::size_t row) {
        const std::string coherence = arguments.coherence ? fmt::format(" --coherence {}", name_of(*arguments.coherence)) : "";
        return fmt::format("--readers {}{}{}", name_of(arguments.reader_faults[row]), coherence, loss_switch(arguments));
    };
    return rehearsal;
}

class HostsSeries {
public:
    HostsSeries(const RehearseArguments& arguments, Console& console)
        : arguments_(arguments),
          console_(console),
          rehearsal_(arguments.readers ? readers(arguments) : hand_overs(arguments)),
          run_count_(arguments.seed_count * (rehearsal_.in_turn ? 1 : rehearsal_.rows.size())) {}

    void run() {
        do_side_by_side(arguments_.jobs, run_count_, [this](std::uint64_t index) { rehearse_one(index); });
    }

    [[nodiscard]] std::uint64_t run_count() const { return run_count_; }
    [[nodiscard]] const std::vector<HostsRow>& rows() const { return rehearsal_.rows; }
    [[nodiscard]] const HostsWords& words() const { return rehearsal_.words; }
    [[nodiscard]] std::string first_problems() const {
        return problems_text(problems_, [this](std::uint64_t index) {
            return fmt::format("ioproof rehearse --hosts {} --seed {} --verbose", rehearsal_.switches(row_of(index)), seed_of(index));
        });
    }

private:
    // With faults in turn, the seed alone determines the fault, so that a seed can be repeated by itself.
    [[nodiscard]] std::uint64_t seed_of(std::uint64_t index) const {
        return arguments_.first_seed + (rehearsal_.in_turn ? index : index / rehearsal_.rows.size());
    }
    [[nodiscard]] std::size_t row_of(std::uint64_t index) const {
        return (rehearsal_.in_turn ? seed_of(index) : index) % rehearsal_.rows.size();
    }
    void rehearse_one(std::uint64_t index) {
        const sim::HostsReport report = rehearsal_.rehearse(seed_of(index), row_of(index));
        const std::lock_guard guard(mutex_);
        rehearsal_.rows[row_of(index)].tally.add(report.tally);
        if (!report.problem.empty()) problems_[index] = report.problem;
        if (arguments_.verbose) console_.add_result(report.text);
    }

    const RehearseArguments& arguments_;
    Console& console_;
    HostsRehearsal rehearsal_;  // mutex_ guards its tallies
    const std::uint64_t run_count_;
    std::mutex mutex_;                               // guards what follows, too
    std::map<std::uint64_t, std::string> problems_;  // by run
};

template <typename... Numbers>
std::string line_of_hosts(std::string_view fault, const Numbers&... numbers) {
    return fmt::format("{:<18}{:>8}{:>9}{:>9}{:>7}{:>7}{:>7}{:>7}{:>8}\n", fault, numbers...);
}

std::string row_text(std::string_view fault, const sim::HostsTally& tally) {
    return line_of_hosts(fault, tally.hosts, tally.injected, tally.given, tally.found, tally.named_right, tally.found - tally.named_right,
                         tally.given - tally.found, tally.false_alarms);
}

sim::HostsTally sum_of(const std::vector<HostsRow>& rows) {
    sim::HostsTally sum;
    for (const HostsRow& row : rows) sum.add(row.tally);
    return sum;
}

}  // namespace

std::string hosts_table_text(const std::vector<HostsRow>& rows, const HostsWords& words) {
    std::string text = line_of_hosts("", words.first_line, "", "given to", "", "named", "named", "", "false");
    text += line_of_hosts("fault", words.second_line, "injected", words.host, "found", "right", "wrong", "missed", "alarms");
    for (const HostsRow& row : rows) text += row_text(row.fault, row.tally);
    return text + row_text("all", sum_of(rows));
}

ExitCode rehearse_hosts(const RehearseArguments& arguments, Console& console) {
    const ums::RealClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    HostsSeries series(arguments, console);
    series.run();
    const double elapsed_s = static_cast<double>(clock.now_ns() - start_ns) / static_cast<double>(ums::kNsPerSecond);
    const HostsWords& words = series.words();
    console.add_result(hosts_table_text(series.rows(), words));
    console.add_result(fmt::format("\nRehearsal of {} {}, in {} of them with a host lost, seeds {} to {}, in {:.1f} s.\n",
                                   series.run_count(), words.series, sum_of(series.rows()).losses, arguments.first_seed,
                                   arguments.first_seed + arguments.seed_count - 1, elapsed_s));
    const bool is_good = std::all_of(series.rows().begin(), series.rows().end(), [](const HostsRow& row) { return row.tally.is_good(); });
    if (!is_good) {
        console.add_result(
            "FAILED: what went wrong between the hosts was missed or named wrongly, or something was blamed wrongly. The first:\n" +
            series.first_problems());
        return ExitCode::integrity;
    }
    const bool wanted_faults =
        std::any_of(series.rows().begin(), series.rows().end(), [](const HostsRow& row) { return row.fault != kHonestHosts; });
    console.add_result(
        wanted_faults && sum_of(series.rows()).given == 0
            ? fmt::format("PASSED, but no fault was given to {}: that proves nothing. Try more seeds.\n", words.given)
            : fmt::format("PASSED: every fault that was given to {} was found and named correctly, and nothing else was reported.\n",
                          words.given));
    return ExitCode::ok;
}

}  // namespace cli
