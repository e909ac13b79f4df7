// What redo does to the pages of a backup.
#include "sim/backup/log_redo.hpp"

#include "tests/support/catch.hpp"

namespace {

sim::LogRecordHeader change(std::uint64_t lsn, std::uint32_t page, std::uint32_t version) {
    sim::LogRecordHeader record{};
    record.kind = static_cast<std::uint16_t>(sim::LogRecordKind::page_update);
    record.lsn = lsn;
    record.page_id = page;
    record.version = version;
    return record;
}

sim::LogRecordHeader resize(std::uint64_t lsn, std::uint32_t old_pages, std::uint32_t pages) {
    sim::LogRecordHeader record{};
    record.kind = static_cast<std::uint16_t>(sim::LogRecordKind::file_resize);
    record.lsn = lsn;
    record.page_id = old_pages;
    record.page_count = pages;
    return record;
}

}  // namespace

TEST_CASE("a record of a file's size is a cut only if the file was larger before") {
    CHECK(sim::is_cut(resize(30, 100, 99)));
    CHECK_FALSE(sim::is_cut(resize(30, 100, 100)));
    CHECK_FALSE(sim::is_cut(resize(30, 100, 101)));
}

TEST_CASE("redo applies the newest change of a page, and none to a page that was cut off later") {
    sim::LogRedo redo(100);
    redo.take(change(10, 5, 2));
    redo.take(change(20, 5, 3));
    redo.take(change(21, 90, 7));
    redo.take(resize(30, 100, 80));
    redo.take(resize(40, 80, 120));
    redo.take(change(50, 95, 1));
    CHECK(redo.page_count() == 120);
    CHECK(redo.changes().size() == 2);
    CHECK(redo.changes().at(5).version == 3);
    CHECK(redo.changes().at(95).lsn == 50);
    CHECK(redo.is_cut_off(90, 21));
    CHECK_FALSE(redo.is_cut_off(90, 35));
    CHECK_FALSE(redo.is_cut_off(79, 1));
}

TEST_CASE("a cut that was logged before the backup began, but is in its log, takes the earlier changes, too") {
    sim::LogRedo redo(80);
    redo.take(change(20, 90, 7));
    redo.take(resize(30, 100, 80));
    redo.take(change(40, 5, 3));
    redo.take(resize(50, 80, 120));
    CHECK(redo.page_count() == 120);
    CHECK(redo.changes().size() == 1);
    CHECK(redo.changes().contains(5));
    CHECK(redo.is_cut_off(90, 20));
}

TEST_CASE("a change of two records has the LSN of the second one") {
    sim::LogRecordHeader rest = change(21, 5, 3);
    rest.kind = static_cast<std::uint16_t>(sim::LogRecordKind::filler);
    sim::LogRedo redo(100);
    redo.take(change(20, 5, 3));
    redo.take(rest);
    REQUIRE(redo.changes().size() == 1);
    CHECK(redo.changes().at(5).version == 3);
    CHECK(redo.changes().at(5).lsn == 21);
}
