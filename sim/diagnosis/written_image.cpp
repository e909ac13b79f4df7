#include "sim/diagnosis/written_image.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace sim {

namespace {

constexpr std::uint64_t kHighHalf = ~std::uint64_t{0xffff'ffff};
constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;  // 71 minutes

}  // namespace

WrittenImage::WrittenImage(const std::byte* received, const ExpectedPage& expected, WriteTimeRange range)
    : expected_(expected), words_(std::make_unique<std::uint64_t[]>(kPageBytes / 8)) {
    if (expected.entry.version == 0) {
        is_exact_ = true;
        return;
    }
    is_exact_ = find_time(received, range);
    if (!is_exact_) make(read_header(received).write_utc_us);
    const std::uint32_t checksum = expected.entry.checksum;
    std::memcpy(page(), &checksum, sizeof checksum);
}

bool WrittenImage::make(std::uint64_t write_utc_us) {
    const PageLedger::Entry& entry = expected_.entry;
    return make_page({expected_.run_id, expected_.file_id, expected_.page_id, entry.version, entry.lsn, write_utc_us}, page()) ==
           entry.checksum;
}

// The time stands in the header and, its low half, in every stamp.
bool WrittenImage::find_time(const std::byte* received, WriteTimeRange range) {
    const std::uint64_t received_time = read_header(received).write_utc_us;
    if (make(received_time)) return true;
    std::optional<std::uint32_t> tried;
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        const SectorStamp stamp = read_stamp(received, sector);
        if (stamp.page_id != expected_.page_id || stamp.version != expected_.entry.version || stamp.write_time_low == tried) continue;
        tried = stamp.write_time_low;
        if (try_low_half(*tried, received_time, range)) return true;
    }
    return find_damaged_high_byte(received_time);
}

bool WrittenImage::try_low_half(std::uint32_t low, std::uint64_t received_time, WriteTimeRange range) {
    if (make((received_time & kHighHalf) | low)) return true;
    // The high half stands in the header alone: where that is gone, it is one of the few that the run has seen.
    constexpr std::uint64_t kTriesMax = 512;
    const std::uint64_t latest = range.latest_utc_us & kHighHalf;
    const std::uint64_t tries = std::min(kTriesMax, (latest - std::min(latest, range.earliest_utc_us & kHighHalf)) / kHalf + 1);
    for (std::uint64_t i = 0; i < tries; ++i) {
        if (make((latest - i * kHalf) | low)) return true;
    }
    return false;
}

// One wrong byte in the high half can be found by trying.
bool WrittenImage::find_damaged_high_byte(std::uint64_t received_time) {
    make(received_time);
    for (std::size_t offset = offsetof(PageHeader, write_utc_us) + 4; offset < offsetof(PageHeader, reserved); ++offset) {
        const std::byte received = page()[offset];
        for (unsigned value = 0; value < 256; ++value) {
            page()[offset] = static_cast<std::byte>(value);
            if (page_checksum(page()) == expected_.entry.checksum) return true;
        }
        page()[offset] = received;
    }
    return false;
}

}  // namespace sim
