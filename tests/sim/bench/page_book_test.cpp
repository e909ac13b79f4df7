#include "sim/bench/page_book.hpp"

#include <cstdint>
#include <vector>

#include "sim/page/page_codec.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/memory_region.hpp"

using namespace sim;

namespace {

class PageBookPage {
public:
    PageBookPage(std::uint64_t run_id, std::uint32_t page, std::uint32_t version) : memory_(kPageBytes, ums::MemoryKind::plain) {
        make_page({run_id, 1, page, version, 0, 0}, memory_.data());
    }
    [[nodiscard]] std::byte* data() const { return memory_.data(); }

private:
    ums::MemoryRegion memory_;
};

}  // namespace

TEST_CASE("a page written by one request at a time is right in its new version, and wrong in every other") {
    PageBook book(10, 1, 77);
    CHECK(book.begin_write(3) == 1);
    book.end_write(3, true);
    CHECK(book.begin_write(3) == 2);
    book.end_write(3, true);
    CHECK(book.was_written_by_us(3));
    const PageBook::Mark mark = book.mark(3);
    CHECK(book.judge(3, PageBookPage(77, 3, 2).data(), mark) == BookJudgement::right);
    CHECK(book.judge(3, PageBookPage(77, 3, 1).data(), mark) == BookJudgement::wrong);
    CHECK(book.judge(3, PageBookPage(78, 3, 2).data(), mark) == BookJudgement::wrong);
    CHECK(book.judge(3, PageBookPage(77, 4, 2).data(), mark) == BookJudgement::wrong);
    const PageBookPage bent(77, 3, 2);
    bent.data()[5000] ^= std::byte{1};
    CHECK(book.judge(3, bent.data(), mark) == BookJudgement::wrong);
}

TEST_CASE("what a measurement wrote is still known to the next one, which did not write it") {
    PageBook book(10, 1, 77);
    static_cast<void>(book.begin_write(3));
    book.end_write(3, true);
    book.begin_next_measurement();
    CHECK_FALSE(book.was_written_by_us(3));
    CHECK(book.judge(3, PageBookPage(77, 3, 1).data(), book.mark(3)) == BookJudgement::right);
    CHECK(book.judge(3, PageBookPage(78, 3, 1).data(), book.mark(3)) == BookJudgement::wrong);
    CHECK(book.begin_write(3) == 2);
    book.end_write(3, true);
    CHECK(book.was_written_by_us(3));
}

TEST_CASE("a page behind the first 32 TB is right with its number as far as that fits into an image") {
    constexpr std::uint64_t kPage = (std::uint64_t{1} << 32) + 3;
    PageBook book(kPage + 1, 1, 77);  // takes memory only where pages are written
    CHECK(book.begin_write(kPage) == 1);
    book.end_write(kPage, true);
    const PageBook::Mark mark = book.mark(kPage);
    CHECK(book.judge(kPage, PageBookPage(77, 3, 1).data(), mark) == BookJudgement::right);
    CHECK(book.judge(kPage, PageBookPage(77, 4, 1).data(), mark) == BookJudgement::wrong);
}

TEST_CASE("a page that was written while it was being read is not judged") {
    PageBook book(10, 1, 77);
    CHECK(book.begin_write(3) == 1);
    const PageBook::Mark during = book.mark(3);
    book.end_write(3, true);
    CHECK(book.judge(3, PageBookPage(77, 3, 1).data(), during) == BookJudgement::not_judged);
    const PageBook::Mark before = book.mark(3);
    CHECK(book.begin_write(3) == 2);
    book.end_write(3, true);
    CHECK(book.judge(3, PageBookPage(77, 3, 1).data(), before) == BookJudgement::not_judged);
}

TEST_CASE("two concurrent writes, or a failed write, leave a page unknown until the next one") {
    PageBook book(10, 1, 77);
    static_cast<void>(book.begin_write(3));
    static_cast<void>(book.begin_write(3));
    book.end_write(3, true);
    book.end_write(3, true);
    CHECK_FALSE(book.was_written_by_us(3));
    CHECK(book.judge(3, PageBookPage(77, 3, 1).data(), book.mark(3)) == BookJudgement::not_judged);
    CHECK(book.begin_write(3) == 3);
    book.end_write(3, false);
    CHECK(book.judge(3, PageBookPage(77, 3, 3).data(), book.mark(3)) == BookJudgement::not_judged);
    CHECK(book.begin_write(3) == 4);
    book.end_write(3, true);
    CHECK(book.judge(3, PageBookPage(77, 3, 3).data(), book.mark(3)) == BookJudgement::wrong);
}

TEST_CASE("a sound page of unknown history is accepted as it is, and must not change") {
    PageBook book(10, 1, 77);
    CHECK(book.judge(3, PageBookPage(5, 3, 9).data(), book.mark(3)) == BookJudgement::right);
    CHECK(book.judge(3, PageBookPage(5, 3, 8).data(), book.mark(3)) == BookJudgement::wrong);
    // Every run and every measurement counts from 1, so another one may have the same version.
    CHECK(book.judge(3, PageBookPage(6, 3, 9).data(), book.mark(3)) == BookJudgement::wrong);
    CHECK(book.judge(3, PageBookPage(5, 3, 9).data(), book.mark(3)) == BookJudgement::right);
    const std::vector<std::uint64_t> zeros(kPageBytes / 8);
    CHECK(book.judge(4, reinterpret_cast<const std::byte*>(zeros.data()), book.mark(4)) == BookJudgement::not_judged);
    CHECK(book.give_up(3, book.mark(3)));
    CHECK(book.judge(3, PageBookPage(5, 3, 8).data(), book.mark(3)) == BookJudgement::not_judged);
    CHECK(book.judge(5, PageBookPage(5, 5, 9).data(), book.mark(5)) == BookJudgement::right);
    CHECK(book.begin_write(5) == 10);
    book.end_write(5, true);
    CHECK(book.judge(5, PageBookPage(77, 5, 10).data(), book.mark(5)) == BookJudgement::right);
}

TEST_CASE("a damaged page is wrong if the file held only pages, and not judged if other data may overlap it") {
    PageBookPage page(5, 3, 9);
    page.data()[kPageBytes / 2] ^= std::byte{1};
    PageBook book(10, 1, 77);
    CHECK(book.judge(3, page.data(), book.mark(3)) == BookJudgement::wrong);
    PageBook mixed(10, 1, 77, BookUnit::page, BookPast::mixed);
    CHECK(mixed.judge(3, page.data(), mixed.mark(3)) == BookJudgement::not_judged);
    CHECK(mixed.judge(4, PageBookPage(5, 4, 9).data(), mixed.mark(4)) == BookJudgement::right);
    CHECK(mixed.judge(4, PageBookPage(5, 4, 8).data(), mixed.mark(4)) == BookJudgement::wrong);
    CHECK(mixed.begin_write(3) == 1);
    mixed.end_write(3, true);
    CHECK(mixed.judge(3, page.data(), mixed.mark(3)) == BookJudgement::wrong);
    CHECK(mixed.judge(0, page.data(), mixed.mark(0)) == BookJudgement::not_judged);
}

TEST_CASE("a page in another page's place is wrong in a file of its run at its first read, and may be older where other files were") {
    const PageBookPage other(5, 4, 9);
    PageBookPage damaged(5, 3, 9);
    damaged.data()[kPageBytes / 2] ^= std::byte{1};
    PageBookPage both(5, 4, 9);
    both.data()[kPageBytes / 2] ^= std::byte{1};
    const auto judged = [](BookPast past, const PageBookPage& page, std::uint64_t first_run_id = 5) {
        PageBook book(10, 1, 77, BookUnit::page, past, first_run_id);
        return book.judge(3, page.data(), book.mark(3));
    };
    CHECK(judged(BookPast::pages, other) == BookJudgement::wrong);
    CHECK(judged(BookPast::pages, both) == BookJudgement::wrong);
    CHECK(judged(BookPast::pages, other, 6) == BookJudgement::not_judged);
    CHECK(judged(BookPast::pages, both, 6) == BookJudgement::not_judged);
    CHECK(judged(BookPast::pages, damaged, 6) == BookJudgement::wrong);
    for (const BookPast past : {BookPast::mixed, BookPast::device, BookPast::foreign}) {
        CHECK(judged(past, other) == BookJudgement::not_judged);
        CHECK(judged(past, both) == BookJudgement::not_judged);
    }
    CHECK(judged(BookPast::device, damaged) == BookJudgement::wrong);
    CHECK(judged(BookPast::foreign, damaged) == BookJudgement::not_judged);
}
