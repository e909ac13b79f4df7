#include "sim/ledger/unwritten_pages.hpp"

#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"

using sim::kUnwrittenPagesMax;
using sim::PageLedger;
using sim::UnwrittenPages;

namespace {

constexpr std::uint32_t kListedPages = 1000;

void fail_write(PageLedger& ledger, UnwrittenPages& unwritten, std::uint32_t page) {
    ledger.mark_unknown(page, 1);
    unwritten.add(page);
}

}  // namespace

TEST_CASE("a page that could not be written is listed once, until it has been written") {
    PageLedger ledger(kListedPages);
    UnwrittenPages unwritten;
    for (const std::uint32_t page : {7U, 300U, 7U}) fail_write(ledger, unwritten, page);
    CHECK(unwritten.list(ledger, kListedPages).pages == std::vector<std::uint32_t>{7, 300});
    ledger.acknowledge(7, 2, 100, 1);
    CHECK(unwritten.list(ledger, kListedPages).pages == std::vector<std::uint32_t>{300});
    CHECK_FALSE(unwritten.list(ledger, kListedPages).are_too_many);
}

TEST_CASE("as many pages of one file are listed as a checkpoint can except, not fewer") {
    PageLedger ledger(kListedPages);
    UnwrittenPages unwritten;
    for (std::uint32_t page = 0; page < 256; ++page) fail_write(ledger, unwritten, page);
    CHECK_FALSE(unwritten.list(ledger, kListedPages).are_too_many);
    CHECK(unwritten.list(ledger, kListedPages).pages.size() == 256);
    fail_write(ledger, unwritten, 256);
    CHECK(unwritten.list(ledger, kListedPages).are_too_many);
}

TEST_CASE("pages of which there were too many to list are listed once enough of them have been written") {
    PageLedger ledger(kListedPages);
    UnwrittenPages unwritten;
    for (std::uint32_t page = 0; page < 2 * kUnwrittenPagesMax; ++page) fail_write(ledger, unwritten, page);
    CHECK(unwritten.list(ledger, kListedPages).are_too_many);
    for (std::uint32_t page = 0; page < kUnwrittenPagesMax - 1; ++page) ledger.acknowledge(page, 2, 100, 1);
    CHECK(unwritten.list(ledger, kListedPages).are_too_many);
    for (std::uint32_t page = kUnwrittenPagesMax - 1; page < 2 * kUnwrittenPagesMax - 1; ++page) ledger.acknowledge(page, 2, 100, 1);
    const UnwrittenPages::Listed one = unwritten.list(ledger, kListedPages);
    CHECK_FALSE(one.are_too_many);
    CHECK(one.pages == std::vector<std::uint32_t>{2 * kUnwrittenPagesMax - 1});
    CHECK(unwritten.list(ledger, kListedPages).pages == one.pages);
    // What fails later is kept as usual.
    fail_write(ledger, unwritten, 999);
    CHECK(unwritten.list(ledger, kListedPages).pages.size() == 2);
}
