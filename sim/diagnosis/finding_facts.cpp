#include "sim/diagnosis/finding_facts.hpp"

#include <utility>

#include <fmt/format.h>

namespace sim {

namespace {

// The same version is there as it was before a repair of the page.
std::string version_there(const Finding& finding) {
    const bool is_before_repair = finding.received_version == finding.expected_version;
    return fmt::format("version {}{}", finding.received_version, is_before_repair ? ", as it was before a repair," : "");
}

std::string what_happened(const Finding& finding) {
    const std::uint32_t expected = finding.expected_version;
    const std::uint32_t received = finding.received_version;
    switch (finding.kind) {
        case FindingKind::stale_read:
            return fmt::format("Version {} of the page was written and acknowledged, {} came back.", expected, version_there(finding));
        case FindingKind::lost_write:
            return fmt::format(
                "Version {} of the page was written and acknowledged, but it is not there: {}.", expected,
                received == 0 ? "the page is as before its first write" : fmt::format("it still holds {}", version_there(finding)));
        case FindingKind::reverted_page:
            return fmt::format("Version {} of the page had been read back, now {} is there again.", expected, version_there(finding));
        case FindingKind::torn_page:
            return fmt::format("The page is torn: only some of its sectors are of version {}, which was written and acknowledged.",
                               expected);
        case FindingKind::misdirected_write:
        case FindingKind::misdirected_read:
            if (finding.received_page_id == finding.page_id && finding.received_file_id == finding.file_id) {
                return fmt::format("Version {} of the page was written to another place: page {} of file {}.", expected,
                                   finding.other->page_id, finding.other->file_id);
            }
            return fmt::format("The page holds page {} of file {}, version {}.", finding.other->page_id, finding.other->file_id,
                               finding.other->version);
        case FindingKind::zeroed_page:
            return fmt::format("Version {} of the page was written and acknowledged, zeros came back.", expected);
        case FindingKind::bytes_not_read:
            return fmt::format("The read reported success, but {} bytes of the page were never filled in.", finding.not_read_bytes);
        case FindingKind::bit_corruption:
            return fmt::format("The page is damaged: {} wrong bits in {} bytes, the first at 0x{:x}.", finding.wrong_bits,
                               finding.wrong_bytes, finding.first_wrong_byte);
        case FindingKind::foreign_page:
            return expected == 0 ? "The page has never been written and must be zeros, but something came back."
                                 : "Data that this run did not write came back.";
        case FindingKind::future_version:
            return fmt::format("Version {} of the page came back; version {} is the newest that was ever written.", received, expected);
        default: UMS_ASSERT(false && "not a finding about a page's image");
    }
}

}  // namespace

Finding make_finding(const Evidence& evidence, Verdict verdict) {
    const PageHeader header = read_header(evidence.image);
    const ExpectedPage& expected = evidence.expected;
    Finding finding;
    finding.kind = verdict.kind;
    finding.transient = evidence.is_transient;
    finding.file_id = expected.file_id;
    finding.page_id = expected.page_id;
    finding.offset_bytes = std::uint64_t{expected.page_id} * kPageBytes;
    finding.size_bytes = kPageBytes;
    finding.expected_version = expected.entry.version;
    finding.expected_lsn = expected.entry.lsn;
    finding.expected_checksum = expected.entry.checksum;
    if (header.magic == kPageMagic) {
        finding.received_version = header.version;
        finding.received_lsn = header.lsn;
        finding.received_checksum = header.checksum;
        finding.received_run_id = header.run_id;
        finding.received_file_id = header.file_id;
        finding.received_page_id = header.page_id;
    }
    finding.calculated_checksum = page_checksum(evidence.image);
    finding.other = std::move(verdict.other);
    finding.sectors.assign(evidence.sectors.begin(), evidence.sectors.end());
    const ImageDifference& difference = evidence.difference;
    finding.first_wrong_byte = difference.first_wrong_byte;
    finding.wrong_bytes = difference.wrong_bytes;
    finding.wrong_bits = difference.wrong_bits;
    finding.wrong_bit_positions = difference.wrong_bit_positions;
    finding.shift_bytes = difference.shift_bytes;
    finding.not_read_bytes = evidence.not_read_bytes;
    finding.tear_on_4k_lines = verdict.kind == FindingKind::torn_page && is_tear_on_4k_lines(evidence.sectors);
    finding.image.assign(evidence.image, evidence.image + kPageBytes);
    if (expected.entry.version != 0) finding.expected_image.assign(evidence.written->bytes(), evidence.written->bytes() + kPageBytes);
    finding.reasoning = std::move(verdict.reasoning);
    finding.description = what_happened(finding);
    finding.description += evidence.is_transient ? " A later read did not return it." : " Reading again did not help.";
    return finding;
}

bool is_same_fault(const Finding& first, const Finding& staying) {
    if (first.kind == staying.kind) return true;
    // A fault of the read and its twin on the disk are told apart by their staying alone.
    return (first.kind == FindingKind::stale_read && first.received_version == staying.received_version &&
            (staying.kind == FindingKind::lost_write || staying.kind == FindingKind::reverted_page)) ||
           (first.kind == FindingKind::misdirected_read && staying.kind == FindingKind::misdirected_write && first.other && staying.other &&
            first.other->file_id == staying.other->file_id && first.other->page_id == staying.other->page_id);
}

}  // namespace sim
