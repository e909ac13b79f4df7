#include "cli/measuring/bench_arguments.hpp"

#include "cli/process/exit_codes.hpp"
#include "cli/words/switch_words.hpp"
#include "tests/support/catch.hpp"

using cli::BenchArguments;
using cli::parse_bench;

TEST_CASE("sizes are read with their units, and anything else is refused") {
    CHECK(cli::parse_byte_size("512") == 512);
    CHECK(cli::parse_byte_size("8K") == 8192);
    CHECK(cli::parse_byte_size("8k") == 8192);
    CHECK(cli::parse_byte_size("3M") == 3ULL << 20);
    CHECK(cli::parse_byte_size("1T") == 1ULL << 40);
    for (const char* wrong : {"", "K", "8KB", "8X", "-1", "1.5M", "99999999999T", " 8K"}) CHECK_FALSE(cli::parse_byte_size(wrong));
}

TEST_CASE("without switches a file is read at random, page by page, and verified") {
    const BenchArguments arguments = parse_bench({"a.mdx"});
    CHECK(arguments.options.files == std::vector<std::string>{"a.mdx"});
    CHECK(arguments.options.pattern == sim::BenchPattern::random);
    CHECK(arguments.options.operation == sim::BenchOperation::read);
    CHECK(arguments.options.block_bytes_max == 8192);
    CHECK(arguments.options.depth == 32);
    CHECK(arguments.options.cpu_count == 1);
    CHECK(arguments.options.seconds == 5);
    CHECK(arguments.options.size_bytes == 0);
    CHECK(sim::kBenchSizeBytes == 1ULL << 30);
    CHECK(arguments.options.seed == 0);
    CHECK(arguments.options.engine == sim::EngineChoice::automatic);
    CHECK(arguments.options.verify);
    CHECK(arguments.options.direct);
    CHECK_FALSE(arguments.options.durable);
    CHECK_FALSE(arguments.options.scatter);
    CHECK(arguments.paths.json.empty());
}

TEST_CASE("every switch of a measurement is read, with its value attached or separate") {
    const BenchArguments arguments = parse_bench({"a.mdx",
                                                  "--pattern=sequential",
                                                  "--op",
                                                  "write",
                                                  "b.mdx",
                                                  "--block=1M",
                                                  "--depth",
                                                  "8",
                                                  "--cpus=2",
                                                  "--seconds",
                                                  "9",
                                                  "--size=2G",
                                                  "--verify=off",
                                                  "--durable",
                                                  "--scatter",
                                                  "--buffered",
                                                  "--engine",
                                                  "threads",
                                                  "--seed=5",
                                                  "--json",
                                                  "o.json"});
    const sim::BenchOptions& options = arguments.options;
    CHECK(options.files == std::vector<std::string>{"a.mdx", "b.mdx"});
    CHECK(options.pattern == sim::BenchPattern::sequential);
    CHECK(options.operation == sim::BenchOperation::write);
    CHECK(options.block_bytes_min == 1 << 20);
    CHECK(options.block_bytes_max == 1 << 20);
    CHECK(options.depth == 8);
    CHECK(options.cpu_count == 2);
    CHECK(options.seconds == 9);
    CHECK(options.size_bytes == 2ULL << 30);
    CHECK_FALSE(options.verify);
    CHECK(options.durable);
    CHECK(options.scatter);
    CHECK_FALSE(options.direct);
    CHECK(options.engine == sim::EngineChoice::threads);
    CHECK(options.seed == 5);
    CHECK(arguments.paths.json == "o.json");
}

TEST_CASE("a range of block sizes is only for logs") {
    const auto arguments = parse_bench({"a.ldx", "--op=write", "--pattern=sequential", "--block=4K-60K"});
    CHECK(arguments.options.is_log());
    CHECK(arguments.options.block_bytes_min == 4096);
    CHECK(arguments.options.block_bytes_max == 61440);
    CHECK_THROWS_WITH(parse_bench({"a.ldx", "--block=4K-60K"}), ContainsSubstring("are a log's"));
    CHECK_THROWS_WITH(parse_bench({"a.ldx", "--op=write", "--block=12K"}), ContainsSubstring("are a log's"));
}

TEST_CASE("an invalid measurement is refused with what is allowed") {
    struct Wrong {
        std::vector<std::string> words;
        std::string text;
    };
    const std::vector<Wrong> wrong{
        {{}, "name a file"},
        {{"a", "--depth=0"}, "from 1 to 4096"},
        {{"a", "--depth"}, "a value is missing"},
        {{"a", "--durable=yes"}, "takes no value"},
        {{"a", "--deep=3"}, "unknown switch '--deep'; allowed are --pattern"},
        {{"a", "-d", "3"}, "unknown switch '-d'"},
        {{"a", "--depth=3", "--depth=4"}, "given 2 times"},
        {{"a", "--op=erase"}, "read or write"},
        {{"a", "--pattern=zigzag"}, "random or sequential"},
        {{"a", "--verify=maybe"}, "on or off"},
        {{"a", "--block=100"}, "whole sectors of 512 bytes"},
        {{"a", "--block=16M"}, "up to 8M"},
        {{"a", "--block=60K-4K"}, "4K-60K"},
        {{"a", "--size=100K"}, "whole MB"},
        {{"a", "--engine=fast"}, "uring, threads or auto"},
        {{"a", "--durable"}, "add --op write"},
        {{"a", "--durable", "--preset", "read-ahead"}, "--durable: is for writes, and there are none"},
        {{"a", "--durable", "--write-percent", "0"}, "--durable: is for writes, and there are none"},
        {{"a", "--op", "write", "--write-percent", "30"}, "--op and --write-percent: both say how many requests write"},
        {{"a", "--random-percent", "0", "--pattern", "random"}, "--pattern and --random-percent: both say how many requests are random"},
        {{"a", "--cpus", "2", "--preset", "oltp"}, "--cpus: a thread runs on one CPU, and there are fewer threads than 2"},
        {{"a", "b", "--cpus", "3", "--preset", "oltp"}, "fewer threads than 3"},
        {{"a", "--cpus", "4", "--threads", "2", "--mix", "oltp=70,log=30"}, "fewer threads than 4"},
        {{"a", "--flush-every", "8"}, "--flush-every: counts writes, and there are none"},
        {{"a", "--flush-every", "8", "--preset", "read-ahead"}, "--flush-every: counts writes, and there are none"},
        {{"a", "a"}, "named twice"},
        {{"a", "b", "--depth=1"}, "less than the number of files"},
        {{"null:"}, "add --verify=off"},
        {{"null:", "a", "--verify=off"}, "must be the only file"},
        {{"null:", "--verify=off", "--engine=threads"}, "an engine of its own"},
    };
    for (const Wrong& each : wrong) {
        CHECK_THROWS_AS(parse_bench(each.words), cli::UsageError);
        CHECK_THROWS_WITH(parse_bench(each.words), ContainsSubstring(each.text));
    }
}
