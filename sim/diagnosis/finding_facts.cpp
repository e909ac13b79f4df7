#include "sim/diagnosis/finding_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace sim {

namespace {

// The image may have the expected version, but from before the page was repaired, or restored again.
std::string version_there(const Finding& finding) {
    const bool is_same = or_empty(finding.received).version == or_empty(finding.expected).version;
    return fmt::format("version {}{}", or_empty(finding.received).version, is_same ? " from an earlier write" : "");
}

std::string newer_version_text(const ImageComparison& comparison, std::uint32_t received, std::uint32_t newest) {
    const auto is_newer = [](const SectorFact& fact) { return fact.state == SectorState::newer; };
    const auto newer = std::find_if(comparison.sectors.begin(), comparison.sectors.end(), is_newer);
    if (newer == comparison.sectors.end())
        return fmt::format("Version {} of the page came back, but not the image that was written.", newest);
    const bool is_part = !std::all_of(comparison.sectors.begin(), comparison.sectors.end(), is_newer);
    return fmt::format("{} {} of the page came back; version {} is the newest that was ever written.",
                       is_part ? "A part of version" : "Version", is_part ? newer->version : received, newest);
}

// Nothing was written since the page came into being again, so there is no version that could have been lost or read back.
std::string back_after_cut_text(const ImageComparison& comparison) {
    const auto& sectors = comparison.sectors;
    const auto is_back = [](const SectorFact& fact) { return fact.state == SectorState::newer; };
    const auto back = std::find_if(sectors.begin(), sectors.end(), is_back);
    if (back == sectors.end()) return "The file was cut before this page and has grown again, but the page is not zeros.";
    return fmt::format(
        "The file was cut before this page and has grown again, so it must be zeros, but {}version {} from before the cut came back.",
        std::all_of(sectors.begin(), sectors.end(), is_back) ? "" : "a part of ", back->version);
}

// Some of the page's sectors are not of the other one.
bool is_part_of(const ImageComparison& comparison) {
    return std::any_of(comparison.sectors.begin(), comparison.sectors.end(),
                       [](const SectorFact& fact) { return fact.state != SectorState::other_page; });
}

// Of the version that was written last, but of an earlier write of it.
bool is_of_earlier_write(const SectorFact& fact, std::uint32_t newest) {
    return fact.state == SectorState::older && fact.version == newest;
}

std::string torn_text(const ImageComparison& comparison, std::uint32_t newest) {
    const bool is_same_version = std::any_of(comparison.sectors.begin(), comparison.sectors.end(),
                                             [newest](const SectorFact& fact) { return is_of_earlier_write(fact, newest); });
    return fmt::format("The page is torn: only some of its sectors are of {}version {}, which was written and acknowledged.",
                       is_same_version ? "the last write of " : "", newest);
}

std::string zeros_text(const ImageComparison& comparison) {
    if (has_partly_zeroed_sector(comparison)) {
        return fmt::format("{} of its bytes, from 0x{:x} on, came back as zeros", comparison.wrong_bytes, comparison.first_wrong_byte);
    }
    const auto zeros = std::count_if(comparison.sectors.begin(), comparison.sectors.end(),
                                     [](const SectorFact& fact) { return fact.state == SectorState::zero; });
    const bool is_whole = zeros == static_cast<std::ptrdiff_t>(comparison.sectors.size());
    return is_whole ? "zeros came back" : fmt::format("{} of its {} sectors came back as zeros", zeros, kSectorsPerPage);
}

std::string what_happened(const Finding& finding, bool is_history_unknown) {
    const ImageComparison& comparison = or_empty(finding.comparison);
    const std::uint32_t expected = or_empty(finding.expected).version;
    const std::uint32_t received = or_empty(finding.received).version;
    switch (finding.kind) {
        case FindingKind::stale_read:
            if (expected == 0) return back_after_cut_text(comparison);
            return fmt::format("Version {} of the page was written and acknowledged, but {} came back.", expected, version_there(finding));
        case FindingKind::lost_write:
            return fmt::format(
                "Version {} of the page was written and acknowledged, but it is not there: {}.", expected,
                received == 0 ? "the page is as it was before its first write" : fmt::format("it still holds {}", version_there(finding)));
        case FindingKind::reverted_page:
            if (expected == 0) return back_after_cut_text(comparison);
            return fmt::format("Version {} of the page had been read back, but now {} is there again.", expected, version_there(finding));
        case FindingKind::torn_page: return torn_text(comparison, expected);
        case FindingKind::misdirected_write:
        case FindingKind::misdirected_read:
            if (!holds_other_page(finding)) {
                return fmt::format("Version {} of the page was written to another place: page {} of file {}.", expected,
                                   finding.other->page_id, finding.other->file_id);
            }
            return fmt::format("{} page {} of file {}, version {}.", is_part_of(comparison) ? "The page holds a part of" : "The page holds",
                               finding.other->page_id, finding.other->file_id, finding.other->version);
        case FindingKind::zeroed_page:
            return fmt::format("Version {} of the page was written and acknowledged, but {}.", expected, zeros_text(comparison));
        case FindingKind::bytes_not_read:
            return fmt::format("The read reported success, but {} bytes of the page were never filled in.", comparison.not_read_bytes);
        case FindingKind::bit_corruption:
            return fmt::format("The page is damaged: {} wrong bit{} in {} byte{}, the first at 0x{:x}.", comparison.wrong_bits,
                               comparison.wrong_bits == 1 ? "" : "s", comparison.wrong_bytes, comparison.wrong_bytes == 1 ? "" : "s",
                               comparison.first_wrong_byte);
        case FindingKind::foreign_page:
            return expected == 0 && !is_history_unknown ? "The page has never been written and must be zeros, but something else came back."
                                                        : "Data that this run did not write came back.";
        case FindingKind::future_version: return newer_version_text(comparison, received, expected);
        default: UMS_ASSERT(false && "not a finding about a page's image");
    }
}

ReceivedIdentity received_identity(const Evidence& evidence) {
    const PageHeader header = read_header(evidence.image);
    ReceivedIdentity received{.calculated_checksum = page_checksum(evidence.image)};
    if (header.magic != kPageMagic) return received;
    received.version = header.version;
    received.lsn = header.lsn;
    received.checksum = header.checksum;
    received.run_id = header.run_id;
    received.file_id = header.file_id;
    received.page_id = header.page_id;
    return received;
}

ImageComparison compared_images(const Evidence& evidence, FindingKind kind) {
    const ImageDifference& difference = evidence.difference;
    return {.sectors = {evidence.sectors.begin(), evidence.sectors.end()},
            .first_wrong_byte = difference.first_wrong_byte,
            .wrong_bytes = difference.wrong_bytes,
            .wrong_bits = difference.wrong_bits,
            .wrong_bit_positions = difference.wrong_bit_positions,
            .shift_bytes = difference.shift_bytes,
            .not_read_bytes = evidence.not_read_bytes,
            .tear_on_4k_lines = kind == FindingKind::torn_page && is_tear_on_4k_lines(evidence.sectors)};
}

}  // namespace

Finding make_finding(const Evidence& evidence, Verdict verdict) {
    const ExpectedPage& expected = evidence.expected;
    Finding finding;
    finding.kind = verdict.kind;
    finding.transient = evidence.is_transient;
    finding.place.file_id = expected.file_id;
    finding.place.page_id = expected.page_id;
    finding.place.offset_bytes = std::uint64_t{expected.page_id} * kPageBytes;
    finding.place.size_bytes = kPageBytes;
    finding.expected = {.version = expected.entry.version, .lsn = expected.entry.lsn, .checksum = expected.entry.checksum};
    finding.received = received_identity(evidence);
    finding.other = std::move(verdict.other);
    finding.comparison = compared_images(evidence, verdict.kind);
    finding.evidence.image.assign(evidence.image, evidence.image + kPageBytes);
    if (expected.entry.version != 0) {
        finding.evidence.expected_image.assign(evidence.written->bytes(), evidence.written->bytes() + kPageBytes);
        finding.evidence.is_write_time_known = evidence.written->is_exact();
    }
    finding.reasoning = std::move(verdict.reasoning);
    finding.description = what_happened(finding, evidence.is_history_unknown);
    finding.description += later_reads_text(evidence);
    return finding;
}

std::string_view later_reads_text(const Evidence& evidence) {
    if (evidence.was_overwritten) return " Somebody wrote the page before it was read again.";
    if (evidence.later_reads == LaterReads::none) return " It could not be read again.";
    return evidence.is_transient ? " A later read did not return this image." : " Reading again did not help.";
}

bool is_same_fault(const Finding& first, const Finding& staying) {
    if (first.kind == staying.kind) return true;
    // Whether it stays is all that distinguishes a fault of the read from its counterpart on the disk.
    return (first.kind == FindingKind::stale_read && or_empty(first.received).version == or_empty(staying.received).version &&
            (staying.kind == FindingKind::lost_write || staying.kind == FindingKind::reverted_page)) ||
           (first.kind == FindingKind::misdirected_read && staying.kind == FindingKind::misdirected_write && first.other && staying.other &&
            first.other->file_id == staying.other->file_id && first.other->page_id == staying.other->page_id);
}

}  // namespace sim
