#include "reports/diskspd/diskspd_ranges.hpp"

#include <algorithm>

namespace reports {

std::vector<DiskspdRange> effective_ranges(const DiskspdTarget& target, std::uint64_t size_bytes) {
    std::vector<DiskspdRange> ranges;
    const std::uint64_t end_bytes = target.end_bytes != 0 ? std::min(target.end_bytes, size_bytes) : size_bytes;
    if (target.distribution.empty() || end_bytes <= target.base_bytes) return ranges;
    const std::uint64_t length_bytes = end_bytes - target.base_bytes;
    std::uint64_t used_percent = 0;
    std::uint64_t begin_bytes = 0;
    std::uint32_t io_percent = 0;
    const auto has_room = [&] { return target.is_distribution_in_percent || length_bytes - begin_bytes >= target.block_bytes; };
    for (const DiskspdRange& range : target.distribution) {
        if (!has_room()) return ranges;
        std::uint64_t range_end_bytes = begin_bytes + std::min(range.span, length_bytes - begin_bytes);
        if (target.is_distribution_in_percent) {
            used_percent += range.span;
            range_end_bytes =
                used_percent >= 100 ? length_bytes : length_bytes / 100 * used_percent + length_bytes % 100 * used_percent / 100;
        } else if (range.span == 0) {
            range_end_bytes = length_bytes;
        }
        ranges.push_back({.io_percent = range.io_percent, .span = range_end_bytes - begin_bytes});
        begin_bytes = range_end_bytes;
        io_percent += range.io_percent;
    }
    if (io_percent < 100 && begin_bytes < length_bytes && has_room()) {
        ranges.push_back({.io_percent = 100 - io_percent, .span = length_bytes - begin_bytes});
    }
    return ranges;
}

}  // namespace reports
