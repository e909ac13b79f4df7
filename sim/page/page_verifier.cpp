#include "sim/page/page_verifier.hpp"

#include <cstddef>
#include <cstring>
#include <memory>

#include <fmt/format.h>

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
    if (is_all_zero(page)) return FindingKind::zeroed_page;
    if (header.magic != kPageMagic || header.checksum != calculated) return FindingKind::bit_corruption;
    return is_this_page(header, expected) ? FindingKind::lost_write : FindingKind::misdirected_write;
}

// Makes the image that was written. The ledger does not know when it was made, but its checksum: the time is taken from what came back
// (it stands in the header and, its low half, in every stamp), and the checksum proves it.
class WrittenImage {
public:
    WrittenImage(const std::byte* received, const ExpectedPage& expected) : received_(received), expected_(expected) {
        if (expected.entry.version != 0 && !find_time()) make(time_in_header());
        // Where no time fits, the rest of the image is still right.
        const std::uint32_t checksum = expected.entry.checksum;
        if (expected.entry.version != 0) std::memcpy(bytes(), &checksum, sizeof checksum);
    }

    [[nodiscard]] std::byte* bytes() const { return reinterpret_cast<std::byte*>(words_.get()); }

private:
    [[nodiscard]] std::uint64_t time_in_header() const { return read_header(received_).write_utc_us; }

    bool make(std::uint64_t write_utc_us) {
        const PageLedger::Entry& entry = expected_.entry;
        return make_page({expected_.run_id, expected_.file_id, expected_.page_id, entry.version, entry.lsn, write_utc_us}, bytes()) ==
               entry.checksum;
    }

    bool find_time() {
        if (make(time_in_header())) return true;
        constexpr std::uint64_t kHighHalf = ~std::uint64_t{0xffff'ffff};
        std::uint32_t tried = static_cast<std::uint32_t>(time_in_header());
        for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
            const SectorStamp stamp = read_stamp(received_, sector);
            if (stamp.page_id != expected_.page_id || stamp.version != expected_.entry.version || stamp.write_time_low == tried) continue;
            tried = stamp.write_time_low;
            if (make((time_in_header() & kHighHalf) | tried)) return true;
        }
        return find_damaged_high_byte();
    }

    // The high half stands in the header alone: one wrong byte in it can be found by trying.
    bool find_damaged_high_byte() {
        make(time_in_header());
        for (std::size_t offset = offsetof(PageHeader, write_utc_us) + 4; offset < offsetof(PageHeader, reserved); ++offset) {
            const std::byte received = bytes()[offset];
            for (unsigned value = 0; value < 256; ++value) {
                bytes()[offset] = static_cast<std::byte>(value);
                if (page_checksum(bytes()) == expected_.entry.checksum) return true;
            }
            bytes()[offset] = received;
        }
        return false;
    }

    const std::byte* const received_;
    const ExpectedPage& expected_;
    const std::unique_ptr<std::uint64_t[]> words_ = std::make_unique<std::uint64_t[]>(kPageBytes / 8);
};

std::uint32_t first_difference(const std::byte* page, const ExpectedPage& expected) {
    const WrittenImage written(page, expected);
    std::uint32_t offset = 0;
    while (offset < kPageBytes && page[offset] == written.bytes()[offset]) ++offset;
    return offset;
}

}  // namespace

std::optional<FindingKind> verify_page(const std::byte* page, const ExpectedPage& expected) {
    if (expected.entry.unknown != 0) return std::nullopt;
    if (expected.entry.version == 0) {
        if (is_all_zero(page)) return std::nullopt;
        return FindingKind::zeroed_page;
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
    finding.first_wrong_byte = first_difference(page, expected);
    finding.image.assign(page, page + kPageBytes);
    switch (finding.kind) {
        case FindingKind::bit_corruption:
            finding.description = fmt::format(
                "The page is damaged: its checksum is 0x{:08x}, the image that came back has 0x{:08x}; the first wrong byte is at 0x{:x}.",
                expected.entry.checksum, finding.calculated_checksum, finding.first_wrong_byte);
            break;
        case FindingKind::lost_write:
            finding.description = fmt::format("Version {} of the page was written and acknowledged, version {} came back.",
                                              expected.entry.version, header.version);
            break;
        case FindingKind::misdirected_write:
            finding.description = fmt::format("Another page came back: page {} of file {}{}.", header.page_id, header.file_id,
                                              header.run_id == expected.run_id ? "" : " of another run");
            break;
        case FindingKind::zeroed_page:
            finding.description =
                expected.entry.version == 0
                    ? "The page has never been written and must be zeros, but something came back."
                    : fmt::format("Version {} of the page was written and acknowledged, zeros came back.", expected.entry.version);
            break;
        case FindingKind::short_transfer:
        case FindingKind::io_error:
        default: break;
    }
}

}  // namespace sim
