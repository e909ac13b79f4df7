#include "cli/measuring/bench_arguments.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "cli/words/switch_words.hpp"
#include "reports/limit_words.hpp"
#include "sim/limits.hpp"
#include "ums/base/units.hpp"

namespace cli {
namespace {

using ums::kMb;
constexpr std::uint32_t kDepthMax = 4096;
constexpr std::uint64_t kBlockBytesMax = std::uint64_t{sim::kTransferPagesMax} * sim::kPageBytes;

// A switch and what it sets.
struct BenchSwitch {
    Switch text;
    void (*apply)(BenchArguments& arguments, const SwitchWord& word) = nullptr;
};

bool choice(const SwitchWord& word, std::string_view first, std::string_view second) {
    if (word.value == first) return true;
    if (word.value == second) return false;
    refuse_value(word, fmt::format("{} or {}", first, second));
}

// "8K", or "4K-60K" for blocks of random size.
void set_block(BenchArguments& arguments, const SwitchWord& word) {
    const std::string& text = word.value;
    const std::size_t dash = text.find('-');
    const auto smallest = parse_byte_size(std::string_view(text).substr(0, dash));
    const auto largest = dash == std::string::npos ? smallest : parse_byte_size(std::string_view(text).substr(dash + 1));
    const bool is_right = smallest && largest && *smallest > 0 && *smallest <= *largest && *smallest % sim::kSectorBytes == 0 &&
                          *largest % sim::kSectorBytes == 0 && *largest <= kBlockBytesMax;
    if (!is_right) refuse_value(word, "a size in whole sectors of 512 bytes up to 8M, as in 8K, or a range, as in 4K-60K");
    arguments.options.block_bytes_min = static_cast<std::uint32_t>(*smallest);
    arguments.options.block_bytes_max = static_cast<std::uint32_t>(*largest);
}

void set_size(BenchArguments& arguments, const SwitchWord& word) {
    const auto size_bytes = parse_byte_size(word.value);
    const std::uint64_t size_max_bytes = sim::kFilePagesMax / (kMb / sim::kPageBytes) * kMb;
    if (!size_bytes || *size_bytes == 0 || *size_bytes % kMb != 0 || *size_bytes > size_max_bytes) {
        refuse_value(word, "a size in whole MB, as in 512M or 4G, below 32T");
    }
    arguments.options.size_bytes = *size_bytes;
}

void set_engine(BenchArguments& arguments, const SwitchWord& word) {
    const auto choice = engine_named(word.value);
    if (!choice) refuse_value(word, kEngineWordsText);
    arguments.options.engine = *choice;
}

void set_pattern(BenchArguments& arguments, const SwitchWord& word) {
    arguments.options.pattern = choice(word, "random", "sequential") ? sim::BenchPattern::random : sim::BenchPattern::sequential;
}

void set_operation(BenchArguments& arguments, const SwitchWord& word) {
    arguments.options.operation = choice(word, "read", "write") ? sim::BenchOperation::read : sim::BenchOperation::write;
}

void set_depth(BenchArguments& arguments, const SwitchWord& word) {
    arguments.options.depth = static_cast<std::uint32_t>(number_of(word, 1, kDepthMax));
}

void set_cpus(BenchArguments& arguments, const SwitchWord& word) {
    arguments.options.cpu_count = static_cast<std::uint32_t>(number_of(word, 1, sim::kCpusMax));
}

void set_seconds(BenchArguments& arguments, const SwitchWord& word) { arguments.options.seconds = number_of(word, 1, 86400); }

void set_verify(BenchArguments& arguments, const SwitchWord& word) { arguments.options.verify = choice(word, "on", "off"); }

void set_seed(BenchArguments& arguments, const SwitchWord& word) {
    arguments.options.seed = number_of(word, 0, std::numeric_limits<std::uint64_t>::max());
}

constexpr std::array kBenchSwitches{
    BenchSwitch{{.name = "pattern", .value = "random|sequential", .help = "where blocks are read or written (default: random)"},
                set_pattern},
    BenchSwitch{{.name = "op",
                 .value = "read|write",
                 .help = "what requests do (default: read); reads are verified, what was written is read back"},
                set_operation},
    BenchSwitch{{.name = "block",
                 .value = "SIZE",
                 .help = "whole pages of 8K up to 8M (default: 8K, or the preset's). With --op write --pattern\n"
                         "sequential also log blocks: other sizes in whole sectors, or a range as in 4K-60K. With a\n"
                         "switch from --preset on: whole sectors of 512 bytes up to 1G, or such a range"},
                set_block},
    BenchSwitch{{.name = "depth",
                 .value = "N",
                 .help = "requests outstanding at a time (default: 32, or the preset's): of all FILEs together; with a\n"
                         "switch from --preset on, of each FILE; with --mix, of all FILEs and classes together"},
                set_depth},
    BenchSwitch{{.name = "cpus",
                 .value = "N",
                 .help = "schedulers (default: 1, or as many as --threads, but no more than there are CPUs); with a\n"
                         "switch from --preset on, at most as many as there are threads"},
                set_cpus},
    BenchSwitch{
        {.name = "seconds", .value = "N", .help = "length of the measurement (default: 5); preparing the files takes additional time"},
        set_seconds},
    BenchSwitch{{.name = "size",
                 .value = "SIZE",
                 .help = "use this much of each FILE (default: all of an existing one, 1G of a new one). With a switch\n"
                         "from --preset on: make each FILE this large. DANGER: if an existing one has another size, it\n"
                         "is emptied and refilled, even if it is a file of a run"},
                set_size},
    BenchSwitch{{.name = "verify", .value = "on|off", .help = "off: reads are requests alone, and writes are not read back (default: on)"},
                set_verify},
    BenchSwitch{{.name = "durable", .help = "writes are on stable storage when they complete (O_DSYNC)"},
                [](BenchArguments& arguments, const SwitchWord&) { arguments.options.durable = true; }},
    BenchSwitch{{.name = "scatter", .help = "every page of a block in separate memory, no two adjacent"},
                [](BenchArguments& arguments, const SwitchWord&) { arguments.options.scatter = true; }},
    BenchSwitch{{.name = "buffered", .help = "through the system's cache; without it: O_DIRECT"},
                [](BenchArguments& arguments, const SwitchWord&) { arguments.options.direct = false; }},
    BenchSwitch{{.name = "engine", .value = "NAME", .help = "uring, threads or auto (default)"}, set_engine},
    BenchSwitch{{.name = "seed", .value = "N", .help = "seed of the random places (default: 0)"}, set_seed},
};

constexpr std::array kPathSwitches{
    BenchSwitch{{.name = "json", .value = "FILE", .help = "the figures as JSON; '-': to the standard output, instead of the text"},
                [](BenchArguments& arguments, const SwitchWord& word) { arguments.paths.json = word.value; }},
    BenchSwitch{{.name = "csv", .value = "FILE", .help = "the figures as comma-separated values, for spreadsheets"},
                [](BenchArguments& arguments, const SwitchWord& word) { arguments.paths.csv = word.value; }},
    BenchSwitch{{.name = "html", .value = "FILE", .help = "tables and charts as one page for a browser, which needs nothing else"},
                [](BenchArguments& arguments, const SwitchWord& word) { arguments.paths.html = word.value; }},
};

void check_together(const sim::BenchOptions& options) {
    const auto fail = [](const std::string& text) { throw UsageError(text); };
    const bool is_write = options.operation == sim::BenchOperation::write;
    if (options.files.empty()) fail(fmt::format("name a file, as in 'ioproof bench /mnt/data/bench.mdx', or '{}'", sim::kNullFile));
    const bool has_null = std::find(options.files.begin(), options.files.end(), sim::kNullFile) != options.files.end();
    if (has_null && options.files.size() > 1)
        fail(fmt::format("'{}' must be the only file: there is one engine for all files", sim::kNullFile));
    if (has_null && options.verify && !is_write) {
        fail(fmt::format("'{}' transfers nothing, so there is nothing to verify; add --verify=off", sim::kNullFile));
    }
    if (has_null && options.engine != sim::EngineChoice::automatic) fail(fmt::format("'{}' has an engine of its own", sim::kNullFile));
    for (std::size_t i = 0; i < options.files.size(); ++i) {
        if (std::count(options.files.begin(), options.files.end(), options.files[i]) > 1) fail(options.files[i] + ": is named twice");
    }
    if (options.files.size() > options.depth) fail("--depth: is less than the number of files; each file needs at least one request");
    if (options.durable && !is_write) fail("--durable: is for writes; add --op write");
    if (options.is_log() && (!is_write || options.pattern != sim::BenchPattern::sequential || options.scatter)) {
        fail(
            "--block: blocks that are not whole pages of 8K, and blocks of several sizes, are a log's: add --op write --pattern "
            "sequential, and leave --scatter out");
    }
    if (options.is_log() && has_null) fail(fmt::format("--block: '{}' takes whole pages of 8K only", sim::kNullFile));
}

// Whether any of the words is one of the entries.
bool apply_words(std::span<const BenchSwitch> entries, BenchArguments& arguments, const SwitchWords& typed) {
    bool has_any = false;
    for (const SwitchWord& word : typed.switches) {
        for (const BenchSwitch& entry : entries) {
            if (entry.text.name != word.name) continue;
            entry.apply(arguments, word);
            has_any = true;
        }
    }
    return has_any;
}

constexpr std::uint32_t kRoundsMax = 1000;

void add_measure_limits(BenchArguments& arguments, const SwitchWord& word) {
    std::string problem;
    auto some = reports::parse_measure_limits(word.value, problem);
    if (!some) throw UsageError(fmt::format("{}: {}", word.spelling, problem));
    std::move(some->begin(), some->end(), std::back_inserter(arguments.demands.limits));
}

// "5", "5%", "2.5 %"
void set_tolerance(BenchArguments& arguments, const SwitchWord& word) {
    std::string_view text = word.value;
    if (text.ends_with('%')) text.remove_suffix(1);
    const auto percent = reports::limit_number(text);
    if (!percent || *percent > 100) refuse_value(word, "0 to 100 percent, as in 5% or 2.5%");
    arguments.demands.tolerance_percent = percent;
}

constexpr std::array kOutcomeSwitches{
    BenchSwitch{{.name = "repeat", .value = "N", .help = "rounds, reported with mean, deviation and 95 % confidence interval (default: 1)"},
                [](BenchArguments& arguments, const SwitchWord& word) {
                    arguments.plan.rounds = static_cast<std::uint32_t>(number_of(word, 1, kRoundsMax));
                }},
    BenchSwitch{{.name = "until-stable", .help = "rounds until SNIA's steady state; 25 at most, or --repeat"},
                [](BenchArguments& arguments, const SwitchWord&) { arguments.plan.until_stable = true; }},
    BenchSwitch{{.name = "within", .value = "P", .help = "rounds until the confidence interval is ±P %; 25 at most, or --repeat"},
                [](BenchArguments& arguments, const SwitchWord& word) {
                    arguments.plan.within_percent = static_cast<double>(number_of(word, 1, 100));
                }},
    BenchSwitch{{.name = "fail-on",
                 .value = "EXPRESSION",
                 .repeatable = true,
                 .help = "exit with 1 if a figure is beyond this limit: p99.9 > 5ms, log.write.p99 > 2ms,\n"
                         "longest > 1s, average > 800us, requests_per_s < 10000, read.mb_per_s < 200; 'in\n"
                         "FILE' after it: only for this file. May be repeated, or separated by commas"},
                add_measure_limits},
    BenchSwitch{{.name = "baseline",
                 .value = "FILE",
                 .help = "compare with what an earlier --json of the same measurement holds, and exit with 1\n"
                         "if requests per second or average latency are worse by more than --tolerance, and\n"
                         "by more than chance, if both sides have several rounds"},
                [](BenchArguments& arguments, const SwitchWord& word) { arguments.demands.baseline_path = word.value; }},
    BenchSwitch{{.name = "tolerance", .value = "P%", .help = "how much worse than the --baseline is allowed (default: 5%)"}, set_tolerance},
};

bool is_named(Switches switches, std::string_view name) {
    return std::any_of(switches.begin(), switches.end(), [&](const Switch& each) { return each.name == name; });
}

// The default of --repeat where the number of rounds is open.
constexpr std::uint32_t kOpenRounds = 25;

void take_measurement(BenchArguments& arguments, const SwitchWords& typed) {
    if (typed.switches.empty()) return;
    const bool has_outcome = apply_words(kOutcomeSwitches, arguments, typed);
    const bool has_measure = std::any_of(typed.switches.begin(), typed.switches.end(),
                                         [](const SwitchWord& word) { return is_named(measure_switches(), word.name); });
    if (!has_outcome && !has_measure) return;
    if (arguments.plan.until_stable && arguments.plan.within_percent)
        throw UsageError("--within and --until-stable: one of them, not both");
    const bool is_open = arguments.plan.until_stable || arguments.plan.within_percent;
    if (is_open && !typed.has("repeat")) arguments.plan.rounds = kOpenRounds;
    arguments.measure.emplace();
    apply_measure_words(typed, *arguments.measure);
    const sim::MeasureTimespan timespan = measure_spec_of(*arguments.measure).timespans.front();
    const bool only_reads = std::none_of(timespan.targets.begin(), timespan.targets.end(),
                                         [](const sim::MeasureTarget& target) { return target.write_percent > 0; });
    if (arguments.measure->durable && only_reads) {
        throw UsageError("--durable: is for writes, and there are none; add --op write or --write-percent");
    }
    if (arguments.measure->flush_every != 0 && only_reads) {
        throw UsageError("--flush-every: counts writes, and there are none; add --op write or --write-percent");
    }
    refuse_idle_cpus(arguments.measure->cpus, measure_thread_count(timespan));
    // Refuses a wrong limit before anything is touched.
    check_limits(arguments.demands, timespan);
    if (arguments.demands.tolerance_percent && arguments.demands.baseline_path.empty()) {
        throw UsageError("--tolerance: needs a --baseline; name one");
    }
}

}  // namespace

BenchArguments parse_bench(const std::vector<std::string>& words) {
    BenchArguments arguments;
    SwitchWords typed = parse_words(bench_switches(), words);
    take_measurement(arguments, typed);
    apply_words(kPathSwitches, arguments, typed);
    if (arguments.measure) return arguments;
    apply_words(kBenchSwitches, arguments, typed);
    arguments.options.files = std::move(typed.operands);
    check_together(arguments.options);
    return arguments;
}

Switches bench_own_switches() {
    static const std::vector<Switch> texts = [] {
        std::vector<Switch> list;
        for (const BenchSwitch& entry : kBenchSwitches) list.push_back(entry.text);
        for (const BenchSwitch& entry : kPathSwitches) list.push_back(entry.text);
        return list;
    }();
    return texts;
}

Switches bench_switches() {
    static const std::vector<Switch> texts = [] {
        std::vector<Switch> list;
        for (const Switch& entry : bench_own_switches()) list.push_back(entry);
        for (const Switch& entry : measure_switches()) list.push_back(entry);
        for (const BenchSwitch& entry : kOutcomeSwitches) list.push_back(entry.text);
        return list;
    }();
    return texts;
}

}  // namespace cli
