// Blocks that are missing in the log of a run, and what a verification says of their places. In virtual time, on files in memory.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "sim/verify/log_analysis.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Results;

TEST_CASE("what stands in the place of a missing block, but cannot be a block of this log, is one finding") {
    LeftRun left(64);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint();
    REQUIRE(kept.size() > 10);
    const auto [wrong, wrong_bytes] = *std::next(kept.begin(), 5);
    left.change_each_block([wrong = wrong](std::vector<std::byte>& block) {
        if (sim::read_block_header(block.data()).sequence != wrong) return;
        const std::uint32_t no_file = 99;
        std::memcpy(block.data() + offsetof(sim::LogBlockHeader, file_id), &no_file, sizeof no_file);
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap");
    CHECK_FALSE(results.findings[0].transient);
    CHECK(results.findings[0].place.offset_bytes == wrong_bytes);
}

TEST_CASE("a block that a later read brings is found although the one before it, where its virtual log file begins, is lost") {
    LeftRun left(64);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint();
    REQUIRE(kept.size() > 10);
    const auto [lost, lost_bytes] = *kept.begin();
    const std::uint64_t late_bytes = std::next(kept.begin())->second;
    left.erase_block(lost);
    // Reads of a megabyte find the blocks; what is missing is read alone.
    bool was_read_alone = false;
    const std::string log_path = left.options.files[1].path;
    left.run.storage.set_tamper([&was_read_alone, log_path, at = late_bytes](ums::IoRequest& request, const std::string& path) {
        if (request.operation != ums::IoOperation::read || path != log_path || !covers(request, at)) return;
        was_read_alone |= request.size_bytes <= sim::kLogBlockBytesMax + std::uint64_t{2} * sim::kReadAlignmentBytes;
        if (!was_read_alone) request.segments[0].data[at - request.offset_bytes] ^= std::byte{1};
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap log_gap");
    CHECK(results.findings[0].transient);
    CHECK(results.findings[0].place.offset_bytes == late_bytes);
    CHECK_FALSE(results.findings[1].transient);
    CHECK(results.findings[1].place.offset_bytes == lost_bytes);
    CHECK(results.durability->missing_blocks == 1);
}
