// Repairs that make files that a run has left usable again. In virtual time, on files in memory.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "sim/ledger/page_ledger.hpp"
#include "tests/sim/support/faulty_storage.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Job;
using sim::kPageBytes;
using sim::Options;
using sim::Outcome;
using sim::Results;

TEST_CASE("a repair rewrites a damaged page, and a run continues with the files") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    spoil(left.data(), page);
    const Results repair = left.work(Job::repair);
    CHECK(repair.outcome == Outcome::failed);
    CHECK(kinds(repair) == "bit_corruption");
    REQUIRE(repair.resumed);
    CHECK(repair.resumed->pages_redone + repair.resumed->pages_given_up == 1);
    REQUIRE(repair.durability);
    CHECK(repair.durability->wrong_pages == 1);
    CHECK(repair.cycles_completed == 0);
    CHECK(left.header(page).version >= 1);
    CHECK(kinds(left.verify()) == "");
    const Results results = left.work(Job::resume);
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::passed);
}

TEST_CASE("a repair counts the files for which nothing was requested of the storage, as a verification does") {
    LeftRun left(0, 0, [](Options& options) { options.files[0].durability = sim::Durability::none; });
    spoil(left.data(), left.busy_page());
    CHECK(left.verify().durability.value().undurable_files == 1);
    CHECK(left.work(Job::repair).durability.value().undurable_files == 1);
}

TEST_CASE("a page whose version no run can have made is repaired, and has enough versions left") {
    LeftRun left;
    left.forget_changes_before_checkpoint();
    const std::uint32_t page = left.busy_page();
    left.put_version(page, sim::kVersionMax + 1, left.header(page).lsn);
    CHECK(kinds(left.work(Job::repair)) == "future_version");
    CHECK(left.header(page).version < 1000);
    CHECK(kinds(left.verify()) == "");
    left.options.test_cycles = 2;  // each changes every page
    const Results results = left.work(Job::resume);
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::passed);
}

TEST_CASE("a repair rewrites a page that cannot be read, and no page beside it") {
    LeftRun left;
    const std::uint64_t offset_bytes = std::uint64_t{left.busy_page()} * kPageBytes;
    std::vector<std::byte> before = all_bytes(left.data());
    bool is_readable = false;  // once it has been written: the disk puts it elsewhere
    left.run.storage.set_fault([&](const Recorded& request) {
        if (request.path != left.options.files[0].path || !covers(request, offset_bytes)) return std::error_code{};
        is_readable |= is_write(request);
        return is_readable ? std::error_code{} : std::make_error_code(std::errc::io_error);
    });
    const Results found = left.verify();
    CHECK(kinds(found) == "io_error");
    CHECK(found.findings.at(0).place.offset_bytes == offset_bytes);
    CHECK(found.findings.at(0).place.size_bytes == kPageBytes);
    CHECK(found.files.at(0).pages_verified == left.data().size_bytes() / kPageBytes - 1);

    const Results repair = left.work(Job::repair);
    CHECK(kinds(repair) == "io_error");
    REQUIRE(repair.resumed);
    CHECK(repair.resumed->pages_redone + repair.resumed->pages_given_up == 1);
    CHECK(is_readable);
    std::vector<std::byte> after = all_bytes(left.data());
    for (std::vector<std::byte>* bytes : {&before, &after}) std::fill_n(bytes->begin() + offset_bytes, kPageBytes, std::byte{0});
    const bool is_same = after == before;
    CHECK(is_same);
    CHECK(kinds(left.verify()) == "");
}

TEST_CASE("a repair gives up the log beyond a hole, and the page changes from there on") {
    LeftRun left;
    const std::uint64_t needed = left.take_back_to_needed_block();
    left.erase_block(needed);
    REQUIRE(kinds(left.verify()).find("log_gap") != std::string::npos);
    const Results repair = left.work(Job::repair);
    CHECK(repair.outcome == Outcome::failed);
    REQUIRE(repair.resumed);
    CHECK(repair.resumed->last_block < needed);
    CHECK(repair.resumed->blocks_given_up > 0);
    CHECK(kinds(left.verify()) == "");
    const Results results = left.work(Job::resume);
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::passed);
}

TEST_CASE("a repair on a disk without room for the log's signature page is not done, and blames nobody") {
    LeftRun left;
    spoil(left.log(), 0);
    FaultyStorage storage(left.run.memory, left.run.clock);
    const int error = GENERATE(ENOSPC, EIO);
    storage.set_rule([error](const ums::IoRequest& request) {
        return Fate{.error = request.operation == ums::IoOperation::write && request.offset_bytes == 0 ? error : 0};
    });
    Options options = left.options;
    options.job = Job::repair;
    const Results results = sim::Simulation(options, storage, left.run.clock, left.run.sink).run();
    CHECK(results.outcome == (error == ENOSPC ? Outcome::not_done : Outcome::failed));
    CHECK(kinds(results) == (error == ENOSPC ? "" : "io_error"));
    CHECK(results.outcome_reason.find("its signature page cannot be written") != std::string::npos);
}

TEST_CASE("a repair restores the size of a file that has become too short") {
    LeftRun left;
    const std::uint64_t size_bytes = left.data().size_bytes();
    left.data().resize(size_bytes - 4 * kPageBytes);
    REQUIRE(kinds(left.verify()).find("lost_write") != std::string::npos);
    const Results repair = left.work(Job::repair);
    CHECK(repair.outcome == Outcome::failed);
    CHECK(left.data().size_bytes() == size_bytes);
    CHECK(kinds(left.verify()) == "");
}

TEST_CASE("a repair does not restore a size that the configuration does not allow") {
    constexpr std::uint64_t kMegabyte = 1 << 20;
    LeftRun left;
    const std::uint64_t cut_bytes = left.data().size_bytes() - kMegabyte;
    left.data().resize(cut_bytes);
    left.options.files[0].initial_size_mb = left.options.files[0].max_size_mb = cut_bytes / kMegabyte;
    const Results repair = left.work(Job::repair);
    CHECK(repair.outcome == Outcome::failed);
    // What is wrong, and why it was not repaired.
    CHECK(repair.outcome_reason.find("wrong answer") != std::string::npos);
    CHECK(repair.outcome_reason.find("MaxSize of this configuration") != std::string::npos);
    CHECK(left.data().size_bytes() == cut_bytes);
}

TEST_CASE("a log file that is shorter than its blocks prove is a finding, and a repair restores its size") {
    LeftRun left;
    const std::uint64_t size_bytes = left.log().size_bytes();
    // What recovery needs is still there.
    left.log().resize(size_bytes - 512);
    const Results results = left.verify();
    CHECK(kinds(results) == "lost_write");
    CHECK(results.findings.front().description.find("its blocks prove") != std::string::npos);
    CHECK(left.work(Job::resume).outcome == Outcome::failed);
    CHECK(left.work(Job::repair).outcome == Outcome::failed);
    CHECK(left.log().size_bytes() == size_bytes);
    CHECK(kinds(left.verify()) == "");
    CHECK(left.work(Job::resume).outcome == Outcome::passed);
}
