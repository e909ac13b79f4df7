#include "sim/verify/damaged_signature.hpp"

#include <algorithm>
#include <array>

#include "sim/diagnosis/finding_facts.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

namespace {

// A sector of another write differs in more bytes, and so does one that was never written.
constexpr std::uint32_t kDamagedBytesMax = 64;

// What most sectors say: in the header, or in one of them, it may be what is damaged. At most kFilesMax, whatever they hold.
std::uint32_t file_in_stamps(const std::byte* page) {
    std::array<std::uint32_t, kSectorsPerPage> files{};
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        files[sector] = std::uint32_t{read_stamp(page, sector).file_and_sector} >> 4U;
    }
    std::nth_element(files.begin(), files.begin() + kSectorsPerPage / 2, files.end());
    return files[kSectorsPerPage / 2];
}

// The one in the header also shows when the page was made, if that is what is damaged; or it is damaged itself.
std::uint32_t checksum_as_written(const std::byte* page, ExpectedPage expected) {
    const PageHeader header = read_header(page);
    expected.entry.checksum = header.checksum;
    const WrittenImage written(page, expected, {header.write_utc_us, header.write_utc_us});
    if (written.is_exact()) return header.checksum;
    const ums::MemoryRegion recreated(kPageBytes, ums::MemoryKind::plain);
    return make_page({expected.run_id, expected.file_id, 0, 1, 0, header.write_utc_us}, recreated.data());
}

}  // namespace

std::optional<Finding> name_damaged_signature(const std::byte* page, std::uint32_t reads) {
    const PageHeader header = read_header(page);
    ExpectedPage expected;
    expected.run_id = header.run_id;
    expected.file_id = file_in_stamps(page);
    expected.entry.version = 1;
    expected.entry.checksum = checksum_as_written(page, expected);
    const WrittenImage written(page, expected, {header.write_utc_us, header.write_utc_us});
    Evidence evidence = examine(page, expected, written);
    if (evidence.difference.wrong_bytes == 0 || evidence.difference.wrong_bytes > kDamagedBytesMax) return std::nullopt;
    evidence.later_reads = LaterReads::some;
    Finding finding = make_finding(evidence, classify(evidence));
    finding.reads = reads;
    finding.reasoning.emplace_back("A run writes the signature of a log once, before its first change, and makes it durable.");
    return finding;
}

Finding name_late_signature(const std::byte* first, const std::byte* signature) {
    const PageHeader header = read_header(signature);
    ExpectedPage expected;
    expected.run_id = header.run_id;
    expected.file_id = header.file_id;
    expected.entry.version = header.version & kVersionMax;
    expected.entry.lsn = header.lsn;
    expected.entry.checksum = header.checksum;
    const WrittenImage written(signature, expected, {header.write_utc_us, header.write_utc_us});
    Evidence evidence = examine(first, expected, written);
    evidence.is_transient = true;
    evidence.is_history_unknown = true;
    evidence.later_reads = LaterReads::some;
    Finding finding = make_finding(evidence, classify(evidence));
    finding.description = "The first page of the file came back wrong; a later read returned the signature page of the run.";
    return finding;
}

}  // namespace sim
