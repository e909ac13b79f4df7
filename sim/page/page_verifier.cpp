#include "sim/page/page_verifier.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>

namespace sim {

namespace {

bool is_all_zero(const std::byte* page) {
    const auto* words = reinterpret_cast<const std::uint64_t*>(page);
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < kPageBytes / 8; ++i) any |= words[i];
    return any == 0;
}

bool is_this_page(const PageHeader& header, const ExpectedPage& expected) {
    return header.run_id == expected.run_id && header.file_id == expected.file_id && header.page_id == expected.page_id;
}

FindingKind kind_of_mismatch(const std::byte* page, const PageHeader& header, std::uint32_t calculated, const ExpectedPage& expected) {
    if (is_all_zero(page)) return FindingKind::never_written;
    if (header.magic != kPageMagic || header.checksum != calculated) return FindingKind::checksum;
    return is_this_page(header, expected) ? FindingKind::old_version : FindingKind::wrong_page;
}

std::uint32_t first_difference(const std::byte* page, const ExpectedPage& expected, const PageHeader& header) {
    auto image = std::make_unique<std::uint64_t[]>(kPageBytes / 8);
    auto* bytes = reinterpret_cast<std::byte*>(image.get());
    if (expected.entry.version != 0) {
        make_page({expected.run_id, expected.file_id, expected.page_id, expected.entry.version, expected.entry.lsn, header.write_utc_us},
                  bytes);
        // The time of the write is not in the ledger: what came back is taken for it, and the checksum is known.
        const std::uint32_t checksum = expected.entry.checksum;
        std::memcpy(bytes, &checksum, sizeof checksum);
    }
    std::uint32_t offset = 0;
    while (offset < kPageBytes && page[offset] == bytes[offset]) ++offset;
    return offset;
}

}  // namespace

std::optional<FindingKind> verify_page(const std::byte* page, const ExpectedPage& expected) {
    if (expected.entry.unknown != 0) return std::nullopt;
    if (expected.entry.version == 0) {
        if (is_all_zero(page)) return std::nullopt;
        return FindingKind::never_written;
    }
    const PageHeader header = read_header(page);
    const std::uint32_t calculated = page_checksum(page);
    const bool sound = calculated == header.checksum && calculated == expected.entry.checksum && header.magic == kPageMagic &&
                       is_this_page(header, expected) && header.version == expected.entry.version;
    if (sound) return std::nullopt;
    return kind_of_mismatch(page, header, calculated, expected);
}

void describe_mismatch(const std::byte* page, const ExpectedPage& expected, Finding& finding) {
    const PageHeader header = read_header(page);
    finding.expected_version = expected.entry.version;
    finding.expected_lsn = expected.entry.lsn;
    finding.expected_checksum = expected.entry.checksum;
    finding.received_version = header.version;
    finding.received_lsn = header.lsn;
    finding.received_checksum = header.checksum;
    finding.received_file_id = header.file_id;
    finding.received_page_id = header.page_id;
    finding.calculated_checksum = page_checksum(page);
    finding.first_wrong_byte = first_difference(page, expected, header);
    finding.image.assign(page, page + kPageBytes);
    switch (finding.kind) {
        case FindingKind::checksum:
            finding.description = fmt::format(
                "The page is damaged: its checksum is 0x{:08x}, the image that came back has 0x{:08x}; the first wrong byte is at 0x{:x}.",
                expected.entry.checksum, finding.calculated_checksum, finding.first_wrong_byte);
            break;
        case FindingKind::old_version:
            finding.description = fmt::format("Version {} of the page was written and acknowledged, version {} came back.",
                                              expected.entry.version, header.version);
            break;
        case FindingKind::wrong_page:
            finding.description = fmt::format("Another page came back: page {} of file {}{}.", header.page_id, header.file_id,
                                              header.run_id == expected.run_id ? "" : " of another run");
            break;
        case FindingKind::never_written:
            finding.description =
                expected.entry.version == 0
                    ? "The page has never been written and must be zeros, but something came back."
                    : fmt::format("Version {} of the page was written and acknowledged, zeros came back.", expected.entry.version);
            break;
        case FindingKind::short_transfer:
        case FindingKind::io_error: break;
    }
}

}  // namespace sim
