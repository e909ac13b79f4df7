// The format of the log, byte by byte; see page_format_test.cpp.
#include "sim/page/log_layout.hpp"

#include <cstddef>
#include <cstdint>

#include "tests/support/catch.hpp"

TEST_CASE("the headers of blocks and records are those of format 4") {
    CHECK(sim::kLogFormat == 4);
    CHECK(sizeof(sim::LogBlockHeader) == 80);
    CHECK(offsetof(sim::LogBlockHeader, magic) == 4);
    CHECK(offsetof(sim::LogBlockHeader, record_count) == 10);
    CHECK(offsetof(sim::LogBlockHeader, size_bytes) == 12);
    CHECK(offsetof(sim::LogBlockHeader, run_id) == 16);
    CHECK(offsetof(sim::LogBlockHeader, sequence) == 24);
    CHECK(offsetof(sim::LogBlockHeader, first_lsn) == 32);
    CHECK(offsetof(sim::LogBlockHeader, vlf_sequence) == 40);
    CHECK(offsetof(sim::LogBlockHeader, used_bytes) == 44);
    CHECK(offsetof(sim::LogBlockHeader, file_id) == 48);
    CHECK(offsetof(sim::LogBlockHeader, vlf_sector) == 52);
    CHECK(offsetof(sim::LogBlockHeader, hardened_sequence) == 56);
    CHECK(offsetof(sim::LogBlockHeader, write_utc_us) == 64);
    CHECK(offsetof(sim::LogBlockHeader, incarnation) == 72);
    CHECK(offsetof(sim::LogBlockHeader, vlf_sectors) == 76);
    CHECK(sizeof(sim::LogRecordHeader) == 32);
    CHECK(offsetof(sim::LogRecordHeader, lsn) == 24);
    CHECK(sim::kLogBlockBytesMax == 61440);
}

TEST_CASE("an LSN encodes virtual log file, block and slot, and grows with each of them") {
    CHECK(sim::make_lsn(1, 2, 3) == 0x0000'0001'0000'2003);
    CHECK(sim::make_lsn(0xffff'ffff, 0xf'ffff, 0xfff) == 0xffff'ffff'ffff'ffff);
    CHECK(sim::vlf_of_lsn(sim::make_lsn(77, 5, 9)) == 77);
    CHECK(sim::make_lsn(1, 0, sim::kSlotsPerBlockMax) < sim::make_lsn(1, 1, 0));
    CHECK(sim::make_lsn(1, (1 << 20) - 1, sim::kSlotsPerBlockMax) < sim::make_lsn(2, 0, 0));
}

TEST_CASE("the end of a full virtual log file of the largest size comes after all its LSNs, and before none of the next one") {
    constexpr std::uint32_t kEndSector = sim::kVlfBytesMax / sim::kSectorBytes;
    for (const std::uint32_t vlf : {6U, 7U}) {
        CHECK(sim::make_lsn(vlf, kEndSector, 0) > sim::make_lsn(vlf, kEndSector - 1, sim::kSlotsPerBlockMax));
        CHECK(sim::make_lsn(vlf, kEndSector, 0) == sim::make_lsn(vlf + 1, 0, 0));
    }
}
