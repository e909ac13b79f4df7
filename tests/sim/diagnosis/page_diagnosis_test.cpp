#include "sim/diagnosis/page_diagnosis.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/sim/diagnosis/damaged_rig.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Finding;
using sim::FindingKind;
using sim::kPageBytes;

TEST_CASE("a persistently wrong page is repaired, or left as it is and unknown, and is reported once either way") {
    for (const bool repairs : {true, false}) {
        std::vector<std::byte> damaged;
        Rig* seen = nullptr;
        std::vector<std::byte> afterwards;
        Rig rig({.repairs = repairs});
        seen = &rig;
        rig.run([&](Rig& r) -> ums::Task<void> {
            co_await r.write_pages(r.data(), 1, 127);
            r.forget_pages(r.data(), 1, 127);
            const std::vector<std::byte> sound = page_on_disk(r, kDamagedPage);
            flip_bits(r.data_path(), kDamagedPage * kPageBytes + 777, std::byte{0x10});
            damaged = page_on_disk(r, kDamagedPage);
            co_await read_range(r, 1, 127);
            co_await read_range(r, 1, 127);
            afterwards = page_on_disk(r, kDamagedPage);
            CHECK((afterwards == sound) == repairs);
            CHECK((r.data().ledger[kDamagedPage].unknown != 0) == !repairs);
        });
        REQUIRE(seen->sink.findings().size() == 1);
        const Finding finding = seen->sink.findings()[0];
        CHECK(finding.kind == FindingKind::bit_corruption);
        CHECK(finding.place.page_id == kDamagedPage);
        CHECK(finding.repaired == repairs);
        CHECK(finding.rereads.size() == 15);
        CHECK(finding.evidence.image == damaged);
        CHECK(finding.evidence.expected_image.size() == kPageBytes);
        if (!repairs) CHECK(afterwards == damaged);
    }
}

TEST_CASE("three of the 15 re-reads go through a newly opened file") {
    const auto findings = findings_after_page_damage(
        false, [](Rig& rig, const auto&) { flip_bits(rig.data_path(), kDamagedPage * kPageBytes, std::byte{1}); });
    REQUIRE(findings.size() == 1);
    std::vector<std::uint32_t> fresh;
    for (const sim::Reread& reread : findings[0].rereads) {
        CHECK(reread.result == sim::RereadResult::same_image);
        if (reread.through_new_file) fresh.push_back(reread.attempt);
    }
    CHECK(fresh == std::vector<std::uint32_t>{3, 8, 15});
}

TEST_CASE("a persistent old version is a lost write, or a reverted page if the newest one had been read back") {
    const auto lost =
        findings_after_page_damage(true, [](Rig& rig, const auto& first) { put_on_disk(rig, kDamagedPage, first[kDamagedPage]); });
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].kind == FindingKind::lost_write);
    CHECK(or_empty(lost[0].received).version + 1 == or_empty(lost[0].expected).version);

    Rig rig({.repairs = true});
    rig.run([&](Rig& r) -> ums::Task<void> {
        const auto old = co_await write_twice(r);
        co_await read_range(r, 1, 127);
        put_on_disk(r, kDamagedPage, old);
        co_await read_range(r, 1, 127);
    });
    REQUIRE(rig.sink.findings().size() == 1);
    CHECK(rig.sink.findings()[0].kind == FindingKind::reverted_page);
}

TEST_CASE("a lost write is reported with the image and the time that it had, unless the page may be older than the run") {
    for (const bool knows : {true, false}) {
        CAPTURE(knows);
        std::vector<std::byte> written;
        Rig rig({.repairs = true});
        rig.run([&](Rig& r) -> ums::Task<void> {
            if (knows) r.diagnosis->knows_all_writes();
            const auto old = co_await write_twice(r);
            written = page_on_disk(r, kDamagedPage);
            put_on_disk(r, kDamagedPage, old);
            co_await read_range(r, 1, 127);
        });
        REQUIRE(rig.sink.findings().size() == 1);
        const Finding finding = rig.sink.findings()[0];
        CHECK(finding.kind == FindingKind::lost_write);
        CHECK(finding.evidence.is_write_time_known == knows);
        CHECK((finding.evidence.expected_image == written) == knows);
    }
}

TEST_CASE("a read fault on a page that is also wrong on the disk gives two findings") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        const auto old = co_await write_twice(r);
        // The first read finds another page's image, all later ones the old version.
        put_on_disk(r, kDamagedPage, page_on_disk(r, kDamagedPage + 1));
        int reads = 0;
        r.storage.set_rule([&, old, reads](const ums::IoRequest&) mutable {
            if (++reads == 2) put_on_disk(r, kDamagedPage, old);
            return Fate{};
        });
        co_await read_range(r, 1, 127);
        r.storage.set_rule(nullptr);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::misdirected_read);
    CHECK(findings[0].transient);
    for (const std::string& reason : findings[0].reasoning) CHECK_THAT(reason, !ContainsSubstring("the right page"));
    CHECK(findings[1].kind == FindingKind::lost_write);
    CHECK_FALSE(findings[1].transient);
}

TEST_CASE("if each read returns another page, nothing is said to have been written here") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        co_await write_twice(r);
        std::uint32_t reads = 0;
        r.storage.set_rule([&](const ums::IoRequest&) {
            put_on_disk(r, kDamagedPage, page_on_disk(r, kDamagedPage + 1 + reads++ % 50));
            return Fate{};
        });
        co_await read_range(r, kDamagedPage, 1);
        r.storage.set_rule(nullptr);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::misdirected_read);
    CHECK_FALSE(findings[0].transient);
    for (const std::string& reason : findings[0].reasoning) CHECK_THAT(reason, !ContainsSubstring("image was written here"));
}

TEST_CASE("another fault that only the re-reads show is a separate finding") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        const auto old = co_await write_twice(r);
        const auto right = page_on_disk(r, kDamagedPage);
        put_on_disk(r, kDamagedPage, std::vector<std::byte>(kPageBytes));
        std::uint32_t reads = 0;
        r.storage.set_rule([&](const ums::IoRequest&) {
            ++reads;
            if (reads == 2) put_on_disk(r, kDamagedPage, old);
            if (reads == 4) put_on_disk(r, kDamagedPage, right);
            return Fate{};
        });
        co_await read_range(r, kDamagedPage, 1);
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

TEST_CASE("a repair that did not arrive is a lost write, even if the page is as it was at first") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        const auto at_first = page_on_disk(r, kDamagedPage);
        co_await ums::sleep_until(ums::Scheduler::current().now_ns() + ums::kNsPerMs);
        co_await r.write_pages(r.data(), kDamagedPage + 1, 1);
        // Nothing in the page that is here tells when the missing one was made: the repair has its own time.
        put_on_disk(r, kDamagedPage, page_on_disk(r, kDamagedPage + 1));
        co_await read_range(r, kDamagedPage, 1);
        const bool has_other_time = page_on_disk(r, kDamagedPage) != at_first;
        CHECK(has_other_time);
        put_on_disk(r, kDamagedPage, at_first);
        co_await read_range(r, kDamagedPage, 1);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::misdirected_write);
    CHECK(findings[1].kind == FindingKind::lost_write);
    CHECK(findings[1].description.find("from an earlier write") != std::string::npos);
}

TEST_CASE("several wrong pages of one read are diagnosed concurrently") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        for (std::uint32_t page = 1; page < 128; ++page) flip_bits(r.data_path(), page * kPageBytes + 100, std::byte{1});
        const std::uint64_t start_ns = r.clock.now_ns();
        co_await read_range(r, 1, 127);
        CHECK(r.clock.now_ns() - start_ns < 20 * ums::kNsPerSecond);  // one after another would take a minute
        co_await read_range(r, 1, 127);
    });
    CHECK(rig.sink.findings().size() == 127);
}

// As when a file shrinks and a snapshot keeps the pages that are cut off.
TEST_CASE("pages protected only by their file's size latch are reported once, even if the search for their images reads them again") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        const std::vector<std::byte> first = co_await write_twice(r);
        put_on_disk(r, kDamagedPage, first);
        flip_bits(r.data_path(), (kDamagedPage + 1) * kPageBytes + 100, std::byte{1});
        const std::vector<std::byte> damaged = page_on_disk(r, kDamagedPage + 1);
        sim::ReadPage wrong[] = {{kDamagedPage, first.data()}, {kDamagedPage + 1, damaged.data()}};
        co_await r.data().file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
        co_await r.checker->diagnose(r.data(), wrong);
        r.data().file.resize_latch().release_exclusive();
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    for (const Finding& finding : findings) CHECK_FALSE(finding.transient);
}

TEST_CASE("a device that hangs while a file is reopened or its cache is dropped delays only the diagnosis") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        flip_bits(r.data_path(), kDamagedPage * kPageBytes + 777, std::byte{0x10});
        std::atomic<std::uint64_t> turns{0};
        std::atomic<std::uint32_t> calls{0};
        std::atomic<bool> has_stood_still{false};
        r.storage.set_before_call([&] {
            ++calls;
            const std::uint64_t before = turns;
            for (int i = 0; i < 2000 && turns == before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (turns == before) has_stood_still = true;
        });
        bool is_over = false;
        auto others = [&]() -> ums::Task<void> {
            while (!is_over) {
                ++turns;
                co_await ums::sleep_until(ums::Scheduler::current().now_ns() + ums::kNsPerMs);
            }
        };
        ums::TaskGroup tasks;
        ums::Scheduler::current().fork(tasks, others());
        co_await read_range(r, kDamagedPage, 1);
        std::uint64_t next_bytes = co_await r.data().file.next_data_bytes(0);
        CHECK(next_bytes == 0);
        is_over = true;
        co_await tasks.join();
        r.storage.set_before_call(nullptr);
        CHECK(calls == 7);
        CHECK_FALSE(has_stood_still);
    });
    CHECK(rig.sink.findings().size() == 1);
}
