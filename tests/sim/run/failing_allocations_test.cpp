// Entire runs in virtual time in which the n-th allocation fails, or it and some more after it: each ends cleanly, with the reason, and
// leaves nothing behind (the schedulers assert that). The test replaces operator new in its entire program, so it cannot run where a
// sanitizer does that.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <cstdlib>
#include <new>
#include <optional>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Outcome;

namespace {

// Which allocations of this thread fail, counted from 1 on; none while `first_failing` is 0. Virtual runs have one thread.
thread_local std::uint64_t allocation_count = 0;
thread_local std::uint64_t first_failing = 0;
thread_local std::uint64_t failing_count = 0;

bool fails() {
    if (first_failing == 0) return false;
    ++allocation_count;
    return allocation_count >= first_failing && allocation_count < first_failing + failing_count;
}

}  // namespace

// As the standard requires: the handler may free memory.
void* operator new(std::size_t size_bytes) {
    for (;;) {
        void* const memory = fails() ? nullptr : std::malloc(size_bytes == 0 ? 1 : size_bytes);
        if (memory != nullptr) return memory;
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) throw std::bad_alloc();
        handler();
    }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size_bytes*/) noexcept { std::free(memory); }

namespace {

sim::Options small_run() {
    sim::Options options = busy_options(VirtualRun::kFolder);
    options.cpu_count = 2;
    options.seed = 17;
    return options;
}

// The results, or nothing if the run could not begin.
std::optional<sim::Results> run_with_failures(std::uint64_t first, std::uint64_t count) {
    VirtualRun run;
    const sim::Options options = small_run();
    allocation_count = 0;
    failing_count = count;
    first_failing = first;
    std::optional<sim::Results> results;
    try {
        results = run.run(options);
    } catch (const std::bad_alloc&) {
        results.reset();
    }
    first_failing = 0;
    return results;
}

std::uint64_t allocations_of_a_run() {
    const auto results = run_with_failures(~std::uint64_t{0}, 0);
    REQUIRE(results);
    REQUIRE(results->outcome == Outcome::passed);
    return allocation_count;
}

// Returns how many of the runs ran short of memory after they had begun.
std::uint64_t check_runs(std::uint64_t failing_at_a_time) {
    constexpr std::uint64_t kRuns = 60;
    const std::uint64_t stride = allocations_of_a_run() / kRuns + 1;
    std::uint64_t short_count = 0;
    for (std::uint64_t i = 0; i < kRuns; ++i) {
        const std::uint64_t first = 1 + i * stride;
        INFO("allocation " << first << " and " << failing_at_a_time - 1 << " more fail");
        const auto results = run_with_failures(first, failing_at_a_time);
        if (!results || results->outcome == Outcome::passed) continue;
        ++short_count;
        CHECK(results->outcome == Outcome::not_done);
        CHECK(results->outcome_reason.find("not enough memory") != std::string::npos);
        CHECK(results->findings.empty());
    }
    return short_count;
}

}  // namespace

TEST_CASE("a run whose n-th allocation fails ends cleanly and blames the lack of memory") { CHECK(check_runs(1) > 30); }

TEST_CASE("a run in which several allocations in a row fail ends cleanly and blames the lack of memory") { CHECK(check_runs(6) > 30); }

#endif
