// The files of a run, into which a measurement has written since, and what a verification says.
#include "sim/verify/later_measurement.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/errors.hpp"
#include "sim/page/measure_mark.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::kPageBytes;
using sim::Outcome;
using sim::Results;

namespace {

void put_page(LeftRun& left, const sim::PageIdentity& identity) {
    const PageBuffer page(identity);
    left.data().write(std::uint64_t{identity.page_id} * kPageBytes, page.data(), kPageBytes);
}

}  // namespace

TEST_CASE("pages that a measurement has written since are no fault, but leave nothing to verify or to continue with") {
    const auto job = GENERATE(sim::Job::verify, sim::Job::resume, sim::Job::repair);
    const bool is_of_run = GENERATE(true, false);
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    const std::uint32_t version = left.header(page).version;
    const std::uint64_t later_utc_us = left.durability().last_write_utc_us + 1;
    // ioproof's own path goes on with the versions of the run; a measurement of the storage counts from 1.
    put_page(left, is_of_run ? sim::PageIdentity{left.run_id, 1, page, version + 1, 0, later_utc_us}
                             : sim::PageIdentity{left.run_id + 1, 1, page, 1, 0, later_utc_us});
    const std::vector<std::byte> before = all_bytes(left.data());
    const Results results = left.work(job);
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::not_done);
    CHECK_THAT(results.outcome_reason, ContainsSubstring(left.data_path() + ": a measurement") && ContainsSubstring("page "));
    CHECK(all_bytes(left.data()) == before);
}

TEST_CASE("a page of a measurement is no fault even if the log does not mention the page") {
    LeftRun left;
    left.forget_changes_before_checkpoint();
    const std::uint32_t page = left.busy_page();
    put_page(left, {left.run_id, 1, page, left.header(page).version + 1, 0, 1});
    const Results results = left.verify();
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::not_done);
}

TEST_CASE("what an earlier measurement left is a fault where the run has written, and so are later pages of another run") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    const std::uint64_t last_utc_us = left.durability().last_write_utc_us;
    put_page(left, {left.run_id + 1, 1, page, 1, 0, last_utc_us - 1});
    CHECK(kinds(left.verify()) == "lost_write");
    put_page(left, {left.run_id + 1, 1, page, 1, 5, last_utc_us + 1});
    CHECK(kinds(left.verify()) == "lost_write");
}

TEST_CASE("a data file or log that begins with the mark of a measurement leaves nothing to verify or to continue with") {
    const bool is_log = GENERATE(true, false);
    LeftRun left;
    std::vector<std::byte> mark(sim::kMeasureMarkBytes);
    sim::make_measure_mark(mark.data());
    (is_log ? left.log() : left.data()).write(0, mark.data(), mark.size());
    for (const auto job : {sim::Job::verify, sim::Job::resume, sim::Job::repair}) {
        CHECK_THROWS_WITH(left.work(job), ContainsSubstring((is_log ? left.log_path() : left.data_path()) + ": a measurement"));
        CHECK_THROWS_AS(left.work(job), sim::EnvironmentError);
        // The mark has no time: it may also be what the run had overwritten.
        CHECK_THROWS_WITH(left.work(job), ContainsSubstring("this file since the run, keep it") && ContainsSubstring("or lost what"));
    }
}

TEST_CASE("a data file that a measurement has filled anew leaves nothing to verify, one of a new run is still judged") {
    LeftRun left;
    const std::uint64_t later_utc_us = left.durability().last_write_utc_us + 1;
    left.data().resize(left.data().size_bytes() / 2);
    put_page(left, {left.run_id + 1, 1, 0, 1, 0, later_utc_us});
    CHECK(kinds(left.verify()).find("lost_write") != std::string::npos);
    put_page(left, {left.run_id + 1, 1, 1, 1, 0, later_utc_us});
    CHECK_THROWS_WITH(left.verify(), ContainsSubstring("begins with its pages"));
}
