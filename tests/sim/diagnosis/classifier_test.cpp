#include "sim/diagnosis/classifier.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/page/page_layout.hpp"
#include "tests/sim/diagnosis/judged_image.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using sim::FindingKind;
using sim::SectorState;
using sim::testing::copy_sectors;
using sim::testing::found;
using sim::testing::ImageCase;
using sim::testing::kSampleIdentity;
using sim::testing::PageBuffer;
using sim::testing::sample_version;

namespace {

FindingKind kind(const PageBuffer& image, const ImageCase& with = {}) { return found(image, with).kind; }

}  // namespace

TEST_CASE("every flipped bit is bit corruption, and is located exactly") {
    const std::uint64_t seed = ums::testing::test_seed("every flipped bit is bit corruption");
    ums::Prng prng(seed);
    constexpr std::uint32_t kHeaderBits = 96 * 8;
    for (std::uint32_t i = 0; i < kHeaderBits + 100; ++i) {
        const auto position = i < kHeaderBits ? i : static_cast<std::uint32_t>(prng.below(sim::kPageBytes * 8));
        const std::uint32_t offset = position / 8;
        const std::uint32_t bit = position % 8;
        CAPTURE(offset, bit);
        const PageBuffer page(kSampleIdentity);
        page[offset] ^= static_cast<std::byte>(1U << bit);
        const sim::Finding finding = found(page);
        REQUIRE(finding.kind == FindingKind::bit_corruption);
        CHECK(or_empty(finding.comparison).first_wrong_byte == offset);
        CHECK(or_empty(finding.comparison).wrong_bits == 1);
        CHECK(or_empty(finding.comparison).wrong_bytes == 1);
        CHECK_THAT(finding.description, ContainsSubstring("The page is damaged: 1 wrong bit in 1 byte, the first at"));
        CHECK(or_empty(finding.comparison).wrong_bit_positions == std::vector<std::uint32_t>{offset * 8 + bit});
        CHECK(or_empty(finding.comparison).sectors[offset / 512].state == SectorState::damaged);
        CHECK(or_empty(finding.comparison).shift_bytes == 0);
    }
}

TEST_CASE("an older version is a stale read, a lost write or a reverted page, depending on later and earlier reads") {
    const PageBuffer older(sample_version(6));
    CHECK(kind(older, {.transient = true}) == FindingKind::stale_read);
    CHECK(kind(older, {.transient = true, .read_back = true}) == FindingKind::stale_read);
    CHECK(kind(older) == FindingKind::lost_write);
    CHECK(kind(older, {.read_back = true}) == FindingKind::reverted_page);
    const sim::Finding finding = found(older);
    CHECK(or_empty(finding.expected).version == 7);
    CHECK(or_empty(finding.received).version == 6);
    CHECK(or_empty(finding.received).lsn == sample_version(6).lsn);
    CHECK(finding.place.size_bytes == sim::kPageBytes);
    // Nobody has looked in between.
    CHECK_THAT(finding.reasoning.back(), ContainsSubstring("the write never arrived, or was undone before anybody read the page."));
    for (const sim::SectorFact& sector : or_empty(finding.comparison).sectors) {
        CHECK(sector.state == SectorState::older);
        CHECK(sector.version == 6);
    }
}

TEST_CASE("an older version here and the newest one elsewhere are a misdirected write with both ends") {
    const sim::Finding finding = found(PageBuffer(sample_version(6)), {.found_elsewhere = sim::PagePlace{2, "f", 812, 7}});
    CHECK(finding.kind == FindingKind::misdirected_write);
    REQUIRE(finding.other);
    CHECK(finding.other->page_id == 812);
    CHECK_THAT(finding.description, ContainsSubstring("written to another place: page 812 of file 2"));
    CHECK_FALSE(holds_other_page(finding));
    // Zeros have no number of a page.
    const sim::Finding first = found(PageBuffer(), {.written = sample_version(1), .found_elsewhere = sim::PagePlace{2, "f", 812, 1}});
    CHECK(first.kind == FindingKind::misdirected_write);
    CHECK_THAT(first.description, ContainsSubstring("written to another place: page 812 of file 2"));
    CHECK_FALSE(holds_other_page(first));
}

TEST_CASE("another page's image is a misdirected read if it came once, and a misdirected write if it persists") {
    sim::PageIdentity other = kSampleIdentity;
    other.page_id = 301;
    other.version = 3;
    CHECK(kind(PageBuffer(other), {.transient = true}) == FindingKind::misdirected_read);
    const sim::Finding finding = found(PageBuffer(other));
    CHECK(finding.kind == FindingKind::misdirected_write);
    REQUIRE(finding.other);
    CHECK(finding.other->page_id == 301);
    CHECK(finding.other->version == 3);
    other.file_id = 1;
    CHECK(found(PageBuffer(other)).other->file_id == 1);
    // Half of the image is enough.
    const PageBuffer half(kSampleIdentity);
    copy_sectors(PageBuffer(other), half, 8, 8);
    CHECK(kind(half) == FindingKind::misdirected_write);
    CHECK_THAT(found(half).description, ContainsSubstring("The page holds a part of page 301 of file 1"));
    CHECK(holds_other_page(found(half)));
    // Even where nothing was ever written.
    CHECK(kind(PageBuffer(other), {.never_written = true}) == FindingKind::misdirected_write);
}

TEST_CASE("sectors of two versions are a torn page, wherever the tear is") {
    for (std::uint32_t first = 0; first < 16; ++first) {
        for (const std::uint32_t count : {1U, 3U, 8U}) {
            if (first + count > 16 || count == 16) continue;
            CAPTURE(first, count);
            const PageBuffer page(kSampleIdentity);
            copy_sectors(PageBuffer(sample_version(5)), page, first, count);
            const sim::Finding finding = found(page);
            CHECK(finding.kind == FindingKind::torn_page);
            CHECK(or_empty(finding.comparison).tear_on_4k_lines == (count == 8 && first % 8 == 0));
            for (std::uint32_t i = 0; i < 16; ++i) {
                const bool is_old = i >= first && i < first + count;
                CHECK(or_empty(finding.comparison).sectors[i].state == (is_old ? SectorState::older : SectorState::expected));
                CHECK(or_empty(finding.comparison).sectors[i].version == (is_old ? 5U : 7U));
            }
        }
    }
    // Of three versions.
    const PageBuffer page(kSampleIdentity);
    copy_sectors(PageBuffer(sample_version(5)), page, 2, 2);
    copy_sectors(PageBuffer(sample_version(6)), page, 9, 1);
    CHECK(kind(page) == FindingKind::torn_page);
    // Two old ones.
    const PageBuffer old(sample_version(6));
    copy_sectors(PageBuffer(sample_version(5)), old, 4, 4);
    CHECK(kind(old, {.read_back = true}) == FindingKind::torn_page);
}

TEST_CASE("a torn first write of a page leaves zeros") {
    const PageBuffer page(sample_version(1));
    std::memset(page.data() + 4096, 0, 4096);
    const sim::Finding finding = found(page, {.written = sample_version(1)});
    CHECK(finding.kind == FindingKind::torn_page);
    CHECK(or_empty(finding.comparison).tear_on_4k_lines);
    CHECK(kind(page, {.written = sample_version(1), .read_back = true}) == FindingKind::zeroed_page);
}

TEST_CASE("zeros are a zeroed page, or what was there before the first write") {
    const PageBuffer zeros;
    CHECK(kind(zeros) == FindingKind::zeroed_page);
    CHECK(kind(zeros, {.transient = true}) == FindingKind::zeroed_page);
    CHECK(kind(zeros, {.written = sample_version(1)}) == FindingKind::lost_write);
    CHECK(kind(zeros, {.written = sample_version(1), .transient = true}) == FindingKind::zeroed_page);
    CHECK(kind(zeros, {.written = sample_version(1), .read_back = true}) == FindingKind::zeroed_page);
    CHECK(kind(zeros, {.written = sample_version(1), .found_elsewhere = sim::PagePlace{1, "f", 5, 1}}) == FindingKind::misdirected_write);
    const PageBuffer part(kSampleIdentity);
    std::memset(part.data() + 1024, 0, 512);
    CHECK(kind(part) == FindingKind::zeroed_page);
    CHECK_THAT(found(part).description, ContainsSubstring("of its 16 sectors came back as zeros."));
}

TEST_CASE("zeros that begin or end within a sector are a zeroed page, however little of it is left") {
    const auto zeroed = [](std::size_t begin, std::size_t end) {
        PageBuffer page(kSampleIdentity);
        std::memset(page.data() + begin, 0, end - begin);
        return found(page);
    };
    for (const auto& [begin, end] : std::vector<std::pair<std::size_t, std::size_t>>{{1192, 8192}, {5001, 8192}, {600, 1700}}) {
        const sim::Finding finding = zeroed(begin, end);
        INFO(begin << " to " << end);
        CHECK(finding.kind == FindingKind::zeroed_page);
        CHECK_THAT(finding.description, ContainsSubstring(" of its bytes, from 0x") && ContainsSubstring(" on, came back as zeros."));
    }
    // Less than a sector of them are wrong bytes like any other.
    CHECK(zeroed(5001, 5500).kind == FindingKind::bit_corruption);
}

TEST_CASE("the pattern of an unfilled buffer takes precedence, and its bytes are counted") {
    const PageBuffer nothing;
    sim::stamp_not_read(nothing.data(), sim::kPageBytes);
    CHECK(found(nothing).kind == FindingKind::bytes_not_read);
    CHECK(or_empty(found(nothing).comparison).not_read_bytes == 8192);
    const PageBuffer part(sample_version(6));
    sim::stamp_not_read(part.data() + 4096, 512);
    const sim::Finding finding = found(part);
    CHECK(finding.kind == FindingKind::bytes_not_read);
    CHECK(or_empty(finding.comparison).not_read_bytes == 512);
    CHECK(or_empty(finding.comparison).sectors[8].state == SectorState::not_read);
    CHECK(kind(nothing, {.never_written = true}) == FindingKind::bytes_not_read);
}

TEST_CASE("a sound page of another run, and noise, are foreign") {
    sim::PageIdentity other = kSampleIdentity;
    other.run_id += 77;
    const sim::Finding finding = found(PageBuffer(other));
    CHECK(finding.kind == FindingKind::foreign_page);
    CHECK(or_empty(finding.received).run_id == other.run_id);
    CHECK(or_empty(finding.comparison).sectors[3].state == SectorState::foreign);
    const PageBuffer noise;
    sim::fill_from_seed(99, noise.data(), sim::kPageBytes);
    CHECK(kind(noise) == FindingKind::foreign_page);
    CHECK(kind(noise, {.transient = true}) == FindingKind::foreign_page);
    CHECK(kind(noise, {.never_written = true}) == FindingKind::foreign_page);
}

TEST_CASE("what an earlier run left in place of a page's first version is a lost write") {
    sim::PageIdentity earlier = kSampleIdentity;
    earlier.run_id += 77;
    const ImageCase over_old{.written = sample_version(1), .over_old_file = true};
    CHECK(kind(PageBuffer(earlier), over_old) == FindingKind::lost_write);
    CHECK(kind(PageBuffer(earlier), {.written = sample_version(1)}) == FindingKind::foreign_page);
    // It had been there: what came back did not stand below it.
    CHECK(kind(PageBuffer(earlier), {.written = sample_version(1), .read_back = true, .over_old_file = true}) == FindingKind::foreign_page);
    earlier.page_id = 9;
    CHECK(kind(PageBuffer(earlier), over_old) == FindingKind::foreign_page);
}

TEST_CASE("an earlier write of the newest version is old, as when a file has been restored again") {
    sim::PageIdentity earlier = kSampleIdentity;
    earlier.write_utc_us -= 5;
    const PageBuffer image(earlier);
    CHECK(kind(image, {.transient = true, .all_writes_known = true}) == FindingKind::stale_read);
    CHECK(kind(image, {.all_writes_known = true}) == FindingKind::lost_write);
    CHECK(kind(image, {.read_back = true, .all_writes_known = true}) == FindingKind::reverted_page);
    // Nobody knows when it was written last: it may have been before.
    CHECK(kind(image) == FindingKind::future_version);
}

TEST_CASE("sectors of two writes of one version are a torn page, as when a file has been restored again") {
    sim::PageIdentity earlier = kSampleIdentity;
    earlier.write_utc_us -= 5'000'000;
    for (const std::uint32_t first : {0U, 1U, 8U, 15U}) {
        for (const std::uint32_t count : {1U, 8U}) {
            if (first + count > sim::kSectorsPerPage) continue;
            CAPTURE(first, count);
            const PageBuffer page(kSampleIdentity);
            copy_sectors(PageBuffer(earlier), page, first, count);
            const sim::Finding finding = found(page);
            CHECK(finding.kind == FindingKind::torn_page);
            CHECK(or_empty(finding.comparison).tear_on_4k_lines == (count == 8 && first % 8 == 0));
            CHECK(or_empty(finding.comparison).sectors[first].state == SectorState::older);
            CHECK(or_empty(finding.comparison).sectors[first].version == kSampleIdentity.version);
            CHECK_THAT(finding.description, ContainsSubstring("only some of its sectors are of the last write of version 7"));
            CHECK_THAT(finding.reasoning.at(0), ContainsSubstring("of an earlier write of version 7"));
        }
    }
    // Damage besides is more than a tear, and a later time is no earlier write.
    const PageBuffer page(kSampleIdentity);
    copy_sectors(PageBuffer(earlier), page, 0, 4);
    page[6000] ^= std::byte{1};
    CHECK(kind(page) == FindingKind::bit_corruption);
    sim::PageIdentity later = kSampleIdentity;
    later.write_utc_us += 5'000'000;
    const PageBuffer mixed(kSampleIdentity);
    copy_sectors(PageBuffer(later), mixed, 0, 4);
    CHECK(kind(mixed) == FindingKind::bit_corruption);
}

TEST_CASE("a wrong bit or byte in the time of one sector is bit corruption, and not a sector of an earlier write") {
    const std::uint32_t sector = GENERATE(0U, 5U, 15U);
    for (std::size_t at = 0; at < sizeof(sim::SectorStamp::write_time_low); ++at) {
        for (const unsigned wrong : {0x01U, 0x02U, 0x04U, 0x08U, 0x10U, 0x20U, 0x40U, 0x80U, 0x5aU, 0xffU}) {
            CAPTURE(sector, at, wrong);
            const PageBuffer page(kSampleIdentity);
            page[sector * sim::kSectorBytes + sim::kStampOffset + offsetof(sim::SectorStamp, write_time_low) + at] ^=
                static_cast<std::byte>(wrong);
            CHECK(kind(page) == FindingKind::bit_corruption);
        }
    }
}

TEST_CASE("a version that was never written is a future version") {
    CHECK(kind(PageBuffer(sample_version(8))) == FindingKind::future_version);
    CHECK(kind(PageBuffer(sample_version(8)), {.transient = true}) == FindingKind::future_version);
    sim::PageIdentity later = kSampleIdentity;
    later.write_utc_us += 5;
    CHECK(kind(PageBuffer(later)) == FindingKind::future_version);
    later = kSampleIdentity;
    later.lsn += 1;
    CHECK(kind(PageBuffer(later)) == FindingKind::future_version);
    CHECK(found(PageBuffer(later), {}).description.starts_with("Version 7 of the page came back, but not the image that was written."));
    const PageBuffer part(kSampleIdentity);
    copy_sectors(PageBuffer(sample_version(8)), part, 8, 8);
    const sim::Finding finding = found(part, {});
    CHECK(finding.kind == FindingKind::future_version);
    CHECK(finding.description.starts_with("A part of version 8 of the page came back; version 7 is the newest that was ever written."));
    CHECK(finding.reasoning.at(0) == "8 of its 16 sectors are of a version of this page after 7, the newest that was ever written.");
}

TEST_CASE("garbage in a few sectors is bit corruption, and the offset of shifted data is found") {
    const PageBuffer page(kSampleIdentity);
    sim::fill_from_seed(5, page.data() + 2048, 1024);
    CHECK(kind(page) == FindingKind::bit_corruption);
    const PageBuffer first(kSampleIdentity);
    sim::fill_from_seed(5, first.data(), 512);
    const sim::Finding header_gone = found(first);
    CHECK(header_gone.kind == FindingKind::bit_corruption);
    CHECK(or_empty(header_gone.comparison).first_wrong_byte < 8);
    CHECK(or_empty(header_gone.comparison).wrong_bytes <= 512);
    for (const std::int32_t shift : {1, 8, 512, 1024, -1, -16, -512}) {
        const PageBuffer whole(kSampleIdentity);
        const PageBuffer moved(kSampleIdentity);
        if (shift > 0) std::memcpy(moved.data() + shift, whole.data(), static_cast<std::size_t>(8192 - shift));
        if (shift < 0) std::memcpy(moved.data(), whole.data() - shift, static_cast<std::size_t>(8192 + shift));
        CAPTURE(shift);
        const sim::Finding finding = found(moved);
        CHECK(finding.kind == FindingKind::bit_corruption);
        CHECK(or_empty(finding.comparison).shift_bytes == shift);
    }
}

TEST_CASE("sectors of an older version at other offsets are neither an older page nor a torn one") {
    for (const std::uint32_t first : {0U, 4U}) {
        CAPTURE(first);
        const PageBuffer old(sample_version(6));
        const PageBuffer page(kSampleIdentity);
        // Each sector in the place of its neighbor.
        for (std::uint32_t i = first; i < sim::kSectorsPerPage; ++i) {
            std::memcpy(page.data() + i * 512, old.data() + (i ^ 1U) * 512, 512);
        }
        const sim::Finding finding = found(page);
        CHECK(finding.kind == FindingKind::bit_corruption);
        CHECK(or_empty(finding.comparison).sectors[7].state == SectorState::other_page);
    }
}

TEST_CASE("the contents from before a file was cut and grown again are a reverted page, or a stale read") {
    CHECK(kind(PageBuffer(sample_version(6)), {.never_written = true}) == FindingKind::reverted_page);
    CHECK(kind(PageBuffer(sample_version(6)), {.transient = true, .never_written = true}) == FindingKind::stale_read);
}

TEST_CASE("the reads after a wrong one are told apart by what came") {
    std::vector<sim::Reread> rereads;
    CHECK(sim::later_reads_in(rereads) == sim::LaterReads::none);
    rereads.push_back({.attempt = 3, .through_new_file = true, .result = sim::RereadResult::io_error});
    CHECK(sim::later_reads_in(rereads) == sim::LaterReads::none);
    rereads.push_back({.attempt = 4, .result = sim::RereadResult::same_image});
    CHECK(sim::later_reads_in(rereads) == sim::LaterReads::some);
    rereads.push_back({.attempt = 8, .through_new_file = true, .result = sim::RereadResult::right});
    CHECK(sim::later_reads_in(rereads) == sim::LaterReads::all);
}

TEST_CASE("every kind has a title, and a name that can be parsed") {
    for (std::size_t i = 0; i < sim::kFindingKindCount; ++i) {
        const auto each = static_cast<FindingKind>(i);
        CHECK(sim::finding_kind_of(sim::name_of(each)) == each);
        CHECK_FALSE(sim::title_of(each).empty());
    }
    CHECK_FALSE(sim::finding_kind_of("gone").has_value());
}

TEST_CASE("reads are unsteady if a third image came, and none came twice at the end") {
    const auto unsteady = [](const std::vector<std::uint32_t>& checksums) {
        std::vector<sim::Reread> rereads;
        for (const std::uint32_t checksum : checksums) {
            rereads.push_back({.result = sim::RereadResult::other_image, .checksum = checksum});
        }
        rereads.push_back({.result = sim::RereadResult::io_error, .checksum = 99});
        return sim::are_unsteady(1, rereads);
    };
    CHECK_FALSE(unsteady({}));
    CHECK_FALSE(unsteady({2}));
    CHECK_FALSE(unsteady({2, 1, 2}));
    CHECK_FALSE(unsteady({2, 3, 3}));
    CHECK(unsteady({2, 3}));
    CHECK(unsteady({2, 3, 1}));
}
