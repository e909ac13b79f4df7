#include "sim/backup/page_transfers.hpp"

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"

using sim::FindingKind;
using sim::kPageBytes;
using sim::PageLedger;
using sim::testing::Fate;
using sim::testing::Rig;

namespace {

constexpr std::uint32_t kLostPage = 3;
constexpr std::uint32_t kRevertingPage = 9;

// Puts the previous version of a page back once the page has been read correctly.
class RevertingPage final : public sim::testing::FaultyStorage::Observer {
public:
    RevertingPage(std::string path, std::vector<std::byte> before) : path_(std::move(path)), before_(std::move(before)) {}
    bool is_armed = false;

    void on_begin(const ums::IoRequest&) override {}
    void on_end(const ums::IoRequest& request) override {
        const std::uint64_t place = std::uint64_t{kRevertingPage} * kPageBytes;
        const bool is_of_page = request.offset_bytes <= place && place < request.offset_bytes + request.size_bytes;
        if (!is_armed || request.operation != ums::IoOperation::read || !is_of_page) return;
        is_armed = false;
        sim::testing::poke(path_, place, before_);
    }

private:
    const std::string path_;
    const std::vector<std::byte> before_;
};

}  // namespace

TEST_CASE("a page that changes while another page of its block is diagnosed counts as right before") {
    Rig rig;
    rig.run([](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 16);
        const std::vector<std::byte> lost = sim::testing::peek(r.data_path(), kLostPage * kPageBytes, kPageBytes);
        const std::vector<std::byte> before = sim::testing::peek(r.data_path(), kRevertingPage * kPageBytes, kPageBytes);
        co_await r.write_pages(r.data(), 1, 16);
        r.forget_pages(r.data(), 1, 16);
        sim::testing::poke(r.data_path(), kLostPage * kPageBytes, lost);
        RevertingPage reverting(r.data_path(), before);
        r.storage.set_observer(&reverting);
        reverting.is_armed = true;

        sim::PageTransfers transfers(Rig::kRunId, *r.pool, *r.checker, r.state, r.journal);
        std::vector<PageLedger::Entry> entries;
        std::vector<std::byte> memory(16 * kPageBytes);
        const bool is_read = co_await transfers.read(r.data(), 1, 16, memory.data(), entries);
        CHECK(is_read);
        REQUIRE(r.sink.findings().size() == 2);
        CHECK(r.sink.findings()[0].kind == FindingKind::lost_write);
        CHECK(r.sink.findings()[0].place.page_id == kLostPage);
        CHECK(r.sink.findings()[1].kind == FindingKind::reverted_page);
        CHECK(r.sink.findings()[1].place.page_id == kRevertingPage);
        CHECK(entries[kLostPage - 1].unknown == 1);
        CHECK(entries[kLostPage].version == 2);
    });
}

TEST_CASE("a page of a block that came back right has been read back, even while others of the block are still tried again") {
    Rig rig;
    rig.run([](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 16);
        r.forget_pages(r.data(), 1, 16);
        bool was_read_back = false;
        std::uint32_t tries = 0;  // of page 7
        r.storage.set_rule([&](const ums::IoRequest& request) {
            const bool is_page = request.size_bytes == kPageBytes;
            if (!is_page || request.offset_bytes != 7 * kPageBytes) return Fate{.error = is_page ? 0 : EIO};
            ++tries;
            if (tries == 2) was_read_back = r.data().ledger[6].read_back == 1;
            return Fate{.error = tries < 3 ? EIO : 0};
        });
        sim::PageTransfers transfers(Rig::kRunId, *r.pool, *r.checker, r.state, r.journal);
        std::vector<PageLedger::Entry> entries;
        std::vector<std::byte> memory(16 * kPageBytes);
        const bool is_read = co_await transfers.read(r.data(), 1, 16, memory.data(), entries);
        r.storage.set_rule(nullptr);
        CHECK(is_read);
        CHECK(was_read_back);
        REQUIRE(entries.size() == 16);
        for (const PageLedger::Entry& entry : entries) CHECK(entry.version == 1);
    });
}

TEST_CASE("pages of a block of a backup that cannot be read are tried again at the same time") {
    Rig rig;
    rig.run([](Rig& r) -> ums::Task<void> {
        r.storage.set_rule([](const ums::IoRequest& request) {
            const bool is_bad = request.offset_bytes < 65 * kPageBytes && kPageBytes < request.offset_bytes + request.size_bytes;
            return Fate{.error = is_bad ? EIO : 0};
        });
        sim::PageTransfers transfers(Rig::kRunId, *r.pool, *r.checker, r.state, r.journal);
        std::vector<PageLedger::Entry> entries;
        std::vector<std::byte> memory(64 * kPageBytes);
        const std::uint64_t start_ns = r.clock.now_ns();
        const bool is_read = co_await transfers.read(r.data(), 1, 64, memory.data(), entries);
        r.storage.set_rule(nullptr);
        CHECK(is_read);
        CHECK(r.sink.findings().size() == 64);
        for (const PageLedger::Entry& entry : entries) CHECK(entry.unknown == 1);
        // All tries of one page wait for more than half a second.
        CHECK(r.clock.now_ns() - start_ns < ums::kNsPerSecond);
    });
}
