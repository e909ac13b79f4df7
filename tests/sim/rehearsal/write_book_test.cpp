// What a run requested of its device, in the order of the log.
#include "sim/rehearsal/write_book.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "sim/page/checksum.hpp"
#include "sim/page/log_layout.hpp"
#include "tests/support/catch.hpp"

namespace {

constexpr std::uint32_t kBlockBytes = 512;

sim::Options with_two_logs() {
    sim::Options options;
    options.files = {{.path = "a.mdx", .initial_size_mb = 1, .max_size_mb = 1},
                     {.path = "one.ldx", .initial_size_mb = 1, .max_size_mb = 1, .is_log = true},
                     {.path = "two.ldx", .initial_size_mb = 1, .max_size_mb = 1, .is_log = true}};
    return options;
}

// A block with one change of page 5 of the first file and one resize of that file.
std::vector<std::byte> block_of(std::uint64_t sequence, std::uint32_t vlf, std::uint32_t file_id) {
    sim::LogBlockHeader header{};
    header.magic = sim::kLogMagic;
    header.format = sim::kLogFormat;
    header.size_bytes = kBlockBytes;
    header.run_id = 1;
    header.sequence = sequence;
    header.vlf_sequence = vlf;
    header.vlf_sectors = 100;
    header.first_lsn = sim::make_lsn(vlf, 0, 0);
    header.record_count = 2;
    header.file_id = file_id;
    header.incarnation = 1;
    header.used_bytes = sizeof header + 2 * sizeof(sim::LogRecordHeader);
    std::array<sim::LogRecordHeader, 2> records{};
    records[0].kind = static_cast<std::uint16_t>(sim::LogRecordKind::page_update);
    records[0].page_id = 5;
    records[0].version = static_cast<std::uint32_t>(sequence);
    records[1].kind = static_cast<std::uint16_t>(sim::LogRecordKind::file_resize);
    records[1].page_count = static_cast<std::uint32_t>(100 + sequence);
    for (std::uint16_t slot = 0; slot < 2; ++slot) {
        records[slot].size_bytes = sizeof(sim::LogRecordHeader);
        records[slot].slot = slot;
        records[slot].file_id = 1;
        records[slot].lsn = header.first_lsn + slot;
    }
    std::vector<std::byte> bytes(kBlockBytes);
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, records.data(), sizeof records);
    const std::uint32_t checksum = sim::crc32c(bytes.data() + sizeof header.checksum, kBlockBytes - sizeof header.checksum);
    std::memcpy(bytes.data(), &checksum, sizeof checksum);
    return bytes;
}

void request(sim::WriteBook& book, const std::string& path, std::vector<std::byte> block) {
    const ums::IoSegment segment{block.data(), block.size()};
    ums::IoRequest request;
    request.operation = ums::IoOperation::write;
    request.offset_bytes = 8192;
    request.size_bytes = block.size();
    request.segments = &segment;
    request.segment_count = 1;
    book.observe({1, ums::PowerMoment::Kind::submission, request.operation, &path, request.offset_bytes, request.size_bytes, &request});
}

}  // namespace

TEST_CASE("changes and resizes are in the order of the log, whatever the order in which its files were written") {
    sim::WriteBook book(with_two_logs());
    request(book, "two.ldx", block_of(2, 8, 3));
    request(book, "one.ldx", block_of(3, 9, 2));
    request(book, "one.ldx", block_of(1, 7, 2));
    const std::vector<sim::WriteBook::Change>& changes = book.pages().at({1, 5}).changes;
    REQUIRE(changes.size() == 3);
    REQUIRE(book.resizes().size() == 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(changes[i].version == i + 1);
        CHECK(book.resizes()[i].page_count == 101 + i);
    }
}

TEST_CASE("a block that is written again after a failure counts once") {
    sim::WriteBook book(with_two_logs());
    request(book, "one.ldx", block_of(1, 7, 2));
    request(book, "one.ldx", block_of(1, 7, 2));
    CHECK(book.pages().at({1, 5}).changes.size() == 1);
    CHECK(book.resizes().size() == 1);
}

TEST_CASE("a run that continues finds a page whose write had failed as the device has it, unless the log that recovery reads changes it") {
    sim::WriteBook book(with_two_logs());
    for (const std::uint32_t sequence : {1U, 2U, 3U}) request(book, "one.ldx", block_of(sequence, 6 + sequence, 2));
    const auto versions = [&book] { return book.pages().at({1, 5}).changes.size(); };
    const auto forget = [&book](std::uint32_t failed_page, std::uint64_t begin_lsn, std::uint32_t left_version) {
        using PagePlace = sim::WriteBook::PagePlace;
        book.forget_failed(
            begin_lsn,
            [failed_page](const PagePlace& place) {
                return place == PagePlace{1, failed_page};
            },
            [left_version](const PagePlace& /*place*/) { return left_version; });
    };

    forget(5, sim::make_lsn(9, 0, 0), 1);  // the third change is in the log
    CHECK(versions() == 3);
    forget(6, sim::make_lsn(10, 0, 0), 1);  // a write of another page had failed
    CHECK(versions() == 3);
    forget(5, sim::make_lsn(10, 0, 0), 2);
    CHECK(versions() == 2);
    CHECK(book.pages().at({1, 5}).acknowledged.version == 2);
    forget(5, sim::make_lsn(10, 0, 0), 0);
    CHECK(versions() == 0);
    CHECK(book.pages().at({1, 5}).acknowledged.version == 0);
}
