// Where the image of a page is that another one lacks.
#include "sim/diagnosis/image_search.hpp"

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/diagnosis/damaged_rig.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Finding;
using sim::FindingKind;
using sim::kPageBytes;

namespace {

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
            co_await read_range(r, kDamagedPage, 1);
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
        co_await read_range(r, kDamagedPage, 1);
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
            co_await read_range(r, kDamagedPage, 1);
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
        co_await read_range(r, kDamagedPage, 1);
        r.storage.set_rule(nullptr);
    });
    check_write_went_to(rig, victim);
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
                co_await read_range(r, kDamagedPage, 1);
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
            co_await read_range(r, kDamagedPage, 1);
            write.reset();
        });
        INFO("written: " << is_written);
        CHECK(rig.sink.findings().size() == (is_written ? 1 : 2));
    }
}

// The copy is the page's first write. It must not be taken for a part of the fault, and no repair may replace it.
TEST_CASE("a wrong page of a replica that a search meets is left alone when a snapshot copies it during the re-reads") {
    const std::uint32_t copied = kDamagedPage ^ 128U;
    Rig rig({.repairs = true});
    rig.run([&](Rig& r) -> ums::Task<void> {
        r.data().is_apart = true;
        const auto old = co_await write_twice(r);
        put_on_disk(r, copied, page_on_disk(r, kDamagedPage));
        put_on_disk(r, kDamagedPage, old);
        const sim::PageIdentity identity{.run_id = Rig::kRunId, .file_id = r.data().file.id(), .page_id = copied, .version = 1};
        const PageBuffer image(identity);
        const std::vector<std::byte> copy(image.data(), image.data() + kPageBytes);
        bool is_copied = false;
        r.storage.set_rule([&](const ums::IoRequest& request) {
            const bool is_reread = !request.is_search && request.operation == ums::IoOperation::read;
            if (is_copied || !is_reread || request.offset_bytes != copied * kPageBytes) return Fate{};
            is_copied = true;
            const sim::WatchedWrite write(r.data().writes, copied, 1);
            put_on_disk(r, copied, copy);
            r.data().ledger.acknowledge(copied, 1, 0, sim::read_header(image.data()).checksum);
            return Fate{};
        });
        co_await read_range(r, kDamagedPage, 1);
        r.storage.set_rule(nullptr);
        CHECK(is_copied);
        CHECK(page_on_disk(r, copied) == copy);
        CHECK(r.data().ledger[copied].version == 1);
        CHECK(r.data().ledger[copied].unknown == 0);
    });
    CHECK(rig.sink.findings().size() == 2);
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
        co_await read_range(r, 1, 127);
        co_await read_range(r, 1, 127);
    });
    CHECK(rig.sink.findings().size() == 3);
}
