// A file that may have been cut in a part of the log that is missing, and a ledger's promises about it. In virtual time, on files in
// memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/rehearsal/promise_memory.hpp"
#include "sim/run/simulation.hpp"
#include "sim/verify/log_analysis.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

namespace {

// What a ledger holds that was told of the file's present size, and of a next version of these pages, but of no cut.
sim::Promises promises_about(LeftRun& left, const std::vector<std::uint32_t>& pages) {
    sim::PromiseSection section;
    section.run_id = left.run_id;
    section.section_id = section.incarnation = 1;
    section.files = {{1, false, static_cast<std::uint32_t>(left.data().size_bytes() / sim::kPageBytes), left.data_path()},
                     {2, true, static_cast<std::uint32_t>(left.log().size_bytes() / sim::kPageBytes), left.log_path()}};
    sim::PromiseBatch batch;
    batch.run_id = left.run_id;
    batch.section_id = batch.number = 1;
    for (const std::uint32_t page : pages) batch.pages.push_back({1, page, left.header(page).version + 1, 0});
    sim::Promises promises;
    promises.begin(section);
    REQUIRE(promises.add(batch));
    return promises;
}

// The pages of all findings that are not about the log, in order.
std::vector<std::uint32_t> wrong_pages_by(LeftRun& left, const sim::Promises& promises) {
    sim::PromiseMemory ledger(promises);
    sim::Options options = left.options;
    options.job = sim::Job::verify;
    const sim::Results results = sim::Simulation(options, left.run.storage, left.run.clock, left.run.sink, &ledger).run();
    std::vector<std::uint32_t> pages;
    for (const sim::Finding& finding : results.findings) {
        if (!finding.place.is_log) pages.push_back(finding.place.page_id);
    }
    std::sort(pages.begin(), pages.end());
    return pages;
}

}  // namespace

TEST_CASE("what a ledger holds about pages that a missing part of the log may have made new is not demanded, the rest is") {
    constexpr std::uint32_t kStayingPages = (4U << 20) / sim::kPageBytes;
    constexpr std::uint32_t kPages = (5U << 20) / sim::kPageBytes;
    constexpr std::uint32_t kOlder = 100;
    constexpr std::uint32_t kNewBeyond = kStayingPages + 50;
    LeftRun left(64);
    left.erase_block(left.take_back_to_needed_block());
    const sim::Promises promises = promises_about(left, {kOlder, kNewBeyond});
    const std::vector<std::byte> zeros(sim::kPageBytes);
    left.data().write(std::uint64_t{kNewBeyond} * sim::kPageBytes, zeros.data(), zeros.size());
    left.data().resize(std::uint64_t{kPages} * sim::kPageBytes);
    sim::FileOptions& file = left.options.files[0];
    file.initial_size_mb = 4;
    file.increment_mb = 1;
    CHECK(wrong_pages_by(left, promises) == std::vector<std::uint32_t>{kOlder, kNewBeyond, kPages});
    file.shrinkable = true;
    CHECK(wrong_pages_by(left, promises) == std::vector<std::uint32_t>{kOlder});
}

TEST_CASE("a file is not blamed for its size if the record of a cut may be in a block that no longer comes back") {
    LeftRun left(64);
    sim::FileOptions& file = left.options.files[0];
    file.increment_mb = 1;
    file.shrinkable = true;
    file.initial_size_mb = 4;
    const std::uint64_t block_bytes = left.offset_of_block(1);
    left.data().resize(left.data().size_bytes() - 10 * sim::kPageBytes);
    const std::uint64_t last_byte = left.log().size_bytes() - 1;
    left.change_log_reads([block_bytes, last_byte, is_scanned = false](ums::IoRequest& request) mutable {
        if (is_scanned) garble(request, block_bytes + 100);
        is_scanned = is_scanned || covers(request, last_byte);
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE_FALSE(results.findings.empty());
    for (const sim::Finding& finding : results.findings) CHECK(finding.place.is_log);
}

TEST_CASE("no page stays for certain if the log says that the file was ever shorter than InitialSize: the run had another one") {
    constexpr std::uint32_t kInitialPages = (4U << 20) / sim::kPageBytes;
    constexpr std::uint32_t kPages = 2 * kInitialPages;
    sim::FileOptions file;
    file.initial_size_mb = 4;
    file.increment_mb = 1;
    file.shrinkable = true;
    sim::PageBounds bounds(0, kPages, true);
    CHECK(sim::pages_that_stay(file, bounds, kPages) == kInitialPages);
    CHECK(sim::pages_that_stay(file, bounds, kInitialPages - 1) == 1);
    bounds.resized(10, kInitialPages);
    bounds.resized(20, kPages);
    CHECK(sim::pages_that_stay(file, bounds, kInitialPages - 1) == kInitialPages);
    bounds.resized(30, kInitialPages - 1);
    bounds.resized(40, kPages);
    CHECK(sim::pages_that_stay(file, bounds, kPages) == 1);
    file.shrinkable = false;
    CHECK(sim::pages_that_stay(file, bounds, kPages) == ~std::uint32_t{0});
}
