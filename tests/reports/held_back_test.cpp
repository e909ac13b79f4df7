#include "reports/held_back.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/catch.hpp"

using reports::held_back;
using reports::HeldBack;

namespace {

struct HeldSecond {
    std::uint64_t requests;
    std::uint64_t throttles;
    std::uint32_t blocks;
    sim::Phase phase = sim::Phase::main_run;
};

// `blocks_max`: the most request blocks that the file had.
std::optional<HeldBack> held_back_in(const std::vector<HeldSecond>& seconds, std::uint32_t blocks_max) {
    std::vector<sim::Interval> intervals;
    sim::FileResult file;
    file.request_blocks_max = blocks_max;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        intervals.push_back({.start_us = i * 1'000'000, .duration_us = 1'000'000, .phase = seconds[i].phase});
        sim::FileSample sample;
        sample.writes = seconds[i].requests;
        sample.throttles = seconds[i].throttles;
        sample.request_blocks = seconds[i].blocks;
        file.samples.push_back(sample);
    }
    return held_back(file, intervals);
}

}  // namespace

TEST_CASE("a path that is slower than the target, and one that is limited to a rate, hold the load back all the time") {
    // 60 ms with a target of 20 ms: not even one request at a time comes back in time.
    const auto slow = held_back_in({{19, 19, 1}, {14, 14, 1}, {15, 15, 1}}, 4);
    REQUIRE(slow);
    CHECK(slow->time_us == 3'000'000);
    CHECK(slow->blocks == 1);
    // 60 requests a second: the number of blocks rises and falls.
    const auto limited = held_back_in({{51, 21, 4}, {52, 16, 8}, {51, 21, 9}, {57, 19, 5}, {1, 0, 5}}, 13);
    REQUIRE(limited);
    CHECK(limited->time_us == 4'000'000);
    CHECK(limited->blocks == 6.5);
}

TEST_CASE("a slow log that is used seldom is held back, too, and seconds without requests say nothing about it") {
    const auto held = held_back_in({{1, 1, 1}, {0, 0, 1}, {0, 0, 1}, {3, 3, 1}, {0, 0, 1}}, 2);
    REQUIRE(held);
    CHECK(held->time_us == 2'000'000);
}

TEST_CASE("a stall does not hold a load back") {
    CHECK_FALSE(held_back_in({{395, 0, 5}, {487, 0, 5}, {42, 1, 5}, {586, 0, 5}}, 6));
    // In a short run it may be all the time.
    CHECK_FALSE(held_back_in({{40, 38, 1}}, 40));
    CHECK(held_back_in({{400, 120, 5}}, 40));
}

TEST_CASE("stalls that come again and again among thousands of requests do not hold a load back") {
    const std::vector<HeldSecond> seconds(60, {4000, 7, 40});
    CHECK_FALSE(held_back_in(seconds, 43));
}

TEST_CASE("a load is held back if it was so for half of the time at least") {
    std::vector<HeldSecond> seconds(10, {4000, 0, 40});
    for (std::size_t i = 0; i < 4; ++i) seconds[i] = {60, 20, 6};
    CHECK_FALSE(held_back_in(seconds, 43));
    seconds[4] = {60, 20, 1};
    const auto held = held_back_in(seconds, 43);
    REQUIRE(held);
    CHECK(held->time_us == 5'000'000);
    CHECK(held->blocks == 5);
}

TEST_CASE("only the main run counts") {
    const std::vector<HeldSecond> audits(20, {60, 20, 6, sim::Phase::final_audit});
    CHECK_FALSE(held_back_in(audits, 43));
}
