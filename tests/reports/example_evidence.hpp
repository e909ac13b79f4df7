// Findings with all the evidence that a run collects, for the tests of dumps and JSON.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_layout.hpp"
#include "tests/reports/example_results.hpp"

// A page image with this version: a header, and bytes that follow from the version.
inline std::vector<std::byte> example_image(std::uint32_t version) {
    std::vector<std::byte> image(8192);
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::byte>(i * 7 + i / 256 + version * 31);
    sim::PageHeader header{};
    header.checksum = 0x319a'8372;
    header.magic = sim::kPageMagic;
    header.format = sim::kPageFormat;
    header.kind = 1;
    header.file_id = 1;
    header.run_id = 0x5eed'0000'0000'0001;
    header.page_id = 87'366;
    header.version = version;
    header.lsn = sim::make_lsn(28, 18, version);
    header.write_utc_us = 1'764'000'050'000'000 + version;
    std::memcpy(image.data(), &header, sizeof header);
    return image;
}

inline sim::HistoryEntry example_operation(std::uint64_t posted_us, bool is_write, std::uint32_t version) {
    sim::HistoryEntry entry;
    entry.utc_us = 1'764'000'000'000'000 + posted_us;
    entry.duration_us = 850;
    entry.cpu = 1;
    entry.user = "Bulk Update User 12";
    entry.is_write = is_write;
    entry.file_id = 1;
    entry.offset_bytes = 87'366ULL * 8192;
    entry.size_bytes = entry.transferred_bytes = 65'536;
    entry.version = version;
    entry.lsn = sim::make_lsn(28, 18, version);
    return entry;
}

// A torn page, whose second half is two versions old, with everything filled in.
inline sim::Finding example_evidence() {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::torn_page;
    finding.repaired = true;
    finding.place.size_bytes = 8192;
    finding.evidence.expected_image = example_image(5);
    finding.evidence.image = finding.evidence.expected_image;
    const std::vector<std::byte> old = example_image(3);
    std::memcpy(finding.evidence.image.data() + 4096, old.data() + 4096, 4096);
    finding.expected.value().lsn = sim::make_lsn(28, 18, 5);
    finding.received.value().lsn = sim::make_lsn(28, 18, 3);
    finding.expected.value().checksum = finding.received.value().checksum = 0x319a'8372;
    finding.received.value().calculated_checksum = 0xd88d'85ed;
    finding.received.value().run_id = 0x5eed'0000'0000'0001;
    finding.received.value().file_id = 1;
    finding.received.value().page_id = 87'366;
    for (std::uint32_t sector = 0; sector < 16; ++sector) {
        const bool is_old = sector >= 8;
        finding.comparison.value().sectors.push_back(
            {is_old ? sim::SectorState::older : sim::SectorState::expected, is_old ? 3U : 5U, 1, 87'366, sector});
    }
    finding.comparison.value().first_wrong_byte = 4096;
    finding.comparison.value().wrong_bytes = 4096;
    finding.comparison.value().wrong_bits = 9000;
    finding.comparison.value().wrong_bit_positions = {4096 * 8 + 1, 4096 * 8 + 5};
    finding.comparison.value().tear_on_4k_lines = true;
    finding.rereads = {{1, 1'000, false, sim::RereadResult::same_image, 5, 0x319a'8372, 0},
                       {2, 2'500, false, sim::RereadResult::io_error, 0, 0, 5},
                       {3, 4'000, true, sim::RereadResult::same_image, 5, 0x319a'8372, 0}};
    finding.moment.cpu = 1;
    finding.evidence.page_history = {example_operation(60'000'000, true, 5), example_operation(61'000'000, false, 5)};
    finding.evidence.page_history[1].is_diagnosis = true;
    finding.evidence.page_history[1].offset_bytes -= 8192;
    finding.evidence.file_history = {example_operation(61'100'000, false, 0)};
    finding.evidence.file_history[0].error_code = 5;
    finding.evidence.file_history[0].transferred_bytes = 0;
    finding.place.device = sim::DevicePlace{"/dev/sda1", 1'234'567'168};
    finding.description = "The first half of the page is version 5, the second half version 3.";
    finding.reasoning = {"Sectors 0 to 7 are version 5, sectors 8 to 15 version 3, and nothing else is in it.",
                         "Fifteen more reads returned the same image."};
    return finding;
}
