#include "cli/measuring/measure_request.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "cli/words/switch_words.hpp"
#include "sim/bench/bench_options.hpp"
#include "sim/bench/measurement.hpp"
#include "sim/limits.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

using sim::MeasureAccess;
using sim::MeasureContents;

constexpr std::uint32_t kMeasureDepthMax = 65536;

struct MeasureSwitch {
    Switch text;
    void (*apply)(MeasureRequest& request, const SwitchWord& word) = nullptr;
};

std::uint32_t small_number(const SwitchWord& word, std::uint32_t minimum, std::uint32_t maximum) {
    return static_cast<std::uint32_t>(number_of(word, minimum, maximum));
}

std::uint64_t size_of(const SwitchWord& word) {
    const auto size_bytes = parse_byte_size(word.value);
    if (!size_bytes) refuse_value(word, "a size in bytes, as in 8192, 64K, 512M or 4G");
    return *size_bytes;
}

// For switches whose 0 would mean the same as leaving them out.
std::uint64_t size_above_zero(const SwitchWord& word) {
    const std::uint64_t size_bytes = size_of(word);
    if (size_bytes == 0) refuse_value(word, "a size above 0, as in 8192, 64K, 512M or 4G");
    return size_bytes;
}

const MeasurePreset* preset_named(const SwitchWord& word, std::string_view name) {
    if (const MeasurePreset* const preset = find_preset(name)) return preset;
    std::vector<std::string_view> names;
    for (const MeasurePreset& preset : measure_presets()) names.push_back(preset.name);
    refuse_value(word, fmt::format("one of {}", fmt::join(names, ", ")));
}

// "oltp=70,log=20,backup=10"
void set_mix(MeasureRequest& request, const SwitchWord& word) {
    constexpr const char* kAllowed = "classes with whole shares, as in oltp=70,log=20,backup=10";
    for (const std::string_view part : list_parts(word.value)) {
        const std::size_t sign = part.find('=');
        if (sign == std::string::npos) refuse_value(word, kAllowed);
        const auto share = ums::whole_number<std::uint32_t>(part.substr(sign + 1));
        if (!share || *share == 0 || *share > 10'000) refuse_value(word, kAllowed);
        const MeasurePreset* const preset = preset_named(word, part.substr(0, sign));
        const bool is_known =
            std::any_of(request.mix.begin(), request.mix.end(), [&](const MixPart& each) { return each.preset == preset; });
        if (is_known) refuse_value(word, fmt::format("each class once; {} is there twice", preset->name));
        request.mix.push_back({preset, *share});
    }
}

// "90/10,5/20": the first 10 percent of the file get 90 percent of the requests, the next 20 percent get 5.
void set_spans(MeasureRequest& request, const SwitchWord& word) {
    constexpr const char* kAllowed =
        "shares REQUESTS/FILE in percent, one part of the file after the other, as in 90/10 or 50/5,0/20,30/10";
    for (const std::string_view part : list_parts(word.value)) {
        const std::size_t slash = part.find('/');
        if (slash == std::string::npos) refuse_value(word, kAllowed);
        const auto requests = ums::whole_number<std::uint32_t>(part.substr(0, slash));
        const auto file = ums::whole_number<std::uint32_t>(part.substr(slash + 1));
        if (!requests || !file || *requests > 100 || *file == 0 || *file > 100) refuse_value(word, kAllowed);
        request.spans.push_back({*requests, static_cast<double>(*file), 0});
    }
}

// "5000": requests per second; "100M": bytes per second.
void set_rate(MeasureRequest& request, const SwitchWord& word) {
    const auto amount = parse_byte_size(word.value);
    if (!amount || *amount == 0) refuse_value(word, "requests a second, as in 1000, or bytes a second with a unit, as in 100M");
    const bool has_unit = !ums::whole_number<std::uint32_t>(word.value) && word.value.find_first_not_of("0123456789") != std::string::npos;
    (has_unit ? request.rate_bytes_per_s : request.rate_per_s) = static_cast<double>(*amount);
}

void set_contents(MeasureRequest& request, const SwitchWord& word) {
    if (word.value == "pages") {
        request.contents = MeasureContents::pages;
    } else if (word.value == "sectors") {
        request.contents = MeasureContents::sectors;
    } else if (word.value == "noise") {
        request.contents = MeasureContents::incompressible;
    } else if (word.value == "zeros") {
        request.contents = MeasureContents::zeros;
    } else if (word.value == "counting") {
        request.contents = MeasureContents::counting;
    } else {
        refuse_value(word, "pages, sectors, noise, zeros or counting");
    }
}

void set_affinity(MeasureRequest& request, const SwitchWord& word) {
    for (const std::string_view part : list_parts(word.value)) {
        const auto cpu = ums::whole_number<std::uint32_t>(part);
        if (!cpu || *cpu >= sim::kCpuNumbersMax) refuse_value(word, "CPUs 0 to 1023, separated by commas");
        request.affinity.push_back(*cpu);
    }
}

constexpr std::array kMeasureSwitches{
    MeasureSwitch{{.name = "preset",
                   .value = "NAME",
                   .help = "work of SQL Server, as 'ioproof bench --help' describes it: oltp, log, read-ahead,\n"
                           "scan, backup, checkpoint, tempdb, restore or file-init"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.preset = preset_named(word, word.value); }},
    MeasureSwitch{{.name = "mix",
                   .value = "CLASS=N,…",
                   .help = "several presets at once, by their shares of the requests, as in\n"
                           "oltp=70,log=20,backup=10; each on a file of its own, FILE.CLASS"},
                  set_mix},
    MeasureSwitch{
        {.name = "threads", .value = "N", .help = "threads of each file, with --depth requests outstanding together (default: 1)"},
        [](MeasureRequest& request, const SwitchWord& word) { request.threads = small_number(word, 1, 1024); }},
    MeasureSwitch{{.name = "write-percent", .value = "P", .help = "share of writes (default: 0)"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.write_percent = small_number(word, 0, 100); }},
    MeasureSwitch{{.name = "random-percent", .value = "P", .help = "share of random requests; the others continue after the previous one"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.random_percent = small_number(word, 0, 100); }},
    MeasureSwitch{{.name = "hot", .value = "R/F,…", .help = "uneven random requests: R % of them go to F % of the file"}, set_spans},
    MeasureSwitch{
        {.name = "align", .value = "SIZE", .help = "alignment of random requests, stride of sequential ones (default: the block)"},
        [](MeasureRequest& request, const SwitchWord& word) { request.align_bytes = size_above_zero(word); }},
    MeasureSwitch{{.name = "from", .value = "SIZE", .help = "leave out everything before this offset (default: 0)"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.base_bytes = size_of(word); }},
    MeasureSwitch{{.name = "to", .value = "SIZE", .help = "leave out everything after this offset (default: the end of the file)"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.end_bytes = size_above_zero(word); }},
    MeasureSwitch{
        {.name = "contents",
         .value = "KIND",
         .help = "pages, or sectors where blocks are not complete pages: both are verified; noise, zeros\nor counting: not verified"},
        set_contents},
    MeasureSwitch{{.name = "compressible", .value = "P", .help = "share of each 4 KB of noise that is zeros, in percent (default: 0)"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.compressible_percent = small_number(word, 0, 100); }},
    MeasureSwitch{{.name = "duplicate", .value = "P", .help = "share of noise blocks that are the same, in percent (default: 0)"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.duplicate_percent = small_number(word, 0, 100); }},
    MeasureSwitch{{.name = "rate",
                   .value = "N",
                   .help = "requests a second, or bytes with a unit (100M), of each file; latency then counts\n"
                           "from the intended start"},
                  set_rate},
    MeasureSwitch{{.name = "burst", .value = "N", .help = "a thread pauses after this many requests, for --think"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.burst = small_number(word, 1, 1'000'000'000); }},
    MeasureSwitch{{.name = "think", .value = "MS", .help = "the pause after a --burst"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.think_ms = small_number(word, 1, 3'600'000); }},
    MeasureSwitch{{.name = "flush-every", .value = "N", .help = "fdatasync after this many writes of a thread"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.flush_every = small_number(word, 1, 1'000'000'000); }},
    MeasureSwitch{{.name = "mapped",
                   .help = "requests copy to and from a mapping of the file, one after the other; with --durable,\n"
                           "msync after each write. Latencies are those of the system's cache"},
                  [](MeasureRequest& request, const SwitchWord&) { request.mapped = true; }},
    MeasureSwitch{{.name = "warm-up", .value = "S", .help = "seconds of load before the measurement (default: 0)"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.warm_up_s = small_number(word, 0, 86400); }},
    MeasureSwitch{{.name = "cool-down", .value = "S", .help = "seconds of load after it (default: 0)"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.cool_down_s = small_number(word, 0, 86400); }},
    MeasureSwitch{{.name = "interval", .value = "MS", .help = "requests are counted in intervals of this length (default: 1000)"},
                  [](MeasureRequest& request, const SwitchWord& word) { request.interval_ms = small_number(word, 10, 3'600'000); }},
    MeasureSwitch{{.name = "affinity", .value = "CPU,…", .help = "schedulers are bound to these CPUs, in turn"}, set_affinity},
    MeasureSwitch{{.name = "overwrite-foreign-files", .help = "files and devices without ioproof's mark may be written, too"},
                  [](MeasureRequest& request, const SwitchWord&) { request.may_overwrite = true; }},
};

void set_block_sizes(MeasureRequest& request, const SwitchWord& word) {
    const std::size_t dash = word.value.find('-');
    const auto smallest = parse_byte_size(std::string_view(word.value).substr(0, dash));
    const auto largest = dash == std::string::npos ? smallest : parse_byte_size(std::string_view(word.value).substr(dash + 1));
    constexpr std::uint64_t kBlockMax = std::uint64_t{1} << 30;
    if (!smallest || !largest || *smallest == 0 || *smallest > *largest || *largest > kBlockMax || *smallest % 512 != 0 ||
        *largest % 512 != 0) {
        refuse_value(word, "a size in whole sectors of 512 bytes up to 1G, as in 8K, or a range, as in 4K-60K");
    }
    request.block_bytes = static_cast<std::uint32_t>(*largest);
    request.block_bytes_min = dash == std::string::npos ? 0 : static_cast<std::uint32_t>(*smallest);
}

// Older switches of bench, translated for a measurement by specification.
void apply_bench_word(const SwitchWord& word, MeasureRequest& request) {
    const std::string_view name = word.name;
    if (name == "block") return set_block_sizes(request, word);
    if (name == "depth") request.depth = small_number(word, 1, kMeasureDepthMax);
    if (name == "cpus") request.cpus = small_number(word, 1, sim::kCpusMax);
    if (name == "seconds") request.seconds = small_number(word, 1, 86400);
    if (name == "size") request.size_bytes = size_above_zero(word);
    if (name == "seed") request.seed = number_of(word, 0, std::numeric_limits<std::uint64_t>::max());
    if (name == "durable") request.durable = true;
    if (name == "scatter") request.scatter = true;
    if (name == "buffered") request.direct = false;
    if (name == "verify") {
        if (word.value != "on" && word.value != "off") refuse_value(word, "on or off");
        request.verify = word.value == "on";
    }
    if (name == "pattern") {
        if (word.value != "random" && word.value != "sequential") refuse_value(word, "random or sequential");
        request.access = word.value == "random" ? MeasureAccess::random : MeasureAccess::interlocked;
    }
    if (name == "op") {
        if (word.value != "read" && word.value != "write") refuse_value(word, "read or write");
        request.write_percent = word.value == "write" ? 100 : 0;
    }
    if (name != "engine") return;
    const auto choice = engine_named(word.value);
    if (!choice) refuse_value(word, kEngineWordsText);
    request.engine = *choice;
}

// --- the specification ---

void apply_to_target(const MeasureRequest& request, sim::MeasureTarget& target) {
    if (request.block_bytes) {
        target.block_bytes = *request.block_bytes;
        target.block_bytes_min = request.block_bytes_min.value_or(0);
        if (target.piece_bytes > target.block_bytes) target.piece_bytes = 0;
    }
    if (request.access) target.access = *request.access;
    if (request.random_percent) {
        target.random_percent = 0;
        target.access = *request.random_percent == 100 ? MeasureAccess::random
                        : *request.random_percent == 0 ? MeasureAccess::sequential
                                                       : MeasureAccess::mixed;
        if (target.access == MeasureAccess::mixed) target.random_percent = *request.random_percent;
    }
    if (request.write_percent) target.write_percent = *request.write_percent;
    if (request.align_bytes) target.alignment_bytes = *request.align_bytes;
    if (request.contents) target.source.contents = *request.contents;
    const bool is_whole = target.block_bytes % sim::kPageBytes == 0 && target.block_bytes_min % sim::kPageBytes == 0 &&
                          target.alignment_bytes % sim::kPageBytes == 0 && request.base_bytes % sim::kPageBytes == 0;
    const bool wants_noise = request.compressible_percent != 0 || request.duplicate_percent != 0;
    // Blocks that are not whole pages hold sectors, unless pages were requested explicitly, which is refused. Without verification, noise
    // is cheaper.
    if (!request.contents && target.source.contents == MeasureContents::pages && (!is_whole || wants_noise)) {
        target.source.contents = wants_noise || !request.verify ? MeasureContents::incompressible : MeasureContents::sectors;
    }
    target.source.compressible_percent = request.compressible_percent;
    target.source.duplicate_percent = request.duplicate_percent;
    target.spans = request.spans;
    target.base_offset_bytes = request.base_bytes;
    target.max_offset_bytes = request.end_bytes;
    target.burst_requests = request.burst;
    target.think_time_ms = request.think_ms;
    // A class of a mix, or a point of a sweep, may only read. Whoever takes the words refuses the switch where nothing writes.
    target.flush_every_writes = target.write_percent > 0 ? request.flush_every : 0;
    target.write_through = target.write_through || request.durable;
    target.direct = request.direct && !request.mapped;
    target.view = request.mapped ? sim::MeasureView::mapped : sim::MeasureView::none;
    target.may_overwrite = request.may_overwrite;
    target.create_bytes = request.size_bytes;
    target.keep_existing = true;
    if (request.scatter) target.piece_bytes = sim::kPageBytes;
}

sim::MeasureTarget target_of(const MeasureRequest& request, const MeasurePreset* preset, const std::string& path) {
    sim::MeasureTarget target;
    target.path = path;
    target.block_bytes = sim::kPageBytes;
    target.access = MeasureAccess::random;
    target.source.contents = MeasureContents::pages;
    if (preset != nullptr) {
        preset->apply(target);
        target.label = preset->name;
    }
    apply_to_target(request, target);
    return target;
}

// Here it would become a file of that name.
void refuse_null_file(const MeasureRequest& request) {
    if (std::find(request.files.begin(), request.files.end(), sim::kNullFile) == request.files.end()) return;
    throw UsageError(fmt::format(
        "'{}' measures ioproof's own path: only 'ioproof bench' has it, without the switches that its help lists from --preset on",
        sim::kNullFile));
}

void share_among_threads(const MeasureRequest& request, sim::MeasureTarget& target, std::uint32_t depth) {
    if (depth % request.threads != 0) {
        throw UsageError(fmt::format("--threads: {} requests cannot be shared evenly among {} threads", depth, request.threads));
    }
    target.threads = request.threads;
    target.outstanding = depth / request.threads;
    if (request.rate_per_s > 0) target.rate = {sim::MeasureRateUnit::requests_per_s, request.rate_per_s / request.threads};
    if (request.rate_bytes_per_s > 0) target.rate = {sim::MeasureRateUnit::bytes_per_s, request.rate_bytes_per_s / request.threads};
}

}  // namespace

Switches measure_switches() {
    static const std::vector<Switch> texts = [] {
        std::vector<Switch> list;
        for (const MeasureSwitch& entry : kMeasureSwitches) list.push_back(entry.text);
        return list;
    }();
    return texts;
}

void apply_measure_words(const SwitchWords& words, MeasureRequest& request) {
    if (words.has("op") && words.has("write-percent"))
        throw UsageError("--op and --write-percent: both say how many requests write; give one of them");
    if (words.has("pattern") && words.has("random-percent"))
        throw UsageError("--pattern and --random-percent: both say how many requests are random; give one of them");
    for (const SwitchWord& word : words.switches) {
        const auto* const entry = std::find_if(kMeasureSwitches.begin(), kMeasureSwitches.end(),
                                               [&](const MeasureSwitch& each) { return each.text.name == word.name; });
        if (entry != kMeasureSwitches.end()) {
            entry->apply(request, word);
        } else {
            apply_bench_word(word, request);
        }
    }
    request.files = words.operands;
}

std::uint64_t measure_thread_count(const sim::MeasureTimespan& timespan) {
    if (timespan.threads_total != 0) return timespan.threads_total;
    std::uint64_t threads = 0;
    for (const sim::MeasureTarget& target : timespan.targets) threads += target.threads;
    return threads;
}

void refuse_idle_cpus(std::uint32_t cpus, std::uint64_t threads) {
    if (cpus <= threads) return;
    throw UsageError(
        fmt::format("--cpus: a thread runs on one CPU, and there are fewer threads than {}; raise --threads, or leave --cpus out", cpus));
}

sim::MeasureSpec measure_spec_of(const MeasureRequest& request) {
    if (request.files.empty()) throw UsageError("name a file, as in 'ioproof bench /mnt/data/bench.mdx --preset oltp --size 4G'");
    refuse_null_file(request);
    if (request.preset != nullptr && !request.mix.empty()) throw UsageError("--mix: names its presets itself; leave --preset out");
    sim::MeasureSpec spec;
    spec.engine = request.engine;
    spec.verify = request.verify;
    sim::MeasureTimespan timespan;
    timespan.warm_up_s = request.warm_up_s;
    timespan.duration_s = request.seconds;
    timespan.cool_down_s = request.cool_down_s;
    timespan.seed = request.seed;
    timespan.cpu_count = request.cpus;
    timespan.affinity = request.affinity;
    timespan.iops_interval_ms = request.interval_ms;
    constexpr std::uint32_t kDepthDefault = 32;
    if (request.mix.empty()) {
        const std::uint32_t depth = request.depth.value_or(request.preset != nullptr ? std::max(request.preset->depth, request.threads)
                                                                                     : std::max(kDepthDefault, request.threads));
        for (const std::string& file : request.files) {
            timespan.targets.push_back(target_of(request, request.preset, file));
            share_among_threads(request, timespan.targets.back(), depth);
        }
    } else {
        if (request.rate_per_s > 0 || request.rate_bytes_per_s > 0 || request.burst > 0) {
            throw UsageError("--mix: shares are of all requests; leave --rate, --burst and --think out");
        }
        const std::uint32_t depth = request.depth.value_or(kDepthDefault);
        if (depth % request.threads != 0) {
            throw UsageError(fmt::format("--threads: {} requests cannot be shared evenly among {} threads", depth, request.threads));
        }
        timespan.threads_total = request.threads;
        timespan.requests_per_thread = depth / request.threads;
        for (const std::string& file : request.files) {
            for (const MixPart& part : request.mix) {
                timespan.targets.push_back(target_of(request, part.preset, fmt::format("{}.{}", file, part.preset->name)));
                timespan.targets.back().weight = part.share;
            }
        }
    }
    spec.timespans.push_back(std::move(timespan));
    if (const std::string problem = sim::check_measure_spec(spec); !problem.empty()) throw UsageError(problem);
    return spec;
}

}  // namespace cli
