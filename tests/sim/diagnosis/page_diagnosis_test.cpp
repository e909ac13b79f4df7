#include "sim/diagnosis/page_diagnosis.hpp"

#include <utility>
#include <vector>

#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"
#include "ums/sched/event.hpp"

using namespace sim::testing;
using sim::Finding;
using sim::FindingKind;
using sim::kPageBytes;

namespace {

constexpr std::uint32_t kPage = 40;

std::vector<std::byte> page_on_disk(const Rig& rig, std::uint32_t page) { return peek(rig.data_path(), page * kPageBytes, kPageBytes); }
void put_on_disk(const Rig& rig, std::uint32_t page, const std::vector<std::byte>& bytes) {
    poke(rig.data_path(), page * kPageBytes, bytes);
}

ums::Task<void> read(Rig& rig, std::uint32_t first, std::uint32_t count) {
    sim::RangeReader reader = rig.make_reader();
    co_await reader.read(rig.data(), first, count, {.keep = false});
}

// Pages 1 … 127 are written twice and are not in memory. kPage's first version.
ums::Task<std::vector<std::byte>> write_twice(Rig& rig) {
    co_await rig.write_pages(rig.data(), 1, 127);
    std::vector<std::byte> first = page_on_disk(rig, kPage);
    co_await rig.write_pages(rig.data(), 1, 127);
    rig.forget_pages(rig.data(), 1, 127);
    co_return first;
}

// Pages 0 … 127 are written twice and read once in between; `damage(rig, images of the first version)`, then all are read, twice.
template <typename Damage>
std::vector<Finding> findings_after(bool repairs, Damage damage) {
    Rig rig({.repairs = repairs});
    rig.run([&](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 127);
        std::vector<std::vector<std::byte>> first_versions;
        for (std::uint32_t page = 0; page < 128; ++page) first_versions.push_back(page_on_disk(r, page));
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        damage(r, first_versions);
        co_await read(r, 1, 127);
        co_await read(r, 1, 127);
    });
    return rig.sink.findings();
}

}  // namespace

TEST_CASE("a page that stays wrong is repaired and then right, or left as it is and unknown, it is reported once either way") {
    for (const bool repairs : {true, false}) {
        std::vector<std::byte> damaged;
        Rig* seen = nullptr;
        std::vector<std::byte> afterwards;
        Rig rig({.repairs = repairs});
        seen = &rig;
        rig.run([&](Rig& r) -> ums::Task<void> {
            co_await r.write_pages(r.data(), 1, 127);
            r.forget_pages(r.data(), 1, 127);
            const std::vector<std::byte> sound = page_on_disk(r, kPage);
            flip_bits(r.data_path(), kPage * kPageBytes + 777, std::byte{0x10});
            damaged = page_on_disk(r, kPage);
            co_await read(r, 1, 127);
            co_await read(r, 1, 127);
            afterwards = page_on_disk(r, kPage);
            CHECK((afterwards == sound) == repairs);
            CHECK((r.data().ledger[kPage].unknown != 0) == !repairs);
        });
        REQUIRE(seen->sink.findings().size() == 1);
        const Finding finding = seen->sink.findings()[0];
        CHECK(finding.kind == FindingKind::bit_corruption);
        CHECK(finding.page_id == kPage);
        CHECK(finding.repaired == repairs);
        CHECK(finding.rereads.size() == 15);
        CHECK(finding.image == damaged);
        CHECK(finding.expected_image.size() == kPageBytes);
        if (!repairs) CHECK(afterwards == damaged);
    }
}

TEST_CASE("of the 15 re-reads three go through a newly opened file") {
    const auto findings =
        findings_after(false, [](Rig& rig, const auto&) { flip_bits(rig.data_path(), kPage * kPageBytes, std::byte{1}); });
    REQUIRE(findings.size() == 1);
    std::vector<std::uint32_t> fresh;
    for (const sim::Reread& reread : findings[0].rereads) {
        CHECK(reread.result == sim::RereadResult::same_image);
        if (reread.through_new_file) fresh.push_back(reread.attempt);
    }
    CHECK(fresh == std::vector<std::uint32_t>{3, 8, 15});
}

TEST_CASE("an old version that stays is a lost write, or reverted where the newest had been read back") {
    const auto lost = findings_after(true, [](Rig& rig, const auto& first) { put_on_disk(rig, kPage, first[kPage]); });
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].kind == FindingKind::lost_write);
    CHECK(lost[0].received_version + 1 == lost[0].expected_version);

    Rig rig({.repairs = true});
    rig.run([&](Rig& r) -> ums::Task<void> {
        const auto old = co_await write_twice(r);
        co_await read(r, 1, 127);
        put_on_disk(r, kPage, old);
        co_await read(r, 1, 127);
    });
    REQUIRE(rig.sink.findings().size() == 1);
    CHECK(rig.sink.findings()[0].kind == FindingKind::reverted_page);
}

TEST_CASE("a write that went to another page is found at both ends, whichever is met first") {
    for (const std::uint32_t victim : {kPage - 9, kPage + 60}) {
        const auto findings = findings_after(true, [&](Rig& rig, const auto& first) {
            put_on_disk(rig, victim, page_on_disk(rig, kPage));
            put_on_disk(rig, kPage, first[kPage]);
        });
        REQUIRE(findings.size() == 2);
        for (const Finding& finding : findings) {
            CHECK(finding.kind == FindingKind::misdirected_write);
            REQUIRE(finding.other);
            CHECK((finding.page_id == kPage || finding.page_id == victim));
            CHECK(finding.other->page_id == (finding.page_id == kPage ? victim : kPage));
            CHECK(finding.other->path == finding.path);
        }
    }
}

TEST_CASE("a write that went to another page is named also when that page is written again during the re-reads") {
    for (const std::uint32_t victim : {kPage - 9, kPage + 60, kPage ^ 64U}) {
        Rig rig({.repairs = true});
        rig.run([&](Rig& r) -> ums::Task<void> {
            const auto old = co_await write_twice(r);
            const auto victims_own = page_on_disk(r, victim);
            put_on_disk(r, victim, page_on_disk(r, kPage));
            put_on_disk(r, kPage, old);
            std::uint32_t reads = 0;
            r.storage.set_rule([&](const ums::IoRequest& request) {
                if (request.offset_bytes == kPage * kPageBytes && ++reads == 5) put_on_disk(r, victim, victims_own);
                return Fate{};
            });
            co_await read(r, kPage, 1);
            r.storage.set_rule(nullptr);
        });
        INFO("the other page: " << victim);
        const auto findings = rig.sink.findings();
        REQUIRE_FALSE(findings.empty());
        const Finding& finding = findings[0];
        CHECK(finding.page_id == kPage);
        CHECK(finding.kind == FindingKind::misdirected_write);
        REQUIRE(finding.other);
        CHECK(finding.other->page_id == victim);
    }
}

TEST_CASE("a write that went to another page is found also behind pages that cannot be read") {
    const std::uint32_t victim = kPage + 40;
    Rig rig({.repairs = false});
    rig.run([&](Rig& r) -> ums::Task<void> {
        const auto old = co_await write_twice(r);
        put_on_disk(r, victim, page_on_disk(r, kPage));
        put_on_disk(r, kPage, old);
        // Every request for a page just before it fails, as for a broken sector.
        r.storage.set_rule([&](const ums::IoRequest& request) {
            const std::uint64_t broken_bytes = (victim - 2) * kPageBytes;
            const bool hits = request.offset_bytes <= broken_bytes && broken_bytes < request.offset_bytes + request.size_bytes;
            return hits ? Fate{.error = EIO} : Fate{};
        });
        co_await read(r, kPage, 1);
        r.storage.set_rule(nullptr);
    });
    const auto findings = rig.sink.findings();
    REQUIRE_FALSE(findings.empty());
    CHECK(findings[0].page_id == kPage);
    CHECK(findings[0].kind == FindingKind::misdirected_write);
    REQUIRE(findings[0].other);
    CHECK(findings[0].other->page_id == victim);
}

TEST_CASE("a fault of the read on a page with a fault on the disk gives two findings") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        const auto old = co_await write_twice(r);
        // The first read finds another page's image, all later ones the old version.
        put_on_disk(r, kPage, page_on_disk(r, kPage + 1));
        int reads = 0;
        r.storage.set_rule([&, old, reads](const ums::IoRequest&) mutable {
            if (++reads == 2) put_on_disk(r, kPage, old);
            return Fate{};
        });
        co_await read(r, 1, 127);
        r.storage.set_rule(nullptr);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::misdirected_read);
    CHECK(findings[0].transient);
    CHECK(findings[1].kind == FindingKind::lost_write);
    CHECK_FALSE(findings[1].transient);
}

TEST_CASE("another fault that only the re-reads show is a finding of its own") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        const auto old = co_await write_twice(r);
        const auto right = page_on_disk(r, kPage);
        put_on_disk(r, kPage, std::vector<std::byte>(kPageBytes));
        std::uint32_t reads = 0;
        r.storage.set_rule([&](const ums::IoRequest&) {
            ++reads;
            if (reads == 2) put_on_disk(r, kPage, old);
            if (reads == 4) put_on_disk(r, kPage, right);
            return Fate{};
        });
        co_await read(r, kPage, 1);
        r.storage.set_rule(nullptr);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::zeroed_page);
    CHECK(findings[1].kind == FindingKind::stale_read);
    for (const Finding& finding : findings) {
        CHECK(finding.transient);
        CHECK(finding.rereads.size() == 3);
    }
}

TEST_CASE("a repair that did not arrive is a lost write, also where the page is as it was at first") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        const auto at_first = page_on_disk(r, kPage);
        co_await ums::sleep_until(ums::Scheduler::current().now_ns() + ums::kNsPerMs);
        co_await r.write_pages(r.data(), kPage + 1, 1);
        // Nothing in the page that stands here tells when the missing one was made: the repair has a time of its own.
        put_on_disk(r, kPage, page_on_disk(r, kPage + 1));
        co_await read(r, kPage, 1);
        const bool has_other_time = page_on_disk(r, kPage) != at_first;
        CHECK(has_other_time);
        put_on_disk(r, kPage, at_first);
        co_await read(r, kPage, 1);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::misdirected_write);
    CHECK(findings[1].kind == FindingKind::lost_write);
    CHECK(findings[1].description.find("as it was before a repair") != std::string::npos);
}

TEST_CASE("many wrong pages of one read are diagnosed side by side") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        for (std::uint32_t page = 1; page < 128; ++page) flip_bits(r.data_path(), page * kPageBytes + 100, std::byte{1});
        const std::uint64_t start_ns = r.clock.now_ns();
        co_await read(r, 1, 127);
        CHECK(r.clock.now_ns() - start_ns < 20 * ums::kNsPerSecond);  // one after the other: a minute
        co_await read(r, 1, 127);
    });
    CHECK(rig.sink.findings().size() == 127);
}
