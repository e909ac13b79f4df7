#include "reports/measure_limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include <fmt/format.h>

#include "reports/limit_words.hpp"
#include "reports/measure_json.hpp"
#include "reports/text.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using MeasureFigure = MeasureLimit::Figure;
using sim::MeasureDirection;

constexpr std::array<std::pair<std::string_view, MeasureFigure>, 4> kMeasureFigures{{{"average", MeasureFigure::average},
                                                                                     {"longest", MeasureFigure::longest},
                                                                                     {"requests_per_s", MeasureFigure::requests_per_s},
                                                                                     {"mb_per_s", MeasureFigure::mb_per_s}}};
constexpr double kMbBytes = 1 << 20;

bool is_measured_time(MeasureFigure figure) { return figure != MeasureFigure::requests_per_s && figure != MeasureFigure::mb_per_s; }

std::string measure_figure_names() {
    std::vector<std::string> names;
    for (const double percent : measure_percents()) names.push_back(fmt::format("p{}", percent));
    for (const auto& [name, figure] : kMeasureFigures) names.emplace_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

bool set_measure_figure(MeasureLimit& limit, std::string_view name) {
    for (const auto& [known, figure] : kMeasureFigures) {
        if (name != known) continue;
        limit.figure = figure;
        return true;
    }
    const auto& percents = measure_percents();
    const auto percent = std::find_if(percents.begin(), percents.end(), [&](double each) { return name == fmt::format("p{}", each); });
    if (percent == percents.end()) return false;
    limit.figure = MeasureFigure::percentile;
    limit.percent = *percent;
    return true;
}

// Takes a class and a direction, such as "log.write.", off the front of `text`.
void take_class_and_direction(MeasureLimit& limit, std::string_view& text) {
    const auto take_direction = [&] {
        for (const auto& [word, direction] : {std::pair{std::string_view("read."), MeasureDirection::reads},
                                              std::pair{std::string_view("write."), MeasureDirection::writes}}) {
            if (!text.starts_with(word)) continue;
            limit.direction = direction;
            text.remove_prefix(word.size());
            return true;
        }
        return false;
    };
    if (take_direction()) return;
    MeasureLimit figure_alone;
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos || set_measure_figure(figure_alone, text)) return;
    // "p97.5" does not begin with a class p97.
    if (text.size() > 1 && text[0] == 'p' && text[1] >= '0' && text[1] <= '9') return;
    limit.label = text.substr(0, point);
    text.remove_prefix(point + 1);
    take_direction();
}

std::optional<MeasureLimit> parse_measure_limit(std::string_view text, std::string& problem) {
    MeasureLimit limit;
    limit.expression = text;
    const auto refused = [&](const std::string& reason) {
        problem = fmt::format("'{}' is not a limit: {}", ums::printable(text), reason);
        return std::nullopt;
    };
    const std::size_t sign = text.find_first_of("<>");
    if (sign == std::string_view::npos) return refused("write FIGURE > VALUE, such as p99.9 > 5 ms, or requests_per_s < 10000");
    limit.at_limit = text.substr(sign + 1, 1) == "=";
    std::string_view left = limit_trimmed(text.substr(0, sign));
    std::string_view right = limit_trimmed(text.substr(sign + (limit.at_limit ? 2 : 1)));
    take_class_and_direction(limit, left);
    if (!set_measure_figure(limit, left)) {
        return refused(
            fmt::format("'{}' is not allowed; allowed are {}; before them also read, write or a class of --mix, as in read.p99 > 5 ms",
                        ums::printable(left), measure_figure_names()));
    }
    const bool is_time = is_measured_time(limit.figure);
    if (is_time != (text[sign] == '>')) {
        return refused(is_time ? "a time is limited from above: write > or >=, such as p99 > 5 ms"
                               : "a rate is limited from below: write < or <=, such as requests_per_s < 10000");
    }
    limit.file = take_limit_file(right);
    const auto value = is_time ? limit_time_us(right) : limit_number(right);
    if (!value) {
        return refused(is_time ? "allowed is a number with us, ms or s, such as 5 ms; 'in FILE' may follow"
                               : "allowed is a number without a unit; 'in FILE' may follow");
    }
    limit.limit = *value;
    return limit;
}

bool is_of_file(const MeasureLimit& limit, std::string_view path) {
    return limit.file.empty() || limit.file == path || limit.file == path.substr(path.find_last_of('/') + 1);
}

bool is_meant(const MeasureLimit& limit, std::string_view label, std::string_view path) {
    return (limit.label.empty() || limit.label == label) && is_of_file(limit, path);
}

double limited_time_us(const MeasureLimit& limit, const sim::LatencyCounts& latency) {
    switch (limit.figure) {
        case MeasureFigure::average: return latency.mean_ns() / 1000;
        case MeasureFigure::longest: return static_cast<double>(latency.max_ns()) / 1000;
        default: return static_cast<double>(latency.percentile_ns(limit.percent)) / 1000;
    }
}

void judge(const MeasureLimit& limit, double value, MeasureLimitResult& result) {
    const bool is_beyond = is_measured_time(limit.figure) ? value > limit.limit : value < limit.limit;
    result.value = value;
    result.outcome =
        is_beyond || (limit.at_limit && value == limit.limit) ? MeasureLimitResult::Outcome::exceeded : MeasureLimitResult::Outcome::kept;
}

bool has_share_of(MeasureDirection direction, std::uint32_t write_percent) {
    return direction == MeasureDirection::reads ? write_percent < 100 : write_percent > 0;
}

void judge_time(const MeasureLimit& limit, const MeasureRounds& rounds, MeasureLimitResult& result) {
    double worst = -1;
    for (const RoundsTarget& target : rounds.targets) {
        if (!is_meant(limit, target.label, target.path)) continue;
        for (const MeasureDirection direction : {MeasureDirection::reads, MeasureDirection::writes}) {
            if (limit.direction != MeasureDirection::both && limit.direction != direction) continue;
            if (!has_share_of(direction, target.write_percent)) continue;
            const bool is_read = direction == MeasureDirection::reads;
            const sim::LatencyCounts& latency = (is_read ? target.reads : target.writes).latency;
            const std::string place = fmt::format("{} of {}", is_read ? "reads" : "writes", target.path);
            if (latency.count() == 0) {
                // The times of others say nothing about requests that were never answered.
                result.where = target.reads.requests + target.writes.requests == 0 ? target.path : place;
                return;
            }
            if (limited_time_us(limit, latency) <= worst) continue;
            worst = limited_time_us(limit, latency);
            result.where = place;
        }
    }
    if (worst < 0) return;
    judge(limit, worst, result);
    result.measured = limit_time_text(worst, limit.limit);
}

// As in the tables, with more digits only if these would read like another outcome.
std::string limited_rate_text(const MeasureLimit& limit, double rate) {
    constexpr int kDigits = 6;
    constexpr int kDigitsMax = 15;
    const auto tells_the_same = [&](double shown) {
        return (shown < limit.limit) == (rate < limit.limit) && (shown == limit.limit) == (rate == limit.limit);
    };
    const bool is_count = limit.figure == MeasureFigure::requests_per_s;
    if (is_count && tells_the_same(std::round(rate))) return rounded_text(rate) + " requests/s";
    std::string number = fmt::format("{:.{}g}", rate, kDigits);
    for (int digits = kDigits + 1; digits <= kDigitsMax && !tells_the_same(limit_number(number).value_or(rate)); ++digits) {
        number = fmt::format("{:.{}g}", rate, digits);
    }
    return number + (is_count ? " requests/s" : " MB/s");
}

void judge_rate(const MeasureLimit& limit, const MeasureRounds& rounds, MeasureLimitResult& result) {
    if (rounds.duration_ns == 0) return;
    sim::MeasureCounts sum;
    for (const RoundsTarget& target : rounds.targets) {
        if (!is_meant(limit, target.label, target.path)) continue;
        if (limit.direction != MeasureDirection::writes) sum.merge(target.reads);
        if (limit.direction != MeasureDirection::reads) sum.merge(target.writes);
    }
    const double seconds = static_cast<double>(rounds.duration_ns) / 1e9;
    const bool is_count = limit.figure == MeasureFigure::requests_per_s;
    const double rate = (is_count ? static_cast<double>(sum.requests) : static_cast<double>(sum.bytes) / kMbBytes) / seconds;
    judge(limit, rate, result);
    result.measured = limited_rate_text(limit, rate);
    result.where = limit.direction == MeasureDirection::reads    ? "reads"
                   : limit.direction == MeasureDirection::writes ? "writes"
                                                                 : "reads and writes";
}

std::string_view outcome_word(MeasureLimitResult::Outcome outcome) {
    switch (outcome) {
        case MeasureLimitResult::Outcome::kept: return "kept";
        case MeasureLimitResult::Outcome::exceeded: return "exceeded";
        case MeasureLimitResult::Outcome::not_measured: return "not measured";
    }
    return "";
}

}  // namespace

std::optional<std::vector<MeasureLimit>> parse_measure_limits(std::string_view text, std::string& problem) {
    std::vector<MeasureLimit> limits;
    for (const std::string_view expression : limit_expressions(text)) {
        auto limit = parse_measure_limit(expression, problem);
        if (!limit) return std::nullopt;
        limits.push_back(std::move(*limit));
    }
    return limits;
}

std::string measure_limit_problem(const MeasureLimit& limit, const sim::MeasureTimespan& spec) {
    const auto refused = [&](const std::string& reason) { return fmt::format("'{}': {}", ums::printable(limit.expression), reason); };
    std::vector<std::string> labels;
    std::vector<std::string> paths;
    bool is_there = false;
    for (const sim::MeasureTarget& target : spec.targets) {
        labels.push_back(target.label.empty() ? "none" : target.label);
        paths.push_back(target.path);
        const bool has_direction = limit.direction == MeasureDirection::both || has_share_of(limit.direction, target.write_percent);
        is_there = is_there || (is_meant(limit, target.label, target.path) && has_direction);
    }
    if (is_there) return "";
    const auto any = [&](auto&& is_it) { return std::any_of(spec.targets.begin(), spec.targets.end(), is_it); };
    if (!limit.label.empty() && !any([&](const auto& target) { return target.label == limit.label; })) {
        return refused(
            fmt::format("there is no class {} in this measurement; allowed are {}", ums::printable(limit.label), fmt::join(labels, ", ")));
    }
    if (!any([&](const auto& target) { return is_of_file(limit, target.path); })) {
        return refused(fmt::format("there is no such file in this measurement; allowed are {}", fmt::join(paths, ", ")));
    }
    return refused(limit.direction == MeasureDirection::writes ? "nothing is written there" : "nothing is read there");
}

MeasureLimitResult evaluate_measure_limit(const MeasureLimit& limit, const MeasureRounds& rounds) {
    MeasureLimitResult result;
    result.expression = limit.expression;
    if (is_measured_time(limit.figure)) {
        judge_time(limit, rounds, result);
    } else {
        judge_rate(limit, rounds, result);
    }
    return result;
}

std::string measure_limit_text(const MeasureLimitResult& result) {
    const std::string expression = ums::printable(result.expression);
    if (result.outcome == MeasureLimitResult::Outcome::not_measured) {
        return fmt::format("NOT KEPT    {}: there was nothing to measure{}", expression,
                           result.where.empty() ? "" : fmt::format(" in {}", ums::printable(result.where)));
    }
    return fmt::format("{:<10}  {}: {} for {}", result.is_kept() ? "kept" : "EXCEEDED", expression, result.measured,
                       ums::printable(result.where));
}

nlohmann::ordered_json measure_limit_json(const MeasureLimitResult& result) {
    const bool is_measured = result.outcome != MeasureLimitResult::Outcome::not_measured;
    return {{"expression", result.expression},
            {"outcome", outcome_word(result.outcome)},
            {"value", is_measured ? nlohmann::ordered_json(result.value) : nlohmann::ordered_json(nullptr)},
            {"measured", result.measured},
            {"where", result.where}};
}

}  // namespace reports
