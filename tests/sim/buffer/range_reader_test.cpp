#include "sim/buffer/range_reader.hpp"

#include <cstring>
#include <vector>

#include "tests/sim/buffer/range_rig.hpp"
#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/request_log.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"

using sim::DataFile;
using sim::Frame;
using sim::kPageBytes;
using sim::RangeReader;
using sim::testing::Fate;
using sim::testing::kRangeFilePages;
using sim::testing::RequestLog;
using sim::testing::Rig;

namespace {

using Requests = std::vector<RequestLog::Entry>;

RequestLog::Entry read_of(const DataFile& data, std::uint64_t page, std::uint64_t pages) {
    return {false, data.file.transfer_handle().value, page, pages};
}

std::uint64_t pages_verified(Rig& rig) { return sim::sum_of(rig.data().file.counters(), &sim::FileCounters::pages_verified); }

}  // namespace

TEST_CASE("64 pages are one scatter read, and each page is verified and stays in memory") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        const std::uint64_t verified = pages_verified(r);
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 64, {});
        CHECK(read_count == 64);
        CHECK(requests.take(r.data().file) == Requests{read_of(r.data(), 1, 64)});
        CHECK(pages_verified(r) == verified + 64);
        for (std::uint32_t page = 1; page <= 64; ++page) {
            CHECK(version_in_memory(r, page) == 1);
            CHECK(r.data().ledger[page].read_back == 1);
        }
        CHECK(r.sink.findings().empty());
    });
}

TEST_CASE("a scatter read leaves in memory what is in the file, page by page") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog&) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 64, {});
        CHECK(read_count == 64);
        const std::vector<std::byte> file = sim::testing::peek(r.data_path(), kPageBytes, 64 * kPageBytes);
        for (std::uint32_t i = 0; i < 64; ++i) {
            Frame* const frame = r.pool->find({r.data().file.id(), 1 + i});
            REQUIRE(frame != nullptr);
            CHECK(std::memcmp(r.pool->data(*frame), file.data() + std::size_t{i} * kPageBytes, kPageBytes) == 0);
            r.pool->unpin(*frame);
        }
    });
}

TEST_CASE("without scatter/gather each page is a separate request, at most 64 at a time") {
    Rig rig({.pool_bytes = 8 << 20});
    std::uint32_t in_flight_max = 0;
    run_ranges(rig, [&](Rig& r, RequestLog& log) -> ums::Task<void> {
        RangeReader reader = r.make_reader(false);
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 128, {});
        CHECK(read_count == 128);
        const Requests requests = log.take(r.data().file);
        CHECK(requests.size() == 128);
        for (const RequestLog::Entry& request : requests) CHECK(request.pages == 1);
        in_flight_max = log.in_flight_max();
    });
    CHECK(in_flight_max > 1);
    CHECK(in_flight_max <= 64);
}

TEST_CASE("a run that is stopping reads nothing more, with one request or many, and finds nothing") {
    const bool use_scatter = GENERATE(false, true);
    Rig rig;
    run_ranges(rig, [&](Rig& r, RequestLog& requests) -> ums::Task<void> {
        r.state.stop(sim::Outcome::stopped, "");
        RangeReader reader = r.make_reader(use_scatter);
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 64, {});
        CHECK(read_count == 0);
        CHECK(requests.take(r.data().file).empty());
        CHECK(r.sink.findings().empty());
        for (std::uint32_t page = 1; page <= 64; ++page) CHECK(r.pool->find({r.data().file.id(), page}) == nullptr);
    });
}

TEST_CASE("a range is cut at the end of the file, and nothing is read beyond it") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        const std::uint32_t read_count = co_await reader.read(r.data(), kRangeFilePages - 6, 64, {});
        CHECK(read_count == 6);
        CHECK(requests.take(r.data().file) == Requests{read_of(r.data(), kRangeFilePages - 6, 6)});
        const std::uint32_t read_count_again = co_await reader.read(r.data(), kRangeFilePages, 8, {});
        CHECK(read_count_again == 0);
        CHECK(requests.take(r.data().file).empty());
    });
}

TEST_CASE("pages that were never written are read and must be zeros") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog&) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        const std::uint32_t read_count = co_await reader.read(r.data(), 100, 8, {.keep = false});
        CHECK(read_count == 8);
        CHECK(r.sink.findings().empty());
        sim::testing::flip_bits(r.data_path(), 103 * kPageBytes + 4000, std::byte{1});
        const std::uint32_t read_count_again = co_await reader.read(r.data(), 100, 8, {.keep = false});
        CHECK(read_count_again == 8);
        REQUIRE(r.sink.findings().size() == 1);
        CHECK(r.sink.findings()[0].place.page_id == 103);
    });
}

TEST_CASE("pages in memory are skipped or read as well, as requested") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        const std::uint32_t read_count = co_await reader.read(r.data(), 5, 4, {});
        CHECK(read_count == 4);
        (void)requests.take(r.data().file);
        const std::uint32_t read_count_again = co_await reader.read(r.data(), 1, 16, {.read_present = false, .keep = false});
        CHECK(read_count_again == 12);
        CHECK(requests.take(r.data().file) == Requests{read_of(r.data(), 1, 4), read_of(r.data(), 9, 8)});
        const std::uint32_t read_count_third = co_await reader.read(r.data(), 1, 16, {.read_present = true});
        CHECK(read_count_third == 16);
        CHECK(requests.take(r.data().file) == Requests{read_of(r.data(), 1, 16)});
        const std::uint32_t read_count_fourth = co_await reader.read(r.data(), 1, 16, {.read_present = false});
        CHECK(read_count_fourth == 0);
        CHECK(requests.take(r.data().file).empty());
    });
}

TEST_CASE("a page that was changed in memory is compared with its last written version, and keeps its change") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog&) -> ums::Task<void> {
        co_await r.change_page(r.data(), 3, sim::FixIntent::change);
        RangeReader reader = r.make_reader();
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 8, {});
        CHECK(read_count == 8);
        CHECK(r.sink.findings().empty());
        CHECK(version_in_memory(r, 3) == 2);
        Frame* const frame = r.pool->find({r.data().file.id(), 3});
        REQUIRE(frame != nullptr);
        CHECK(frame->dirty);
        r.pool->unpin(*frame);
        sim::testing::flip_bits(r.data_path(), 3 * kPageBytes + 5000, std::byte{4});
        const std::uint32_t read_count_again = co_await reader.read(r.data(), 1, 8, {});
        CHECK(read_count_again == 8);
        REQUIRE(r.sink.findings().size() == 1);
        CHECK(r.sink.findings()[0].place.page_id == 3);
        CHECK(version_in_memory(r, 3) == 2);
        static_cast<void>(r.pool->discard_from(r.data().file.id(), 1, 0, r.pool->frame_count()));
    });
}

TEST_CASE("pages that are not to be kept are verified and dropped") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog&) -> ums::Task<void> {
        RangeReader reader = r.make_reader();
        const std::uint64_t verified = pages_verified(r);
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 64, {.keep = false});
        CHECK(read_count == 64);
        CHECK(pages_verified(r) == verified + 64);
        CHECK(count_in_memory(r) == 0);
    });
}

TEST_CASE("a read waits for a write of one of its pages, and other tasks wait for the read") {
    Rig rig;
    run_ranges(rig, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        co_await r.change_page(r.data(), 5, sim::FixIntent::change);
        co_await r.log->flush();
        (void)requests.take(r.data().file);
        const ums::FileHandle file = r.data().file.transfer_handle();
        r.storage.set_rule([file](const ums::IoRequest& request) { return Fate{.hold = request.file.value == file.value}; });
        sim::PageWriter writer = r.make_writer();
        RangeReader reader = r.make_reader();
        auto write = [](Rig& rig_of, sim::PageWriter& by) -> ums::Task<void> { co_await by.write_around(rig_of.data(), 5, true); };
        auto read = [](Rig& rig_of, RangeReader& by) -> ums::Task<void> { co_await by.read(rig_of.data(), 1, 16, {}); };
        const auto wait_longer = [](Rig& rig_of) -> ums::Task<void> {
            co_await wait_for_held(rig_of.storage, rig_of.clock);
            // Time for requests that should have waited, but did not.
            co_await ums::sleep_until(rig_of.clock.now_ns() + 20 * ums::kNsPerMs);
        };
        ums::TaskGroup tasks;
        ums::Scheduler::current().fork(tasks, write(r, writer));
        co_await wait_longer(r);
        ums::Scheduler::current().fork(tasks, read(r, reader));
        co_await wait_longer(r);
        CHECK(requests.take(r.data().file) == Requests{{true, file.value, 5, 1}});
        r.storage.release_held();
        co_await wait_longer(r);
        CHECK(requests.take(r.data().file) == Requests{read_of(r.data(), 1, 16)});
        CHECK(r.storage.held_count() == 1);
        Frame* const frame = r.pool->find({r.data().file.id(), 9});
        REQUIRE(frame != nullptr);
        CHECK_FALSE(frame->latch.try_acquire(ums::LatchMode::shared));
        r.pool->unpin(*frame);
        r.storage.release_held();
        co_await tasks.join();
        CHECK(r.sink.findings().empty());
    });
}
