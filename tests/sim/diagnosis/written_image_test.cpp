// The image that should have come back, made again although what came back says nothing about the time of the write.
#include "sim/diagnosis/written_image.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/diagnosis/write_time.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using sim::testing::PageBuffer;

namespace {

constexpr std::uint64_t kHourUs = 3'600'000'000;
constexpr std::uint64_t kHighHalfOfTime = 0x0006'0000'0000'0000;
constexpr sim::PageIdentity kLost = sim::testing::kSampleIdentity;

sim::PageIdentity made(std::uint32_t version, std::uint64_t write_utc_us) {
    sim::PageIdentity identity = kLost;
    identity.version = version;
    identity.write_utc_us = write_utc_us;
    return identity;
}

struct MadeAgain {
    bool is_exact = false;
    std::vector<std::byte> bytes;
};

// What should have come back instead of `received`, if it was made in this range.
MadeAgain written_instead_of(const PageBuffer& received, sim::WriteTimeRange range) {
    const PageBuffer lost(kLost);
    sim::ExpectedPage expected{kLost.run_id, kLost.file_id, kLost.page_id, {}};
    expected.entry.version = kLost.version & sim::kVersionMax;
    expected.entry.lsn = kLost.lsn;
    expected.entry.checksum = sim::page_checksum(lost.data());
    sim::WrittenImage written(received.data(), expected, range);
    CHECK_FALSE(written.is_exact());
    written.find_time_by_checksum(received.data(), range);
    return {written.is_exact(), {written.bytes(), written.bytes() + sim::kPageBytes}};
}

bool is_lost_page(const MadeAgain& again) { return std::memcmp(again.bytes.data(), PageBuffer(kLost).data(), sim::kPageBytes) == 0; }

}  // namespace

TEST_CASE("the checksum of a page determines the low half of the time at which it was made") {
    for (const std::uint32_t low : {0U, 1U, 0x8000'0000U, 0x1234'5678U, 0xffff'ffffU}) {
        CAPTURE(low);
        const PageBuffer page(made(7, kHighHalfOfTime | low));
        const PageBuffer again(made(7, kHighHalfOfTime | 99));
        CHECK(sim::fit_low_half(again.data(), sim::page_checksum(page.data())) == low);
        CHECK(std::memcmp(again.data() + 4, page.data() + 4, sim::kPageBytes - 4) == 0);
    }
}

TEST_CASE("a page that was lost is made again exactly, with its time, if only one time fits its checksum") {
    const std::uint64_t now_us = kLost.write_utc_us + kHourUs / 2;
    const PageBuffer zeros;
    const MadeAgain from_zeros = written_instead_of(zeros, {kLost.write_utc_us - kHourUs / 2, now_us});
    CHECK(from_zeros.is_exact);
    CHECK(is_lost_page(from_zeros));
    // The run has taken a day, but the version before is an hour old at most.
    const MadeAgain from_older = written_instead_of(PageBuffer(made(6, kLost.write_utc_us - 1)), {now_us - 24 * kHourUs, now_us});
    CHECK(from_older.is_exact);
    CHECK(is_lost_page(from_older));
}

TEST_CASE("no time is made up for a page that was lost if several fit its checksum, or if none of the range does") {
    const std::uint64_t now_us = kLost.write_utc_us + kHourUs / 2;
    const PageBuffer zeros;
    CHECK_FALSE(written_instead_of(zeros, {now_us - 3 * kHourUs, now_us}).is_exact);
    CHECK_FALSE(written_instead_of(zeros, {now_us - 24 * kHourUs, now_us}).is_exact);
    CHECK_FALSE(written_instead_of(zeros, {kLost.write_utc_us + 1, kLost.write_utc_us + 2}).is_exact);
    // The version that was written, made at another time.
    CHECK_FALSE(written_instead_of(PageBuffer(made(7, now_us)), {kLost.write_utc_us - kHourUs / 2, now_us}).is_exact);
}
