// Where a missing log block was, as far as the blocks beside it tell.
#include "sim/verify/missing_places.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "tests/support/catch.hpp"

namespace {

using sim::LogBlockPlace;
using sim::LogContents;
using sim::MissingPlace;

constexpr std::uint32_t kVlfSectors = 1000;

std::uint64_t place_in_log(std::uint32_t vlf, std::uint32_t sector) {
    return sim::kPageBytes + (std::uint64_t{vlf} * kVlfSectors + sector) * sim::kSectorBytes;
}

LogBlockPlace block_at(std::uint64_t sequence, std::uint32_t vlf, std::uint32_t sector, std::uint32_t sectors,
                       std::uint32_t incarnation = 1) {
    LogBlockPlace block;
    block.sequence = sequence;
    block.first_lsn = block.last_lsn = sim::make_lsn(vlf, sector, 0);
    block.offset_bytes = place_in_log(vlf, sector);
    block.size_bytes = sectors * sim::kSectorBytes;
    block.file_id = 2;
    block.vlf_sector = sector;
    block.vlf_sectors = kVlfSectors;
    block.incarnation = incarnation;
    return block;
}

LogContents contents_of(std::vector<LogBlockPlace> blocks) {
    LogContents contents;
    contents.blocks = std::move(blocks);
    return contents;
}

std::optional<MissingPlace> certain_place_in(LogContents contents, const sim::BlockRange& missing, std::uint32_t promised_incarnation) {
    contents.promised_incarnation = promised_incarnation;
    return sim::certain_place(sim::places_of_missing(contents, missing));
}

}  // namespace

TEST_CASE("a missing block between two of its virtual log file begins where the one before it ends") {
    const LogContents contents = contents_of({block_at(4, 1, 0, 8), block_at(6, 1, 16, 8)});
    const std::optional<MissingPlace> place = certain_place_in(contents, {5, 5}, 0);
    REQUIRE(place);
    CHECK(place->file_id == 2);
    CHECK(place->offset_bytes == place_in_log(1, 8));
    CHECK(place->size_bytes == 8 * sim::kSectorBytes);
    CHECK(place->vlf_sequence == 1);
    CHECK(place->vlf_sector == 8);
    CHECK(place->begins_there);
}

TEST_CASE("the place of a missing block at the end of a virtual log file is certain only if the next one shows it") {
    const LogBlockPlace before = block_at(4, 1, 980, 10);
    const auto place_of = [&before](const LogBlockPlace& behind) {
        return certain_place_in(contents_of({before, behind}), {5, behind.sequence - 1}, 0);
    };
    const std::optional<MissingPlace> in_this = place_of(block_at(7, 2, 0, 8));
    REQUIRE(in_this);
    CHECK(in_this->offset_bytes == place_in_log(1, 990));
    CHECK(in_this->size_bytes == 10 * sim::kSectorBytes);
    const std::optional<MissingPlace> in_next = place_of(block_at(6, 2, 40, 8));
    REQUIRE(in_next);
    CHECK(in_next->offset_bytes == place_in_log(2, 0));
    CHECK(in_next->size_bytes == 40 * sim::kSectorBytes);
    CHECK(in_next->begins_there);

    // Of several, the first may be in either.
    const LogBlockPlace behind = block_at(7, 2, 40, 8);
    CHECK_FALSE(place_of(behind));
    const std::vector<MissingPlace> places = sim::places_of_missing(contents_of({before, behind}), {5, 6});
    REQUIRE(places.size() == 2);
    CHECK(places[0].offset_bytes == place_in_log(1, 990));
    CHECK(places[1].offset_bytes == place_in_log(2, 0));
    CHECK_FALSE(places[0].is_certain);
    CHECK_FALSE(places[1].is_certain);
}

TEST_CASE("a missing block behind one that fills its virtual log file began the next one") {
    const LogContents contents = contents_of({block_at(4, 1, 990, 10), block_at(7, 2, 40, 8)});
    const std::optional<MissingPlace> place = certain_place_in(contents, {5, 6}, 0);
    REQUIRE(place);
    CHECK(place->offset_bytes == place_in_log(2, 0));
    CHECK(place->vlf_sector == 0);
    // Which one that is, nothing says.
    CHECK(sim::places_of_missing(contents_of({block_at(4, 1, 990, 10), block_at(7, 3, 40, 8)}), {5, 6}).empty());
}

TEST_CASE("where a resumed run went on is not known if its first blocks are missing") {
    const LogBlockPlace before = block_at(4, 1, 0, 8);
    CHECK(certain_place_in(contents_of({before, block_at(7, 5, 16, 8)}), {5, 6}, 0));
    CHECK_FALSE(certain_place_in(contents_of({before, block_at(7, 5, 16, 8, 2)}), {5, 6}, 0));
    // A ledger knows of blocks of which none is there.
    CHECK(certain_place_in(contents_of({before}), {5, 9}, 1));
    CHECK_FALSE(certain_place_in(contents_of({before}), {5, 9}, 2));
}

TEST_CASE("of a missing block without the one before it, only the end of its place is known") {
    const std::optional<MissingPlace> place = certain_place_in(contents_of({block_at(6, 1, 40, 8)}), {5, 5}, 0);
    REQUIRE(place);
    CHECK(place->offset_bytes == place_in_log(1, 0));
    CHECK(place->size_bytes == 40 * sim::kSectorBytes);
    CHECK_FALSE(place->begins_there);
    CHECK(sim::places_of_missing(contents_of({block_at(7, 1, 40, 8)}), {5, 6}).empty());
}

TEST_CASE("a place in a virtual log file of which a later one has taken the beginning is in use again") {
    // The end of virtual log file 1 is left; file 5 has taken the place of file 2, and written over the first block there.
    LogBlockPlace newest = block_at(30, 5, 0, 8);
    newest.offset_bytes = place_in_log(2, 0);
    const LogBlockPlace before = block_at(4, 1, 980, 20);
    const LogBlockPlace behind = block_at(6, 2, 40, 8);
    const std::optional<MissingPlace> place = certain_place_in(contents_of({before, behind, newest}), {5, 5}, 0);
    REQUIRE(place);
    CHECK(place->begins_there);
    CHECK(sim::is_used_again(contents_of({before, behind, newest}), *place));
    CHECK_FALSE(sim::is_used_again(contents_of({before, behind}), *place));
    newest.file_id = 3;
    CHECK_FALSE(sim::is_used_again(contents_of({before, behind, newest}), *place));
}
