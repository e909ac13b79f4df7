// A run that is stopped, or that cannot go on, ends cleanly and soon, and leaves nothing half-made.
#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "sim/limits.hpp"
#include "tests/sim/support/random_run.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
using sim::Options;
using sim::Outcome;
using sim::Phase;
using sim::Results;

namespace {

using ums::kMb;

Options busy() { return busy_options(VirtualRun::kFolder); }

}  // namespace

TEST_CASE("a run can be stopped at any moment of virtual time and ends within 2 seconds") {
    const std::uint64_t first_seed = ums::testing::test_seed("stops");
    std::set<int> phases;
    constexpr std::uint64_t kUsual = 40;
    for (std::uint64_t i = 0; i < test::fewer_if_sanitized(kUsual); ++i) {
        const std::uint64_t seed = first_seed + i;
        ums::Prng prng(seed);
        Options options = random_options(seed, VirtualRun::kFolder, true);
        options.test_cycle_duration_s = 1;
        options.test_cycles = 3;
        options.delete_files_at_shutdown = false;
        options.tempdb_user = {};  // it would have files of its own
        VirtualRun run(random_disk(seed, 100, 5000));
        run.storage.keep_requests(false);
        // Stops at early requests as often as at late ones.
        const std::uint64_t stop_at = std::uint64_t{1} << prng.below(14);
        std::uint64_t count = prng.below(stop_at);
        std::uint64_t stopped_ns = 0;
        const Results results = run.run(options, [&](sim::Simulation& simulation) {
            run.storage.set_tagger([&] {
                if (++count != stop_at) return 0;
                phases.insert(static_cast<int>(simulation.phase()));
                simulation.request_stop();
                stopped_ns = run.clock.now_ns();
                return 0;
            });
        });
        INFO(stop_at << ": " << summary_of(options) << "\n" << run.sink.text());
        CHECK(run.sink.findings().empty());
        CHECK(run.storage.overlaps().empty());
        CHECK(run.memory.open_count() == 0);
        if (stopped_ns == 0) continue;
        CHECK(results.outcome == Outcome::stopped);
        CHECK(run.clock.now_ns() - stopped_ns < 2 * ums::kNsPerSecond);
        // The remaining files are ours and can be used again.
        if (run.memory.file_count() == 0) continue;
        CHECK(run.memory.file_count() == options.files.size());
        options.test_cycles = 1;
        options.delete_files_at_startup = false;
        CHECK(run.run(options).outcome == Outcome::passed);
    }
    if (test::fewer_if_sanitized(kUsual) == kUsual) CHECK(phases.size() >= 3);
}

TEST_CASE("a run on a slow disk that gets one request at a time ends within 2 seconds, however many wait for their turn") {
    const bool scatter_gather = GENERATE(false, true);
    for (const Phase when : {Phase::initial_update, Phase::main_run, Phase::final_checkpoint}) {
        Options options = busy_options(VirtualRun::kFolder);
        options.cpu_count = 8;
        options.max_memory_mb = 64;
        options.max_outstanding_io = 1;
        options.use_scatter_gather = scatter_gather;
        options.random_user.user_count = 1000;
        options.files[1].initial_size_mb = options.files[1].max_size_mb = 32;
        VirtualRun run(random_disk(1, 4000, 6000));
        run.storage.keep_requests(false);
        std::uint64_t stopped_ns = 0;
        const Results results = run.run(options, [&](sim::Simulation& simulation) {
            run.storage.set_tagger([&, count = 0]() mutable {
                if (stopped_ns != 0 || simulation.phase() != when || ++count != 4) return 0;
                simulation.request_stop();
                stopped_ns = run.clock.now_ns();
                return 0;
            });
        });
        INFO(name_of(when) << "\n" << run.sink.text());
        CHECK(results.outcome == Outcome::stopped);
        CHECK(run.clock.now_ns() - stopped_ns < 2 * ums::kNsPerSecond);
        CHECK(run.sink.findings().empty());
        CHECK(run.storage.overlaps().empty());
    }
}

TEST_CASE("the main run on a slow disk ends with the requests already posted, and reports what it waits for") {
    const bool scatter_gather = GENERATE(false, true);
    Options options = busy_options(VirtualRun::kFolder);
    options.cpu_count = 4;
    options.max_memory_mb = 64;
    options.max_outstanding_io = 64;
    options.use_scatter_gather = scatter_gather;
    options.cache_hit_ratio = 0;
    options.test_cycle_duration_s = 5;
    options.random_user.user_count = 400;
    options.random_user.min_io_chain_pages = options.random_user.max_io_chain_pages = 50;
    options.audit_user.user_count = options.read_ahead_user.user_count = options.bulk_update_user.user_count = 20;
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 32;
    bool is_slow = false;
    VirtualRun run([&](const ums::IoRequest&, std::uint32_t) { return is_slow ? 2300 * ums::kNsPerMs : 100 * ums::kNsPerUs; });
    run.storage.keep_requests(false);
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&] {
            is_slow = simulation.phase() == Phase::main_run;
            return 0;
        });
    });
    INFO(run.sink.text());
    CHECK(results.outcome == Outcome::passed);
    CHECK(run.sink.findings().empty());
    CHECK(run.storage.overlaps().empty());
    CHECK(phase(results, Phase::main_run).duration_us >= 5'000'000);
    CHECK(phase(results, Phase::main_run).duration_us < 15'000'000);
    CHECK(run.sink.text().find("Ending the main run: ") != std::string::npos);
    CHECK(run.sink.text().find("outstanding, the oldest for ") != std::string::npos);
}

TEST_CASE("a run that is stopped while it creates its files removes them") {
    VirtualRun run;
    const Results results = run.run(busy(), [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&, count = 0]() mutable {
            if (++count == 5) simulation.request_stop();
            return 0;
        });
    });
    CHECK(results.outcome == Outcome::stopped);
    CHECK(run.memory.file_count() == 0);
    CHECK(run.memory.open_count() == 0);
}

TEST_CASE("users that wait for log space are released when the run is stopped") {
    VirtualRun run(random_disk(1, 20'000, 50'000));
    Options options = busy();
    options.test_cycle_duration_s = 600;
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 1;
    options.random_user.user_count = 40;
    options.random_user.min_log_per_buffer_bytes = options.random_user.max_log_per_buffer_bytes = 60'000;
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&, count = 0]() mutable {
            if (simulation.phase() == Phase::main_run && ++count == 3000) simulation.request_stop();
            return 0;
        });
    });
    CHECK(results.outcome == Outcome::stopped);
    CHECK(wait_count(results, "LOG_FULL") > 0);
}

TEST_CASE("too little space at the start is an error that says so, and leaves no file behind") {
    for (const bool sparse : {false, true}) {
        VirtualRun run;
        run.memory.set_capacity(10 * kMb);
        Options options = busy();
        options.files[0].sparse = sparse;
        CHECK_THROWS_AS(run.run(options), sim::EnvironmentError);
        CHECK(run.memory.file_count() == 0);
        CHECK(run.memory.open_count() == 0);
    }
}

TEST_CASE("a write that finds no space ends the run as not done") {
    VirtualRun run;
    run.storage.set_fault([](const Recorded& request) {
        const bool full = is_write(request) && request.of_load && request.path.ends_with(".mdx") && request.offset_bytes > 4 * kMb;
        return full ? std::make_error_code(std::errc::no_space_on_device) : std::error_code{};
    });
    const Results results = run.run(busy());
    INFO(run.sink.text());
    CHECK(results.outcome == Outcome::not_done);
    CHECK(results.outcome_reason.find("data.mdx: a write of ") != std::string::npos);
    CHECK(results.outcome_reason.find("MB free") != std::string::npos);
    CHECK(run.sink.findings().empty());
    CHECK(run.sink.count_of(sim::Severity::error) >= 1);
    CHECK(run.memory.open_count() == 0);
}

TEST_CASE("a sync that fails is a finding and fails the run, one that finds no space does neither") {
    for (const bool is_log : {false, true}) {
        for (const int error : {EIO, EREMOTEIO, ENOSPC, EDQUOT}) {
            VirtualRun run;
            run.storage.set_fault([&](const Recorded& request) {
                const bool is_hit = request.operation == ums::IoOperation::sync && request.path.ends_with(is_log ? ".ldx" : ".mdx");
                return is_hit ? std::error_code(error, std::system_category()) : std::error_code{};
            });
            Options options = busy();
            options.write_through = false;
            options.stop_on_error = false;  // the failure ends the run all the same
            const Results results = run.run(options);
            INFO(run.sink.text());
            const bool is_full = error == ENOSPC || error == EDQUOT;
            CHECK(results.outcome == (is_full ? Outcome::not_done : Outcome::failed));
            CHECK(results.outcome_reason.find("cannot be synced") != std::string::npos);
            REQUIRE(results.finding_count == (is_full ? 0 : 1));
            if (is_full) continue;
            CHECK(results.findings[0].kind == sim::FindingKind::io_error);
            CHECK(results.findings[0].request.of_file == sim::FileRequest::sync);
            CHECK(or_empty(results.findings[0].failure).error_code == error);
            CHECK(results.findings[0].place.is_log == is_log);
            REQUIRE(results.files.size() == options.files.size());
            for (const sim::FileResult& file : results.files) CHECK(file.findings == (file.is_log == is_log ? 1 : 0));
        }
    }
}

TEST_CASE("a flush that fails only once, before the final audit reads from the storage, is a finding and fails the run") {
    class RefusingStorage final : public ums::ForwardingStorage {
    public:
        using ForwardingStorage::ForwardingStorage;
        std::error_code drop_cache(ums::FileHandle) override { return std::exchange(error, {}); }
        std::error_code error{EIO, std::system_category()};
    };
    VirtualRun run;
    RefusingStorage storage(run.storage);
    Options options = quiet_options(VirtualRun::kFolder);
    options.stop_on_error = false;
    sim::Simulation simulation(options, storage, run.clock, run.sink);
    const Results results = simulation.run();
    INFO(run.sink.text());
    CHECK(results.outcome == Outcome::failed);
    CHECK(results.outcome_reason.find("cannot be synced: Input/output error") != std::string::npos);
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].kind == sim::FindingKind::io_error);
    CHECK(results.findings[0].request.of_file == sim::FileRequest::sync);
}

TEST_CASE("a storage that fails from the first request on fails the run, and does not count as a run that could not begin") {
    VirtualRun run;
    run.storage.set_fault([](const Recorded&) { return std::make_error_code(std::errc::io_error); });
    const Results results = run.run(busy());
    CHECK(results.outcome == Outcome::failed);
    CHECK(results.outcome_reason.find("the signature page cannot be written") != std::string::npos);
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].kind == sim::FindingKind::io_error);
    CHECK(results.files.empty());
    CHECK(run.memory.file_count() == 0);
    CHECK(run.memory.open_count() == 0);
}

TEST_CASE("a fault during the creation of a file counts for that file") {
    VirtualRun run;
    bool has_failed = false;
    run.storage.set_fault([&](const Recorded& request) {
        const bool fails = !request.of_load && is_write(request) && request.path.ends_with(".ldx") && !std::exchange(has_failed, true);
        return fails ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    Options options = busy();
    options.stop_on_error = false;
    const Results results = run.run(options);
    CHECK(results.outcome == Outcome::failed);
    REQUIRE(results.finding_count == 1);
    CHECK(results.findings[0].transient);
    CHECK(results.warning_count == 0);
    REQUIRE(results.files.size() == options.files.size());
    for (const sim::FileResult& file : results.files) CHECK(file.findings == (file.is_log ? 1 : 0));
}

TEST_CASE("a file that cannot grow for lack of space keeps its size, and the run goes on") {
    VirtualRun run;
    run.storage.set_fault([](const Recorded& request) {
        const bool grows = request.operation == ums::IoOperation::allocate;
        return grows ? std::make_error_code(std::errc::no_space_on_device) : std::error_code{};
    });
    Options options = busy();
    options.files[0].shrinkable = true;
    options.files[0].increment_mb = 1;
    options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1};
    const Results results = run.run(options);
    INFO(run.sink.text());
    CHECK(results.outcome == Outcome::passed);
    CHECK(run.sink.findings().empty());
}

TEST_CASE("a storage that disappears fails and ends the run, with one finding per file") {
    const std::uint64_t first_seed = ums::testing::test_seed("lost storage");
    for (std::uint64_t i = 0; i < 30; ++i) {
        const std::uint64_t seed = first_seed + i;
        ums::Prng prng(seed);
        Options options = random_options(seed, VirtualRun::kFolder, true);
        options.test_cycle_duration_s = 1;
        options.tempdb_user = {};  // it would have files of its own
        VirtualRun run(random_disk(seed, 100, 3000));
        run.storage.keep_requests(false);
        const std::uint64_t lost_at = std::uint64_t{64} << prng.below(8);
        std::uint64_t count = prng.below(lost_at);
        bool is_hit = false;
        run.storage.set_fault([&](const Recorded& request) {
            if (request.of_load) ++count;
            if (count < lost_at) return std::error_code{};
            is_hit = true;
            return std::make_error_code(std::errc::io_error);
        });
        INFO(lost_at << ": " << summary_of(options));
        const Results results = run.run(options);
        INFO(run.sink.text());
        CHECK(run.sink.findings().empty() == !is_hit);
        const auto findings = run.sink.findings();
        const auto resized = std::count_if(findings.begin(), findings.end(), [](const sim::Finding& finding) {
            return finding.request.of_file == sim::FileRequest::resize;  // may have failed before it was known that everything fails
        });
        CHECK(findings.size() <= options.files.size() + static_cast<std::size_t>(resized));
        for (const sim::Finding& finding : run.sink.findings()) {
            CHECK(finding.kind == sim::FindingKind::io_error);
            CHECK_FALSE(finding.transient);
        }
        CHECK(results.outcome == (is_hit ? Outcome::failed : Outcome::passed));
        CHECK(run.memory.open_count() == 0);
    }
}

TEST_CASE("500 users of each kind on one small file get along") {
    VirtualRun run;
    Options options = busy();
    options.random_user = {.user_count = 500, .max_log_per_buffer_bytes = 512, .sleep_after_ms = 1000};
    options.audit_user = {.user_count = 100, .buffers_validated_pages = 64, .delay_after_cycles = 1, .delay_ms = 1000};
    options.read_ahead_user = {.user_count = 100, .min_pages = 32, .max_pages = 64, .delay_after_cycles = 1, .delay_ms = 1000};
    options.bulk_update_user = {.user_count = 100, .min_pages = 32, .max_pages = 64, .delay_after_cycles = 1, .delay_ms = 1000};
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(user(results, "RandomUser").count == 500);
    CHECK(user(results, "RandomUser").cycles >= 500);
}
