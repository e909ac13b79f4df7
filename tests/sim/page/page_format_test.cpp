// The format of pages, byte by byte. Changing one of these values changes the format: kPageFormat and the document have to follow.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "sim/page/checksum.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using sim::testing::PageBuffer;

namespace {

constexpr sim::PageIdentity kIdentity{.run_id = 0x1122334455667788,
                                      .file_id = 3,
                                      .page_id = 0x01020304,
                                      .version = 0x0a0b0c0d,
                                      .lsn = 0x2122232425262728,
                                      .write_utc_us = 0x3132333435363738};
constexpr sim::PageIdentity kFileHeader{
    .run_id = 0x1122334455667788, .file_id = 3, .page_id = 0, .version = 1, .lsn = 0, .write_utc_us = 5};

std::vector<unsigned> bytes_at(const PageBuffer& page, std::size_t offset, std::size_t count) {
    std::vector<unsigned> bytes;
    for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<unsigned>(page[offset + i]));
    return bytes;
}

using Bytes = std::vector<unsigned>;

}  // namespace

TEST_CASE("the sizes of page, header and stamp are those of format 1") {
    CHECK(sim::kPageBytes == 8192);
    CHECK(sim::kPageFormat == 1);
    CHECK(sizeof(sim::PageHeader) == 96);
    CHECK(sizeof(sim::SectorStamp) == 16);
    CHECK(sim::kStampOffset == 496);
    CHECK(sim::kSectorsPerPage == 16);
}

TEST_CASE("the header of a page has its fields where the format says, little-endian") {
    const PageBuffer page(kIdentity);
    CHECK(bytes_at(page, 4, 4) == Bytes{'I', 'O', 'P', 'F'});
    CHECK(bytes_at(page, 8, 2) == Bytes{1, 0});
    CHECK(bytes_at(page, 10, 2) == Bytes{1, 0});
    CHECK(bytes_at(page, 12, 4) == Bytes{3, 0, 0, 0});
    CHECK(bytes_at(page, 16, 8) == Bytes{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11});
    CHECK(bytes_at(page, 24, 4) == Bytes{0x04, 0x03, 0x02, 0x01});
    CHECK(bytes_at(page, 28, 4) == Bytes{0x0d, 0x0c, 0x0b, 0x0a});
    CHECK(bytes_at(page, 32, 8) == Bytes{0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21});
    CHECK(bytes_at(page, 48, 8) == Bytes{0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31});
    CHECK(bytes_at(page, 56, 40) == Bytes(40, 0));
    CHECK(sim::read_header(page.data()).seed == sim::page_seed(kIdentity));
}

TEST_CASE("every sector of a page ends with its stamp") {
    const PageBuffer page(kIdentity);
    for (unsigned sector = 0; sector < 16; ++sector) {
        const std::size_t offset = sector * 512 + 496;
        CHECK(bytes_at(page, offset, 4) == Bytes{0x04, 0x03, 0x02, 0x01});
        CHECK(bytes_at(page, offset + 4, 4) == Bytes{0x0d, 0x0c, 0x0b, 0x0a});
        CHECK(bytes_at(page, offset + 8, 4) == Bytes{0x38, 0x37, 0x36, 0x35});
        CHECK(bytes_at(page, offset + 12, 2) == Bytes{0x88, 0x77});
        CHECK(bytes_at(page, offset + 14, 2) == Bytes{0x30 | sector, 0});
        const sim::SectorStamp stamp = sim::read_stamp(page.data(), sector);
        CHECK(stamp.page_id == kIdentity.page_id);
        CHECK(stamp.version == kIdentity.version);
        CHECK(stamp.file_and_sector == (3 << 4 | sector));
    }
}

TEST_CASE("the largest file number fits into the stamps") {
    sim::PageIdentity identity = kIdentity;
    identity.file_id = sim::kFilesMax;
    const PageBuffer page(identity);
    CHECK(sim::read_stamp(page.data(), 15).file_and_sector == 0xffff);
}

TEST_CASE("the checksum covers everything but itself") {
    const PageBuffer page(kIdentity);
    const std::uint32_t stored = sim::read_header(page.data()).checksum;
    CHECK(stored == sim::crc32c(page.data() + 4, 8188));
    CHECK(stored == sim::page_checksum(page.data()));
}

TEST_CASE("page images do not change from one version of the program to the next") {
    PageBuffer page;
    CHECK(sim::make_page(kIdentity, page.data()) == 0x27ed014d);
    CHECK(sim::crc32c(page.data(), 8192) == 0xaf58546f);
    CHECK(bytes_at(page, 96, 8) == Bytes{0xf7, 0xb5, 0xe4, 0xc7, 0xb9, 0xef, 0x48, 0xd3});
    CHECK(bytes_at(page, 512, 8) == Bytes{0xc3, 0x71, 0x10, 0xd2, 0x06, 0xab, 0x8a, 0x70});
    CHECK(sim::make_page(kFileHeader, page.data()) == 0x48a3ae32);
    CHECK(sim::page_seed(kIdentity) == 0x987359a9a9700bd8);
}

TEST_CASE("the first page of a file says in plain text what the file is") {
    const PageBuffer page(kFileHeader);
    CHECK(bytes_at(page, 10, 2) == Bytes{2, 0});
    const std::string text(reinterpret_cast<const char*>(page.data()) + 96, 400);
    CHECK_THAT(text, ContainsSubstring("\n\nThis is a test file of ioproof, the SQL Server I/O simulator.\n"
                                       "It contains no user data and can be deleted when no test is running.\n\n"));
}
