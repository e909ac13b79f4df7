#include "reports/measure_rounds.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include <fmt/format.h>

#include "reports/measure_json.hpp"
#include "reports/measure_report.hpp"
#include "reports/text.hpp"

namespace reports {

namespace {

using RoundsJson = nlohmann::ordered_json;

RoundsTarget sum_of(const MeasureRounds& rounds) {
    RoundsTarget sum;
    for (const RoundsTarget& target : rounds.targets) {
        sum.reads.merge(target.reads);
        sum.writes.merge(target.writes);
    }
    return sum;
}

// Of the rounds that had requests: 0 us would be the best latency of all.
SampleSummary latency_of_rounds(const MeasureRounds& rounds) {
    std::vector<double> known_us;
    for (const std::optional<double>& mean_us : rounds.mean_latency_us) {
        if (mean_us) known_us.push_back(*mean_us);
    }
    return summary_of(known_us);
}

RoundsJson number_or_null(const std::optional<double>& value) { return value ? RoundsJson(*value) : RoundsJson(nullptr); }

std::string percentiles_text(const MeasureRounds& rounds) {
    const RoundsTarget sum = sum_of(rounds);
    std::string text;
    const auto add = [&](std::string_view name, const sim::LatencyCounts& latency) {
        if (latency.count() == 0) return;
        text += fmt::format("{} of all rounds: 50 % within {}, 99 % {}, 99.9 % {}, 99.99 % {}, longest {}\n", name,
                            percentile_cell(latency, 50), percentile_cell(latency, 99), percentile_cell(latency, 99.9),
                            percentile_cell(latency, 99.99), time_text(latency.max_ns()));
    };
    add("Reads", sum.reads.latency);
    add("Writes", sum.writes.latency);
    return text;
}

// Buckets are written only once, for all rounds together.
RoundsJson without_buckets(RoundsJson counts) {
    counts["latency"].erase("buckets_ns");
    return counts;
}

}  // namespace

void MeasureRounds::add(const sim::MeasureTimespanResults& round) {
    const sim::MeasureCounts both = round.total().both();
    requests_per_s.push_back(round.duration_ns == 0 ? 0 : static_cast<double>(both.requests) / round.seconds());
    mean_latency_us.push_back(both.latency.count() == 0 ? std::nullopt : std::optional(both.latency.mean_ns() / 1000));
    duration_ns += round.duration_ns;
    targets.resize(round.targets.size());
    for (std::uint32_t i = 0; i < round.targets.size(); ++i) {
        const sim::MeasureRow row = round.total_of_target(i);
        targets[i].path = round.spec.targets[i].path;
        targets[i].label = round.spec.targets[i].label;
        targets[i].write_percent = round.spec.targets[i].write_percent;
        targets[i].reads.merge(row.reads);
        targets[i].writes.merge(row.writes);
    }
}

std::string rounds_text(const MeasureRounds& rounds) {
    const SampleSummary rate = summary_of(rounds.requests_per_s);
    const SampleSummary latency = latency_of_rounds(rounds);
    std::string text = fmt::format("{}: {:.0f} requests/s", counted(rate.count, "round"), rate.mean);
    if (rate.half_interval) {
        text += fmt::format(" on average, standard deviation {:.0f}, 95 % confidence interval ±{:.0f} (±{:.1f} %)", rate.deviation,
                            *rate.half_interval, rate.half_interval_percent().value_or(0));
    }
    text += latency.count == 0 ? "; mean latency -" : fmt::format("; mean latency {:.1f} us", latency.mean);
    if (latency.half_interval) text += fmt::format(" ±{:.1f}", *latency.half_interval);
    text += '\n' + percentiles_text(rounds);
    if (!rounds.asked_for_steady_state) return text;
    const SteadyState state = steady_state_of(rounds.requests_per_s);
    if (rounds.requests_per_s.size() < kSteadyRounds)
        return text + fmt::format("Steady state takes {} rounds: not reached.\n", kSteadyRounds);
    const SampleSummary last =
        summary_of({rounds.requests_per_s.end() - static_cast<std::ptrdiff_t>(kSteadyRounds), rounds.requests_per_s.end()});
    return text + fmt::format(
                      "Steady state {} (SNIA PTS): in the last {} rounds {:.0f} requests/s on average; the highest and the lowest are "
                      "{:.1f} % apart (at most 20), the slope is {:.1f} % (at most 10).\n",
                      state.is_reached ? "is reached" : "is not reached", kSteadyRounds, last.mean, state.excursion_percent,
                      state.slope_percent);
}

RoundsJson rounds_json(const MeasureRounds& rounds) {
    const SampleSummary rate = summary_of(rounds.requests_per_s);
    const SampleSummary latency = latency_of_rounds(rounds);
    RoundsJson json{{"count", rate.count}, {"requests_per_s", rounds.requests_per_s}, {"latency_mean_us", RoundsJson::array()}};
    for (const std::optional<double>& mean_us : rounds.mean_latency_us) json["latency_mean_us"].push_back(number_or_null(mean_us));
    json["mean_per_s"] = rate.mean;
    json["deviation_per_s"] = rate.deviation;
    json["half_interval_95_per_s"] = number_or_null(rate.half_interval);
    json["latency_mean_of_rounds_us"] = latency.count == 0 ? RoundsJson(nullptr) : RoundsJson(latency.mean);
    json["latency_half_interval_95_us"] = number_or_null(latency.half_interval);
    json["duration_ns"] = rounds.duration_ns;
    const RoundsTarget all = sum_of(rounds);
    json["all"] = {{"reads", counts_json(all.reads, rounds.duration_ns)}, {"writes", counts_json(all.writes, rounds.duration_ns)}};
    json["steady"] = rounds.asked_for_steady_state ? RoundsJson(rounds.is_steady()) : RoundsJson(nullptr);
    return json;
}

void add_round(RoundsJson& json, const RoundsJson& round) {
    RoundsJson total;
    for (const auto& [direction, counts] : round.at("total").items()) total[direction] = without_buckets(counts);
    json["totals"].push_back(std::move(total));
    RoundsJson targets = RoundsJson::array();
    for (const RoundsJson& target : round.at("targets")) {
        targets.push_back({{"path", target.at("path")},
                           {"class", target.at("class")},
                           {"reads", without_buckets(target.at("reads"))},
                           {"writes", without_buckets(target.at("writes"))}});
    }
    json["targets"].push_back(std::move(targets));
}

}  // namespace reports
