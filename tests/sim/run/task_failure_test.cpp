// An exception leaves a task in the middle of a run: the run ends cleanly, says why, and reports its results so far.
#include "sim/run/task_failure.hpp"

#include <cerrno>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "sim/errors.hpp"
#include "tests/sim/support/faulty_storage.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Outcome;

namespace {

// Full from the n-th write on, and throws when asked for its free space.
class ThrowingStorage final : public ums::ForwardingStorage {
public:
    using ums::ForwardingStorage::ForwardingStorage;
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override {
        if (!throws) return inner().free_space(path, free_bytes);
        if (is_refusal) throw std::system_error(std::make_error_code(std::errc::too_many_files_open), "injected");
        throw std::logic_error("injected");
    }
    bool throws = false;
    bool is_refusal = false;
};

sim::Results run_with_exception(std::uint64_t first_full_write, bool is_refusal, CollectingSink& sink) {
    const Watchdog watchdog("a run with an exception in a task", 100);
    const ums::VirtualClock clock;
    MemoryStorage memory(clock, random_disk(1, 50, 150));
    ThrowingStorage throwing(memory);
    throwing.is_refusal = is_refusal;
    FaultyStorage storage(throwing, clock);
    sim::Options options = busy_options(VirtualRun::kFolder);
    options.seed = 5;
    sim::Simulation simulation(options, storage, clock, sink);
    std::uint64_t count = 0;
    storage.set_rule([&](const ums::IoRequest& request) {
        if (simulation.phase() < sim::Phase::initial_update || request.operation != ums::IoOperation::write) return Fate{};
        throwing.throws = ++count >= first_full_write;
        return throwing.throws ? Fate{.error = ENOSPC} : Fate{};
    });
    return simulation.run();
}

sim::TaskFailure judged(const auto& exception) { return sim::classify_failure(std::make_exception_ptr(exception)); }

}  // namespace

TEST_CASE("an exception in a task ends the run cleanly, as an internal error, with the results so far") {
    for (const std::uint64_t first : {1U, 2U, 5U, 20U, 50U, 100U, 200U, 400U, 800U}) {
        INFO("write " << first << " and all behind it");
        CollectingSink sink;
        const sim::Results results = run_with_exception(first, false, sink);
        CHECK(results.outcome == Outcome::not_done);
        CHECK(results.is_internal_error);
        CHECK_THAT(results.outcome_reason, ContainsSubstring("An internal error of ioproof ended the run: injected."));
        CHECK(results.files.size() == 2);
        CHECK(results.findings.empty());
    }
}

TEST_CASE("what the system refuses to a task is not an internal error") {
    CollectingSink sink;
    const sim::Results results = run_with_exception(100, true, sink);
    CHECK(results.outcome == Outcome::not_done);
    CHECK_FALSE(results.is_internal_error);
    CHECK_THAT(results.outcome_reason, ContainsSubstring("ulimit -n"));
}

TEST_CASE("exceptions are classified as internal errors or failures of the environment") {
    CHECK(judged(std::logic_error("x")).is_internal_error);
    CHECK(judged(7).is_internal_error);
    CHECK_FALSE(judged(std::bad_alloc()).is_internal_error);
    CHECK_THAT(judged(std::bad_alloc()).reason, ContainsSubstring("ulimit -v") && ContainsSubstring("MaxMemoryMB"));
    CHECK_FALSE(judged(sim::EnvironmentError("no room")).is_internal_error);
    CHECK(judged(sim::EnvironmentError("no room")).reason == "no room");
}
