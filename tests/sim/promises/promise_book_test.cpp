// Which of a run's acknowledged writes count as promised, and when.
#include "sim/promises/promise_book.hpp"

#include "tests/support/catch.hpp"

namespace {

using sim::PromiseBook;
using Counting = sim::PromiseBook::Counting;

constexpr std::uint32_t kData = 1;
constexpr std::uint32_t kLog = 2;

std::vector<PromiseBook::BookedFile> booked(Counting data, Counting log = Counting::at_once) {
    return {{kData, false, data}, {kLog, true, log}};
}

}  // namespace

TEST_CASE("a write that is durable on completion is promised immediately, and once") {
    PromiseBook book(booked(Counting::at_once));
    CHECK_FALSE(book.has_news());
    book.page_written({kData, 7, 3, 99});
    book.hardened(12, 0x1200);
    CHECK(book.has_news());
    const sim::PromiseBatch batch = book.take_batch();
    CHECK(batch.pages == std::vector<sim::PromisedPage>{{kData, 7, 3, 99}});
    CHECK(batch.hardened_sequence == 12);
    CHECK(batch.hardened_lsn == 0x1200);
    CHECK_FALSE(book.has_news());
    CHECK(book.take_batch().pages.empty());
}

TEST_CASE("a write that needs a sync is promised by a sync that began after it") {
    PromiseBook book(booked(Counting::after_a_sync));
    book.page_written({kData, 1, 1, 0});
    book.sync_begins(kData);
    book.page_written({kData, 2, 1, 0});
    CHECK(book.take_batch().pages.empty());
    CHECK_FALSE(book.has_news());
    book.sync_done(kData);
    CHECK(book.has_news());  // whatever the log says
    CHECK(book.take_batch().pages == std::vector<sim::PromisedPage>{{kData, 1, 1, 0}});
    book.sync_begins(kData);
    book.sync_done(kData);
    CHECK(book.take_batch().pages == std::vector<sim::PromisedPage>{{kData, 2, 1, 0}});
}

TEST_CASE("in a file that is never made durable nothing is promised, of such a log neither its end nor a checkpoint") {
    PromiseBook book(booked(Counting::never, Counting::never));
    book.page_written({kData, 1, 1, 0});
    book.grown(kData, 5);
    book.hardened(12, 0x1200);
    book.checkpoint_done(0x1000);
    CHECK_FALSE(book.has_news());
    CHECK(book.take_batch() == sim::PromiseBatch{});
}

TEST_CASE("a cut of a file that is never made durable withdraws earlier promises, and promises no size") {
    PromiseBook book(booked(Counting::never));
    book.cut(kData, 50, 0x100);
    CHECK(book.take_batch().controls == std::vector<sim::PromiseControl>{{sim::PromiseControlKind::cut, kData, 50, 0x100}});
}

TEST_CASE("a file without an entry in the book, such as a replica, is ignored") {
    PromiseBook book(booked(Counting::at_once));
    book.page_written({3, 1, 1, 0});
    book.cut(3, 1, 1);
    book.void_page(3, 1);
    CHECK_FALSE(book.has_news());
}

TEST_CASE("a cut drops pending pages beyond it, and several cuts between two batches become one") {
    const auto counting = GENERATE(Counting::at_once, Counting::after_a_sync);
    PromiseBook book(booked(counting));
    book.page_written({kData, 10, 1, 0});
    book.page_written({kData, 60, 1, 0});
    book.cut(kData, 50, 0x100);
    book.grown(kData, 90);
    book.page_written({kData, 70, 1, 0});
    book.cut(kData, 80, 0x200);
    book.grown(kData, 120);
    book.sync_begins(kData);
    book.sync_done(kData);
    const sim::PromiseBatch batch = book.take_batch();
    CHECK(batch.controls == std::vector<sim::PromiseControl>{{sim::PromiseControlKind::cut, kData, 50, 0x200},
                                                             {sim::PromiseControlKind::size, kData, 120, 0}});
    CHECK(batch.pages == std::vector<sim::PromisedPage>{{kData, 10, 1, 0}, {kData, 70, 1, 0}});
}

TEST_CASE("a write that failed for good withdraws the promise, and a later write promises the page again") {
    PromiseBook book(booked(Counting::at_once));
    book.page_written({kData, 10, 1, 0});
    book.void_page(kData, 10);
    book.page_written({kData, 10, 2, 0});
    const sim::PromiseBatch batch = book.take_batch();
    CHECK(batch.controls == std::vector<sim::PromiseControl>{{sim::PromiseControlKind::void_page, kData, 10, 0}});
    CHECK(batch.pages == std::vector<sim::PromisedPage>{{kData, 10, 2, 0}});
    for (std::uint32_t page = 0; page < 1000; ++page) book.void_page(kData, page);
    bool is_file_void = false;
    while (book.has_news()) {
        for (const sim::PromiseControl& control : book.take_batch().controls) {
            is_file_void |= control.kind == sim::PromiseControlKind::void_file;
        }
    }
    CHECK(is_file_void);
}

TEST_CASE("a page whose write fails for good during a sync, or that is cut off during it, is not promised by that sync") {
    PromiseBook book(booked(Counting::after_a_sync));
    for (const std::uint32_t page : {10U, 20U, 60U}) book.page_written({kData, page, 1, 0});
    book.sync_begins(kData);
    book.void_page(kData, 10);
    book.cut(kData, 50, 0x100);
    book.sync_done(kData);
    CHECK(book.take_batch().pages == std::vector<sim::PromisedPage>{{kData, 20, 1, 0}});
}

TEST_CASE("a book that is never emptied takes no more pages than it has room for, and counts the rest") {
    PromiseBook book(booked(Counting::at_once), 100);
    for (std::uint32_t page = 0; page < 150; ++page) book.page_written({kData, page, 1, 0});
    CHECK(book.dropped_pages() == 50);
    CHECK(book.take_batch().pages.size() == 100);
    book.page_written({kData, 200, 1, 0});
    CHECK(book.take_batch().pages.size() == 1);
}

TEST_CASE("pages whose promises are withdrawn before they are collected leave their room to others") {
    const auto counting = GENERATE(Counting::at_once, Counting::after_a_sync);
    PromiseBook book(booked(counting), 10);
    for (std::uint32_t page = 0; page < 10; ++page) book.page_written({kData, page, 1, 0});
    book.cut(kData, 5, 0x100);
    book.void_page(kData, 0);
    for (std::uint32_t page = 100; page < 106; ++page) book.page_written({kData, page, 1, 0});
    CHECK(book.dropped_pages() == 0);
    book.page_written({kData, 106, 1, 0});
    CHECK(book.dropped_pages() == 1);
}

TEST_CASE("a batch has no more pages than a record can hold, and the next one has the rest") {
    PromiseBook book(booked(Counting::at_once));
    for (std::uint32_t page = 0; page < sim::kPromisePagesMax + 3; ++page) book.page_written({kData, page, 1, 0});
    CHECK(book.take_batch().pages.size() == sim::kPromisePagesMax);
    CHECK(book.has_news());
    CHECK(book.take_batch().pages.size() == 3);
    CHECK_FALSE(book.has_news());
}
