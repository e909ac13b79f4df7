#include "cli/diskspd/diskspd_distribution.hpp"

#include <fmt/format.h>

#include "cli/diskspd/diskspd_numbers.hpp"
#include "cli/process/exit_codes.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

[[noreturn]] void refuse_distribution(std::string_view option, std::string_view allowed) {
    throw UsageError(fmt::format("{}: not a distribution; {}", option, allowed));
}

std::uint64_t span_of(std::string_view text, std::string_view option, bool is_in_percent, std::uint32_t block_bytes) {
    if (is_in_percent) {
        const auto percent = ums::whole_number<std::uint32_t>(text);
        if (!percent || *percent == 0 || *percent > 100) refuse_distribution(option, "a share of the target is 1 to 100 percent");
        return *percent;
    }
    const auto size_bytes = whole_size(text, block_bytes);
    if (!size_bytes || *size_bytes == 0) refuse_distribution(option, "a part of the target is a size, as in 10G");
    return *size_bytes;
}

}  // namespace

void add_rest_of_target(DiskspdDistribution& distribution) {
    std::uint64_t io_percent = 0;
    std::uint64_t target_percent = 0;
    for (const reports::DiskspdRange& range : distribution.ranges) {
        io_percent += range.io_percent;
        target_percent += range.span;
    }
    if (distribution.ranges.empty() || io_percent >= 100) return;
    const auto rest_percent = static_cast<std::uint32_t>(100 - io_percent);
    if (!distribution.is_in_percent) {
        if (distribution.ranges.back().span != 0) distribution.ranges.push_back({.io_percent = rest_percent, .span = 0});
    } else if (target_percent < 100) {
        distribution.ranges.push_back({.io_percent = rest_percent, .span = 100 - target_percent});
    }
}

DiskspdDistribution parse_diskspd_distribution(std::string_view text, std::string_view option, std::uint32_t block_bytes) {
    DiskspdDistribution distribution{.ranges = {}, .is_in_percent = text.starts_with("pct")};
    if (!distribution.is_in_percent && !text.starts_with("abs")) refuse_distribution(option, "allowed are -rdpct… and -rdabs…");
    text.remove_prefix(3);
    while (true) {
        const std::size_t colon = text.find(':');
        const std::string_view item = text.substr(0, colon);
        const std::size_t slash = item.find('/');
        const auto io_percent = ums::whole_number<std::uint32_t>(item.substr(0, slash));
        if (slash == std::string_view::npos || !io_percent || *io_percent > 100) {
            refuse_distribution(option, "each part is a share of the requests, 0 to 100 percent, '/', and a part of the target");
        }
        distribution.ranges.push_back(
            {.io_percent = *io_percent, .span = span_of(item.substr(slash + 1), option, distribution.is_in_percent, block_bytes)});
        if (colon == std::string_view::npos) break;
        text.remove_prefix(colon + 1);
    }
    add_rest_of_target(distribution);
    return distribution;
}

}  // namespace cli
