// [AuditUser], [ReadAheadUser], [BulkUpdateUser]: every parameter changes what the users do. In virtual time, on a disk in memory.
#include <algorithm>
#include <set>
#include <string>

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

Options quiet_users() { return quiet_options(VirtualRun::kFolder); }

struct Ran {
    Results results;
    std::set<std::uint64_t> read_pages;     // sizes of the requests of the main run
    std::set<std::uint64_t> written_pages;  // to the data files
};

Ran run_range_users(const Options& options) {
    VirtualRun run;
    Ran ran;
    ran.results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&simulation] { return static_cast<int>(simulation.phase()); });
    });
    CHECK(what_is_wrong(options, ran.results, run.sink, run.storage) == "");
    for (const Recorded& request : run.storage.requests()) {
        if (!request.path.ends_with(".mdx") || request.tag != static_cast<int>(Phase::main_run)) continue;
        if (is_read(request)) ran.read_pages.insert(request.size_bytes / kPageBytes);
        if (is_write(request)) ran.written_pages.insert(request.size_bytes / kPageBytes);
    }
    return ran;
}

// One of the three kinds of users, so that their common behavior is tested once.
struct Kind {
    std::string name;
    void (*set)(Options& options, std::int32_t count, std::uint32_t cycles, std::uint32_t delay_ms);
};

const Kind kKinds[] = {
    {"AuditUser",
     [](Options& options, std::int32_t count, std::uint32_t cycles, std::uint32_t delay_ms) {
         options.audit_user = {.user_count = count, .buffers_validated_pages = 16, .delay_after_cycles = cycles, .delay_ms = delay_ms};
     }},
    {"ReadAheadUser",
     [](Options& options, std::int32_t count, std::uint32_t cycles, std::uint32_t delay_ms) {
         options.read_ahead_user = {
             .user_count = count, .min_pages = 8, .max_pages = 16, .delay_after_cycles = cycles, .delay_ms = delay_ms};
     }},
    {"BulkUpdateUser",
     [](Options& options, std::int32_t count, std::uint32_t cycles, std::uint32_t delay_ms) {
         options.bulk_update_user = {
             .user_count = count, .min_pages = 8, .max_pages = 16, .delay_after_cycles = cycles, .delay_ms = delay_ms};
     }},
};

}  // namespace

TEST_CASE("audit, read-ahead and bulk users: UserCount -1 is two per CPU, 0 is none") {
    for (const Kind& kind : kKinds) {
        INFO(kind.name);
        for (const std::int32_t count : {-1, 0, 3}) {
            Options options = quiet_users();
            kind.set(options, count, 1, 20);
            const UserResult users = user(run_range_users(options).results, kind.name);
            CHECK(users.count == static_cast<std::uint32_t>(count == -1 ? 4 : count));
            CHECK((users.cycles > 0) == (count != 0));
            CHECK((users.pages_read + users.pages_updated > 0) == (count != 0));
        }
    }
}

TEST_CASE("audit, read-ahead and bulk users pause after DelayAfterCycles cycles") {
    for (const Kind& kind : kKinds) {
        INFO(kind.name);
        Options options = quiet_users();
        options.test_cycle_duration_s = 10;
        kind.set(options, 1, 5, 500);
        const std::uint64_t cycles = user(run_range_users(options).results, kind.name).cycles;
        CHECK(cycles >= 5 * 18);
        CHECK(cycles <= 5 * 20);
        kind.set(options, 1, 1, 500);
        CHECK(user(run_range_users(options).results, kind.name).cycles <= 20);
    }
}

TEST_CASE("audit, read-ahead and bulk users: a delay of 0, or a delay after 0 cycles, is no delay") {
    for (const Kind& kind : kKinds) {
        INFO(kind.name);
        Options options = quiet_users();
        kind.set(options, 1, 0, 500);
        CHECK(user(run_range_users(options).results, kind.name).cycles > 500);
        kind.set(options, 1, 1, 0);
        CHECK(user(run_range_users(options).results, kind.name).cycles > 500);
    }
}

TEST_CASE("BuffersValidated is the step size of the audit") {
    for (const std::uint32_t pages : {1U, 64U, 128U}) {
        Options options = quiet_users();
        options.audit_user = {.user_count = 1, .buffers_validated_pages = pages, .delay_after_cycles = 1, .delay_ms = 5};
        const Ran ran = run_range_users(options);
        // The end of the file may cut a step short.
        CHECK(*ran.read_pages.rbegin() == pages);
        CHECK(ran.read_pages.size() <= 2);
        const UserResult& users = user(ran.results, "AuditUser");
        CHECK(users.pages_read <= users.cycles * pages);
        CHECK(users.pages_read > 0);
    }
}

TEST_CASE("BuffersRAMin and BuffersRAMax bound the size of a read-ahead, up to 1024 pages") {
    Options options = quiet_users();
    options.read_ahead_user = {.user_count = 1, .min_pages = 40, .max_pages = 48, .delay_after_cycles = 1, .delay_ms = 5};
    options.force_read_ahead = true;
    const Ran usual = run_range_users(options);
    CHECK(*usual.read_pages.begin() == 40);
    CHECK(*usual.read_pages.rbegin() == 48);
    options.read_ahead_user.min_pages = options.read_ahead_user.max_pages = 1024;
    options.files[0].initial_size_mb = options.files[0].max_size_mb = options.max_memory_mb = 80;
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 16;
    options.read_ahead_user.delay_ms = 100;
    const Ran large = run_range_users(options);
    CHECK(large.read_pages == std::set<std::uint64_t>{1024});
    options.read_ahead_user.max_pages = 3000;
    CHECK(run_range_users(options).read_pages == std::set<std::uint64_t>{1024});
}

TEST_CASE("read-ahead and bulk users with a maximum of 0 pages do nothing, even without pauses") {
    Options options = quiet_users();
    options.read_ahead_user = {.user_count = 1, .min_pages = 0, .max_pages = 0, .delay_after_cycles = 0, .delay_ms = 0};
    options.bulk_update_user = {.user_count = 1, .min_pages = 0, .max_pages = 0, .delay_after_cycles = 0, .delay_ms = 0};
    const Results results = run_range_users(options).results;
    for (const char* name : {"ReadAheadUser", "BulkUpdateUser"}) {
        INFO(name);
        const UserResult users = user(results, name);
        CHECK(users.count == 1);
        CHECK(users.cycles + users.pages_read + users.pages_updated == 0);
    }
}

TEST_CASE("a read-ahead takes at most an eighth of a small pool") {
    Options options = quiet_users();
    options.read_ahead_user = {.user_count = 4, .min_pages = 1024, .max_pages = 1024, .delay_after_cycles = 1, .delay_ms = 5};
    CHECK(*run_range_users(options).read_pages.rbegin() == 128);
}

TEST_CASE("a step of the audit takes at most an eighth of a small pool") {
    Options options = quiet_users();
    options.audit_user = {.user_count = 4, .buffers_validated_pages = 1024, .delay_after_cycles = 1, .delay_ms = 5};
    CHECK(*run_range_users(options).read_pages.rbegin() == 128);
}

TEST_CASE("BuffersBUMin and BuffersBUMax bound the size of a bulk update, which is written immediately") {
    for (const auto& [low, high] : {std::pair{8U, 8U}, {100U, 128U}, {300U, 300U}}) {
        Options options = quiet_users();
        options.bulk_update_user = {.user_count = 1, .min_pages = low, .max_pages = high, .delay_after_cycles = 1, .delay_ms = 20};
        options.checkpoint_interval_ms = 60'000;
        options.cache_hit_ratio = 10000;
        const Ran ran = run_range_users(options);
        const UserResult& users = user(ran.results, "BulkUpdateUser");
        CHECK(users.pages_updated >= users.cycles * low);
        CHECK(users.pages_updated <= users.cycles * high);
        // A gather write has at most 128 pages.
        CHECK(*ran.written_pages.rbegin() <= std::min(high, 128U));
        CHECK(*ran.written_pages.rbegin() >= std::min(low, 128U));
        // What the end of the main run interrupts is left to the checkpoint.
        const std::uint64_t at_once = phase(ran.results, Phase::main_run).pages_written;
        CHECK(at_once + phase(ran.results, Phase::final_checkpoint).pages_written == users.pages_updated);
        CHECK(at_once + high >= users.pages_updated);
        CHECK(phase(ran.results, Phase::main_run).pages_read == 0);
    }
}

TEST_CASE("a bulk update may be larger than the pool") {
    constexpr std::uint32_t kPages = 2000;  // the pool has 1024
    Options options = quiet_users();
    options.files[0].initial_size_mb = 16;
    options.bulk_update_user = {.user_count = 1, .min_pages = kPages, .max_pages = kPages, .delay_after_cycles = 1, .delay_ms = 20};
    const UserResult users = user(run_range_users(options).results, "BulkUpdateUser");
    REQUIRE(users.cycles > 1);
    CHECK(users.pages_updated >= (users.cycles - 1) * kPages);  // the end of the run cuts the last one short
}

TEST_CASE("a bulk update reads the pages that it overwrites, as often as CacheHitRatio allows") {
    for (const std::uint32_t ratio : {0U, 10000U}) {
        Options options = quiet_users();
        options.bulk_update_user = {.user_count = 1, .min_pages = 40, .max_pages = 40, .delay_after_cycles = 1, .delay_ms = 20};
        options.cache_hit_ratio = ratio;
        const UserResult users = user(run_range_users(options).results, "BulkUpdateUser");
        CHECK(users.pages_updated > 0);
        CHECK(users.pages_read == (ratio == 0 ? users.pages_updated : 0));
    }
}
