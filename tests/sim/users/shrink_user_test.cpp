// [ShrinkUser] and the sizes of [FileN]: files that shrink and grow while the run goes on.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/limits.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using sim::Options;
using sim::Results;

namespace {

using ums::kMb;

Options shrinking(std::uint64_t initial_mb, std::uint64_t max_mb, std::uint64_t increment_mb) {
    Options options = quiet_options(VirtualRun::kFolder);
    options.files[0].initial_size_mb = initial_mb;
    options.files[0].max_size_mb = max_mb;
    options.files[0].increment_mb = increment_mb;
    options.files[0].shrinkable = true;
    options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 1, .max_extends = 1};
    options.test_cycle_duration_s = 60;
    return options;
}

// The sizes to which the data file was changed.
std::vector<std::uint64_t> sizes_mb(const VirtualRun& run) {
    std::vector<std::uint64_t> sizes;
    for (const Recorded& request : run.storage.requests()) {
        if (request.operation == ums::IoOperation::truncate) sizes.push_back(request.offset_bytes / kMb);
        if (request.operation == ums::IoOperation::allocate) sizes.push_back((request.offset_bytes + request.size_bytes) / kMb);
    }
    return sizes;
}

}  // namespace

TEST_CASE("MinShrinkInterval and MaxShrinkInterval bound the time between two changes of size") {
    for (const auto& [low_s, high_s] : {std::pair{1U, 1U}, {5U, 5U}, {2U, 6U}}) {
        VirtualRun run;
        Options options = shrinking(16, 32, 1);
        options.shrink_user.min_interval_s = low_s;
        options.shrink_user.max_interval_s = high_s;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        const std::uint64_t changes = results.files[0].grown_count + results.files[0].shrunk_count;
        CHECK(changes >= 30 / high_s);
        CHECK(changes <= 60 / low_s + 1);
        CHECK(changes == user(results, "ShrinkUser").cycles);
        CHECK(results.files[0].grown_count > 0);
        CHECK(results.files[0].shrunk_count > 0);
    }
}

TEST_CASE("even a run that is shorter than the interval sees a change of size") {
    VirtualRun run;
    Options options = shrinking(16, 32, 1);
    options.shrink_user.min_interval_s = options.shrink_user.max_interval_s = 600;
    options.test_cycle_duration_s = 5;
    const Results results = run.run(options);
    CHECK(results.files[0].grown_count + results.files[0].shrunk_count == 1);
}

TEST_CASE("a change of size is Increment times a number from MinExtends to MaxExtends") {
    VirtualRun run;
    Options options = shrinking(32, 64, 2);
    options.shrink_user.min_extends = 2;
    options.shrink_user.max_extends = 3;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    std::uint64_t size_mb = 32;
    std::set<std::uint64_t> steps;
    for (const std::uint64_t next_mb : sizes_mb(run)) {
        // A step that would exceed the largest size, or fall below the initial one, is shortened.
        if (next_mb != 64 && next_mb != 32) steps.insert(next_mb > size_mb ? next_mb - size_mb : size_mb - next_mb);
        size_mb = next_mb;
        CHECK(size_mb <= 64);
        CHECK(size_mb >= 32);
    }
    CHECK(steps == std::set<std::uint64_t>{4, 6});
    CHECK(results.files[0].size_bytes == size_mb * kMb);
    CHECK(run.memory.find(options.files[0].path)->size_bytes() == size_mb * kMb);
}

TEST_CASE("if both are possible a file grows as often as it shrinks, and it never shrinks below InitialSize") {
    VirtualRun run;
    Options options = shrinking(8, 512, 1);
    options.test_cycle_duration_s = 400;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    std::uint64_t size_mb = 8;
    int grown = 0;
    int shrunk = 0;
    for (const std::uint64_t next_mb : sizes_mb(run)) {
        CHECK(next_mb >= 8);
        if (size_mb > 8) ++(next_mb > size_mb ? grown : shrunk);
        size_mb = next_mb;
    }
    CHECK(grown + shrunk > 300);
    // Four standard deviations of a fair coin.
    CHECK(std::abs(grown - shrunk) < 4 * std::sqrt(grown + shrunk));
}

TEST_CASE("a shrink reads the pages that it is about to cut off") {
    VirtualRun run;
    const Options options = shrinking(16, 32, 1);
    static_cast<void>(run.run(options));
    const std::string& path = options.files[0].path;
    std::uint64_t size_bytes = 16 * kMb;
    std::set<std::uint64_t> pages_read;
    int cuts = 0;
    for (const Recorded& request : run.storage.requests()) {
        if (request.path != path) continue;
        const std::uint64_t end_bytes = request.offset_bytes + request.size_bytes;
        if (is_read(request)) {
            for (std::uint64_t at = request.offset_bytes; at < end_bytes; at += sim::kPageBytes) pages_read.insert(at / sim::kPageBytes);
        } else if (request.operation == ums::IoOperation::allocate) {
            size_bytes = end_bytes;
            pages_read.clear();
        } else if (request.operation == ums::IoOperation::truncate && request.offset_bytes < size_bytes) {
            ++cuts;
            for (std::uint64_t page = request.offset_bytes / sim::kPageBytes; page < size_bytes / sim::kPageBytes; ++page) {
                INFO("cut to " << request.offset_bytes << ", page " << page);
                REQUIRE(pages_read.count(page) == 1);
            }
            size_bytes = request.offset_bytes;
            pages_read.clear();
        }
    }
    CHECK(cuts > 5);
}

TEST_CASE("a file that is not Shrinkable keeps its size") {
    VirtualRun run;
    Options options = shrinking(8, 16, 1);
    options.files[0].shrinkable = false;
    const Results results = run.run(options);
    CHECK(sizes_mb(run).empty());
    CHECK(results.files[0].size_bytes == 8 * kMb);
    CHECK(user(results, "ShrinkUser").cycles == 0);
}

TEST_CASE("a file that other hosts read grows to its MaxSize and never shrinks") {
    VirtualRun run;
    Options options = shrinking(8, 16, 1);
    options.files_only_grow = true;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(sizes_mb(run) == std::vector<std::uint64_t>{9, 10, 11, 12, 13, 14, 15, 16});
    CHECK(results.files[0].shrunk_count == 0);
}

TEST_CASE("users whose pages have been cut off work elsewhere in the file") {
    std::map<std::pair<std::string, bool>, std::uint64_t> updated;
    for (const bool is_cut : {false, true}) {
        VirtualRun run;
        Options options = shrinking(32, 32, 31);
        options.files[0].shrinkable = false;
        options.test_cycle_duration_s = 1;
        CHECK(run.run(options).outcome == sim::Outcome::passed);
        // The existing file is larger than InitialSize, so the only change of size cuts it, within the first half of the main run.
        options.delete_files_at_startup = false;
        if (is_cut) options.files[0].initial_size_mb = 1;
        options.files[0].shrinkable = is_cut;
        options.shrink_user.min_interval_s = options.shrink_user.max_interval_s = 600;
        options.test_cycle_duration_s = 20;
        options.random_user.user_count = 2;
        options.random_user.jump_to_new_region_chance = 0;
        options.random_user.min_io_chain_pages = options.random_user.max_io_chain_pages = 4;
        options.random_user.max_log_per_buffer_bytes = 512;
        options.random_user.sleep_after_ms = 50;
        options.version_store_user = {.user_count = 2,
                                      .min_pages = 4,
                                      .max_pages = 4,
                                      .store_pages = 64,
                                      .retention_ms = 100,
                                      .delay_after_cycles = 1,
                                      .delay_ms = 50};
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        CHECK(results.files[0].shrunk_count == (is_cut ? 1U : 0U));
        for (const char* name : {"RandomUser", "VersionStoreUser"}) updated[{name, is_cut}] = user(results, name).pages_updated;
    }
    for (const char* name : {"RandomUser", "VersionStoreUser"}) {
        INFO(name);
        CHECK(updated[{name, true}] * 10 > updated[{name, false}] * 8);
    }
}

TEST_CASE("files, including sparse ones, shrink and grow under all users without a finding") {
    for (const bool sparse : {false, true}) {
        for (const bool stamp : {false, true}) {
            VirtualRun run;
            Options options = busy_options(VirtualRun::kFolder);
            options.files[0].increment_mb = 1;
            options.files[0].shrinkable = true;
            options.files[0].sparse = sparse;
            options.stamp_files = stamp;
            options.random_user.sleep_after_ms = 50;
            options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 1, .max_extends = 6};
            options.test_cycle_duration_s = 6;
            const Results results = run.run(options);
            CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
            CHECK(results.files[0].grown_count + results.files[0].shrunk_count >= 4);
        }
    }
}

TEST_CASE("a file that cannot grow for lack of space keeps its size, with a warning") {
    VirtualRun run;
    Options options = shrinking(8, 16, 4);
    options.random_user.user_count = 2;
    run.memory.set_capacity(13 * kMb);
    options.test_cycle_duration_s = 10;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(run.sink.count_of(sim::Severity::warning, "It stays as it is") > 0);
    CHECK(results.files[0].size_bytes <= 9 * kMb);
}

TEST_CASE("a file that cannot shrink loses nothing") {
    VirtualRun run;
    Options options = shrinking(8, 16, 4);
    options.random_user.user_count = 1;
    run.storage.set_fault([](const Recorded& request) {
        return request.operation == ums::IoOperation::truncate ? std::make_error_code(std::errc::operation_not_permitted)
                                                               : std::error_code{};
    });
    options.test_cycle_duration_s = 20;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(run.sink.count_of(sim::Severity::warning, "It stays as it is") > 2);
    CHECK(results.files[0].shrunk_count == 0);
    CHECK(results.files[0].size_bytes == 16 * kMb);
}
