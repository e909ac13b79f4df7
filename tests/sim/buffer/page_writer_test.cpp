#include "sim/buffer/page_writer.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/page/page_codec.hpp"
#include "sim/promises/promise_book.hpp"
#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/request_log.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"

using sim::DataFile;
using sim::FindingKind;
using sim::Frame;
using sim::kPageBytes;
using sim::PageWriter;
using sim::testing::Fate;
using sim::testing::RequestLog;
using sim::testing::Rig;

namespace {

using Requests = std::vector<RequestLog::Entry>;

RequestLog::Entry write_of(const DataFile& data, std::uint64_t page, std::uint64_t pages) {
    return {true, data.file.transfer_handle().value, page, pages};
}

// The page's frame, pinned while this lives; it must be in memory.
class Pinned {
public:
    Pinned(Rig& rig, std::uint32_t page) : pool_(*rig.pool), frame_(rig.pool->find({rig.data().file.id(), page})) { REQUIRE(frame_); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    ~Pinned() { pool_.unpin(*frame_); }
    Frame* operator->() const { return frame_; }

private:
    sim::BufferPool& pool_;
    Frame* frame_;
};

bool is_dirty(Rig& rig, std::uint32_t page) { return Pinned(rig, page)->dirty; }

// Runs `body(rig, requests)`; pages [first, last] have been changed in memory, the log is hardened.
template <typename Body>
void run_with_dirty(Rig& rig, std::uint32_t first, std::uint32_t last, Body body) {
    RequestLog requests;
    rig.storage.set_observer(&requests);
    rig.run([&](Rig& r) -> ums::Task<void> {
        for (std::uint32_t page = first; page <= last; ++page) co_await r.change_page(r.data(), page);
        co_await r.log->flush();
        (void)requests.take(r.data().file);
        co_await body(r, requests);
        r.storage.set_rule(nullptr);
        CHECK(r.data().file.resize_latch().try_acquire_exclusive());
        r.data().file.resize_latch().release_exclusive();
    });
}

// Fails the requests to this file that `wanted` selects.
template <typename Wanted>
void fail(Rig& rig, const sim::SimFile& file, Wanted wanted) {
    rig.storage.set_rule([handle = file.transfer_handle(), wanted](const ums::IoRequest& request) {
        const bool hit = request.operation == ums::IoOperation::write && request.file.value == handle.value && wanted(request);
        return Fate{.error = hit ? EIO : 0};
    });
}

}  // namespace

TEST_CASE("dirty neighbors on both sides are written with the page, in one gather write") {
    Rig rig;
    run_with_dirty(rig, 10, 40, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        PageWriter writer = r.make_writer();
        const PageWriter::Written written = co_await writer.write_around(r.data(), 20, false);
        CHECK(written.pages == 31);
        CHECK(written.end_page == 41);
        CHECK_FALSE(written.was_busy);
        CHECK(requests.take(r.data().file) == Requests{write_of(r.data(), 10, 31)});
        for (std::uint32_t page = 10; page <= 40; ++page) CHECK_FALSE(is_dirty(r, page));
    });
}

TEST_CASE("the file holds what the ledger records as acknowledged") {
    Rig rig;
    run_with_dirty(rig, 1, 8, [](Rig& r, RequestLog&) -> ums::Task<void> {
        PageWriter writer = r.make_writer();
        CHECK(r.data().ledger[5].version == 0);
        co_await writer.write_around(r.data(), 5, false);
        for (std::uint32_t page = 1; page <= 8; ++page) {
            const std::vector<std::byte> image = sim::testing::peek(r.data_path(), std::uint64_t{page} * kPageBytes, kPageBytes);
            const sim::PageLedger::Entry entry = r.data().ledger[page];
            CHECK(entry.version == 1);
            CHECK(entry.lsn == Pinned(r, page)->lsn);
            CHECK(entry.checksum == sim::page_checksum(image.data()));
            CHECK(entry.unknown == 0);
            CHECK(entry.read_back == 0);
        }
    });
}

TEST_CASE("a gather write stays within its limit: it extends forward first, then back") {
    Rig rig;
    run_with_dirty(rig, 10, 25, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        PageWriter writer = r.make_writer(8);
        const PageWriter::Written forward = co_await writer.write_around(r.data(), 12, false);
        CHECK(forward.pages == 8);
        CHECK(forward.end_page == 20);
        const PageWriter::Written both = co_await writer.write_around(r.data(), 24, false);
        CHECK(both.pages == 6);
        CHECK(both.end_page == 26);
        CHECK(requests.take(r.data().file) == Requests{write_of(r.data(), 12, 8), write_of(r.data(), 20, 6)});
        CHECK(is_dirty(r, 11));
    });
}

TEST_CASE("a gather write ends at a clean page, at a page in use, and at the ends of the file") {
    Rig rig;
    run_with_dirty(rig, 1, 30, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        PageWriter one = r.make_writer(1);
        PageWriter writer = r.make_writer();
        co_await one.write_around(r.data(), 10, false);
        (void)requests.take(r.data().file);
        {
            const Pinned held(r, 20);
            REQUIRE(held->latch.try_acquire(ums::LatchMode::update));
            const PageWriter::Written run = co_await writer.write_around(r.data(), 15, false);
            CHECK(run.pages == 9);
            held->latch.release(ums::LatchMode::update);
        }
        const PageWriter::Written run_again = co_await writer.write_around(r.data(), 5, false);
        CHECK(run_again.pages == 9);
        const PageWriter::Written run_third = co_await writer.write_around(r.data(), 30, false);
        CHECK(run_third.pages == 11);
        CHECK(requests.take(r.data().file) == Requests{write_of(r.data(), 11, 9), write_of(r.data(), 1, 9), write_of(r.data(), 20, 11)});
        for (std::uint32_t page = 250; page < 256; ++page) co_await r.change_page(r.data(), page);
        const PageWriter::Written run_fourth = co_await writer.write_around(r.data(), 252, false);
        CHECK(run_fourth.end_page == 256);
        CHECK(requests.take(r.data().file) == Requests{write_of(r.data(), 250, 6)});
    });
}

TEST_CASE("a page that is clean or not in memory is not written") {
    Rig rig;
    run_with_dirty(rig, 5, 5, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        PageWriter writer = r.make_writer();
        const PageWriter::Written run = co_await writer.write_around(r.data(), 5, false);
        CHECK(run.pages == 1);
        (void)requests.take(r.data().file);
        const PageWriter::Written clean = co_await writer.write_around(r.data(), 5, true);
        CHECK(clean.pages == 0);
        CHECK(clean.end_page == 6);
        CHECK_FALSE(clean.was_busy);
        const PageWriter::Written run_again = co_await writer.write_around(r.data(), 6, true);
        CHECK(run_again.pages == 0);
        CHECK(requests.take(r.data().file).empty());
    });
}

TEST_CASE("a page that is being changed is skipped or waited for, as requested, but a reader does not delay a write") {
    Rig rig;
    run_with_dirty(rig, 5, 5, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        PageWriter writer = r.make_writer();
        const Pinned frame(r, 5);
        REQUIRE(frame->latch.try_acquire(ums::LatchMode::exclusive));
        const PageWriter::Written busy = co_await writer.write_around(r.data(), 5, false);
        CHECK(busy.was_busy);
        CHECK(busy.pages == 0);
        ums::TaskGroup tasks;
        PageWriter::Written waited;
        auto write = [](Rig& rig_of, PageWriter& by, PageWriter::Written& result) -> ums::Task<void> {
            result = co_await by.write_around(rig_of.data(), 5, true);
        };
        ums::Scheduler::current().fork(tasks, write(r, writer, waited));
        co_await ums::sleep_until(r.clock.now_ns() + 20 * ums::kNsPerMs);
        CHECK(requests.take(r.data().file).empty());
        frame->latch.downgrade_to_shared(ums::LatchMode::exclusive);
        co_await tasks.join();
        CHECK(waited.pages == 1);
        CHECK(requests.take(r.data().file) == Requests{write_of(r.data(), 5, 1)});
        frame->latch.release(ums::LatchMode::shared);
    });
}

TEST_CASE("without gathering each page is a separate request") {
    Rig rig;
    run_with_dirty(rig, 1, 16, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        PageWriter writer = r.make_writer(128, false);
        const PageWriter::Written run = co_await writer.write_around(r.data(), 8, false);
        CHECK(run.pages == 16);
        const Requests posted = requests.take(r.data().file);
        CHECK(posted.size() == 16);
        for (const RequestLog::Entry& request : posted) CHECK(request.pages == 1);
    });
}

TEST_CASE("no page is written before the log is hardened up to its last change") {
    Rig rig;
    run_with_dirty(rig, 1, 4, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        r.storage.set_rule([log = r.log_file().transfer_handle()](const ums::IoRequest& request) {
            return Fate{.hold = request.file.value == log.value};
        });
        co_await r.change_page(r.data(), 3);
        PageWriter writer = r.make_writer();
        ums::TaskGroup tasks;
        auto write = [](Rig& rig_of, PageWriter& by) -> ums::Task<void> { co_await by.write_around(rig_of.data(), 3, false); };
        ums::Scheduler::current().fork(tasks, write(r, writer));
        co_await ums::sleep_until(r.clock.now_ns() + 20 * ums::kNsPerMs);
        CHECK(r.storage.held_count() == 1);  // the block of the log
        CHECK(requests.take(r.data().file).empty());
        CHECK(r.data().ledger[3].version == 0);
        r.storage.set_rule(nullptr);
        r.storage.release_held();
        co_await tasks.join();
        CHECK(requests.take(r.data().file) == Requests{write_of(r.data(), 1, 4)});
        CHECK(r.data().ledger[3].version == 2);
    });
}

TEST_CASE("pages whose log cannot be written are never written, and do not occupy memory") {
    Rig rig;
    run_with_dirty(rig, 1, 4, [](Rig& r, RequestLog& requests) -> ums::Task<void> {
        fail(r, r.log_file(), [](const ums::IoRequest&) { return true; });
        co_await r.change_page(r.data(), 3);
        PageWriter writer = r.make_writer();
        const PageWriter::Written run = co_await writer.write_around(r.data(), 3, true);
        CHECK(run.pages == 0);
        CHECK(requests.take(r.data().file).empty());
        CHECK(r.state.is_stopping());
        for (std::uint32_t page = 1; page <= 4; ++page) {
            CHECK_FALSE(is_dirty(r, page));
            CHECK(r.data().ledger[page].version == 0);
        }
    });
}

TEST_CASE("a run that is stopping writes no more pages, promises none of them, and frees their memory") {
    const bool gather = GENERATE(false, true);
    Rig rig;
    run_with_dirty(rig, 1, 4, [&](Rig& r, RequestLog& requests) -> ums::Task<void> {
        r.state.stop(sim::Outcome::stopped, "");
        PageWriter writer = r.make_writer(128, gather);
        const PageWriter::Written run = co_await writer.write_around(r.data(), 3, true);
        CHECK(run.pages == 0);
        CHECK(run.end_page == 5);
        CHECK(requests.take(r.data().file).empty());
        CHECK(r.sink.findings().empty());
        for (std::uint32_t page = 1; page <= 4; ++page) {
            CHECK_FALSE(is_dirty(r, page));
            CHECK(r.data().ledger[page].version == 0);
            CHECK(r.data().ledger[page].unknown == 0);
        }
    });
}

TEST_CASE("a failed gather write is redone page by page even while the run is stopping, so that the contents are known") {
    Rig rig;
    run_with_dirty(rig, 1, 16, [&](Rig& r, RequestLog& requests) -> ums::Task<void> {
        r.storage.set_rule([&r](const ums::IoRequest& request) {
            if (request.size_bytes == kPageBytes) return Fate{};
            r.state.stop(sim::Outcome::stopped, "");
            return Fate{.error = EIO};
        });
        PageWriter writer = r.make_writer();
        const PageWriter::Written run = co_await writer.write_around(r.data(), 8, false);
        CHECK(r.state.is_stopping());
        CHECK(run.pages == 16);
        CHECK(requests.take(r.data().file).size() == 17);
        CHECK(r.sink.findings().size() == 1);
        for (std::uint32_t page = 1; page <= 16; ++page) CHECK(r.data().ledger[page].version == 1);
    });
}

TEST_CASE("a failed gather write is redone page by page, and if that succeeds nothing is lost and the finding is transient") {
    const bool cut_short = GENERATE(false, true);
    Rig rig;
    run_with_dirty(rig, 1, 16, [&](Rig& r, RequestLog& requests) -> ums::Task<void> {
        if (cut_short) {
            r.storage.set_rule([](const ums::IoRequest& request) {
                return request.size_bytes > kPageBytes ? Fate{.transferred_bytes = 3 * kPageBytes} : Fate{};
            });
        } else {
            fail(r, r.data().file, [](const ums::IoRequest& request) { return request.size_bytes > kPageBytes; });
        }
        PageWriter writer = r.make_writer();
        const PageWriter::Written run = co_await writer.write_around(r.data(), 8, false);
        CHECK(run.pages == 16);
        CHECK(requests.take(r.data().file).size() == 17);
        REQUIRE(r.sink.findings().size() == 1);
        CHECK(r.sink.findings()[0].kind == (cut_short ? sim::FindingKind::short_transfer : sim::FindingKind::io_error));
        CHECK(r.sink.findings()[0].transient);
        CHECK(r.sink.findings()[0].place.size_bytes == 16 * kPageBytes);
        CHECK(r.sink.count_of(sim::Severity::warning) == 1);
        CHECK(sim::sum_of(r.data().file.counters(), &sim::FileCounters::write_retries) == 1);
        for (std::uint32_t page = 1; page <= 16; ++page) CHECK(r.data().ledger[page].version == 1);
    });
}

TEST_CASE("a page that cannot be written is unknown until its next write, but its neighbors are not") {
    Rig rig;
    run_with_dirty(rig, 1, 16, [](Rig& r, RequestLog&) -> ums::Task<void> {
        fail(r, r.data().file, [](const ums::IoRequest& request) {
            return request.offset_bytes <= 7 * kPageBytes && 7 * kPageBytes < request.offset_bytes + request.size_bytes;
        });
        PageWriter writer = r.make_writer();
        co_await writer.write_around(r.data(), 8, false);
        REQUIRE(r.sink.findings().size() == 1);
        CHECK(r.sink.findings()[0].kind == FindingKind::io_error);
        CHECK(r.sink.findings()[0].request.is_write);
        CHECK(r.sink.findings()[0].place.page_id == 7);
        for (std::uint32_t page = 1; page <= 16; ++page) {
            CHECK(r.data().ledger[page].unknown == (page == 7 ? 1 : 0));
            CHECK(r.data().ledger[page].version == 1);
            CHECK_FALSE(is_dirty(r, page));
        }
        // The end record of a checkpoint lists the page.
        CHECK(r.data().unwritten.list(r.data().ledger, r.data().file.pages()).pages == std::vector<std::uint32_t>{7});
        // Whatever the file holds there now, it is not a second finding.
        sim::RangeReader reader = r.make_reader();
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, 16, {});
        CHECK(read_count == 16);
        CHECK(r.sink.findings().size() == 1);
        r.storage.set_rule(nullptr);
        co_await r.write_pages(r.data(), 7, 1);
        CHECK(r.data().ledger[7].unknown == 0);
        CHECK(r.data().ledger[7].version == 2);
        CHECK(r.data().unwritten.list(r.data().ledger, r.data().file.pages()).pages.empty());
    });
}

TEST_CASE("a version whose write failed is not given again, even if the page has left the memory meanwhile, because the log has it") {
    const auto intent = GENERATE(sim::FixIntent::overwrite, sim::FixIntent::change);
    Rig rig;
    run_with_dirty(rig, 7, 7, [intent](Rig& r, RequestLog&) -> ums::Task<void> {
        fail(r, r.data().file, [](const ums::IoRequest&) { return true; });
        PageWriter writer = r.make_writer();
        co_await writer.write_around(r.data(), 7, false);
        CHECK(r.data().ledger[7].unknown == 1);
        r.storage.set_rule(nullptr);
        static_cast<void>(r.pool->discard_from(r.data().file.id(), 0, 0, r.pool->frame_count()));
        co_await r.change_page(r.data(), 7, intent);
        CHECK(Pinned(r, 7)->version == 2);
    });
}

TEST_CASE("the promise of a page that cannot be written is taken back, while its neighbors are promised") {
    Rig rig;
    run_with_dirty(rig, 1, 16, [](Rig& r, RequestLog&) -> ums::Task<void> {
        const std::uint32_t id = r.data().file.id();
        const std::vector<sim::PromiseBook::BookedFile> booked{{id, false, sim::PromiseBook::Counting::at_once}};
        sim::PromiseBook book(booked);
        fail(r, r.data().file, [](const ums::IoRequest& request) {
            return request.offset_bytes <= 7 * kPageBytes && 7 * kPageBytes < request.offset_bytes + request.size_bytes;
        });
        PageWriter writer({.run_id = Rig::kRunId, .gather_pages_max = 128, .promises = &book}, *r.pool, r.log.get(), r.state, r.journal);
        co_await writer.write_around(r.data(), 8, false);
        const sim::PromiseBatch batch = book.take_batch();
        CHECK(batch.controls == std::vector<sim::PromiseControl>{{sim::PromiseControlKind::void_page, id, 7, 0}});
        std::vector<std::uint32_t> promised;
        for (const sim::PromisedPage& page : batch.pages) promised.push_back(page.page_id);
        std::sort(promised.begin(), promised.end());
        CHECK(promised == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    });
}
