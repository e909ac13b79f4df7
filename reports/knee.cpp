#include "reports/knee.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "reports/text.hpp"

namespace reports {

namespace {

constexpr double kCpuBusyPercent = 95;
constexpr double kOwnWorkPercent = 50;  // with less, somebody else keeps the CPU busy
// Shares of the throughput that a step in depth promises.
constexpr double kGainWorthwhile = 0.5;
constexpr double kGainNothing = 0.1;
// Of the requests that were to be outstanding: with fewer, they were not in flight all the time.
constexpr double kKeptFull = 0.8;

double littles_ratio_of(const SweepPoint& point) {
    if (point.outstanding <= 0) return 1;
    return requests_in_flight(point.requests_per_s, point.latency_mean_ms, point.outstanding) / point.outstanding;
}

bool gains_nothing(const SweepPoint& point, const SweepPoint& next) {
    return next.requests_per_s / point.requests_per_s - 1 < (next.outstanding / point.outstanding - 1) * kGainNothing;
}

// Whether the greater depth of `deeper` is not worthwhile.
bool is_in_vain(const SweepPoint& point, const SweepPoint& deeper) {
    const double faster = deeper.requests_per_s / point.requests_per_s;
    if (faster - 1 >= (deeper.outstanding / point.outstanding - 1) * kGainWorthwhile) return false;
    // A rate, or one thread that makes copies, keeps the latency low, too. Where nothing was answered there is none to compare.
    return deeper.latency_mean_ms / point.latency_mean_ms > faster || gains_nothing(point, deeper);
}

std::string point_text(const SweepPoint& point) {
    return fmt::format("{} requests/s at {} on average", rounded_text(point.requests_per_s),
                       duration_text(static_cast<std::uint64_t>(std::llround(point.latency_mean_ms * 1000))));
}

std::string next_point_text(const SweepPoint& point, const SweepPoint& next) {
    if (next.requests_per_s <= 0) return fmt::format("At {:g} no request was answered in the measured time.", next.outstanding);
    const double faster = next.requests_per_s / point.requests_per_s;
    const double later = next.latency_mean_ms / point.latency_mean_ms;
    // At a rate that is kept, most of the requests wait for nothing but their starts.
    const bool is_idle = gains_nothing(point, next) && littles_ratio_of(next) < kKeptFull;
    return fmt::format("At {:g} the throughput is {:+.0f} %, and the average latency {:+.0f} %: from there on more requests {}.",
                       next.outstanding, 100 * (faster - 1), 100 * (later - 1),
                       later > faster && !is_idle ? "mostly wait for each other" : "gain next to nothing");
}

std::string outstanding_text(const SweepPoint& point) {
    return fmt::format("{:g} outstanding request{}", point.outstanding, point.outstanding == 1 ? "" : "s");
}

std::string cpu_text(const SweepPoint& point, const Knee& knee) {
    if (knee.is_cpu_bound) {
        return fmt::format(
            " A CPU was busy for {:.0f} % of the time: the limit there is this machine's CPU, not the storage. More threads on more CPUs "
            "may reach more.",
            point.busiest_cpu_percent);
    }
    if (!knee.is_cpu_shared) return {};
    return fmt::format(
        " A CPU was busy for {:.0f} % of the time, mostly with other programs: this measurement took {:.1f} % of one. Whether they or "
        "the storage were the limit is not known; measure again without them.",
        point.busiest_cpu_percent, point.own_cpu_percent);
}

}  // namespace

double requests_in_flight(double requests_per_s, double latency_mean_ms, double outstanding) {
    return std::min(requests_per_s * latency_mean_ms / 1000, outstanding);
}

Knee knee_of(const std::vector<SweepPoint>& points) {
    Knee knee;
    knee.at = points.size() - 1;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const SweepPoint& here = points[i];
        if (here.outstanding <= 0 || here.requests_per_s <= 0 || here.latency_mean_ms <= 0) continue;
        // Something else may have slowed down the next point alone.
        const auto next = points.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        if (!std::all_of(next, points.end(), [&](const SweepPoint& deeper) { return is_in_vain(here, deeper); })) continue;
        knee.at = i;
        knee.is_knee = true;
        break;
    }
    const SweepPoint& point = points[knee.at];
    knee.littles_ratio = littles_ratio_of(point);
    const bool has_polled = point.has_rate && knee.littles_ratio < kKeptFull;
    const bool is_busy = point.busiest_cpu_percent >= kCpuBusyPercent && !has_polled;
    knee.is_cpu_shared = is_busy && point.own_cpu_percent > 0 && point.own_cpu_percent < kOwnWorkPercent;
    knee.is_cpu_bound = is_busy && !knee.is_cpu_shared;
    return knee;
}

std::string knee_text(const std::vector<SweepPoint>& points, const Knee& knee) {
    const SweepPoint& point = points[knee.at];
    std::string text;
    if (knee.is_knee) {
        text = fmt::format("The knee is at {}: {}. {}", outstanding_text(point), point_text(point),
                           next_point_text(point, points[knee.at + 1]));
    } else if (points.size() == 1) {
        text = fmt::format("One depth was measured, {:g}: {}. A knee takes several.", point.outstanding, point_text(point));
    } else {
        text = fmt::format("Up to {} the throughput grew with them: {}. The knee lies beyond.", outstanding_text(point), point_text(point));
    }
    text += cpu_text(point, knee);
    const double in_flight = knee.littles_ratio * point.outstanding;
    if (knee.littles_ratio < kKeptFull) {
        text += fmt::format(
            " By Little's law (rate times latency) {:.1f} requests were in flight there, of {:g} requested: the storage was not kept "
            "full.",
            in_flight, point.outstanding);
    } else if (knee.is_knee) {
        text += fmt::format(" By Little's law (rate times latency) {:.1f} requests were in flight there{}.", in_flight,
                            knee.is_cpu_shared  ? ""
                            : knee.is_cpu_bound ? ": the CPU had enough to do"
                                                : ": the storage was saturated");
    }
    return text;
}

}  // namespace reports
