#include "sim/journal/history.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scheduler_run.hpp"
#include "ums/base/units.hpp"

using sim::History;
using sim::HistoryEntry;
using sim::kPageBytes;
using sim::testing::Fate;
using sim::testing::PageBuffer;
using sim::testing::VirtualWorld;
using ums::IoOperation;

namespace {

using ums::kMb;

ums::IoRequest request_of(IoOperation operation, std::uint64_t page, const ums::IoSegment& segment, std::uint64_t posted_ns) {
    ums::IoRequest request;
    request.operation = operation;
    request.offset_bytes = page * kPageBytes;
    request.size_bytes = request.transferred_bytes = segment.size_bytes;
    request.segments = &segment;
    request.segment_count = 1;
    request.submitted_ns = posted_ns;
    request.completed_ns = posted_ns + 1000;
    return request;
}

// Records reads of these pages, one microsecond apart, on the only scheduler of a world.
void record_reads(History& history, std::uint64_t begin_page, std::uint64_t end_page) {
    ums::testing::run_virtual({}, [&](ums::testing::World&) -> ums::Task<void> {
        const ums::IoSegment nothing{nullptr, kPageBytes};
        for (std::uint64_t page = begin_page; page < end_page; ++page) {
            history.record(request_of(IoOperation::read, page, nothing, 1000 * (page + 1)), 1);
        }
        co_return;
    });
}

std::vector<std::uint64_t> pages_of(const std::vector<HistoryEntry>& entries) {
    std::vector<std::uint64_t> pages;
    for (const HistoryEntry& entry : entries) pages.push_back(entry.offset_bytes / kPageBytes);
    return pages;
}

}  // namespace

TEST_CASE("every transfer of a file leaves one entry: who did what, when, for how long, and with which result") {
    VirtualWorld world;
    world.clock.advance_to(7'000'001);
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(3, kMb);
        const PageBuffer page(sim::PageIdentity{.run_id = 1, .file_id = 3, .page_id = 5, .version = 42, .lsn = 0x1'0000'2003});
        const std::vector<ums::IoSegment> segments{{page.data(), kPageBytes}, {page.data(), kPageBytes}};
        w.storage.set_rule([](const ums::IoRequest& request) {
            return request.operation == IoOperation::write ? Fate{.delay_ns = 2'500'000} : Fate{.error = EIO, .delay_ns = 1'000'000};
        });
        co_await file->transfer(IoOperation::write, 5 * kPageBytes, segments, ums::WaitType::io_completion);
        co_await file->transfer(IoOperation::read, 9 * kPageBytes, {segments.data(), 1}, ums::WaitType::io_completion);
    });
    const std::vector<HistoryEntry> entries = world.journal.history().latest(100);
    REQUIRE(entries.size() == 2);
    const HistoryEntry& write = entries[0];
    CHECK(write.is_write);
    CHECK_FALSE(write.is_diagnosis);
    CHECK(write.utc_us == 1'700'000'000'000'000 + 7'000);
    CHECK(write.duration_us == 2'500);
    CHECK(write.cpu == 0);
    CHECK(write.user == "Main");
    CHECK(write.file_id == 3);
    CHECK(write.offset_bytes == 5 * kPageBytes);
    CHECK(write.size_bytes == 2 * kPageBytes);
    CHECK(write.version == 42);
    CHECK(write.lsn == 0x1'0000'2003);
    CHECK(write.error_code == 0);
    CHECK(write.transferred_bytes == 2 * kPageBytes);
    const HistoryEntry& read = entries[1];
    CHECK_FALSE(read.is_write);
    CHECK(read.utc_us == 1'700'000'000'000'000 + 9'500);
    CHECK(read.error_code == EIO);
    CHECK(read.transferred_bytes == 0);
    CHECK(read.version == 0);
}

TEST_CASE("a log block is recorded with its first LSN, bytes without a header of ours without one") {
    const ums::VirtualClock clock;
    History history(clock);
    ums::testing::run_virtual({}, [&](ums::testing::World&) -> ums::Task<void> {
        const PageBuffer block;
        sim::LogBlockHeader header{};
        header.magic = sim::kLogMagic;
        header.first_lsn = 77;
        std::memcpy(block.data(), &header, sizeof header);
        const ums::IoSegment log{block.data(), 512};
        history.record(request_of(IoOperation::write, 1, log, 1), 2);
        const PageBuffer foreign;
        sim::stamp_not_read(foreign.data(), kPageBytes);
        const ums::IoSegment unread{foreign.data(), kPageBytes};
        history.record(request_of(IoOperation::read, 2, unread, 2), 2);
        co_return;
    });
    const auto entries = history.latest(10);
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].lsn == 77);
    CHECK(entries[0].version == 0);
    CHECK(entries[1].lsn == 0);
    CHECK(entries[1].version == 0);
}

TEST_CASE("the newest operations are kept, oldest first, and the history of a page has all that touched it") {
    const ums::VirtualClock clock;
    History history(clock);
    record_reads(history, 0, sim::kOperationsKept + 100);
    CHECK(pages_of(history.latest(3)) == std::vector<std::uint64_t>{8289, 8290, 8291});
    CHECK(history.latest(100'000).size() == sim::kOperationsKept);
    CHECK(history.page_history(1, 99 * kPageBytes, kPageBytes, 10).empty());
    CHECK(pages_of(history.page_history(1, 100 * kPageBytes, kPageBytes, 10)) == std::vector<std::uint64_t>{100});
    // One overlapping byte counts as touched.
    CHECK(pages_of(history.page_history(1, 101 * kPageBytes - 1, 2, 10)) == std::vector<std::uint64_t>{100, 101});
    CHECK(history.page_history(2, 100 * kPageBytes, kPageBytes, 10).empty());
    CHECK(pages_of(history.page_history(1, 0, 1000 * kPageBytes, 2)) == std::vector<std::uint64_t>{998, 999});
}

TEST_CASE("operations on a place with a finding are not overwritten, whether before or after the finding") {
    const ums::VirtualClock clock;
    History history(clock);
    record_reads(history, 0, 10);
    history.watch(1, 5 * kPageBytes, kPageBytes);
    record_reads(history, 5, 6);
    history.watch(1, 5 * kPageBytes, kPageBytes);
    record_reads(history, 1000, 1000 + 2 * sim::kOperationsKept);
    const auto entries = history.page_history(1, 5 * kPageBytes, kPageBytes, 100);
    CHECK(pages_of(entries) == std::vector<std::uint64_t>{5, 5});
    CHECK(history.page_history(1, 6 * kPageBytes, kPageBytes, 100).empty());
}

TEST_CASE("more places than can be watched do no harm") {
    const ums::VirtualClock clock;
    History history(clock);
    for (std::uint64_t page = 0; page < sim::kWatchedPlacesMax + 10; ++page) history.watch(1, page * kPageBytes, kPageBytes);
    record_reads(history, 0, 2000);
    CHECK(history.page_history(1, 1500 * kPageBytes, kPageBytes, 10).size() == 1);
}

TEST_CASE("operations of a diagnosis are marked, and a long user name is truncated") {
    const ums::VirtualClock clock;
    History history(clock);
    ums::testing::run_virtual({}, [&](ums::testing::World& world) -> ums::Task<void> {
        ums::TaskGroup tasks;
        world.schedulers[0].spawn(tasks, std::string(100, 'u'), [](History& to) -> ums::Task<void> {
            const ums::IoSegment nothing{nullptr, kPageBytes};
            to.record(request_of(IoOperation::read, 1, nothing, 1), 1, sim::OperationPurpose::diagnosis);
            co_return;
        }(history));
        co_await tasks.join();
    });
    const auto entries = history.latest(1);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].is_diagnosis);
    CHECK(entries[0].user == std::string(35, 'u'));
}

TEST_CASE("histories can be read while all schedulers record") {
    const ums::RealClock clock;
    History history(clock, 2);
    std::atomic<bool> is_over{false};
    std::uint64_t wrong = 0;
    std::uint64_t seen = 0;
    std::thread finder([&] {
        for (std::uint64_t place = 0; !is_over.load(); ++place) {
            for (const HistoryEntry& entry : history.page_history(1, 0, 64 * kPageBytes, 200)) {
                ++seen;
                wrong += entry.duration_us == 1 && entry.size_bytes == kPageBytes && entry.offset_bytes < 64 * kPageBytes ? 0 : 1;
            }
            history.watch(1, place % 64 * kPageBytes, kPageBytes);
            if (history.latest(10).size() > 10) ++wrong;
        }
    });
    ums::testing::run_real({.cpu_count = 2}, [&](ums::testing::World& world) -> ums::Task<void> {
        ums::TaskGroup tasks;
        for (std::uint32_t cpu = 0; cpu < 2; ++cpu) {
            world.schedulers[cpu].spawn(tasks, "Writer", [](History& to) -> ums::Task<void> {
                const ums::IoSegment nothing{nullptr, kPageBytes};
                for (std::uint64_t i = 0; i < 50'000; ++i) {
                    to.record(request_of(IoOperation::write, i % 64, nothing, 1'000'000 + i), 1);
                    if (i % 100 == 0) co_await ums::Scheduler::current().yield();
                }
            }(history));
        }
        co_await tasks.join();
    });
    is_over = true;
    finder.join();
    CHECK(wrong == 0);
    CHECK(history.page_history(1, 0, 64 * kPageBytes, 200).size() == 200);
}
