#include "cli/bench_arguments.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "cli/byte_size.hpp"
#include "cli/usage_error.hpp"
#include "sim/limits.hpp"

namespace cli {
namespace {

constexpr std::uint64_t kMb = 1 << 20;
constexpr std::uint32_t kDepthMax = 4096;
constexpr std::uint64_t kBlockBytesMax = std::uint64_t{sim::kTransferPagesMax} * sim::kPageBytes;

// A switch and what it does with its value; flags get an empty one.
struct BenchSwitch {
    bool takes_value = true;
    void (*apply)(BenchArguments& arguments, const std::string& value) = nullptr;
};

[[noreturn]] void refuse(std::string_view name, const std::string& value, const std::string& allowed) {
    throw UsageError(fmt::format("ioproof bench: --{}: '{}' is not allowed; allowed is {}", name, value, allowed));
}

std::uint64_t number(std::string_view name, const std::string& text, std::uint64_t minimum, std::uint64_t maximum) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= minimum && value <= maximum) return value;
    refuse(name, text, fmt::format("a whole number from {} to {}", minimum, maximum));
}

bool choice(std::string_view name, const std::string& text, std::string_view first, std::string_view second) {
    if (text == first) return true;
    if (text == second) return false;
    refuse(name, text, fmt::format("{} or {}", first, second));
}

// "8K", or "4K-60K" for blocks of random size.
void set_block(BenchArguments& arguments, const std::string& text) {
    const std::size_t dash = text.find('-');
    const auto smallest = parse_byte_size(std::string_view(text).substr(0, dash));
    const auto largest = dash == std::string::npos ? smallest : parse_byte_size(std::string_view(text).substr(dash + 1));
    const bool is_right = smallest && largest && *smallest > 0 && *smallest <= *largest && *smallest % sim::kSectorBytes == 0 &&
                          *largest % sim::kSectorBytes == 0 && *largest <= kBlockBytesMax;
    if (!is_right) refuse("block", text, "a size in whole sectors of 512 bytes up to 8M, as in 8K, or two of them, as in 4K-60K");
    arguments.options.block_bytes_min = static_cast<std::uint32_t>(*smallest);
    arguments.options.block_bytes_max = static_cast<std::uint32_t>(*largest);
}

void set_size(BenchArguments& arguments, const std::string& text) {
    const auto size_bytes = parse_byte_size(text);
    const std::uint64_t size_max_bytes = sim::kFilePagesMax / (kMb / sim::kPageBytes) * kMb;
    if (!size_bytes || *size_bytes == 0 || *size_bytes % kMb != 0 || *size_bytes > size_max_bytes) {
        refuse("size", text, "a size in whole MB, as in 512M or 4G, below 32T");
    }
    arguments.options.size_bytes = *size_bytes;
}

void set_engine(BenchArguments& arguments, const std::string& text) {
    static const std::map<std::string, sim::EngineChoice> choices = {
        {"auto", sim::EngineChoice::automatic}, {"uring", sim::EngineChoice::uring}, {"threads", sim::EngineChoice::threads}};
    const auto found = choices.find(text);
    if (found == choices.end()) refuse("engine", text, "uring, threads or auto");
    arguments.options.engine = found->second;
}

const std::map<std::string, BenchSwitch, std::less<>>& switches() {
    static const std::map<std::string, BenchSwitch, std::less<>> table = {
        {"pattern",
         {true,
          [](BenchArguments& arguments, const std::string& value) {
              arguments.options.pattern =
                  choice("pattern", value, "random", "sequential") ? sim::BenchPattern::random : sim::BenchPattern::sequential;
          }}},
        {"op",
         {true,
          [](BenchArguments& arguments, const std::string& value) {
              arguments.options.operation = choice("op", value, "read", "write") ? sim::BenchOperation::read : sim::BenchOperation::write;
          }}},
        {"block", {true, set_block}},
        {"depth",
         {true,
          [](BenchArguments& arguments, const std::string& value) {
              arguments.options.depth = static_cast<std::uint32_t>(number("depth", value, 1, kDepthMax));
          }}},
        {"cpus",
         {true,
          [](BenchArguments& arguments, const std::string& value) {
              arguments.options.cpu_count = static_cast<std::uint32_t>(number("cpus", value, 1, sim::kCpusMax));
          }}},
        {"seconds",
         {true,
          [](BenchArguments& arguments, const std::string& value) { arguments.options.seconds = number("seconds", value, 1, 86400); }}},
        {"size", {true, set_size}},
        {"verify",
         {true,
          [](BenchArguments& arguments, const std::string& value) { arguments.options.verify = choice("verify", value, "on", "off"); }}},
        {"durable", {false, [](BenchArguments& arguments, const std::string&) { arguments.options.durable = true; }}},
        {"scatter", {false, [](BenchArguments& arguments, const std::string&) { arguments.options.scatter = true; }}},
        {"buffered", {false, [](BenchArguments& arguments, const std::string&) { arguments.options.direct = false; }}},
        {"engine", {true, set_engine}},
        {"seed",
         {true,
          [](BenchArguments& arguments, const std::string& value) {
              arguments.options.seed = number("seed", value, 0, std::numeric_limits<std::uint64_t>::max());
          }}},
        {"json", {true, [](BenchArguments& arguments, const std::string& value) { arguments.json_path = value; }}},
    };
    return table;
}

std::string all_switches() {
    std::string text;
    for (const auto& [name, entry] : switches()) text += fmt::format("{}--{}", text.empty() ? "" : ", ", name);
    return text;
}

// Takes the switch at `index`, and its value if that is the next word.
void take_switch(const std::vector<std::string>& words, std::size_t& index, BenchArguments& arguments) {
    const std::string& word = words[index];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto found = word.starts_with("--") ? switches().find(name) : switches().end();
    if (found == switches().end())
        throw UsageError(fmt::format("ioproof bench: unknown switch '{}'; allowed are {}", word, all_switches()));
    std::string value;
    if (found->second.takes_value) {
        if (equals != std::string::npos) {
            value = word.substr(equals + 1);
        } else if (index + 1 < words.size()) {
            value = words[++index];
        }
        if (value.empty()) throw UsageError(fmt::format("ioproof bench: --{}: a value is missing", name));
    } else if (equals != std::string::npos) {
        throw UsageError(fmt::format("ioproof bench: --{}: takes no value", name));
    }
    found->second.apply(arguments, value);
}

void check_together(const sim::BenchOptions& options) {
    const auto fail = [](const std::string& text) { throw UsageError("ioproof bench: " + text); };
    const bool is_write = options.operation == sim::BenchOperation::write;
    if (options.files.empty()) fail(fmt::format("name a file, as in 'ioproof bench /mnt/data/bench.mdx', or '{}'", sim::kNullFile));
    const bool has_null = std::find(options.files.begin(), options.files.end(), sim::kNullFile) != options.files.end();
    if (has_null && options.files.size() > 1) fail(fmt::format("'{}' stands alone: there is one engine for all files", sim::kNullFile));
    if (has_null && options.verify && !is_write) {
        fail(fmt::format("'{}' transfers nothing, so there is nothing to verify; add --verify=off", sim::kNullFile));
    }
    if (has_null && options.engine != sim::EngineChoice::automatic) fail(fmt::format("'{}' has an engine of its own", sim::kNullFile));
    for (std::size_t i = 0; i < options.files.size(); ++i) {
        if (std::count(options.files.begin(), options.files.end(), options.files[i]) > 1) fail(options.files[i] + ": is named twice");
    }
    if (options.files.size() > options.depth) fail("--depth: is less than the number of files; each file gets one request at least");
    if (options.durable && !is_write) fail("--durable: says something about writes; add --op write");
    if (options.is_log() && (!is_write || options.pattern != sim::BenchPattern::sequential || options.scatter)) {
        fail(
            "--block: blocks that are not whole pages of 8K, and blocks of several sizes, are a log's: add --op write --pattern "
            "sequential, "
            "and leave --scatter out");
    }
    if (options.is_log() && has_null) fail(fmt::format("--block: '{}' takes whole pages of 8K only", sim::kNullFile));
}

}  // namespace

BenchArguments parse_bench(const std::vector<std::string>& words) {
    BenchArguments arguments;
    for (std::size_t index = 0; index < words.size(); ++index) {
        if (words[index].starts_with("-") && words[index] != "-") {
            take_switch(words, index, arguments);
        } else {
            arguments.options.files.push_back(words[index]);
        }
    }
    check_together(arguments.options);
    return arguments;
}

std::string bench_help_text() {
    return "Usage: ioproof bench FILE… [SWITCHES]\n"
           "\n"
           "Measures what a run's own path does on these files: scheduler, engine, pages, verification. A file that a\n"
           "run or a measurement left behind is used as it is: its pages are examined first, and must stay what they\n"
           "are. A file that is missing is made, filled with pages, and stays. Other files are refused.\n"
           "The FILE 'null:' is no file: requests succeed at once, which shows what the path costs without a device.\n"
           "\n"
           "Switches:\n"
           "  --pattern random|sequential   (random)\n"
           "  --op read|write               (read) reads are verified; what was written is read back afterwards\n"
           "  --block SIZE                  (8K) whole pages of 8K up to 8M; with --op write --pattern sequential also\n"
           "                                log blocks: other sizes in whole sectors, or a range as in 4K-60K\n"
           "  --depth N                     (32) requests outstanding at a time, all CPUs together\n"
           "  --cpus N                      (1) schedulers\n"
           "  --seconds N                   (5) of measurement; preparing the files comes on top\n"
           "  --size SIZE                   use so much of each file; (all of a file that is there, 1G of a new one)\n"
           "  --verify=on|off               (on) off: reads are requests alone, and writes are not read back\n"
           "  --durable                     writes are on stable storage when they complete (O_DSYNC)\n"
           "  --scatter                     every page of a block in memory of its own, no two side by side\n"
           "  --buffered                    through the system's cache (without: O_DIRECT)\n"
           "  --engine NAME                 uring, threads or auto (default)\n"
           "  --seed N                      (0) of the places\n"
           "  --json FILE                   the figures as JSON; '-': to the standard output, instead of the text\n"
           "  -h, --help                    this text\n"
           "\n"
           "Examples:\n"
           "  ioproof bench null: --verify=off\n"
           "  ioproof bench /mnt/data/bench.mdx --depth 64 --seconds 10\n"
           "  ioproof bench /mnt/data/bench.mdx --block 512K --depth 8 --scatter\n"
           "  ioproof bench /mnt/log/bench.ldx --op write --pattern sequential --block 4K-60K --durable --depth 1\n"
           "\n"
           "Exit codes: 0 done, 1 a page was wrong, 2 usage, 3 it could not be done, 130 stopped by a person.\n";
}

}  // namespace cli
