// [RandomUser]: every parameter changes what the users do. In virtual time, on a disk in memory.
#include <algorithm>
#include <map>
#include <set>

#include "sim/limits.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::kPageBytes;
using sim::Options;
using sim::Phase;
using sim::Results;
using sim::UserResult;

namespace {

Options random_users(std::int32_t count) {
    Options options = quiet_options(VirtualRun::kFolder);
    options.random_user.user_count = count;
    options.random_user.rollback_chance = 0;
    options.random_user.max_log_per_buffer_bytes = 1024;
    options.random_user.sleep_after_ms = 1;
    return options;
}

UserResult run_random_users(const Options& options) {
    VirtualRun run;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    return user(results, "RandomUser");
}

// The pages that the main run reads from the data file.
std::set<std::uint64_t> pages_read(VirtualRun& run, const Options& options) {
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&simulation] { return static_cast<int>(simulation.phase()); });
    });
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    std::set<std::uint64_t> pages;
    for (const Recorded& request : run.storage.requests()) {
        if (is_read(request) && request.tag == static_cast<int>(Phase::main_run)) pages.insert(request.offset_bytes / kPageBytes);
    }
    return pages;
}

}  // namespace

TEST_CASE("RandomUser UserCount: -1 is two for each CPU and at most 8, 0 is none") {
    for (const auto& [count, expected] : std::map<std::int32_t, std::uint32_t>{{-1, 4}, {0, 0}, {1, 1}, {7, 7}}) {
        const UserResult users = run_random_users(random_users(count));
        CHECK(users.count == expected);
        CHECK((users.cycles > 0) == (expected > 0));
    }
    Options options = random_users(-1);
    options.cpu_count = 6;
    CHECK(run_random_users(options).count == 8);
}

TEST_CASE("a transaction ends when its log is durable") {
    constexpr std::uint64_t kWriteMs = 20;
    VirtualRun run([](const ums::IoRequest& request, std::uint32_t /*outstanding*/) {
        return request.operation == ums::IoOperation::write ? kWriteMs * ums::kNsPerMs : 0;
    });
    Options options = random_users(1);
    options.cache_hit_ratio = 10'000;  // no page is written before it is read again
    options.random_user.read_write_ratio = 10'000;
    options.random_user.sleep_after_ms = 0;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    const std::uint64_t cycles = user(results, "RandomUser").cycles;
    CHECK(cycles > 0);
    CHECK(cycles <= options.test_cycle_duration_s * 1000 / kWriteMs + 1);
}

TEST_CASE("more random users do more") { CHECK(run_random_users(random_users(8)).cycles > 4 * run_random_users(random_users(1)).cycles); }

TEST_CASE("JumpToNewRegionPercentage 0 stays in one region forever, 10000 wanders through the file") {
    Options options = random_users(1);
    options.cache_hit_ratio = 0;
    options.random_user.read_write_ratio = 0;
    options.random_user.min_io_chain_pages = options.random_user.max_io_chain_pages = 20;
    options.random_user.jump_to_new_region_chance = 0;
    VirtualRun staying;
    const std::set<std::uint64_t> one_region = pages_read(staying, options);
    REQUIRE(!one_region.empty());
    CHECK(one_region.size() <= 20);
    CHECK(*one_region.rbegin() - *one_region.begin() < 20);
    options.random_user.jump_to_new_region_chance = 10000;
    VirtualRun wandering;
    CHECK(pages_read(wandering, options).size() > 500);
}

TEST_CASE("a transaction is as long as the region, between MinIOChainLength and MaxIOChainLength pages") {
    for (const std::uint32_t pages : {1U, 7U, 150U}) {
        Options options = random_users(1);
        options.random_user.min_io_chain_pages = options.random_user.max_io_chain_pages = pages;
        const UserResult users = run_random_users(options);
        const std::uint64_t done = users.pages_read + users.pages_updated;
        REQUIRE(users.cycles > 1);
        CHECK(done > pages * (users.cycles - 1));  // the end of the run cuts the last one short
        CHECK(done <= pages * users.cycles);
    }
    Options options = random_users(4);
    options.random_user.min_io_chain_pages = 10;
    options.random_user.max_io_chain_pages = 30;
    options.random_user.jump_to_new_region_chance = 10000;
    const UserResult users = run_random_users(options);
    const double average = static_cast<double>(users.pages_read + users.pages_updated) / static_cast<double>(users.cycles);
    CHECK(average > 17);
    CHECK(average < 23);
}

TEST_CASE("random users with a MaxIOChainLength of 0 do nothing, even without pauses") {
    Options options = random_users(2);
    options.random_user.min_io_chain_pages = options.random_user.max_io_chain_pages = 0;
    options.random_user.sleep_after_ms = 0;
    const UserResult users = run_random_users(options);
    CHECK(users.count == 2);
    CHECK(users.cycles + users.pages_read + users.pages_updated == 0);
}

TEST_CASE("a chain is never longer than the file") {
    Options options = random_users(1);
    options.files[0].initial_size_mb = options.files[0].max_size_mb = 1;
    options.random_user.min_io_chain_pages = options.random_user.max_io_chain_pages = 1000;
    const UserResult users = run_random_users(options);
    CHECK(users.pages_read + users.pages_updated <= 128 * users.cycles);
}

TEST_CASE("RandomUserReadWriteRatio is the share of updated pages") {
    for (const std::uint32_t ratio : {0U, 3000U, 10000U}) {
        Options options = random_users(2);
        options.random_user.read_write_ratio = ratio;
        const UserResult users = run_random_users(options);
        const double share = static_cast<double>(users.pages_updated) / static_cast<double>(users.pages_read + users.pages_updated);
        CHECK(share > ratio / 10000.0 - 0.05);
        CHECK(share < ratio / 10000.0 + 0.05);
        CHECK((users.pages_updated == 0) == (ratio == 0));
        CHECK((users.pages_read == 0) == (ratio == 10000));
    }
}

TEST_CASE("MinLogPerBuffer and MaxLogPerBuffer bound the log bytes of an update") {
    for (const auto& [low, high] : std::map<std::uint32_t, std::uint32_t>{{1, 1}, {64, 64}, {512, 1536}, {8192, 8192}, {64000, 64000}}) {
        VirtualRun run;
        Options options = random_users(1);
        options.random_user.min_log_per_buffer_bytes = low;
        options.random_user.max_log_per_buffer_bytes = high;
        options.random_user.read_write_ratio = 10000;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        const UserResult& users = user(results, "RandomUser");
        REQUIRE(users.pages_updated > 20);
        const double average = static_cast<double>(users.log_bytes) / static_cast<double>(users.pages_updated);
        CHECK(average >= low);
        CHECK(average <= high);
        CHECK(phase(results, Phase::main_run).log_bytes_written > users.log_bytes);
    }
}

TEST_CASE("RollbackChance 10000 changes nothing on disk") {
    VirtualRun run;
    Options options = random_users(4);
    options.random_user.read_write_ratio = 10000;
    options.random_user.rollback_chance = 10000;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    const UserResult& users = user(results, "RandomUser");
    CHECK(users.rollbacks > 100);
    CHECK(users.pages_updated == 0);
    CHECK(users.log_bytes == 0);
    CHECK(phase(results, Phase::main_run).pages_written == 0);
}

TEST_CASE("RollbackChance is the share of updates that are rolled back") {
    Options options = random_users(4);
    options.random_user.read_write_ratio = 10000;
    options.random_user.rollback_chance = 2500;
    const UserResult users = run_random_users(options);
    const double share = static_cast<double>(users.rollbacks) / static_cast<double>(users.rollbacks + users.pages_updated);
    CHECK(share > 0.2);
    CHECK(share < 0.3);
}

TEST_CASE("SleepAfter is the pause after a transaction, and the end of the run wakes sleeping users") {
    Options options = random_users(2);
    options.test_cycle_duration_s = 10;
    options.random_user.min_io_chain_pages = options.random_user.max_io_chain_pages = 2;
    options.random_user.sleep_after_ms = 500;
    const UserResult users = run_random_users(options);
    CHECK(users.cycles >= 2 * 18);
    CHECK(users.cycles <= 2 * 20);
    options.random_user.sleep_after_ms = 3'600'000;
    CHECK(run_random_users(options).cycles == 2);
}

TEST_CASE("YieldPercentage is the chance of giving up the CPU after a page") {
    std::map<std::uint32_t, std::uint64_t> yields;
    std::map<std::uint32_t, std::uint64_t> pages;
    for (const std::uint32_t chance : {0U, 5000U, 10000U}) {
        VirtualRun run;
        Options options = random_users(2);
        options.random_user.yield_chance = chance;
        const Results results = run.run(options);
        for (const sim::SchedulerResult& scheduler : results.schedulers) yields[chance] += scheduler.yields;
        pages[chance] = user(results, "RandomUser").pages_read + user(results, "RandomUser").pages_updated;
    }
    CHECK(yields[0] == 0);  // in virtual time no task uses up its quantum
    CHECK(yields[5000] > pages[5000] / 3);
    CHECK(yields[5000] < pages[5000] * 2 / 3);
    CHECK(yields[10000] >= pages[10000]);
}
