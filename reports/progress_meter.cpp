#include "reports/progress_meter.hpp"

#include <algorithm>
#include <utility>

namespace reports {

namespace {

// Snapshots are taken without stopping the run: a counter summed up from several threads may look a little older than before.
double increase(std::uint64_t& last, std::uint64_t now) {
    const std::uint64_t before = std::exchange(last, std::max(last, now));
    return static_cast<double>(last - before);
}

}  // namespace

ProgressRates ProgressMeter::update(const sim::Progress& progress, std::uint64_t interval_us) {
    if (interval_us == 0) return rates_;
    const double seconds = static_cast<double>(interval_us) / 1e6;
    rates_.ios_per_second = increase(io_count_, progress.io_count) / seconds;
    rates_.mb_per_second = increase(io_bytes_, progress.io_bytes) / (1024.0 * 1024.0) / seconds;
    return rates_;
}

}  // namespace reports
