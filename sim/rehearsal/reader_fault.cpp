#include "sim/rehearsal/reader_fault.hpp"

#include <algorithm>
#include <array>

#include "sim/page/page_codec.hpp"
#include "ums/base/assert.hpp"

namespace sim {

namespace {

constexpr std::array<std::string_view, kReaderFaultCount> kReaderFaultNames = {
    "honest", "stale_read", "stale_cache", "lost_write", "damaged_page", "misdirected_write", "misdirected_read", "old_size"};

// A fault that was healed during the re-reads comes back right, and so looks transient.
bool has_kind(const ReaderTrouble& trouble, const Finding& finding, FindingKind stays, FindingKind goes) {
    if (finding.transient) return finding.kind == goes && (trouble.reads != kReadsForGood || trouble.was_healed);
    return finding.kind == stays && trouble.reads == kReadsForGood;
}

bool names_other_page(const ReaderTrouble& trouble, const Finding& finding) {
    const PageHeader header = read_header(trouble.image.data());
    return finding.other && finding.other->file_id == header.file_id && finding.other->page_id == header.page_id;
}

}  // namespace

std::string_view name_of(ReaderFault fault) { return kReaderFaultNames.at(static_cast<std::size_t>(fault)); }

std::optional<ReaderFault> reader_fault_of(std::string_view name) {
    const auto found = std::find(kReaderFaultNames.begin(), kReaderFaultNames.end(), name);
    if (found == kReaderFaultNames.end()) return std::nullopt;
    return static_cast<ReaderFault>(found - kReaderFaultNames.begin());
}

void flip_bits(std::span<std::byte> image, std::span<const std::uint32_t> bits) {
    for (const std::uint32_t bit : bits) image[bit / 8] ^= std::byte{1} << bit % 8;
}

bool is_named_right(const ReaderTrouble& trouble, const Finding& finding) {
    const bool is_told_as_old = finding.group_fact && finding.group_fact->kind == GroupFactKind::stale_on_reader;
    switch (trouble.fault) {
        case ReaderFault::honest: return false;
        case ReaderFault::stale_read:
        case ReaderFault::stale_cache:
        case ReaderFault::lost_write:
        case ReaderFault::old_size: return is_told_as_old && has_kind(trouble, finding, FindingKind::lost_write, FindingKind::stale_read);
        case ReaderFault::damaged_page:
            return !finding.group_fact && has_kind(trouble, finding, FindingKind::bit_corruption, FindingKind::bit_corruption);
        case ReaderFault::misdirected_write:
        case ReaderFault::misdirected_read:
            return !finding.group_fact && names_other_page(trouble, finding) &&
                   has_kind(trouble, finding, FindingKind::misdirected_write, FindingKind::misdirected_read);
    }
    UMS_ASSERT(false && "unknown fault");
}

// It looks transient if the owner has overwritten it before it could read it again.
bool is_named_right_by_owner(const ReaderTrouble& trouble, const Finding& finding) {
    const bool is_there = !finding.place.is_log && finding.place.file_id == trouble.file_id && finding.place.page_id == trouble.page_id;
    if (!is_there || !trouble.is_on_volume || trouble.is_at_the_end) return false;
    switch (trouble.fault) {
        case ReaderFault::lost_write: return finding.kind == (finding.transient ? FindingKind::stale_read : FindingKind::lost_write);
        case ReaderFault::damaged_page: return finding.kind == FindingKind::bit_corruption;
        case ReaderFault::misdirected_write:
            return names_other_page(trouble, finding) &&
                   finding.kind == (finding.transient ? FindingKind::misdirected_read : FindingKind::misdirected_write);
        case ReaderFault::honest:
        case ReaderFault::stale_read:
        case ReaderFault::stale_cache:
        case ReaderFault::misdirected_read:
        case ReaderFault::old_size: return false;  // never on the volume
    }
    UMS_ASSERT(false && "unknown fault");
}

}  // namespace sim
