#include "sim/page/page_verifier.hpp"

#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using sim::ExpectedPage;
using sim::testing::PageBuffer;

namespace {

constexpr sim::PageIdentity kVerified = sim::testing::kSampleIdentity;

ExpectedPage expected_of(const sim::PageIdentity& identity) {
    const PageBuffer scratch;
    ExpectedPage expected;
    expected.run_id = identity.run_id;
    expected.file_id = identity.file_id;
    expected.page_id = identity.page_id;
    expected.entry.version = identity.version & sim::kVersionMax;
    expected.entry.lsn = identity.lsn;
    expected.entry.checksum = sim::make_page(identity, scratch.data());
    return expected;
}

ExpectedPage never_written() {
    ExpectedPage expected = expected_of(kVerified);
    expected.entry = {};
    return expected;
}

}  // namespace

TEST_CASE("the last written page passes") {
    const PageBuffer page(kVerified);
    CHECK(sim::page_matches(page.data(), expected_of(kVerified)));
}

TEST_CASE("zeros pass where nothing was ever written") {
    const PageBuffer zeros;
    CHECK(sim::page_matches(zeros.data(), never_written()));
}

TEST_CASE("every flipped bit is found") {
    const std::uint64_t seed = ums::testing::test_seed("every flipped bit is found");
    ums::Prng prng(seed);
    const ExpectedPage expected = expected_of(kVerified);
    const PageBuffer page(kVerified);
    for (int i = 0; i < 500; ++i) {
        const auto offset = static_cast<std::size_t>(i % 3 == 0 ? prng.below(96) : prng.below(sim::kPageBytes));
        const auto bit = static_cast<std::byte>(1U << prng.below(8));
        CAPTURE(offset, static_cast<unsigned>(bit));
        page[offset] ^= bit;
        REQUIRE_FALSE(sim::page_matches(page.data(), expected));
        page[offset] ^= bit;
    }
    CHECK(sim::page_matches(page.data(), expected));
}

TEST_CASE("a sound page of another version, time, page, file or run fails") {
    const ExpectedPage expected = expected_of(kVerified);
    for (int field = 0; field < 6; ++field) {
        sim::PageIdentity other = kVerified;
        if (field == 0) other.version = 6;
        if (field == 1) other.version = 8;
        if (field == 2) other.write_utc_us += 1;
        if (field == 3) other.page_id = 301;
        if (field == 4) other.file_id = 1;
        if (field == 5) other.run_id += 1;
        CAPTURE(field);
        CHECK_FALSE(sim::page_matches(PageBuffer(other).data(), expected));
    }
}

TEST_CASE("zeros fail where a version is expected, and so does a single bit where zeros are expected") {
    CHECK_FALSE(sim::page_matches(PageBuffer().data(), expected_of(kVerified)));
    const PageBuffer page;
    page[8191] = std::byte{0x80};
    CHECK_FALSE(sim::page_matches(page.data(), never_written()));
    CHECK_FALSE(sim::page_matches(PageBuffer(kVerified).data(), never_written()));
}

TEST_CASE("if nothing is promised, anything passes") {
    ExpectedPage expected = expected_of(kVerified);
    expected.entry.unknown = 1;
    const PageBuffer zeros;
    const PageBuffer noise;
    sim::fill_from_seed(3, noise.data(), sim::kPageBytes);
    const PageBuffer page(kVerified);
    for (const PageBuffer* any : {&zeros, &noise, &page}) CHECK(sim::page_matches(any->data(), expected));
}
