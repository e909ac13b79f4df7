// Where the log of a run seems to end because a read was wrong. In virtual time, on files in memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "sim/verify/log_analysis.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Results;

TEST_CASE("a block at the end of the log that only a later read returned is a finding, and the log goes on with it") {
    LeftRun left(64);
    const sim::DurabilityResult durability = left.durability();
    REQUIRE(durability.last_block > durability.hardened_block);
    const std::uint64_t late_bytes = left.offset_of_block(durability.last_block);
    left.change_first_log_reads([late_bytes](ums::IoRequest& request) { garble(request, late_bytes); });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap");
    CHECK(results.findings[0].transient);
    CHECK(results.findings[0].place.is_log);
    CHECK(results.findings[0].place.offset_bytes == late_bytes);
    CHECK(results.findings[0].evidence.expected_image.size() == results.findings[0].place.size_bytes);
    CHECK_THAT(results.findings[0].description, ContainsSubstring(std::to_string(durability.last_block)));
    CHECK(results.durability->last_block == durability.last_block);
    CHECK(results.outcome == sim::Outcome::failed);
}

TEST_CASE("a resume refuses a log of which only a later read returned the end, and writes nothing") {
    LeftRun left(64);
    const std::uint64_t late_bytes = left.offset_of_block(left.durability().last_block);
    std::vector<std::byte> before(left.log().size_bytes());
    left.log().read(0, before.data(), before.size());
    left.change_first_log_reads([late_bytes](ums::IoRequest& request) { garble(request, late_bytes); });
    const Results results = left.work(sim::Job::resume);
    INFO(left.run.sink.text());
    CHECK(kinds(results) == "log_gap");
    CHECK(results.outcome == sim::Outcome::failed);
    std::vector<std::byte> after(left.log().size_bytes());
    left.log().read(0, after.data(), after.size());
    CHECK(before == after);
}

TEST_CASE("all blocks at the end of the log that one wrong read has hidden are found by later reads, and no page is ahead of the log") {
    constexpr std::uint64_t kHidden = 3;
    LeftRun left(64);
    const sim::DurabilityResult durability = left.durability();
    const std::uint64_t begin_bytes = left.offset_of_block(durability.last_block - kHidden + 1);
    left.change_first_log_reads([begin_bytes](ums::IoRequest& request) {
        const std::uint64_t end_bytes = request.offset_bytes + request.size_bytes;
        const std::uint64_t from = std::max(begin_bytes, request.offset_bytes);
        if (from < end_bytes) std::memset(request.segments[0].data + (from - request.offset_bytes), 0, end_bytes - from);
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(results.findings.size() == kHidden);
    for (const sim::Finding& finding : results.findings) {
        CHECK(finding.kind == sim::FindingKind::log_gap);
        CHECK(finding.transient);
    }
    CHECK(results.durability->last_block == durability.last_block);
    CHECK(results.durability->wrong_pages == 0);
}

TEST_CASE("a block that may have been in flight, but that only a later read returned, is a finding although a later one is there") {
    LeftRun left(64);
    // Without the end of the last checkpoint, which would need nothing of what precedes it.
    const std::uint64_t last = left.durability().last_block - 1;
    left.erase_block(last + 1);
    left.change_block(last, [last](std::vector<std::byte>& block) {
        const std::uint64_t hardened = last - 2;
        std::memcpy(block.data() + offsetof(sim::LogBlockHeader, hardened_sequence), &hardened, sizeof hardened);
    });
    const std::uint64_t late_bytes = left.offset_of_block(last - 1);
    left.change_first_log_reads([late_bytes](ums::IoRequest& request) { garble(request, late_bytes); });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap");
    CHECK(results.findings[0].transient);
    CHECK(results.findings[0].place.offset_bytes == late_bytes);
    CHECK(results.durability->last_block == last);
    CHECK(results.durability->blocks_behind == 0);
}

TEST_CASE("a last block that was in flight and is torn is no finding, however often it is read") {
    LeftRun left(64);
    const std::uint64_t last = left.durability().last_block;
    const std::uint64_t torn_bytes = left.offset_of_block(last) + sizeof(sim::LogBlockHeader);
    std::byte torn{};
    left.log().read(torn_bytes, &torn, 1);
    torn ^= std::byte{1};
    left.log().write(torn_bytes, &torn, 1);
    const Results results = left.verify();
    INFO(left.run.sink.text());
    CHECK(kinds(results) == "");
    CHECK(results.outcome == sim::Outcome::passed);
    CHECK(results.durability->last_block == last - 1);
}

TEST_CASE("a failed read of what follows the end of the log is a finding") {
    LeftRun left(64);
    const std::uint64_t last = left.durability().last_block;
    std::uint64_t end_bytes = 0;
    left.for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
        if (header.sequence == last) end_bytes = offset_bytes + header.size_bytes;
    });
    const std::uint64_t read_from_bytes = end_bytes / sim::kReadAlignmentBytes * sim::kReadAlignmentBytes;
    bool has_failed = false;
    left.fail_log_reads([&](const Recorded& request) {
        const bool is_alone = request.size_bytes <= sim::kLogBlockBytesMax + 2 * sim::kReadAlignmentBytes;
        return is_alone && request.offset_bytes == read_from_bytes && !std::exchange(has_failed, true);
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(has_failed);
    REQUIRE(kinds(results) == "io_error");
    CHECK(results.findings[0].transient);
    CHECK(results.durability->last_block == last);
}
