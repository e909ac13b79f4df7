#include "reports/dump_text.hpp"

#include <cstring>
#include <sstream>

#include "reports/dump_headers.hpp"
#include "reports/dump_image.hpp"
#include "reports/finding_text.hpp"
#include "sim/backup/backup_format.hpp"
#include "tests/reports/example_evidence.hpp"
#include "tests/support/catch.hpp"

using reports::dump_text;

namespace {

std::size_t widest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t widest = 0;
    for (std::string line; std::getline(lines, line);) {
        CHECK((line.empty() || line.back() != ' '));
        widest = std::max(widest, line.size());
    }
    return widest;
}

std::vector<std::byte> bytes(std::size_t size_bytes, int value) {
    return std::vector<std::byte>(size_bytes, static_cast<std::byte>(value));
}

}  // namespace

TEST_CASE("a dump begins with the verdict in words and has all the evidence") {
    const std::string text = dump_text(example_evidence(), "0.1.0");
    INFO(text);
    CHECK(text.find("ioproof 0.1.0: finding 6\n=====") == 0);
    CHECK_THAT(text, ContainsSubstring("\nTORN PAGE, persistent\n\nThe first half of the page is version 5, the second half version 3.\n"
                                       "\nWhy this and nothing else:\n  - Sectors 0 to 7 are version 5,"));
    CHECK_THAT(text, ContainsSubstring("\nWhat it means:\n  Some sectors of the page are of one write and some of another"));
    CHECK_THAT(text, ContainsSubstring("\nThe page has been rewritten"));
    CHECK_THAT(text, ContainsSubstring("  file                /data/sqliosim.mdx (file 1)\n"));
    CHECK_THAT(text, ContainsSubstring("  page                87,366 (0x15546)\n"));
    CHECK_THAT(text, ContainsSubstring("  on the device       /dev/sda1, byte 1,234,567,168 (0x49960000), sector 2411264 of 512 bytes\n"));
    CHECK_THAT(text, ContainsSubstring("  UTC                 2025-11-24T16:01:01.250000Z\n  local               2025-11-24T"));
    CHECK_THAT(text, ContainsSubstring("  since the start     61.250 s\n"));
    CHECK_THAT(text, ContainsSubstring("  found by            Random User 3 on logical CPU 1, phase main run\n"));
    CHECK_THAT(text, ContainsSubstring("  checksum              0x319a8372    832209778  0x319a8372    832209778\n"));
    CHECK_THAT(text, ContainsSubstring("  calculated checksum                            0xd88d85ed   3633153517\n"));
    CHECK_THAT(text, ContainsSubstring("  LSN                                   28:18:5                  28:18:3\n"));
    CHECK_THAT(text, ContainsSubstring("0x1000.1 0x1000.5"));
    CHECK_THAT(text, ContainsSubstring("   1     1.0 ms  as before                    the same wrong image            5  0x319a8372\n"
                                       "   2     2.5 ms  as before                    an error (5)                    -  -\n"
                                       "   3     4.0 ms  flushed, dropped, reopened   the same wrong image            5  0x319a8372\n"));
    CHECK(widest_line(text) <= 100);
}

TEST_CASE("a dump says with which image later ones are compared if they differ, because it may show another one") {
    const std::string note = "another\" compare with the first wrong image";
    sim::Finding finding = example_evidence();
    CHECK_THAT(dump_text(finding, "0.1.0"), !ContainsSubstring(note));
    finding.rereads[2].result = sim::RereadResult::other_image;
    const std::string text = dump_text(finding, "0.1.0");
    CHECK_THAT(text, ContainsSubstring("another wrong image") && ContainsSubstring(note));
    CHECK(widest_line(text) <= 100);
}

TEST_CASE("the sector map has the 4096-byte line and describes each sector") {
    CHECK(reports::sector_map(example_evidence()) ==
          "  sector |   0   1   2   3   4   5   6   7 |   8   9  10  11  12  13  14  15 |\n"
          "         | === === === === === === === === | ooo ooo ooo ooo ooo ooo ooo ooo |\n"
          "\n"
          "  =  as it was written (8)\n"
          "  o  of an older version of this page (8)\n"
          "  |  4096-byte line\n"
          "\n"
          "  sectors 0 to 7    bytes 0x0000 to 0x0fff  expected    version 5\n"
          "  sectors 8 to 15   bytes 0x1000 to 0x1fff  older       version 3\n"
          "  Every 4096-byte block is of one version: the tear is on a 4096-byte line.\n");
    sim::Finding other = example_evidence();
    other.kind = sim::FindingKind::misdirected_write;
    other.comparison.value().sectors[3] = {sim::SectorState::other_page, 7, 2, 900, 11};
    CHECK_THAT(reports::sector_map(other), ContainsSubstring("  sector 3          bytes 0x0600 to 0x07ff  other_page  version 7 of file 2 "
                                                             "page 900, from sector 11\n"));
    CHECK(reports::sector_map(example_finding()).empty());
}

TEST_CASE("differing bytes are shown side by side with their neighbors, and equal ranges are skipped") {
    const auto written = bytes(8192, 0xaa);
    auto read = written;
    read[0x3e8] = std::byte{0xab};
    read[0x1ffe] = std::byte{0};
    CHECK(reports::byte_differences(written, read) ==
          "  offset  written                                read\n"
          "  ...     976 equal bytes\n"
          "  0x03d0  aaaaaaaa aaaaaaaa aaaaaaaa aaaaaaaa    aaaaaaaa aaaaaaaa aaaaaaaa aaaaaaaa\n"
          "  0x03e0  aaaaaaaa aaaaaaaa aaaaaaaa aaaaaaaa    aaaaaaaa aaaaaaaa abaaaaaa aaaaaaaa\n"
          "                                                                   ^^\n"
          "  0x03f0  aaaaaaaa aaaaaaaa aaaaaaaa aaaaaaaa    aaaaaaaa aaaaaaaa aaaaaaaa aaaaaaaa\n"
          "  ...     7,136 equal bytes\n"
          "  0x1fe0  aaaaaaaa aaaaaaaa aaaaaaaa aaaaaaaa    aaaaaaaa aaaaaaaa aaaaaaaa aaaaaaaa\n"
          "  0x1ff0  aaaaaaaa aaaaaaaa aaaaaaaa aaaaaaaa    aaaaaaaa aaaaaaaa aaaaaaaa aaaa00aa\n"
          "                                                                                ^^\n");
    CHECK(reports::byte_differences(written, written) == "  The two images are equal.\n");
    CHECK(reports::byte_differences({}, read).empty());
}

TEST_CASE("what exceeds the dump's limits is counted") {
    const std::string text = reports::byte_differences(bytes(8192, 1), bytes(8192, 2));
    CHECK_THAT(text, ContainsSubstring("  ...     7,168 more wrong bytes in 448 more lines; this file ends with both images in full.\n"));
    CHECK_THAT(text, ContainsSubstring("  0x03f0  ") && !ContainsSubstring("  0x0400  "));
}

TEST_CASE("a whole image shows every byte, with repeated lines as one star") {
    auto image = bytes(128, 0);
    image[127] = std::byte{0x5f};
    const std::string zeros = "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000";
    CHECK(reports::hex_image(image) == "  0x0000  " + zeros + "\n  *\n  0x0060  " + zeros.substr(0, zeros.size() - 2) + "5f\n");
}

TEST_CASE("headers are decoded field by field, in hex and decimal, and differences are marked") {
    const auto written = example_image(5);
    const auto read = example_image(3);
    const std::string text = reports::header_comparison(written, read, reports::HeaderKind::page);
    CHECK_THAT(text,
               ContainsSubstring("  version               0x00000005                    5          0x00000003                    3 *\n"));
    CHECK_THAT(text,
               ContainsSubstring("  page_id               0x00015546                87366          0x00015546                87366\n"));
    CHECK_THAT(text, ContainsSubstring("  lsn           0x0000001c00012005         120259158021"));
    CHECK_THAT(text, ContainsSubstring("  write_utc_us of the image read: 2025-11-24T16:00:50.000003Z\n"));
    CHECK_THAT(reports::header_comparison({}, read, reports::HeaderKind::page),
               ContainsSubstring("  version                        -                    -          0x00000003                    3\n"));
    CHECK(reports::header_comparison({}, {}, reports::HeaderKind::page).empty());
    CHECK(widest_line(text) <= 100);
}

TEST_CASE("a dump tells what all findings of the run have in common") {
    const std::string text = dump_text(example_evidence(), "0.1.0", {{"engine", "uring"}, {"files", "a.mdx"}, {"", "b.ldx"}});
    CHECK_THAT(text, ContainsSubstring("\n\nRun\n---\n  engine              uring\n  files               a.mdx\n"
                                       "                      b.ldx\n"));
    CHECK_THAT(dump_text(example_evidence(), "0.1.0"), !ContainsSubstring("\nRun\n"));
}

TEST_CASE("the other end of a misdirected transfer has its path, or the number of a file that is not known") {
    sim::Finding finding = example_evidence();
    finding.other = sim::PagePlace{2, "/data/two.mdx", 700, 48};
    CHECK_THAT(dump_text(finding, "0.1.0"), ContainsSubstring("page 700 of /data/two.mdx (file 2), offset 5,734,400 (0x578000)"));
    finding.other->path.clear();
    CHECK_THAT(dump_text(finding, "0.1.0"), ContainsSubstring("page 700 of file 2, offset 5,734,400 (0x578000)"));
}

TEST_CASE("a dump says when the page was written that did not come back, or that nobody knows") {
    sim::Finding finding = example_evidence();
    CHECK_THAT(dump_text(finding, "0.1.0"), ContainsSubstring("  written             2025-11-24T16:00:50.000005Z (version 5)\n") &&
                                                ContainsSubstring("  write_utc_us of the image written: 2025-11-24T16:00:50.000005Z\n") &&
                                                !ContainsSubstring("is not known"));
    finding.evidence.is_write_time_known = false;
    const std::string of_run = dump_text(finding, "0.1.0");
    CHECK_THAT(of_run, !ContainsSubstring("  written             2025") && !ContainsSubstring("of the image written"));
    CHECK_THAT(of_run, ContainsSubstring("\n  write_utc_us                   -                    -  0x"));
    CHECK_THAT(of_run, ContainsSubstring("\n  lsn           0x0000001c00012005         120259158021"));
    CHECK_THAT(of_run, ContainsSubstring("  A \"-\" under \"written\" is not known."));
    // A verification knows only the version.
    finding.expected = sim::ExpectedIdentity{.version = 5};
    const std::string of_verification = dump_text(finding, "0.1.0");
    CHECK_THAT(of_verification, ContainsSubstring("\n  lsn                            -                    -  0x"));
    CHECK_THAT(of_verification, ContainsSubstring("\n  checksum                       -                    -          0x319a8372"));
    CHECK_THAT(of_verification, ContainsSubstring("\n  checksum                                    -  0x319a8372    832209778\n"));
    CHECK(widest_line(of_verification) <= 100);
}

TEST_CASE("for a log block the header of log blocks is decoded") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::log_stale_block;
    finding.evidence.image = bytes(512, 0);
    sim::LogBlockHeader header{};
    header.magic = sim::kLogMagic;
    header.sequence = 594;
    std::memcpy(finding.evidence.image.data(), &header, sizeof header);
    const std::string text = dump_text(finding, "0.1.0");
    CHECK_THAT(text,
               ContainsSubstring("\n  sequence                       -                    -  0x0000000000000252                  594\n"));
    CHECK_THAT(text, !ContainsSubstring("page_id"));
}

TEST_CASE("for a chunk of a backup chain the header of chunks is decoded, and what nobody compared is not 0") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::log_block_damaged;
    finding.place.role = sim::FileRole::backup_chain;
    finding.place.is_log = true;
    finding.expected = {.checksum = 0x319a'8372};
    finding.received.reset();
    finding.evidence.image = bytes(4096, 0);
    sim::ChunkHeader header{};
    header.magic = sim::kBackupMagic;
    header.used_bytes = 512;
    header.set_number = 3;
    std::memcpy(finding.evidence.image.data(), &header, sizeof header);
    const std::string text = dump_text(finding, "0.1.0");
    CHECK_THAT(text,
               ContainsSubstring("\n  used_bytes                     -                    -          0x00000200                  512\n"));
    CHECK_THAT(text,
               ContainsSubstring("\n  set_number                     -                    -          0x00000003                    3\n"));
    CHECK_THAT(text, !ContainsSubstring("first_lsn"));
    CHECK_THAT(text, ContainsSubstring("\n  checksum              0x319a8372    832209778                        -\n"
                                       "  calculated checksum                                                  -\n"));
    CHECK(widest_line(text) <= 100);
}

TEST_CASE("a request to a log that failed is at an offset, and at no page") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::io_error;
    finding.failure = {.error_code = 5, .error_text = "Input/output error"};
    finding.place.path = "/log/sqliosim.ldx";
    finding.place.is_log = true;
    finding.place.page_id = 0;
    finding.place.offset_bytes = 73'728;
    const std::string text = dump_text(finding, "0.1.0");
    CHECK_THAT(text, ContainsSubstring("\n  operation           read\n  offset in the file  73,728 (0x12000)\n"));
    finding.place.is_log = false;
    finding.place.page_id = 9;
    CHECK_THAT(dump_text(finding, "0.1.0"), ContainsSubstring("\n  operation           read\n  page                9 (0x9)\n"));
}

TEST_CASE("histories say who did what, when, and how it ended") {
    const std::string text = dump_text(example_evidence(), "0.1.0");
    CHECK_THAT(text, ContainsSubstring("\nposted (UTC)      took CPU user           what         offset    bytes version       LSN result\n"
                                       "16:01:00.000000 850 us   1 Bulk Update 12 write    0x2aa8c000    65536       5   28:18:5 ok\n"
                                       "16:01:01.000000 850 us   1 Bulk Update 12 reread   0x2aa8a000    65536       -         - ok\n"));
    CHECK_THAT(text,
               ContainsSubstring("16:01:01.100000 850 us   1 Bulk Update 12 read     0x2aa8c000    65536       -         1 errno 5\n"));
}

TEST_CASE("a page that was reverted hints at a write that a failed path delivers late") {
    CHECK_THAT(std::string(reports::kind_text(sim::FindingKind::reverted_page).advice), ContainsSubstring("repeated on another path"));
}

TEST_CASE("every kind has text on its meaning and what to do, and a dump even without any facts") {
    for (std::size_t i = 0; i < sim::kFindingKindCount; ++i) {
        sim::Finding finding;
        finding.kind = static_cast<sim::FindingKind>(i);
        const auto words = reports::kind_text(finding.kind);
        CHECK(words.meaning.size() > 40);
        CHECK(words.advice.size() > 40);
        const std::string text = dump_text(finding, "0.1.0");
        CHECK_THAT(text, ContainsSubstring("What to do:\n"));
        CHECK(widest_line(text) <= 100);
    }
}
