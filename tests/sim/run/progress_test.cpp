// What Simulation::progress() tells another thread.
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
using sim::Phase;

namespace {

// Shows one thread an earlier time, as if that thread had been delayed after reading the clock.
class LateReaderClock final : public ums::Clock {
public:
    static inline thread_local std::uint64_t lag_ns = 0;

    [[nodiscard]] std::uint64_t now_ns() const override { return real_.now_ns() - lag_ns; }
    [[nodiscard]] std::uint64_t utc_us() const override { return real_.utc_us(); }
    [[nodiscard]] bool is_real() const override { return true; }

private:
    const ums::RealClock real_;
};

// Tells when a file is about to be deleted or closed.
class EndTeller final : public ums::ForwardingStorage {
public:
    using ForwardingStorage::ForwardingStorage;

    std::error_code remove(ums::FileHandle file) override {
        if (on_remove) on_remove();
        return ForwardingStorage::remove(file);
    }
    void close(ums::FileHandle file) override {
        if (on_close) on_close();
        ForwardingStorage::close(file);
    }

    std::function<void()> on_remove;
    std::function<void()> on_close;
};

}  // namespace

TEST_CASE("a phase that begins during a call of progress() has an elapsed time of zero, not less") {
    RealRun files;
    const LateReaderClock clock;
    sim::Simulation simulation(busy_options(files.folder.path()), files.storage, clock, files.sink);
    sim::Progress progress;
    bool was_seen = false;
    std::thread other([&] {
        was_seen = wait_for_phase(simulation, Phase::main_run);
        LateReaderClock::lag_ns = 10 * ums::kNsPerSecond;
        progress = simulation.progress();
    });
    const sim::Results results = simulation.run();
    other.join();
    REQUIRE(was_seen);
    CHECK(results.outcome == sim::Outcome::passed);
    CHECK(progress.elapsed_us == 0);
    CHECK(progress.done_fraction == 0);
    CHECK(progress.oldest_io_us == 0);
}

TEST_CASE("the progress of a run says that its files are being closed and deleted, but not before that") {
    VirtualRun files;
    EndTeller storage(files.storage);
    sim::Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 1;
    options.delete_files_at_shutdown = true;
    sim::Simulation simulation(options, storage, files.clock, files.sink);
    std::vector<int> seen;
    std::uint64_t verified = 0;
    storage.on_remove = [&] {
        seen.push_back(simulation.progress().is_closing ? 1 : 0);
        verified = simulation.progress().pages_verified;
    };
    CHECK_FALSE(simulation.progress().is_closing);
    const sim::Results results = simulation.run();
    CHECK(seen == std::vector<int>(options.files.size(), 1));
    // The counts of the run do not end with its files.
    CHECK(verified == results.files.at(0).pages_verified);
    CHECK(simulation.progress().pages_verified == verified);
    CHECK(verified > 0);
}

TEST_CASE("the progress of a verification says that its files are being closed, but not before that") {
    VirtualRun files;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    REQUIRE(files.run(options).outcome == sim::Outcome::passed);
    options.job = sim::Job::verify;
    EndTeller storage(files.storage);
    sim::Simulation simulation(options, storage, files.clock, files.sink);
    bool was_closing_early = false;
    std::vector<int> seen;
    storage.on_close = [&] {
        const bool is_closing = simulation.progress().is_closing;
        if (simulation.phase() == Phase::summary) {
            seen.push_back(is_closing ? 1 : 0);
        } else {
            was_closing_early |= is_closing;
        }
    };
    const sim::Results results = simulation.run();
    CHECK(results.finding_count == 0);
    CHECK(simulation.progress().pages_verified == results.files.at(0).pages_verified);
    CHECK_FALSE(was_closing_early);
    CHECK(seen.size() >= options.files.size());
    CHECK(seen == std::vector<int>(seen.size(), 1));
}

TEST_CASE("the progress of a run that continues counts the requests of its recovery") {
    VirtualRun files;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    REQUIRE(files.run(options).outcome == sim::Outcome::passed);
    options.job = sim::Job::resume;
    sim::Progress seen;
    const sim::Results results = files.run(options, [&files, &seen](sim::Simulation& simulation) {
        files.storage.set_fault([&simulation, &seen](const Recorded&) {
            const Phase phase = simulation.phase();
            if (phase == Phase::page_verification || phase == Phase::redo) seen = simulation.progress();
            return std::error_code{};
        });
    });
    CHECK(results.outcome == sim::Outcome::passed);
    CHECK(seen.io_count > 0);
    CHECK(seen.files.size() == options.files.size());
}

TEST_CASE("the progress of a run that verifies and restores its backup counts the requests of that") {
    VirtualRun files;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.backup_user.folders = options.backup_user.restore_folder = VirtualRun::kFolder;
    std::vector<sim::Progress> seen;
    const sim::Results results = files.run(options, [&files, &seen](sim::Simulation& simulation) {
        files.storage.set_fault([&simulation, &seen](const Recorded& request) {
            const bool is_restored = request.path.find("/restored_") != std::string::npos;
            if (simulation.phase() == Phase::backup && is_write(request) && is_restored) seen.push_back(simulation.progress());
            return std::error_code{};
        });
    });
    CHECK(results.outcome == sim::Outcome::passed);
    REQUIRE(seen.size() > 2);
    CHECK(seen.back().io_count > seen.front().io_count);
    CHECK(seen.back().io_bytes > seen.front().io_bytes);
    CHECK(seen.back().files.size() == options.files.size());
}

TEST_CASE("the elapsed time of a phase does not include what came before it, neither before the first nor in the last one") {
    VirtualRun files;
    files.clock.advance_to(3600 * ums::kNsPerSecond);  // the machine has been running for an hour
    EndTeller storage(files.storage);
    sim::Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 1;
    options.delete_files_at_shutdown = true;
    sim::Simulation simulation(options, storage, files.clock, files.sink);
    CHECK(simulation.progress().elapsed_us == 0);
    std::uint64_t elapsed_us = 0;
    storage.on_remove = [&] { elapsed_us = simulation.progress().elapsed_us; };
    const sim::Results results = simulation.run();
    REQUIRE(results.phases.size() > 1);
    CHECK(results.phases.back().phase == Phase::final_audit);
    CHECK(elapsed_us < results.phases.back().duration_us);
}
