// Ranges of which a page is wrong or cannot be read.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "sim/buffer/range_reader.hpp"
#include "tests/sim/buffer/range_rig.hpp"
#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/request_log.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"

using sim::FindingKind;
using sim::kPageBytes;
using sim::RangeReader;
using sim::testing::Fate;
using sim::testing::RequestLog;
using sim::testing::Rig;

namespace {

// When armed, the next read completes successfully without having changed its memory.
class ReadThatFillsNothing final : public sim::testing::FaultyStorage::Observer {
public:
    bool is_armed = false;

    void on_begin(const ums::IoRequest& request) override {
        if (!is_armed || request.operation != ums::IoOperation::read) return;
        is_armed = false;
        request_ = &request;
        before_.assign(request.segments[0].data, request.segments[0].data + request.segments[0].size_bytes);
    }
    void on_end(const ums::IoRequest& request) override {
        if (&request != request_) return;
        request_ = nullptr;
        std::memcpy(request.segments[0].data, before_.data(), before_.size());
    }

private:
    const ums::IoRequest* request_ = nullptr;
    std::vector<std::byte> before_;
};

}  // namespace

TEST_CASE("a wrong page among right ones is found, alone and once, until it is rewritten") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog&) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        sim::testing::flip_bits(r.data_path(), 7 * kPageBytes + 1234, std::byte{0x20});
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 64, {.keep = false});
        CHECK(read_count == 64);
        REQUIRE(r.sink.findings().size() == 1);
        const sim::Finding finding = r.sink.findings()[0];
        CHECK(finding.place.page_id == 7);
        CHECK(finding.place.offset_bytes == 7 * kPageBytes);
        CHECK(finding.place.path == r.data_path());
        CHECK_FALSE(finding.transient);
        CHECK(finding.evidence.image.size() == kPageBytes);
        CHECK(r.data().ledger[7].unknown == 1);
        CHECK(r.data().file.finding_count == 1);
        const std::uint32_t read_count_again = co_await reader.read(r.data(), 1, 64, {.keep = false});
        CHECK(read_count_again == 64);
        CHECK(r.sink.findings().size() == 1);
        co_await r.write_pages(r.data(), 7, 1);
        r.forget_pages(r.data(), 7, 1);
        const std::uint32_t read_count_third = co_await reader.read(r.data(), 1, 64, {.keep = false});
        CHECK(read_count_third == 64);
        CHECK(r.sink.findings().size() == 1);
        CHECK(r.data().ledger[7].unknown == 0);
        CHECK(r.data().ledger[7].read_back == 1);
    });
}

TEST_CASE("a read that fills nothing is found even if its memory still holds the right page from before") {
    Rig rig;
    ReadThatFillsNothing observer;
    rig.storage.set_observer(&observer);
    rig.run([&observer](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 5, 1);
        r.forget_pages(r.data(), 5, 1);
        RangeReader reader = r.make_reader();
        // With all other memory taken, both reads use the same slot.
        std::vector<sim::Slot> taken;
        co_await r.pool->slots().acquire(static_cast<std::uint32_t>(r.pool->slots().free_count()) - 1, taken);
        const std::uint32_t read_count = co_await reader.read(r.data(), 5, 1, {.keep = false});
        CHECK(read_count == 1);
        CHECK(r.sink.findings().empty());
        observer.is_armed = true;
        const std::uint32_t read_count_again = co_await reader.read(r.data(), 5, 1, {.keep = false});
        CHECK(read_count_again == 1);
        CHECK_FALSE(observer.is_armed);
        r.pool->slots().release(taken);
        REQUIRE(r.sink.findings().size() == 1);
        CHECK(r.sink.findings()[0].kind == FindingKind::bytes_not_read);
        CHECK(r.sink.findings()[0].place.page_id == 5);
        CHECK(r.sink.findings()[0].transient);
    });
}

TEST_CASE("several wrong pages of one read are all found") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog&) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        for (const std::uint64_t page : {1U, 8U, 9U, 64U}) sim::testing::flip_bits(r.data_path(), page * kPageBytes + 8000, std::byte{1});
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 64, {});
        CHECK(read_count == 64);
        std::vector<std::uint32_t> pages;
        for (const sim::Finding& finding : r.sink.findings()) pages.push_back(finding.place.page_id);
        std::sort(pages.begin(), pages.end());
        CHECK(pages == std::vector<std::uint32_t>{1, 8, 9, 64});
    });
}

TEST_CASE("if a scatter read fails, only the unreadable page is to blame") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog&) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        r.storage.set_rule([](const ums::IoRequest& request) {
            const bool hit = request.offset_bytes <= 7 * kPageBytes && 7 * kPageBytes < request.offset_bytes + request.size_bytes;
            return Fate{.error = hit ? EIO : 0};
        });
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 16, {});
        CHECK(read_count == 15);
        REQUIRE(r.sink.findings().size() == 1);
        CHECK(r.sink.findings()[0].kind == FindingKind::io_error);
        CHECK(r.sink.findings()[0].place.page_id == 7);
        CHECK(version_in_memory(r, 7) == 0);
        CHECK(version_in_memory(r, 8) == 1);
    });
}

TEST_CASE("pages of a range that cannot be read are tried again at the same time") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog&) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        r.storage.set_rule([](const ums::IoRequest& request) {
            const bool is_bad = request.offset_bytes < 65 * kPageBytes && kPageBytes < request.offset_bytes + request.size_bytes;
            return Fate{.error = is_bad ? EIO : 0};
        });
        const std::uint64_t start_ns = r.clock.now_ns();
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 64, {});
        CHECK(read_count == 0);
        CHECK(r.sink.findings().size() == 64);
        // All tries of one page wait for more than half a second.
        CHECK(r.clock.now_ns() - start_ns < ums::kNsPerSecond);
    });
}

TEST_CASE("a page that came back right has been read back, even while others of its range are still tried again") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog&) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        bool was_read_back = false;
        r.storage.set_rule([&](const ums::IoRequest& request) {
            const bool is_other = request.offset_bytes <= 7 * kPageBytes && 7 * kPageBytes < request.offset_bytes + request.size_bytes;
            const bool is_last_try = is_other && request.size_bytes == kPageBytes;
            if (is_last_try) was_read_back = r.data().ledger[6].read_back == 1;
            return Fate{.error = is_other ? EIO : 0};
        });
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 16, {});
        CHECK(read_count == 15);
        CHECK(was_read_back);
    });
}

TEST_CASE("a scatter read that ends early is finished page by page, and the finding is transient") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        r.storage.set_rule([](const ums::IoRequest& request) {
            return request.size_bytes > kPageBytes ? Fate{.transferred_bytes = request.size_bytes - 512} : Fate{};
        });
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 16, {});
        CHECK(read_count == 16);
        CHECK(requests.take(r.data().file).size() == 17);
        REQUIRE(r.sink.findings().size() == 1);
        CHECK(r.sink.findings()[0].kind == sim::FindingKind::short_transfer);
        CHECK(r.sink.findings()[0].transient);
        for (std::uint32_t page = 1; page <= 16; ++page) CHECK(version_in_memory(r, page) == 1);
    });
}
