#include "sim/diagnosis/written_image.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "sim/diagnosis/write_time.hpp"
#include "sim/finding.hpp"
#include "sim/limits.hpp"
#include "sim/page/page_layout.hpp"

namespace sim {
namespace {

constexpr std::uint64_t kHighHalf = ~std::uint64_t{0xffff'ffff};
constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;  // 71 minutes

constexpr std::size_t kProbeBytes = 8;
constexpr std::size_t kProbesMax = 32;
constexpr std::size_t kProbesMin = 4;
constexpr std::int32_t kShiftMax = kPageBytes / 2;

// Places where the image differs from what was written, spread over all wrong bytes.
std::vector<std::size_t> choose_probes(const std::byte* image, const std::byte* written) {
    std::vector<std::size_t> wrong;
    for (std::size_t i = 0; i + kProbeBytes <= kPageBytes; i += kProbeBytes) {
        if (std::memcmp(image + i, written + i, kProbeBytes) != 0) wrong.push_back(i);
    }
    if (wrong.size() <= kProbesMax) return wrong;
    std::vector<std::size_t> probes;
    for (std::size_t i = 0; i < kProbesMax; ++i) probes.push_back(wrong[i * wrong.size() / kProbesMax]);
    return probes;
}

bool is_moved_by(std::int32_t shift, const std::vector<std::size_t>& probes, const std::byte* image, const std::byte* written) {
    std::size_t fits = 0;
    std::size_t compared = 0;
    for (const std::size_t at : probes) {
        const std::int64_t from = static_cast<std::int64_t>(at) - shift;
        if (from < 0 || from + static_cast<std::int64_t>(kProbeBytes) > static_cast<std::int64_t>(kPageBytes)) continue;
        // The stamps say when the page was written; for a moved page that may be unknown.
        if (static_cast<std::size_t>(from) % kSectorBytes + kProbeBytes > kStampOffset) continue;
        ++compared;
        if (std::memcmp(image + at, written + from, kProbeBytes) == 0) ++fits;
        if (compared == 8 && fits == 0) return false;
    }
    return compared >= kProbesMin && fits * 4 >= compared * 3;
}

std::int32_t find_shift(const std::byte* image, const std::byte* written) {
    const std::vector<std::size_t> probes = choose_probes(image, written);
    if (probes.size() < kProbesMin) return 0;
    for (std::int32_t distance = 1; distance <= kShiftMax; ++distance) {
        if (is_moved_by(distance, probes, image, written)) return distance;
        if (is_moved_by(-distance, probes, image, written)) return -distance;
    }
    return 0;
}

}  // namespace

WrittenImage::WrittenImage(const std::byte* received, const ExpectedPage& expected, WriteTimeRange range)
    : expected_(expected), words_(std::make_unique<std::uint64_t[]>(kPageBytes / 8)) {
    if (expected.entry.version == 0) {
        is_exact_ = true;
        return;
    }
    is_exact_ = find_time(received, range);
    if (!is_exact_) make(read_header(received).write_utc_us);
    put_checksum();
}

void WrittenImage::put_checksum() {
    const std::uint32_t checksum = expected_.entry.checksum;
    std::memcpy(page(), &checksum, sizeof checksum);
}

bool WrittenImage::make(std::uint64_t write_utc_us) {
    const PageLedger::Entry& entry = expected_.entry;
    return make_page({expected_.run_id, expected_.file_id, expected_.page_id, entry.version, entry.lsn, write_utc_us}, page()) ==
           entry.checksum;
}

// The header holds the time, and every stamp its low half.
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
    // Only the header holds the high half: if it is lost, it must be one of the few that the run has seen.
    constexpr std::uint64_t kTriesMax = 512;
    const std::uint64_t latest = range.latest_utc_us & kHighHalf;
    const std::uint64_t tries = std::min(kTriesMax, (latest - std::min(latest, range.earliest_utc_us & kHighHalf)) / kHalf + 1);
    for (std::uint64_t i = 0; i < tries; ++i) {
        if (make((latest - i * kHalf) | low)) return true;
    }
    return false;
}

// A single wrong byte in the high half can be found by trial.
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

void WrittenImage::find_time_by_checksum(const std::byte* received, WriteTimeRange range) {
    const bool is_same = is_same_but_for_time(received);
    if (is_exact_ || (has_stamp_of_version(received) && !is_same)) return;
    const std::uint64_t received_time = read_header(received).write_utc_us;
    if (is_same || is_older_version(received)) range.earliest_utc_us = std::max(range.earliest_utc_us, received_time);
    const std::optional<std::uint64_t> time = only_time_that_fits(range);
    is_exact_ = time && make(*time);
    if (!is_exact_) make(received_time);
    put_checksum();
}

bool WrittenImage::has_stamp_of_version(const std::byte* received) const {
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        const SectorStamp stamp = read_stamp(received, sector);
        if (stamp.page_id == expected_.page_id && stamp.version == expected_.entry.version) return true;
    }
    return false;
}

bool WrittenImage::is_same_but_for_time(const std::byte* received) const {
    const PageHeader header = read_header(received);
    return is_image_of(received, expected_) && header.version == expected_.entry.version && header.lsn == expected_.entry.lsn &&
           header.checksum != expected_.entry.checksum;
}

// A sound image of a version that was written before the expected one.
bool WrittenImage::is_older_version(const std::byte* received) const {
    return is_image_of(received, expected_) && read_header(received).version < expected_.entry.version;
}

std::optional<std::uint64_t> WrittenImage::only_time_that_fits(WriteTimeRange range) {
    // Longer ranges contain two complete high halves at least.
    if (range.latest_utc_us < range.earliest_utc_us || range.latest_utc_us - range.earliest_utc_us >= 3 * kHalf) return std::nullopt;
    std::optional<std::uint64_t> found;
    for (std::uint64_t high = range.earliest_utc_us & kHighHalf; high <= range.latest_utc_us; high += kHalf) {
        make(high);
        const std::uint64_t time = high | fit_low_half(page(), expected_.entry.checksum);
        if (time < range.earliest_utc_us || time > range.latest_utc_us) continue;
        if (found) return std::nullopt;
        found = time;
    }
    return found;
}

ImageDifference compare_images(const std::byte* image, const std::byte* written) {
    ImageDifference difference;
    difference.first_wrong_byte = kPageBytes;
    std::uint32_t wrong_end = 0;
    for (std::uint32_t i = 0; i < kPageBytes; ++i) {
        const auto bits = static_cast<std::uint8_t>(image[i] ^ written[i]);
        if (bits == 0) continue;
        if (difference.wrong_bytes++ == 0) difference.first_wrong_byte = i;
        wrong_end = i + 1;
        difference.wrong_bits += static_cast<std::uint32_t>(std::popcount(bits));
        for (std::uint32_t bit = 0; bit < 8 && difference.wrong_bit_positions.size() < kBitPositionsMax; ++bit) {
            if ((bits >> bit & 1U) != 0) difference.wrong_bit_positions.push_back(i * 8 + bit);
        }
    }
    difference.shift_bytes = find_shift(image, written);
    difference.is_run_of_zeros =
        wrong_end >= difference.first_wrong_byte + kSectorBytes &&
        std::all_of(image + difference.first_wrong_byte, image + wrong_end, [](std::byte byte) { return byte == std::byte{0}; });
    return difference;
}

}  // namespace sim
