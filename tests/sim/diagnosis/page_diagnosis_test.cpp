#include "sim/diagnosis/page_diagnosis.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/sim/support/page_buffer.hpp"
#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"
#include "ums/sched/event.hpp"

using namespace sim::testing;
using sim::Finding;
using sim::FindingKind;
using sim::kPageBytes;

namespace {

constexpr std::uint32_t kDamagedPage = 40;

std::vector<std::byte> page_on_disk(const Rig& rig, std::uint32_t page) { return peek(rig.data_path(), page * kPageBytes, kPageBytes); }
void put_on_disk(const Rig& rig, std::uint32_t page, const std::vector<std::byte>& bytes) {
    poke(rig.data_path(), page * kPageBytes, bytes);
}

ums::Task<void> read(Rig& rig, std::uint32_t first, std::uint32_t count) {
    sim::RangeReader reader = rig.make_reader();
    co_await reader.read(rig.data(), first, count, {.keep = false});
}

// Writes pages 1 … 127 twice and drops them from memory. Returns the first version of kDamagedPage.
ums::Task<std::vector<std::byte>> write_twice(Rig& rig) {
    co_await rig.write_pages(rig.data(), 1, 127);
    std::vector<std::byte> first = page_on_disk(rig, kDamagedPage);
    co_await rig.write_pages(rig.data(), 1, 127);
    rig.forget_pages(rig.data(), 1, 127);
    co_return first;
}

// Writes pages 1 … 127 twice, calls `damage(rig, images of the first versions)`, and then reads the pages twice.
template <typename Damage>
std::vector<Finding> findings_after_page_damage(bool repairs, Damage damage) {
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

// The first finding is that the write of kDamagedPage went to this page.
void check_write_went_to(const Rig& rig, std::uint32_t victim) {
    const std::vector<Finding> findings = rig.sink.findings();
    REQUIRE_FALSE(findings.empty());
    CHECK(findings[0].place.page_id == kDamagedPage);
    CHECK(findings[0].kind == FindingKind::misdirected_write);
    REQUIRE(findings[0].other);
    CHECK(findings[0].other->page_id == victim);
}

}  // namespace

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
            co_await read(r, 1, 127);
            co_await read(r, 1, 127);
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
        co_await read(r, 1, 127);
        put_on_disk(r, kDamagedPage, old);
        co_await read(r, 1, 127);
    });
    REQUIRE(rig.sink.findings().size() == 1);
    CHECK(rig.sink.findings()[0].kind == FindingKind::reverted_page);
}

TEST_CASE("a write that went to another page is found at both ends, whichever is read first") {
    for (const std::uint32_t victim : {kDamagedPage - 9, kDamagedPage + 60}) {
        const auto findings = findings_after_page_damage(true, [&](Rig& rig, const auto& first) {
            put_on_disk(rig, victim, page_on_disk(rig, kDamagedPage));
            put_on_disk(rig, kDamagedPage, first[kDamagedPage]);
        });
        REQUIRE(findings.size() == 2);
        for (const Finding& finding : findings) {
            CHECK(finding.kind == FindingKind::misdirected_write);
            REQUIRE(finding.other);
            CHECK((finding.place.page_id == kDamagedPage || finding.place.page_id == victim));
            CHECK(finding.other->page_id == (finding.place.page_id == kDamagedPage ? victim : kDamagedPage));
            CHECK(finding.other->path == finding.place.path);
        }
    }
}

TEST_CASE("a write that went to another page is named even if that page is rewritten during the re-reads") {
    for (const std::uint32_t victim : {kDamagedPage - 9, kDamagedPage + 60, kDamagedPage ^ 64U}) {
        Rig rig({.repairs = true});
        rig.run([&](Rig& r) -> ums::Task<void> {
            const auto old = co_await write_twice(r);
            const auto victims_own = page_on_disk(r, victim);
            put_on_disk(r, victim, page_on_disk(r, kDamagedPage));
            put_on_disk(r, kDamagedPage, old);
            std::uint32_t reads = 0;
            r.storage.set_rule([&](const ums::IoRequest& request) {
                if (request.offset_bytes == kDamagedPage * kPageBytes && ++reads == 5) put_on_disk(r, victim, victims_own);
                return Fate{};
            });
            co_await read(r, kDamagedPage, 1);
            r.storage.set_rule(nullptr);
        });
        INFO("the other page: " << victim);
        check_write_went_to(rig, victim);
    }
}

TEST_CASE("the first write to a page that went to another one is found, in a file of an earlier run") {
    constexpr std::uint32_t kPages = 256;  // 2 MB
    const std::uint32_t victim = kDamagedPage + 9;
    Rig rig({.repairs = false});
    rig.options.delete_files_at_startup = false;
    make_file(rig.data_path(), std::string(kPages * kPageBytes, '\0'));
    const auto earlier = [](std::uint32_t page) {
        const PageBuffer image(sim::PageIdentity{.run_id = 77, .file_id = 1, .page_id = page, .version = 3});
        return std::vector<std::byte>(image.data(), image.data() + kPageBytes);
    };
    for (std::uint32_t page = 0; page < kPages; ++page) put_on_disk(rig, page, earlier(page));
    rig.run([&](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        put_on_disk(r, victim, page_on_disk(r, kDamagedPage));
        put_on_disk(r, kDamagedPage, earlier(kDamagedPage));
        co_await read(r, kDamagedPage, 1);
    });
    check_write_went_to(rig, victim);
}

TEST_CASE("a write that went to another page is found even if an older version of the page went to a third one") {
    for (const auto& [older_place, victim] : {std::pair{20U, 30U}, std::pair{30U, 20U}}) {
        Rig rig({.repairs = false});
        rig.run([&, old_at = older_place, new_at = victim](Rig& r) -> ums::Task<void> {
            const auto old = co_await write_twice(r);
            put_on_disk(r, old_at, old);
            put_on_disk(r, new_at, page_on_disk(r, kDamagedPage));
            put_on_disk(r, kDamagedPage, old);
            co_await read(r, kDamagedPage, 1);
        });
        INFO("the page with the newest version: " << victim);
        check_write_went_to(rig, victim);
    }
}

TEST_CASE("a write that went to another page is found even beyond unreadable pages") {
    const std::uint32_t victim = kDamagedPage + 40;
    Rig rig({.repairs = false});
    rig.run([&](Rig& r) -> ums::Task<void> {
        const auto old = co_await write_twice(r);
        put_on_disk(r, victim, page_on_disk(r, kDamagedPage));
        put_on_disk(r, kDamagedPage, old);
        // Every request for pages just before it fails, as with a bad sector.
        r.storage.set_rule([&](const ums::IoRequest& request) {
            const std::uint64_t broken_bytes = (victim - 2) * kPageBytes;
            const bool hits = request.offset_bytes <= broken_bytes && broken_bytes < request.offset_bytes + request.size_bytes;
            return hits ? Fate{.error = EIO} : Fate{};
        });
        co_await read(r, kDamagedPage, 1);
        r.storage.set_rule(nullptr);
    });
    check_write_went_to(rig, victim);
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
        co_await read(r, kDamagedPage, 1);
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
        co_await read(r, kDamagedPage, 1);
        const bool has_other_time = page_on_disk(r, kDamagedPage) != at_first;
        CHECK(has_other_time);
        put_on_disk(r, kDamagedPage, at_first);
        co_await read(r, kDamagedPage, 1);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::misdirected_write);
    CHECK(findings[1].kind == FindingKind::lost_write);
    CHECK(findings[1].description.find("from before a repair") != std::string::npos);
}

TEST_CASE("several wrong pages of one read are diagnosed concurrently") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        for (std::uint32_t page = 1; page < 128; ++page) flip_bits(r.data_path(), page * kPageBytes + 100, std::byte{1});
        const std::uint64_t start_ns = r.clock.now_ns();
        co_await read(r, 1, 127);
        CHECK(r.clock.now_ns() - start_ns < 20 * ums::kNsPerSecond);  // one after another would take a minute
        co_await read(r, 1, 127);
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
        const sim::ReadPage wrong[] = {{kDamagedPage, first.data()}, {kDamagedPage + 1, damaged.data()}};
        co_await r.data().file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
        co_await r.checker->diagnose(r.data(), wrong);
        r.data().file.resize_latch().release_exclusive();
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    for (const Finding& finding : findings) CHECK_FALSE(finding.transient);
}

TEST_CASE("a page that another task holds is verified when a search reads it, unless it was being written") {
    const std::uint32_t held = kDamagedPage + 20;
    for (const bool is_written : {false, true}) {
        for (const bool stays : {false, true}) {
            Rig rig({.repairs = true});
            rig.run([&](Rig& r) -> ums::Task<void> {
                const auto old = co_await write_twice(r);
                put_on_disk(r, kDamagedPage, old);
                const auto right = page_on_disk(r, held);
                auto damaged = right;
                damaged[777] ^= std::byte{0x10};
                co_await r.change_page(r.data(), held);
                sim::Frame* const frame = r.pool->find({r.data().file.id(), held});
                REQUIRE(frame != nullptr);
                REQUIRE(frame->latch.try_acquire(ums::LatchMode::update));
                std::optional<sim::WatchedWrite> write;
                if (is_written) write.emplace(r.data().writes, held, 1);
                // Damaged only while the search reads, or from then on.
                r.storage.set_rule([&](const ums::IoRequest& request) {
                    if (request.is_search) put_on_disk(r, held, damaged);
                    if (!request.is_search && !stays) put_on_disk(r, held, right);
                    return Fate{};
                });
                co_await read(r, kDamagedPage, 1);
                r.storage.set_rule(nullptr);
                write.reset();
                frame->latch.release(ums::LatchMode::update);
                r.pool->unpin(*frame);
                // The next holder of the page sees a fault that is already reported, or repairs it.
                put_on_disk(r, held, right);
            });
            const auto findings = rig.sink.findings();
            INFO("written: " << is_written << ", stays: " << stays);
            REQUIRE(findings.size() == (is_written ? 1 : 2));
            CHECK(findings[0].place.page_id == kDamagedPage);
            CHECK(findings[0].kind == FindingKind::lost_write);
            if (is_written) continue;
            CHECK(findings[1].place.page_id == held);
            CHECK(findings[1].kind == FindingKind::bit_corruption);
            CHECK(findings[1].transient == !stays);
            CHECK_FALSE(findings[1].repaired);
        }
    }
}

// Snapshots copy, and sorts spill, without frames: a search cannot keep them away by holding a page's frame.
TEST_CASE("a search does not report a page of a replica or of tempdb while it is being written") {
    const std::uint32_t copied = kDamagedPage + 20;
    for (const bool is_written : {false, true}) {
        Rig rig({.repairs = true});
        rig.run([&](Rig& r) -> ums::Task<void> {
            r.data().is_apart = true;
            put_on_disk(r, kDamagedPage, co_await write_twice(r));
            auto newer = page_on_disk(r, copied);
            newer[777] ^= std::byte{0x10};
            std::optional<sim::WatchedWrite> write;
            if (is_written) write.emplace(r.data().writes, copied, 1);
            put_on_disk(r, copied, newer);
            co_await read(r, kDamagedPage, 1);
            write.reset();
        });
        INFO("written: " << is_written);
        CHECK(rig.sink.findings().size() == (is_written ? 1 : 2));
    }
}

TEST_CASE("a fault that both a search and the holder of the page see is reported once") {
    Rig rig({.repairs = true});
    rig.run([](Rig& r) -> ums::Task<void> {
        std::vector<std::vector<std::byte>> first_versions;
        co_await r.write_pages(r.data(), 1, 127);
        for (std::uint32_t page = 0; page < 128; ++page) first_versions.push_back(page_on_disk(r, page));
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        for (const std::uint32_t page : {kDamagedPage, kDamagedPage + 1, kDamagedPage + 20}) put_on_disk(r, page, first_versions[page]);
        co_await read(r, 1, 127);
        co_await read(r, 1, 127);
    });
    CHECK(rig.sink.findings().size() == 3);
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
        co_await read(r, kDamagedPage, 1);
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
