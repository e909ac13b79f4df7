#include "sim/ledger/page_ledger.hpp"

#include "sim/limits.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/resident.hpp"

using ums::testing::resident_bytes;

TEST_CASE("a page takes 16 bytes of the ledger") { CHECK(sizeof(sim::PageLedger::Entry) == 16); }

TEST_CASE("a page that was never written has version 0") {
    const sim::PageLedger ledger(10);
    CHECK(ledger.pages_max() == 10);
    for (std::uint32_t page = 0; page < 10; ++page) {
        CHECK(ledger[page].version == 0);
        CHECK(ledger[page].unknown == 0);
        CHECK(ledger[page].read_back == 0);
    }
}

TEST_CASE("the ledger keeps the last acknowledged write of each page") {
    sim::PageLedger ledger(10);
    ledger.acknowledge(3, 1, 100, 0xaaaa);
    ledger.acknowledge(4, 1, 200, 0xbbbb);
    ledger.acknowledge(3, 5, 300, 0xcccc);
    CHECK(ledger[3].version == 5);
    CHECK(ledger[3].lsn == 300);
    CHECK(ledger[3].checksum == 0xcccc);
    CHECK(ledger[4].version == 1);
    CHECK(ledger[4].lsn == 200);
    CHECK(ledger[2].version == 0);
}

TEST_CASE("a new write clears what was recorded about the previous one") {
    sim::PageLedger ledger(2);
    ledger.acknowledge(1, 1, 100, 1);
    ledger.mark_read_back(1);
    ledger.mark_unknown(1);
    CHECK(ledger[1].read_back == 1);
    CHECK(ledger[1].unknown == 1);
    CHECK(ledger[1].version == 1);
    ledger.acknowledge(1, 2, 100, 1);
    CHECK(ledger[1].read_back == 0);
    CHECK(ledger[1].unknown == 0);
}

TEST_CASE("a page whose write failed keeps the version of that write") {
    sim::PageLedger ledger(4);
    ledger.acknowledge(1, 3, 100, 1);
    ledger.mark_read_back(1);
    ledger.mark_unknown(1, 5);
    CHECK(ledger[1].version == 5);
    CHECK(ledger[1].unknown == 1);
    CHECK(ledger[1].read_back == 0);
    ledger.mark_unknown(1, 4);
    CHECK(ledger[1].version == 5);
    ledger.mark_unknown(2, 1);
    CHECK(ledger[2].version == 1);
    ledger.acknowledge(2, 2, 200, 2);
    CHECK(ledger[2].unknown == 0);
    CHECK(ledger[2].version == 2);
}

TEST_CASE("versions only go forward, within 29 bits") {
    sim::PageLedger ledger(2);
    ledger.acknowledge(1, 7, 100, 1);
    CHECK(ums::testing::aborts([&] { ledger.acknowledge(1, 7, 101, 1); }));
    CHECK(ums::testing::aborts([&] { ledger.acknowledge(1, 6, 101, 1); }));
    CHECK(ums::testing::aborts([&] { ledger.acknowledge(0, 0, 101, 1); }));
    CHECK(ums::testing::aborts([&] { ledger.acknowledge(0, sim::kVersionMax + 1, 101, 1); }));
    ledger.acknowledge(1, sim::kVersionMax, 101, 1);
    CHECK(ledger[1].version == sim::kVersionMax);
}

TEST_CASE("a forgotten page starts anew") {
    sim::PageLedger ledger(2);
    ledger.acknowledge(1, 7, 100, 1);
    ledger.mark_unknown(1);
    ledger.forget(1);
    CHECK(ledger[1].version == 0);
    CHECK(ledger[1].unknown == 0);
    CHECK(ledger[1].lsn == 0);
    ledger.acknowledge(1, 1, 200, 2);
    CHECK(ledger[1].version == 1);
}

TEST_CASE("a page beyond the end of the ledger is an internal error") {
    sim::PageLedger ledger(2);
    CHECK(ums::testing::aborts([&] { ledger.acknowledge(2, 1, 1, 1); }));
    CHECK(ums::testing::aborts([&] { (void)ledger[2].version; }));
}

TEST_CASE("the ledger of a 1 TB file takes memory only for written pages") {
    constexpr std::uint64_t kPages = (std::uint64_t{1} << 40) / sim::kPageBytes;
    const std::uint64_t before_bytes = resident_bytes();
    sim::PageLedger ledger(kPages);
    for (std::uint64_t page = 0; page < kPages; page += kPages / 100) ledger.acknowledge(static_cast<std::uint32_t>(page), 1, 1, 1);
    CHECK(ledger[static_cast<std::uint32_t>(kPages - 1)].version == 0);
    CHECK(resident_bytes() - before_bytes < 8 << 20);
}

TEST_CASE("that a page which was never written reads as zeros is not recorded, which would take memory") {
    sim::PageLedger ledger(2);
    ledger.mark_read_back(1);
    CHECK(ledger[1].read_back == 0);
}

TEST_CASE("a range is untouched until one of its pages is acknowledged or becomes unknown") {
    sim::PageLedger ledger(1000);
    CHECK(ledger.is_untouched(0, 1000));
    ledger.acknowledge(300, 1, 0, 7);
    CHECK_FALSE(ledger.is_untouched(0, 1000));
    CHECK_FALSE(ledger.is_untouched(300, 1));
    CHECK(ledger.is_untouched(0, 256));
    CHECK(ledger.is_untouched(384, 616));
    ledger.mark_unknown(999);
    CHECK_FALSE(ledger.is_untouched(998, 2));
}

TEST_CASE("what an earlier incarnation left is the base for the next change of the page") {
    sim::PageLedger ledger(300);
    ledger.restore(5, 7, 70, 4711, false);
    CHECK(ledger[5].version == 7);
    CHECK(ledger[5].lsn == 70);
    CHECK(ledger[5].checksum == 4711);
    CHECK(ledger[5].unknown == 0);
    CHECK_FALSE(ledger.is_untouched(5, 1));
    ledger.acknowledge(5, 8, 80, 4712);
    CHECK(ledger[5].first_write == 0);
    // A page that is still to be written, with this version.
    ledger.restore(6, 3, 30, 0, true);
    ledger.acknowledge(6, 3, 30, 4713);
    CHECK(ledger[6].unknown == 0);
}

TEST_CASE("pages beyond a cut are forgotten, those before it are not") {
    sim::PageLedger ledger(1000);
    for (const std::uint32_t page : {0U, 299U, 300U, 301U, 999U}) ledger.acknowledge(page, 1, 1, 1);
    ledger.mark_unknown(500);
    ledger.forget_from(300);
    CHECK(ledger[0].version == 1);
    CHECK(ledger[299].version == 1);
    for (const std::uint32_t page : {300U, 301U, 999U}) CHECK(ledger[page].version == 0);
    CHECK(ledger[500].unknown == 0);
    ledger.forget_from(1000);
    CHECK(ledger[299].version == 1);
}

TEST_CASE("pages beyond a cut that were written after it are not forgotten") {
    sim::PageLedger ledger(1000);
    ledger.acknowledge(300, 3, 70, 1);
    ledger.acknowledge(301, 1, 80, 2);
    ledger.restore(302, 0, 0, 0, true);
    ledger.forget_from(300, 75);
    CHECK(ledger[300].version == 0);
    CHECK(ledger[301].version == 1);
    CHECK(ledger[301].checksum == 2);
    CHECK(ledger[302].unknown == 0);
}

TEST_CASE("a first version that is written again after the page became unknown is still the first write of the page") {
    sim::PageLedger ledger(4);
    ledger.acknowledge(1, 1, 100, 1);
    ledger.acknowledge(2, 1, 100, 1);
    ledger.acknowledge(2, 2, 200, 2);
    for (const std::uint32_t page : {1U, 2U}) {
        const std::uint32_t version = ledger[page].version;
        ledger.mark_unknown(page);
        ledger.acknowledge(page, version, 300, 3);
        CHECK(ledger[page].unknown == 0);
    }
    CHECK(ledger[1].first_write == 1);
    CHECK(ledger[2].first_write == 0);
}

TEST_CASE("a page whose first write failed for good has its first write with the next version") {
    sim::PageLedger ledger(4);
    ledger.mark_unknown(1, 1);
    ledger.mark_unknown(1, 2);
    ledger.acknowledge(1, 3, 300, 3);
    CHECK(ledger[1].first_write == 1);
    // The version before it was acknowledged.
    ledger.acknowledge(2, 1, 100, 1);
    ledger.mark_unknown(2, 2);
    ledger.acknowledge(2, 3, 300, 3);
    CHECK(ledger[2].first_write == 0);
    // The same, and it was found wrong.
    ledger.acknowledge(3, 1, 100, 1);
    ledger.mark_unknown(3);
    ledger.acknowledge(3, 2, 200, 2);
    CHECK(ledger[3].first_write == 0);
}
