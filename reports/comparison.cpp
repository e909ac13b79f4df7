#include "reports/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/held_back.hpp"
#include "reports/statistics.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "sim/latency_result.hpp"
#include "sim/results.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kStretches = 10;
constexpr std::size_t kStretchesMin = 5;
constexpr double kMb = 1 << 20;
constexpr std::string_view kUnderSide = "        ";  // below the name of a side, in the text

struct Estimate {
    double value = 0;
    std::optional<MeanError> error;  // nothing: not known
};

// A ratio of two sums over the main run: requests and seconds, time and requests.
struct Ratio {
    std::vector<double> over;
    std::vector<double> under;
};

std::optional<double> ratio_of(const Ratio& ratio, std::size_t begin, std::size_t end) {
    double over = 0;
    double under = 0;
    for (std::size_t i = begin; i < end; ++i) {
        over += ratio.over[i];
        under += ratio.under[i];
    }
    return under > 0 ? std::optional(over / under) : std::nullopt;
}

std::optional<Estimate> estimate_of(const Ratio& ratio) {
    const std::size_t count = ratio.over.size();
    const auto whole = ratio_of(ratio, 0, count);
    if (!whole) return std::nullopt;
    Estimate estimate{*whole, std::nullopt};
    const std::size_t stretches = std::min(count, kStretches);
    std::vector<double> values;
    for (std::size_t i = 0; i < stretches; ++i) {
        if (const auto part = ratio_of(ratio, i * count / stretches, (i + 1) * count / stretches)) values.push_back(*part);
    }
    if (values.size() < kStretchesMin) return estimate;
    const auto n = static_cast<double>(values.size());
    double mean = 0;
    for (const double value : values) mean += value / n;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    estimate.error = MeanError{std::sqrt(squares / (n - 1) / n), n - 1};
    return estimate;
}

std::optional<double> noise_of(const Estimate& a, const Estimate& b) {
    if (!a.error || !b.error) return std::nullopt;
    return chance_difference(*a.error, *b.error);
}

std::vector<std::size_t> main_run(const Json& results) {
    const Json& intervals = results["intervals"];
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < intervals["phase"].size(); ++i) {
        // The remainder of a second at the end of a phase is too short to give a rate.
        if (intervals["phase"][i] == "main run" && intervals["duration_us"][i].get<double>() >= 500'000) list.push_back(i);
    }
    return list;
}

std::vector<double> column(const Json& values, const std::vector<std::size_t>& which, double unit = 1) {
    std::vector<double> numbers;
    for (const std::size_t i : which) numbers.push_back(values[i].get<double>() / unit);
    return numbers;
}

struct ComparedFigure {
    const char* name;
    const char* unit;
    const char* over;
    double over_unit;
    const char* under;  // null: seconds
    bool more_is_better;
};

constexpr ComparedFigure kComparedFigures[] = {
    {"reads", "/s", "reads", 1, nullptr, true},
    {"writes", "/s", "writes", 1, nullptr, true},
    {"read", "MB/s", "read_bytes", kMb, nullptr, true},
    {"written", "MB/s", "written_bytes", kMb, nullptr, true},
    {"average read", "ms", "read_time_us", 1000, "reads", false},
    {"average write", "ms", "write_time_us", 1000, "writes", false},
    {"throttled", "/s", "throttles", 1, nullptr, false},
    {"request blocks", "", "request_blocks", 1, "", true},
};

std::optional<Estimate> estimate_of(const ComparedFigure& figure, const Json& results, const Json& file) {
    const std::vector<std::size_t> which = main_run(results);
    Ratio ratio{column(file["series"][figure.over], which, figure.over_unit), {}};
    if (figure.under == nullptr) {
        ratio.under = column(results["intervals"]["duration_us"], which, 1e6);
    } else if (*figure.under == '\0') {
        ratio.under.assign(which.size(), 1);
    } else {
        ratio.under = column(file["series"][figure.under], which);
    }
    return estimate_of(ratio);
}

Json row_of(const std::string& name, const char* unit, double before, double after, bool more_is_better, std::optional<double> noise) {
    const double change = after - before;
    const double noise_or_0 = noise.value_or(0);
    const bool is_clear = std::abs(change) > noise_or_0;
    Json row = {{"figure", name}, {"unit", unit}, {"before", before}, {"after", after}};
    row["change_percent"] = before == 0 ? Json(nullptr) : Json(100 * change / before);
    row["noise_percent"] = before == 0 || !noise ? Json(nullptr) : Json(100 * noise_or_0 / before);
    row["verdict"] = !noise ? "unknown" : !is_clear ? "same" : (change > 0) == more_is_better ? "better" : "worse";
    return row;
}

std::optional<double> percentile_ns(const Json& latency, int percent) {
    for (const Json& pair : latency["percentiles_ns"]) {
        if (pair[0] == percent) return pair[1].get<double>();
    }
    return std::nullopt;
}

// Percentiles have no time series, so their noise is unknown.
void add_percentiles(Json& rows, const Json& before, const Json& after) {
    constexpr int kPercent = 99;
    for (std::size_t i = 0; i < sim::kIoClassCount; ++i) {
        std::string name(sim::name_of(static_cast<sim::IoClass>(i)));
        const Json& latency = before["latency"][name];
        const Json& other = after["latency"][name];
        if (latency["count"] == 0 || other["count"] == 0) continue;
        const auto value = percentile_ns(latency, kPercent);
        const auto other_value = percentile_ns(other, kPercent);
        if (!value || !other_value) continue;
        std::replace(name.begin(), name.end(), '_', ' ');
        rows.push_back(row_of(fmt::format("{}, {} %", name, kPercent), "ms", *value / 1e6, *other_value / 1e6, false, std::nullopt));
    }
}

Json curves_of(const Json& results, const Json& file) {
    Json times = Json::array();
    Json requests = Json::array();
    Json latency = Json::array();
    const Json& intervals = results["intervals"];
    const std::vector<std::size_t> which = main_run(results);
    for (const std::size_t i : which) {
        const double seconds = intervals["duration_us"][i].get<double>() / 1e6;
        const Json& series = file["series"];
        const double count = series["reads"][i].get<double>() + series["writes"][i].get<double>();
        const double time_us = series["read_time_us"][i].get<double>() + series["write_time_us"][i].get<double>();
        times.push_back((intervals["start_us"][i].get<double>() - intervals["start_us"][which.front()].get<double>()) / 1e6);
        requests.push_back(count / seconds);
        latency.push_back(count == 0 ? Json(nullptr) : Json(time_us / count / 1000));
    }
    return {{"seconds", std::move(times)}, {"requests_per_s", std::move(requests)}, {"latency_ms", std::move(latency)}};
}

bool is_held_back(const Json& results, const Json& file) {
    sim::FileResult figures;
    std::vector<sim::Interval> intervals;
    figures.request_blocks_max = file.value("request_blocks_max", 0U);  // not in old documents
    const Json& series = file["series"];
    for (const std::size_t i : main_run(results)) {
        const auto in = [i](const Json& column) { return column[i].get<std::uint64_t>(); };
        intervals.push_back({.duration_us = in(results["intervals"]["duration_us"]), .phase = sim::Phase::main_run});
        figures.samples.push_back({.reads = in(series["reads"]), .writes = in(series["writes"]), .throttles = in(series["throttles"])});
    }
    return held_back(figures, intervals).has_value();
}

// Where the load was not held back, request blocks show the demand, and the path may carry more.
bool show_capacity(double before, bool is_limit_before, double after, bool is_limit_after) {
    if (is_limit_before && is_limit_after) return true;
    return (is_limit_before && before < after) || (is_limit_after && after < before);
}

Json compare_files(const Json& before, const Json& file_before, const Json& after, const Json& file_after) {
    Json rows = Json::array();
    for (const ComparedFigure& figure : kComparedFigures) {
        const auto a = estimate_of(figure, before, file_before);
        const auto b = estimate_of(figure, after, file_after);
        if (!a || !b || (a->value == 0 && b->value == 0)) continue;
        const std::optional<double> noise = noise_of(*a, *b);
        const bool is_judged = std::string_view(figure.over) != "request_blocks" ||
                               show_capacity(a->value, is_held_back(before, file_before), b->value, is_held_back(after, file_after));
        rows.push_back(row_of(figure.name, figure.unit, a->value, b->value, figure.more_is_better, is_judged ? noise : std::nullopt));
    }
    add_percentiles(rows, file_before, file_after);
    return {{"before_path", file_before["path"]},       {"after_path", file_after["path"]},
            {"is_log", file_before["is_log"]},          {"rows", std::move(rows)},
            {"before", curves_of(before, file_before)}, {"after", curves_of(after, file_after)}};
}

// The counterpart of each of `files` in the other run, or null.
std::vector<const Json*> partners(const Json& files, const Json& others) {
    std::vector<const Json*> partner(files.size(), nullptr);
    std::vector<bool> is_taken(others.size(), false);
    // Pairs files with the same key, in order.
    const auto match = [&](auto&& key_of) {
        std::map<std::string, std::deque<std::size_t>> free;
        for (std::size_t k = 0; k < others.size(); ++k) {
            if (!is_taken[k]) free[key_of(others[k])].push_back(k);
        }
        for (std::size_t i = 0; i < files.size(); ++i) {
            auto& candidates = free[key_of(files[i])];
            if (partner[i] != nullptr || candidates.empty()) continue;
            partner[i] = &others[candidates.front()];
            is_taken[candidates.front()] = true;
            candidates.pop_front();
        }
    };
    const auto kind_of = [](const Json& file) { return std::string(file["is_log"].get<bool>() ? "log " : "data "); };
    match([&](const Json& file) { return kind_of(file) + file["path"].get<std::string>(); });
    match(kind_of);
    return partner;
}

// The values of parameters, by section and name.
using Configuration = std::map<std::pair<std::string, std::string>, std::string>;

Configuration configuration_of(const Json& results) {
    Configuration configuration;
    for (const Json& part : results["configuration"]) {
        const auto section = part["section"].get<std::string>();
        for (const auto& [name, value] : part["values"].items()) configuration.try_emplace({section, name}, value.get<std::string>());
    }
    return configuration;
}

Json configuration_changes(const Json& before, const Json& after) {
    Json changes = Json::array();
    const Configuration values_before = configuration_of(before);
    const Configuration values_after = configuration_of(after);
    const auto value_in = [](const Configuration& configuration, const auto& key) {
        const auto found = configuration.find(key);
        return found == configuration.end() ? std::string{} : found->second;
    };
    const auto add = [&](const Json& results, bool only_missing) {
        for (const Json& part : results["configuration"]) {
            const auto section = part["section"].get<std::string>();
            for (const auto& item : part["values"].items()) {
                const std::pair key{section, item.key()};
                const std::string a = value_in(values_before, key);
                const std::string b = value_in(values_after, key);
                if (a == b || (only_missing && !a.empty())) continue;
                changes.push_back({{"parameter", fmt::format("{}.{}", section, item.key())}, {"before", a}, {"after", b}});
            }
        }
    };
    add(before, false);
    add(after, true);
    return changes;
}

Json side_of(const Json& results, const std::string& name) {
    return {{"name", name},
            {"judgement", results["verdict"].value("judgement", "")},
            {"start_utc", results["run"].value("start_utc", "")},
            {"engine", results["run"].value("engine", "")},
            {"version", results["version"]},
            {"rehearsal", results["run"].value("rehearsal", std::string())},  // older documents do not have it
            {"finding_count", results["finding_count"]}};
}

std::string number_text(double value) {
    if (value == 0) return "0";
    if (std::abs(value) >= 1000) return count_text(static_cast<std::uint64_t>(std::llround(value)));
    return fmt::format("{:.{}f}", value, std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2);
}

std::string percent_text(const Json& percent, const char* form) {
    return percent.is_null() ? "-" : fmt::format(fmt::runtime(form), percent.get<double>());
}

}  // namespace

Json compare_results(const Json& before, const std::string& before_name, const Json& after, const std::string& after_name) {
    Json comparison = {{"document", kComparisonDocument}, {"version", kComparisonVersion}, {"kind", "runs"}};
    comparison["before"] = side_of(before, before_name);
    comparison["after"] = side_of(after, after_name);
    comparison["configuration"] = configuration_changes(before, after);
    comparison["files"] = Json::array();
    comparison["unpaired"] = Json::array();
    const std::vector<const Json*> partner = partners(before["files"], after["files"]);
    for (std::size_t i = 0; i < partner.size(); ++i) {
        if (partner[i] == nullptr) {
            comparison["unpaired"].push_back(before["files"][i]["path"]);
        } else {
            comparison["files"].push_back(compare_files(before, before["files"][i], after, *partner[i]));
        }
    }
    for (const Json& file : after["files"]) {
        if (std::find(partner.begin(), partner.end(), &file) == partner.end()) comparison["unpaired"].push_back(file["path"]);
    }
    return comparison;
}

std::string comparison_text(const Json& comparison) {
    std::string text;
    for (const char* side : {"before", "after"}) {
        const Json& run = comparison[side];
        const auto findings = run["finding_count"].get<std::uint64_t>();
        text += fmt::format(
            "{:6}  {}: {}{}, {}, {}\n", side, ums::printable(run["name"].get<std::string>()), run["judgement"].get<std::string>(),
            findings == 0 ? "" : fmt::format(" ({} finding{})", count_text(findings), findings == 1 ? "" : "s"),
            ums::printable(run["start_utc"].get<std::string>().substr(0, 19)), ums::printable(run["engine"].get<std::string>()));
        const auto faults = run["rehearsal"].get<std::string>();
        if (faults.empty()) continue;
        text += kUnderSide;
        text += wrapped(rehearsal_notice(faults), kReportColumns - kUnderSide.size(), kUnderSide.size());
    }
    if (!comparison["configuration"].empty())
        text +=
            "\n"
            "The runs had different settings; the differences below may come from that:\n";
    for (const Json& change : comparison["configuration"]) {
        text += fmt::format("  {}: {} -> {}\n", ums::printable(change["parameter"].get<std::string>()),
                            ums::printable(change["before"].get<std::string>()), ums::printable(change["after"].get<std::string>()));
    }
    for (const Json& file : comparison["files"]) {
        const std::string before = ums::printable(file["before_path"].get<std::string>());
        const std::string after = ums::printable(file["after_path"].get<std::string>());
        text += fmt::format("\n{}\n", before == after ? before : fmt::format("{} -> {}", before, after));
        Table table({{"Figure", Table::Align::left}, {"before"}, {"after"}, {"change"}, {"noise"}, {"", Table::Align::left}});
        for (const Json& row : file["rows"]) {
            const std::string verdict = row["verdict"].get<std::string>();
            const std::string unit = row["unit"].get<std::string>();
            table.add_row({row["figure"].get<std::string>() + (unit.empty() ? "" : " " + unit), number_text(row["before"].get<double>()),
                           number_text(row["after"].get<double>()), percent_text(row["change_percent"], "{:+.1f} %"),
                           percent_text(row["noise_percent"], "{:.1f} %"), verdict == "better" || verdict == "worse" ? verdict : ""});
        }
        text += table.text(kReportColumns);
    }
    for (const Json& path : comparison["unpaired"])
        text += fmt::format("\n{}: only in one of the two runs\n", ums::printable(path.get<std::string>()));
    return text + "\n" +
           wrapped(
               "The figures are those of the main runs; only percentiles are of the whole runs, with initial update and final audit. "
               "'better' and 'worse' mark differences that exceed the noise: how much the figure varies within the two main runs. Where "
               "no noise is given (percentiles, main runs of less than five seconds) nothing is marked.",
               kReportColumns, 0);
}

}  // namespace reports
