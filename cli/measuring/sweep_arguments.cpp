#include "cli/measuring/sweep_arguments.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "cli/measuring/bench_arguments.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/words/switch_words.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

constexpr std::size_t kRangeMax = 64;

constexpr std::string_view kRangedNames[] = {"depth", "threads", "block", "write-percent"};

// Where a sweep differs from bench without a switch of a measurement.
constexpr std::string_view kSizeOfSweep =
    "make each FILE this large (default: an existing one stays as it is, a new one has 1G). DANGER:\n"
    "if an existing one has another size, it is emptied and refilled, even if it is a file of a run";
constexpr std::string_view kJsonOfSweep = "keep each point in this file as soon as it is measured; --resume continues from there";

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::uint64_t> range_value(std::string_view text, bool is_size) {
    return is_size ? parse_byte_size(text) : ums::whole_number<std::uint64_t>(text);
}

// Adds one part of a list: a value or a range.
bool add_range(std::string_view part, bool is_size, std::vector<std::uint64_t>& values) {
    const std::size_t dots = part.find("..");
    if (dots == std::string_view::npos) {
        const auto value = range_value(part, is_size);
        if (value) values.push_back(*value);
        return value.has_value();
    }
    std::string_view last_text = part.substr(dots + 2);
    const std::size_t plus = last_text.find('+');
    const auto step = plus == std::string_view::npos ? std::optional<std::uint64_t>(0) : range_value(last_text.substr(plus + 1), is_size);
    const auto first = range_value(part.substr(0, dots), is_size);
    const auto last = range_value(last_text.substr(0, plus), is_size);
    if (!first || !last || !step || *first > *last || (plus != std::string_view::npos && *step == 0)) return false;
    if (*step == 0 && *first == 0) return false;
    for (std::uint64_t value = *first; value <= *last && values.size() <= kRangeMax; value = *step == 0 ? value * 2 : value + *step) {
        values.push_back(value);
    }
    return true;
}

std::vector<std::uint32_t> range_of(const SwitchWord& word, bool is_size, std::uint64_t minimum, std::uint64_t maximum) {
    const auto values = parse_range(word.value, is_size, minimum, maximum);
    if (values.empty()) {
        refuse_value(
            word, is_size ? fmt::format("a list or a range of sizes, as in 8K,64K or 4K..1M (doubled), of {} to {}, in whole 512 bytes",
                                        minimum, maximum)
                          : fmt::format("a list or a range, as in 1,4,16 or 1..64 (doubled) or 10..50+10, of {} to {}", minimum, maximum));
    }
    return {values.begin(), values.end()};
}

struct Ranges {
    std::vector<std::uint32_t> depths{1, 2, 4, 8, 16, 32, 64};
    std::vector<std::uint32_t> threads{1};
    std::vector<std::uint32_t> blocks;
    std::vector<std::uint32_t> writes;
};

void take_range(const SwitchWord& word, Ranges& ranges) {
    if (word.name == "depth") ranges.depths = range_of(word, false, 1, 65536);
    if (word.name == "threads") ranges.threads = range_of(word, false, 1, 1024);
    if (word.name == "write-percent") ranges.writes = range_of(word, false, 0, 100);
    if (word.name != "block") return;
    ranges.blocks = range_of(word, true, 512, std::uint64_t{1} << 30);
    for (const std::uint32_t block : ranges.blocks) {
        if (block % 512 != 0) refuse_value(word, "sizes in whole sectors of 512 bytes");
    }
}

// Takes what was not requested from the preset.
void fill_ranges_from(const MeasureRequest& request, Ranges& ranges) {
    const sim::MeasureTarget target = measure_spec_of(request).timespans.front().targets.front();
    if (ranges.blocks.empty()) ranges.blocks = {target.block_bytes};
    if (ranges.writes.empty()) ranges.writes = {target.write_percent};
}

void make_keys(const Ranges& ranges, SweepArguments& arguments) {
    for (const std::uint32_t threads : ranges.threads) {
        for (const std::uint32_t block : ranges.blocks) {
            for (const std::uint32_t write : ranges.writes) {
                for (const std::uint32_t depth : ranges.depths) {
                    if (depth % threads == 0) {
                        arguments.keys.push_back({depth, threads, block, write});
                    } else {
                        arguments.left_out.push_back(fmt::format("depth {} with {} threads", depth, threads));
                    }
                }
            }
        }
    }
    std::sort(arguments.left_out.begin(), arguments.left_out.end());
    arguments.left_out.erase(std::unique(arguments.left_out.begin(), arguments.left_out.end()), arguments.left_out.end());
    if (arguments.keys.empty()) throw UsageError("--threads: no --depth can be shared evenly among that many threads");
}

}  // namespace

std::vector<std::uint64_t> parse_range(const std::string& text, bool is_size, std::uint64_t minimum, std::uint64_t maximum) {
    std::vector<std::uint64_t> values;
    for (const std::string_view part : list_parts(text)) {
        if (!add_range(part, is_size, values)) return {};
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const bool is_allowed = !values.empty() && values.size() <= kRangeMax && values.front() >= minimum && values.back() <= maximum;
    return is_allowed ? values : std::vector<std::uint64_t>{};
}

Switches sweep_switches() {
    static const std::vector<Switch> texts = [] {
        std::vector<Switch> list{
            {.name = "depth", .value = "RANGE", .help = "requests outstanding at a time, of each file (default: 1..64)"},
            {.name = "threads", .value = "RANGE", .help = "threads that share them (default: 1)"},
            {.name = "block", .value = "RANGE", .help = "sizes of blocks (default: 8K, or the preset's)"},
            {.name = "write-percent", .value = "RANGE", .help = "share of writes (default: 0, or the preset's)"},
            {.name = "resume", .help = "continue the sweep of which --json FILE holds a part"},
        };
        for (const Switches table : {bench_own_switches(), measure_switches()}) {
            for (const Switch& entry : table) {
                const bool is_ranged = std::find(std::begin(kRangedNames), std::end(kRangedNames), entry.name) != std::end(kRangedNames);
                if (is_ranged || is_one_of(entry.name, {"mix", "op", "interval"})) continue;
                list.push_back(entry);
                if (entry.name == "size") list.back().help = kSizeOfSweep;
                if (entry.name == "json") list.back().help = kJsonOfSweep;
            }
        }
        return list;
    }();
    return texts;
}

SweepArguments parse_sweep(const std::vector<std::string>& words) {
    SweepArguments arguments;
    SwitchWords typed = parse_words(sweep_switches(), words);
    Ranges ranges;
    SwitchWords common;
    common.operands = typed.operands;
    for (const SwitchWord& word : typed.switches) {
        if (word.name == "json") arguments.json_path = word.value;
        if (word.name == "csv") arguments.csv_path = word.value;
        if (word.name == "html") arguments.html_path = word.value;
        if (word.name == "resume") arguments.resume = true;
        if (is_one_of(word.name, {"json", "csv", "html", "resume"})) continue;
        arguments.asked.push_back(word.value.empty() ? std::string(word.name) : fmt::format("{}={}", word.name, word.value));
        if (is_one_of(word.name, {"depth", "threads", "block", "write-percent"})) {
            take_range(word, ranges);
        } else {
            common.switches.push_back(word);
        }
    }
    apply_measure_words(common, arguments.request);
    if (arguments.resume && arguments.json_path.empty())
        throw UsageError("--resume: needs --json FILE, which holds what has been measured");
    if (arguments.json_path == "-") throw UsageError("--json: a sweep keeps what it has measured in this file; name one");
    arguments.has_blocks = !ranges.blocks.empty();
    fill_ranges_from(arguments.request, ranges);
    const bool only_reads = std::all_of(ranges.writes.begin(), ranges.writes.end(), [](std::uint32_t percent) { return percent == 0; });
    if (arguments.request.durable && only_reads) throw UsageError("--durable: is for writes, and there are none; add --write-percent");
    if (arguments.request.flush_every != 0 && only_reads) {
        throw UsageError("--flush-every: counts writes, and there are none; add --write-percent");
    }
    const std::uint64_t threads_max = *std::max_element(ranges.threads.begin(), ranges.threads.end());
    refuse_idle_cpus(arguments.request.cpus, threads_max * arguments.request.files.size());
    make_keys(ranges, arguments);
    return arguments;
}

}  // namespace cli
