#include "sim/log/growth_plan.hpp"

#include "ums/base/size.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kInstantBytesMax = 64 * ums::kMb;
constexpr std::uint64_t kEightVlfsBytesMax = 1024 * ums::kMb;

}  // namespace

std::uint32_t vlfs_of_large_growth(std::uint64_t growth_bytes) {
    if (growth_bytes <= kInstantBytesMax) return 1;
    return growth_bytes <= kEightVlfsBytesMax ? 8 : 16;
}

GrowthPlan plan_growth(bool is_instant, std::uint64_t growth_bytes, std::uint64_t log_bytes) {
    if (!is_instant) return {};
    if (growth_bytes <= kInstantBytesMax) return {.is_zeroed = false, .vlfs = 1};
    return {.is_zeroed = true, .vlfs = growth_bytes < log_bytes / 8 ? 1 : vlfs_of_large_growth(growth_bytes)};
}

}  // namespace sim
