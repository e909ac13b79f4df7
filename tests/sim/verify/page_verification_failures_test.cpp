// Pages that cannot be read, and a verification of those beside them. In virtual time, on files in memory.
#include <algorithm>
#include <cstdint>
#include <set>

#include "sim/verify/page_verification.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Finding;
using sim::FindingKind;
using sim::kPageBytes;
using sim::Results;

TEST_CASE("pages beside each other that cannot be read are tried again at the same time, and each is a finding") {
    constexpr std::uint32_t kFirst = 130;
    constexpr std::uint32_t kCount = 40;
    LeftRun left;
    left.fail_data_reads([](const Recorded& request) {
        return request.offset_bytes < std::uint64_t{kFirst + kCount} * kPageBytes &&
               std::uint64_t{kFirst} * kPageBytes < request.offset_bytes + request.size_bytes;
    });
    const Results results = left.verify();
    REQUIRE(results.findings.size() == kCount);
    std::set<std::uint32_t> pages;
    for (const Finding& finding : results.findings) {
        CHECK(finding.kind == FindingKind::io_error);
        CHECK_FALSE(finding.transient);
        CHECK(finding.place.size_bytes == kPageBytes);
        pages.insert(finding.place.page_id);
    }
    CHECK(pages.size() == kCount);
    CHECK(*pages.begin() == kFirst);
    CHECK(results.files[0].pages_verified == left.data().size_bytes() / kPageBytes - kCount);
    // One after the other, they took 24 s.
    CHECK(phase(results, sim::Phase::page_verification).duration_us < 5'000'000);
}

TEST_CASE("every page that can be read is verified, however many ranges there are in which one cannot") {
    constexpr std::uint32_t kRangePages = 128;
    constexpr std::uint32_t kPatient = 64;
    constexpr std::uint32_t kRanges = kPatient + 2;  // a megabyte each
    constexpr std::uint64_t kBad = 5;                // of each range: never comes
    LeftRun left(0, kRanges);
    std::set<std::uint64_t> tried;  // the pages after those: come only when they are read alone, and not the first time
    left.fail_data_reads([&tried](const Recorded& request) {
        const std::uint64_t first = request.offset_bytes / kPageBytes;
        const std::uint64_t count = request.size_bytes / kPageBytes;
        const std::uint64_t before_bad = (kBad + kRangePages - first % kRangePages) % kRangePages;
        const bool is_next = first % kRangePages == kBad + 1 && count == 1;
        return is_next ? tried.insert(first).second : before_bad < count;
    });
    const Results results = left.verify();
    CHECK(tried.size() == kRanges);
    CHECK(results.files[0].pages_verified == kRanges * (kRangePages - 1));
    CHECK(results.durability->wrong_pages == 0);
    const auto count_of = [&results](std::uint64_t pages, bool is_transient) {
        return std::count_if(results.findings.begin(), results.findings.end(), [&](const Finding& finding) {
            return finding.place.size_bytes == pages * kPageBytes && finding.transient == is_transient;
        });
    };
    CHECK(count_of(1, false) == kPatient);
    CHECK(count_of(1, true) == kPatient);
    CHECK(count_of(2, false) == kRanges - kPatient);
    CHECK(results.findings.size() == kRanges + kPatient);
    CHECK(phase(results, sim::Phase::page_verification).duration_us < 10'000'000);
}
