// What the records of a run's promises add up to.
#include "sim/promises/promises.hpp"

#include "sim/rehearsal/promise_memory.hpp"
#include "tests/support/catch.hpp"

namespace {

using sim::PromiseControlKind;
using sim::Promises;

sim::PromiseSection promised_section(std::uint64_t section_id = 5) {
    sim::PromiseSection section;
    section.run_id = 77;
    section.section_id = section_id;
    section.incarnation = 1;
    section.files = {{1, false, 10'000, "a"}, {2, true, 0, "b"}};
    return section;
}

sim::PromiseBatch numbered_batch(std::uint64_t number, std::vector<sim::PromisedPage> pages,
                                 std::vector<sim::PromiseControl> controls = {}) {
    sim::PromiseBatch batch;
    batch.run_id = 77;
    batch.section_id = 5;
    batch.number = number;
    batch.utc_us = 100 + number;
    batch.hardened_sequence = 10 * number;
    batch.pages = std::move(pages);
    batch.controls = std::move(controls);
    return batch;
}

Promises some_promises() {
    Promises promises;
    promises.begin(promised_section());
    CHECK(promises.add(numbered_batch(1, {{1, 0, 2, 11}, {1, 5000, 3, 12}, {1, 9999, 4, 13}})));
    return promises;
}

}  // namespace

TEST_CASE("the last promise of a page counts, and other pages have none") {
    Promises promises = some_promises();
    CHECK(promises.add(numbered_batch(2, {{1, 5000, 8, 14}})));
    CHECK(promises.page(1, 5000).version == 8);
    CHECK(promises.page(1, 5000).checksum == 14);
    CHECK(promises.page(1, 5001).version == 0);
    CHECK(promises.page(9, 0).version == 0);
    CHECK(promises.promised_pages() == 3);
    CHECK(promises.hardened_sequence() == 20);
    CHECK(promises.last_utc_us() == 102);
}

TEST_CASE("a cut removes the promises beyond it, and is applied before the pages of its batch") {
    Promises promises = some_promises();
    CHECK(promises.add(
        numbered_batch(2, {{1, 9999, 9, 15}}, {{PromiseControlKind::cut, 1, 5000, 0x77}, {PromiseControlKind::size, 1, 12'000, 0}})));
    CHECK(promises.page(1, 0).version == 2);
    CHECK(promises.page(1, 5000).version == 0);
    CHECK(promises.page(1, 9999).version == 9);
    CHECK(promises.page_count(1) == 12'000);
    CHECK(promises.cut_lsn(1) == 0x77);
}

TEST_CASE("a voided page is not promised") {
    Promises promises = some_promises();
    CHECK(promises.add(numbered_batch(2, {}, {{PromiseControlKind::void_page, 1, 5000, 0}})));
    CHECK(promises.page(1, 5000).version == 0);
    CHECK(promises.page(1, 9999).version == 4);
    CHECK(promises.add(numbered_batch(3, {}, {{PromiseControlKind::void_file, 1, 0, 0}})));
    CHECK(promises.promised_pages() == 0);
    CHECK(promises.page_count(1) == 10'000);
}

TEST_CASE("a batch of another section, or one that was already added, changes nothing") {
    Promises promises = some_promises();
    sim::PromiseBatch foreign = numbered_batch(2, {{1, 0, 99, 1}});
    foreign.section_id = 6;
    CHECK_FALSE(promises.add(foreign));
    CHECK(promises.add(numbered_batch(2, {{1, 0, 3, 1}})));
    CHECK(promises.add(numbered_batch(1, {{1, 0, 2, 1}})));
    CHECK(promises.page(1, 0).version == 3);
}

TEST_CASE("a new section voids earlier promises, unless it has verified all of them") {
    Promises promises = some_promises();
    sim::PromiseSection next = promised_section(6);
    next.keeps_section = 5;
    next.keeps_number = 1;
    Promises kept = sim::copy_of(promises);
    kept.begin(next);
    CHECK(kept.page(1, 5000).version == 3);
    CHECK(kept.hardened_sequence() == 10);

    next.keeps_number = 2;  // not the last batch that these promises have
    Promises unseen = sim::copy_of(promises);
    unseen.begin(next);
    CHECK(unseen.page(1, 5000).version == 0);
    CHECK(unseen.hardened_sequence() == 0);

    promises.begin(promised_section(6));
    CHECK(promises.promised_pages() == 0);
}

TEST_CASE("a section that is repeated because its answer was lost still keeps what it has verified") {
    Promises promises = some_promises();
    sim::PromiseSection next = promised_section(6);
    next.keeps_section = 5;
    next.keeps_number = 1;
    promises.begin(next);
    promises.begin(next);
    CHECK(promises.page(1, 5000).version == 3);
    CHECK(promises.hardened_sequence() == 10);

    sim::PromiseSection ending = next;
    ending.incarnation = 0;
    promises.begin(ending);
    CHECK(promises.are_void());
    CHECK(promises.promised_pages() == 0);
}

TEST_CASE("promises survive being written out again") {
    Promises promises = some_promises();
    std::vector<sim::PromisedPage> pages;
    for (std::uint32_t page = 0; page < 2 * sim::kPromisePagesMax + 5; ++page) pages.push_back({1, page * 2, page + 1, page + 2});
    std::uint64_t number = 2;
    for (std::size_t begin = 0; begin < pages.size(); begin += sim::kPromisePagesMax) {
        const auto end = std::min<std::size_t>(begin + sim::kPromisePagesMax, pages.size());
        CHECK(promises.add(
            numbered_batch(number++, {pages.begin() + static_cast<std::ptrdiff_t>(begin), pages.begin() + static_cast<std::ptrdiff_t>(end)},
                           {{PromiseControlKind::cut, 1, sim::kAllPages, 0x55}})));
    }
    const Promises copy = sim::copy_of(promises);
    CHECK(copy.promised_pages() == promises.promised_pages());
    for (const sim::PromisedPage& page : pages) {
        if (copy.page(1, page.page_id).version != page.version || copy.page(1, page.page_id).checksum != page.checksum) FAIL(page.page_id);
    }
    CHECK(copy.last_number() == promises.last_number());
    CHECK(copy.last_utc_us() == promises.last_utc_us());
    CHECK(copy.hardened_sequence() == promises.hardened_sequence());
    CHECK(copy.page_count(1) == 10'000);
    CHECK(copy.cut_lsn(1) == 0x55);
    CHECK(copy.section() == promises.section());
}

TEST_CASE("pages that a section keeps survive being written out again, although no log is promised") {
    Promises promises;
    promises.begin(promised_section());
    sim::PromiseBatch batch = numbered_batch(1, {{1, 5000, 3, 12}});
    batch.hardened_sequence = 0;  // the log file has Durability=None
    CHECK(promises.add(batch));
    sim::PromiseSection next = promised_section(6);
    next.keeps_section = 5;
    next.keeps_number = 1;
    promises.begin(next);
    Promises copy = sim::copy_of(promises);
    CHECK(copy.page(1, 5000).version == 3);
    batch = numbered_batch(1, {{1, 5000, 4, 13}});  // the first one of the new section
    batch.section_id = 6;
    CHECK(copy.add(batch));
    CHECK(copy.page(1, 5000).version == 4);
}

TEST_CASE("a cut takes the promises of its file from the page on, and none of those before it") {
    Promises promises = some_promises();
    CHECK(promises.add(numbered_batch(2, {{1, 4096, 5, 21}, {1, 4999, 6, 22}, {1, 5001, 7, 23}, {3, 9999, 8, 24}})));
    CHECK(promises.add(numbered_batch(3, {}, {{PromiseControlKind::cut, 1, 5000, 0x77}})));
    CHECK(promises.page(1, 0).version == 2);
    CHECK(promises.page(1, 4096).version == 5);
    CHECK(promises.page(1, 4999).version == 6);
    for (const std::uint32_t page : {5000U, 5001U, 9999U}) CHECK(promises.page(1, page).version == 0);
    CHECK(promises.page(3, 9999).version == 8);
    CHECK(promises.page_count(1) == 5000);
    // The smallest size of the file lies behind it, and what is known of cuts does not go back.
    CHECK(promises.add(numbered_batch(4, {}, {{PromiseControlKind::cut, 1, 7000, 0x66}})));
    CHECK(promises.page_count(1) == 5000);
    CHECK(promises.cut_lsn(1) == 0x77);
}
