#include "sim/rehearsal/lost_log_blocks.hpp"

#include <cstdint>

#include "tests/support/catch.hpp"

using sim::LostLogBlock;
using sim::LostLogBlocks;

namespace {

constexpr std::uint64_t kLossFault = 1;
constexpr std::uint64_t kLossBlockBytes = 512;

LostLogBlock lost_block(std::uint64_t sequence) {
    return {.fault = kLossFault,
            .sequence = sequence,
            .has_updates = true,
            .range = {.path = "a.ldx", .offset_bytes = sequence * kLossBlockBytes, .size_bytes = kLossBlockBytes}};
}

ums::IoRequest read_of_block(std::uint64_t sequence) {
    ums::IoRequest read;
    read.offset_bytes = sequence * kLossBlockBytes;
    read.size_bytes = kLossBlockBytes;
    return read;
}

}  // namespace

TEST_CASE("what is lost at the end of the log is told from what sound blocks follow, once the program has looked there") {
    LostLogBlocks blocks;
    for (std::uint64_t sequence = 1; sequence <= 4; ++sequence) blocks.written(sequence);
    for (const std::uint64_t sequence : {2, 4}) blocks.lost(lost_block(sequence));
    CHECK_FALSE(blocks.misses_updates_at_end(kLossFault));
    CHECK_FALSE(blocks.misses_before_end(kLossFault));
    CHECK(blocks.missed_by("a.ldx", read_of_block(4)).size() == 1);
    CHECK(blocks.misses_updates_at_end(kLossFault));
    CHECK_FALSE(blocks.misses_before_end(kLossFault));
    CHECK(blocks.missed_by("a.ldx", read_of_block(2)).size() == 1);
    CHECK(blocks.misses_before_end(kLossFault));
    CHECK_FALSE(blocks.misses_before_end(kLossFault + 1));
}
