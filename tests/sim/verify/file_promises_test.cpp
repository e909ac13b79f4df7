#include "sim/verify/file_promises.hpp"

#include "tests/support/catch.hpp"

namespace {

constexpr std::uint32_t kFileOfPromises = 1;

// Version 5 of page 3, and version 7 of page 4.
sim::Promises two_pages_promised() {
    sim::PromiseSection section;
    section.run_id = 77;
    section.section_id = 5;
    section.incarnation = 1;
    section.files = {{kFileOfPromises, false, 10'000, "a"}};
    sim::PromiseBatch batch;
    batch.run_id = 77;
    batch.section_id = 5;
    batch.number = 1;
    batch.pages = {{kFileOfPromises, 3, 5, 11}, {kFileOfPromises, 4, 7, 12}};
    sim::Promises promises;
    promises.begin(section);
    CHECK(promises.add(batch));
    return promises;
}

// The same, but the file had been cut at this LSN before, and the ledger has heard of it.
constexpr std::uint64_t kKnownCutLsn = 0x100;

sim::Promises two_pages_promised_behind_cut() {
    sim::Promises promises = two_pages_promised();
    sim::PromiseBatch batch;
    batch.run_id = 77;
    batch.section_id = 5;
    batch.number = 2;
    batch.controls = {{sim::PromiseControlKind::cut, kFileOfPromises, 2, kKnownCutLsn},
                      {sim::PromiseControlKind::size, kFileOfPromises, 10'000, 0}};
    batch.pages = {{kFileOfPromises, 3, 5, 11}, {kFileOfPromises, 4, 7, 12}};
    CHECK(promises.add(batch));
    return promises;
}

}  // namespace

TEST_CASE("a page whose write failed is promised again once a newer version has been acknowledged") {
    const sim::Promises promises = two_pages_promised();
    sim::FilePromises file(promises, kFileOfPromises);
    CHECK_FALSE(file.is_less());
    file.release(3, 4, sim::kLogFormat);
    CHECK(file[3].version == 5);
    CHECK(file.is_less());
    file.release(3, 5, sim::kLogFormat);
    CHECK(file[3].version == 0);
    file.release(3, 4, sim::kLogFormat);
    CHECK(file[3].version == 0);
    CHECK(file[4].version == 7);
}

TEST_CASE("a page that had no version when the checkpoint excepted it keeps what was promised about it since") {
    const sim::Promises promises = two_pages_promised();
    sim::FilePromises file(promises, kFileOfPromises);
    file.release(4, 0, sim::kLogFormat);
    CHECK(file[4].version == 7);
    CHECK_FALSE(file.is_less());
}

TEST_CASE("an old log that does not say which version of a page was lost takes back all that was promised about it") {
    const sim::Promises promises = two_pages_promised();
    sim::FilePromises file(promises, kFileOfPromises);
    file.release(4, 0, sim::kLogFormatOfPlaces);
    CHECK(file[4].version == 0);
    CHECK(file[3].version == 5);
}

TEST_CASE("a cut of which the ledger has heard takes back nothing that was promised since, a later one everything beyond it") {
    const sim::Promises promises = two_pages_promised_behind_cut();
    sim::FilePromises file(promises, kFileOfPromises);
    file.cut(kKnownCutLsn - 1, 1);
    file.cut(kKnownCutLsn, 2);
    CHECK(file[3].version == 5);
    CHECK(file[4].version == 7);
    CHECK(file.page_count() == 10'000);
    CHECK_FALSE(file.is_less());
    file.cut(kKnownCutLsn + 1, 4);
    CHECK(file[3].version == 5);
    CHECK(file[4].version == 0);
    CHECK(file.page_count() == 4);
    CHECK(file.is_less());
}

TEST_CASE("of several cuts of which the ledger has not heard, the one that leaves the fewest pages counts") {
    const sim::Promises promises = two_pages_promised_behind_cut();
    sim::FilePromises file(promises, kFileOfPromises);
    file.cut(kKnownCutLsn + 1, 4);
    file.cut(kKnownCutLsn + 2, 9'000);  // the file had grown again
    CHECK(file[4].version == 0);
    CHECK(file.page_count() == 4);
    file.cut(kKnownCutLsn + 3, 3);
    CHECK(file[3].version == 0);
    CHECK(file.page_count() == 3);
}

TEST_CASE("a cut that may stand in a part of the log that is missing takes back the size beyond it, but no page that may be older") {
    const sim::Promises promises = two_pages_promised_behind_cut();
    sim::FilePromises file(promises, kFileOfPromises);
    file.may_have_been_cut(4);
    CHECK(file[3].version == 5);
    CHECK(file[4].version == 7);
    CHECK(file.page_count() == 4);
    CHECK(file.is_less());
    file.release_from(4);
    CHECK(file[3].version == 5);
    CHECK(file[4].version == 0);
}

TEST_CASE("a checkpoint that promises nothing takes back all that a ledger was promised about the file") {
    const sim::Promises promises = two_pages_promised();
    sim::FilePromises file(promises, kFileOfPromises);
    file.release_all();
    CHECK(file[3].version == 0);
    CHECK(file.page_count() == 0);
    CHECK(file.is_less());
}
