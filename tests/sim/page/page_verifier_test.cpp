#include "sim/page/page_verifier.hpp"

#include <cstring>

#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using sim::ExpectedPage;
using sim::FindingKind;
using sim::testing::PageBuffer;

namespace {

constexpr sim::PageIdentity kWritten{.run_id = 0xfeed'0000'beef'0001,
                                     .file_id = 2,
                                     .page_id = 300,
                                     .version = 7,
                                     .lsn = 0x0000'0003'0000'4005,
                                     .write_utc_us = 1'700'000'123'456'789};

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
    ExpectedPage expected = expected_of(kWritten);
    expected.entry = {};
    return expected;
}

// What is said about such a page.
sim::Finding described(const PageBuffer& page, const ExpectedPage& expected) {
    sim::Finding finding;
    finding.kind = sim::verify_page(page.data(), expected).value();
    sim::describe_mismatch(page.data(), expected, finding);
    return finding;
}

}  // namespace

TEST_CASE("the page that was written last passes") {
    const PageBuffer page(kWritten);
    CHECK_FALSE(sim::verify_page(page.data(), expected_of(kWritten)).has_value());
}

TEST_CASE("zeros pass where nothing was ever written") {
    const PageBuffer zeros;
    CHECK_FALSE(sim::verify_page(zeros.data(), never_written()).has_value());
}

TEST_CASE("every flipped bit is found, is a checksum failure, and its byte is named") {
    const std::uint64_t seed = ums::testing::test_seed("every flipped bit is found");
    ums::Prng prng(seed);
    const ExpectedPage expected = expected_of(kWritten);
    const PageBuffer page(kWritten);
    for (int i = 0; i < 200; ++i) {
        // The header and one stamp bit by bit would be most of the tries; a third of them goes there.
        const auto offset = static_cast<std::size_t>(i % 3 == 0 ? prng.below(96) : prng.below(sim::kPageBytes));
        const auto bit = static_cast<std::byte>(1U << prng.below(8));
        CAPTURE(offset, static_cast<unsigned>(bit));
        page[offset] ^= bit;
        REQUIRE(sim::verify_page(page.data(), expected) == FindingKind::bit_corruption);
        REQUIRE(described(page, expected).first_wrong_byte == offset);
        page[offset] ^= bit;
    }
    CHECK_FALSE(sim::verify_page(page.data(), expected).has_value());
}

TEST_CASE("a flipped bit in the header's time, which the ledger does not know, is named exactly too") {
    const ExpectedPage expected = expected_of(kWritten);
    for (std::size_t offset = 48; offset < 56; ++offset) {
        const PageBuffer page(kWritten);
        page[offset] ^= std::byte{0x10};
        CHECK(described(page, expected).first_wrong_byte == offset);
    }
    for (const std::size_t offset : {504U, 505U, 506U, 507U, 8184U}) {
        const PageBuffer page(kWritten);
        page[offset] ^= std::byte{0x10};
        CHECK(described(page, expected).first_wrong_byte == offset);
    }
}

TEST_CASE("an older version of the page is an old version, with its facts") {
    sim::PageIdentity older = kWritten;
    older.version = 6;
    older.lsn = 0x0000'0002'0000'1001;
    older.write_utc_us -= 5'000'000;
    const PageBuffer page(older);
    const ExpectedPage expected = expected_of(kWritten);
    CHECK(sim::verify_page(page.data(), expected) == FindingKind::lost_write);
    const sim::Finding finding = described(page, expected);
    CHECK(finding.expected_version == 7);
    CHECK(finding.received_version == 6);
    CHECK(finding.expected_lsn == kWritten.lsn);
    CHECK(finding.received_lsn == older.lsn);
    CHECK(finding.expected_checksum == expected.entry.checksum);
    CHECK(finding.received_checksum == sim::read_header(page.data()).checksum);
    CHECK(finding.calculated_checksum == finding.received_checksum);
    CHECK(finding.received_file_id == 2);
    CHECK(finding.received_page_id == 300);
    CHECK(finding.description == "Version 7 of the page was written and acknowledged, version 6 came back.");
    REQUIRE(finding.image.size() == sim::kPageBytes);
    CHECK(std::memcmp(finding.image.data(), page.data(), sim::kPageBytes) == 0);
}

TEST_CASE("the same version made at another time is not what was acknowledged") {
    sim::PageIdentity other = kWritten;
    other.write_utc_us += 1;
    const PageBuffer page(other);
    CHECK(sim::verify_page(page.data(), expected_of(kWritten)) == FindingKind::lost_write);
}

TEST_CASE("a sound page of another place or run is a wrong page") {
    const ExpectedPage expected = expected_of(kWritten);
    sim::PageIdentity other = kWritten;
    SECTION("another page") {
        other.page_id = 301;
        const PageBuffer page(other);
        CHECK(sim::verify_page(page.data(), expected) == FindingKind::misdirected_write);
        const sim::Finding finding = described(page, expected);
        CHECK(finding.received_page_id == 301);
        CHECK(finding.description == "Another page came back: page 301 of file 2.");
    }
    SECTION("another file") {
        other.file_id = 1;
        const PageBuffer page(other);
        CHECK(sim::verify_page(page.data(), expected) == FindingKind::misdirected_write);
        CHECK(described(page, expected).received_file_id == 1);
    }
    SECTION("another run") {
        other.run_id += 1;
        const PageBuffer page(other);
        CHECK(sim::verify_page(page.data(), expected) == FindingKind::misdirected_write);
        CHECK(described(page, expected).description == "Another page came back: page 300 of file 2 of another run.");
    }
}

TEST_CASE("zeros where a version is expected were never written") {
    const PageBuffer zeros;
    const ExpectedPage expected = expected_of(kWritten);
    CHECK(sim::verify_page(zeros.data(), expected) == FindingKind::zeroed_page);
    const sim::Finding finding = described(zeros, expected);
    CHECK(finding.received_version == 0);
    CHECK(finding.first_wrong_byte == 0);
    CHECK(finding.description == "Version 7 of the page was written and acknowledged, zeros came back.");
}

TEST_CASE("something where zeros are expected is found, be it a single bit") {
    const PageBuffer page;
    page[8191] = std::byte{0x80};
    CHECK(sim::verify_page(page.data(), never_written()) == FindingKind::zeroed_page);
    const sim::Finding finding = described(page, never_written());
    CHECK(finding.first_wrong_byte == 8191);
    CHECK(finding.expected_version == 0);
    CHECK(finding.description == "The page has never been written and must be zeros, but something came back.");
    const PageBuffer whole(kWritten);
    CHECK(sim::verify_page(whole.data(), never_written()) == FindingKind::zeroed_page);
    CHECK(described(whole, never_written()).first_wrong_byte == 0);
}

TEST_CASE("where nothing is promised anything passes") {
    ExpectedPage expected = expected_of(kWritten);
    expected.entry.unknown = 1;
    const PageBuffer zeros;
    const PageBuffer noise;
    sim::fill_from_seed(3, noise.data(), sim::kPageBytes);
    const PageBuffer page(kWritten);
    for (const PageBuffer* any : {&zeros, &noise, &page}) CHECK_FALSE(sim::verify_page(any->data(), expected).has_value());
}

TEST_CASE("a page of sectors of two versions is damaged from the first old sector on") {
    sim::PageIdentity older = kWritten;
    older.version = 6;
    older.write_utc_us -= 77'000'000;
    const PageBuffer old_page(older);
    const ExpectedPage expected = expected_of(kWritten);
    for (const std::size_t sector : {1U, 9U, 15U}) {
        const PageBuffer page(kWritten);
        std::memcpy(page.data() + sector * 512, old_page.data() + sector * 512, 512);
        CHECK(sim::verify_page(page.data(), expected) == FindingKind::bit_corruption);
        CHECK(described(page, expected).first_wrong_byte / 512 == sector);
    }
    // The old header in front of new sectors: still no page of any version.
    const PageBuffer page(kWritten);
    std::memcpy(page.data(), old_page.data(), 512);
    CHECK(sim::verify_page(page.data(), expected) == FindingKind::bit_corruption);
    CHECK(described(page, expected).first_wrong_byte < 4);
}

TEST_CASE("bytes that a read did not fill are found where they begin") {
    const ExpectedPage expected = expected_of(kWritten);
    const PageBuffer nothing_read;
    sim::stamp_not_read(nothing_read.data(), sim::kPageBytes);
    CHECK(sim::verify_page(nothing_read.data(), expected) == FindingKind::bit_corruption);
    CHECK(described(nothing_read, expected).first_wrong_byte == 0);
    const PageBuffer half_read(kWritten);
    sim::stamp_not_read(half_read.data() + 4096, 4096);
    CHECK(sim::verify_page(half_read.data(), expected) == FindingKind::bit_corruption);
    CHECK(described(half_read, expected).first_wrong_byte == 4096);
}

TEST_CASE("noise is a checksum failure and says what the checksums are") {
    const PageBuffer noise;
    sim::fill_from_seed(99, noise.data(), sim::kPageBytes);
    const ExpectedPage expected = expected_of(kWritten);
    const sim::Finding finding = described(noise, expected);
    CHECK(finding.kind == FindingKind::bit_corruption);
    CHECK(finding.calculated_checksum == sim::page_checksum(noise.data()));
    CHECK_THAT(finding.description, ContainsSubstring("The page is damaged: its checksum is 0x"));
    CHECK_THAT(finding.description, ContainsSubstring("the first wrong byte is at 0x0."));
}
