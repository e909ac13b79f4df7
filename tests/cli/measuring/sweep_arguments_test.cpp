#include "cli/measuring/sweep_arguments.hpp"

#include "cli/process/exit_codes.hpp"
#include "tests/support/catch.hpp"

using cli::parse_range;
using cli::parse_sweep;
using Values = std::vector<std::uint64_t>;

TEST_CASE("a range is a list, a series of doublings, or a series of steps") {
    CHECK(parse_range("1,4,16", false, 1, 100) == Values{1, 4, 16});
    CHECK(parse_range("1..64", false, 1, 100) == Values{1, 2, 4, 8, 16, 32, 64});
    CHECK(parse_range("3..20", false, 1, 100) == Values{3, 6, 12});
    CHECK(parse_range("10..50+10", false, 1, 100) == Values{10, 20, 30, 40, 50});
    CHECK(parse_range("0..100+50", false, 0, 100) == Values{0, 50, 100});
    CHECK(parse_range("4K..16K,1M", true, 512, 1 << 30) == Values{4096, 8192, 16384, 1048576});
    CHECK(parse_range("8,8,4", false, 1, 100) == Values{4, 8});
}

TEST_CASE("an invalid range is refused") {
    for (const char* text : {"", ",", "a", "1..", "..4", "4..1", "0..8", "1..8+0", "1;2", "101", "1..101+1", "-1", "1..4..8"}) {
        INFO(text);
        CHECK(parse_range(text, false, 1, 100).empty());
    }
}

TEST_CASE("a sweep measures every possible combination, and says which are impossible") {
    const auto sweep = parse_sweep({"b.mdx", "--depth", "1..4", "--threads", "1,2", "--write-percent", "0,30"});
    const auto plain = parse_sweep({"b.mdx"});
    CHECK(plain.keys.size() == 7);
    CHECK(plain.keys.front() == reports::SweepKey{1, 1, 8192, 0});
    CHECK(plain.keys.back() == reports::SweepKey{64, 1, 8192, 0});
    CHECK(sweep.keys.size() == 10);
    CHECK(sweep.left_out == std::vector<std::string>{"depth 1 with 2 threads"});
    CHECK(sweep.keys.front() == reports::SweepKey{1, 1, 8192, 0});
    CHECK_FALSE(sweep.has_blocks);
    const auto oltp = parse_sweep({"b.mdx", "--preset", "oltp", "--block", "8K,64K"});
    CHECK(oltp.keys.size() == 14);
    CHECK(oltp.keys.front().write_percent == 30);
    CHECK(oltp.has_blocks);
    CHECK(parse_sweep({"b.mdx", "--durable", "--write-percent", "0,30"}).keys.size() == 14);
}

TEST_CASE("a sweep flushes at the points that write, and is refused if none does") {
    CHECK(parse_sweep({"b.mdx", "--flush-every", "8", "--write-percent", "0,30"}).keys.size() == 14);
    CHECK(parse_sweep({"b.mdx", "--flush-every", "8", "--preset", "oltp"}).keys.size() == 7);
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"b.mdx", "--flush-every", "8"}, {"b.mdx", "--flush-every", "8", "--preset", "oltp", "--write-percent", "0"}}) {
        CHECK_THROWS_WITH(parse_sweep(words), ContainsSubstring("--flush-every: counts writes, and there are none"));
    }
}

TEST_CASE("a sweep has no more CPUs than its largest number of threads, and no intervals, which it would not show") {
    CHECK(parse_sweep({"b.mdx", "--cpus", "2", "--threads", "1,2"}).request.cpus == 2);
    CHECK(parse_sweep({"a.mdx", "b.mdx", "--cpus", "2"}).request.cpus == 2);
    CHECK_THROWS_WITH(parse_sweep({"b.mdx", "--cpus", "4", "--threads", "1,2"}), ContainsSubstring("fewer threads than 4"));
    CHECK_THROWS_AS(parse_sweep({"b.mdx", "--interval", "100"}), cli::UsageError);
}

TEST_CASE("a sweep refuses what it could neither store nor measure") {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{},
                                                                                       {"b.mdx", "--resume"},
                                                                                       {"b.mdx", "--json", "-"},
                                                                                       {"b.mdx", "--depth", "0"},
                                                                                       {"b.mdx", "--depth", "1,2", "--threads", "4"},
                                                                                       {"b.mdx", "--block", "1000"},
                                                                                       {"b.mdx", "--durable"},
                                                                                       {"b.mdx", "--mix", "oltp=1"},
                                                                                       {"b.mdx", "--preset", "olap"}}) {
        CHECK_THROWS_AS(parse_sweep(words), cli::UsageError);
    }
}
