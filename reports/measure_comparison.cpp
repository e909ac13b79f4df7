#include "reports/measure_comparison.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reports/comparison.hpp"
#include "reports/results_document.hpp"
#include "reports/statistics.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using PairJson = nlohmann::ordered_json;

std::string_view kind_word(MeasuredKind kind) {
    switch (kind) {
        case MeasuredKind::measurement: return "a measurement of storage";
        case MeasuredKind::own_path: return "a measurement of ioproof's own path";
        case MeasuredKind::sweep: return "a sweep";
    }
    return "";
}

PairJson side_json(const MeasuredSide& side) {
    PairJson json{{"name", side.name},          {"start_utc", side.start_utc},    {"engine", side.engine},
                  {"rounds", side.round_count}, {"findings", side.finding_count}, {"is_whole", side.is_whole}};
    if (!side.interval_requests.empty()) {
        json["intervals"] = {{"interval_ms", side.interval_ms}, {"requests", side.interval_requests}};
    }
    return json;
}

PairJson json_or_null(const std::optional<double>& value) { return value ? PairJson(*value) : PairJson(nullptr); }

// Of the histogram's bucket with this time: each power of two has 64, and shorter ones have the width of the first. Neighbours lie exactly
// this far apart, so what is lost by rounding is added.
double bucket_width_us(double time_us) {
    constexpr double kRounding = 1e-9;
    constexpr std::uint64_t kShortNs = 512;
    const std::uint64_t time_ns = std::max(static_cast<std::uint64_t>(time_us * 1000), kShortNs);
    return static_cast<double>(std::bit_floor(time_ns)) / 64 / 1000 * (1 + kRounding);
}

PairJson row_of_figures(const MeasuredFigure& before, const MeasuredFigure& after) {
    const SampleSummary a = summary_of(before.values);
    const SampleSummary b = summary_of(after.values);
    std::optional<double> noise = chance_difference(a, b);
    // Steady storage has the same bucket in every round, which looks like no noise at all. Times that differ by next to nothing may be in
    // neighbouring buckets, whose middles are up to this far apart.
    if (noise && before.is_of_bucket) noise = std::max(*noise, bucket_width_us(std::max(a.mean, b.mean)));
    const double change = b.mean - a.mean;
    PairJson row{{"figure", before.name}, {"unit", before.unit}, {"more_is_better", before.more_is_better}, {"judged", before.is_judged}};
    row["before"] = a.mean;
    row["after"] = b.mean;
    row["before_values"] = before.values;
    row["after_values"] = after.values;
    row["before_half_interval_95"] = json_or_null(a.half_interval);
    row["after_half_interval_95"] = json_or_null(b.half_interval);
    row["change_percent"] = a.mean == 0 ? PairJson(nullptr) : PairJson(100 * change / a.mean);
    row["noise_percent"] = a.mean == 0 || !noise ? PairJson(nullptr) : PairJson(100 * *noise / a.mean);
    row["verdict"] = !noise ? "unknown" : std::abs(change) <= *noise ? "same" : (change > 0) == before.more_is_better ? "better" : "worse";
    return row;
}

// The counterpart of each group on the other side, or null.
std::vector<const MeasuredGroup*> partners_of(const std::vector<MeasuredGroup>& groups, const std::vector<MeasuredGroup>& others) {
    std::vector<const MeasuredGroup*> partner(groups.size(), nullptr);
    const auto is_free = [&](const MeasuredGroup& other) { return std::find(partner.begin(), partner.end(), &other) == partner.end(); };
    const auto match = [&](auto&& fits) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (partner[i] != nullptr) continue;
            const auto found = std::find_if(others.begin(), others.end(),
                                            [&](const MeasuredGroup& other) { return is_free(other) && fits(groups[i], other); });
            if (found != others.end()) partner[i] = &*found;
        }
    };
    match([](const MeasuredGroup& a, const MeasuredGroup& b) { return a.label == b.label && a.path == b.path; });
    match([](const MeasuredGroup& a, const MeasuredGroup& b) { return a.label == b.label; });
    // A single target can only correspond to the other side's single target.
    if (groups.size() == 1 && others.size() == 1) partner[0] = others.data();
    return partner;
}

std::string name_of_group(const MeasuredGroup& group) {
    if (group.label.empty()) return group.path;
    return group.path.empty() ? group.label : fmt::format("{} {}", group.label, group.path);
}

void add_asked_differences(PairJson& list, const MeasuredGroup& before, const MeasuredGroup& after) {
    std::map<std::string, std::string> values(after.asked.begin(), after.asked.end());
    for (const auto& [name, value] : before.asked) {
        const auto other = values.find(name);
        // Earlier versions of ioproof recorded fewer values.
        if (other == values.end() || other->second == value) continue;
        list.push_back({{"group", name_of_group(after)}, {"name", name}, {"before", value}, {"after", other->second}});
    }
}

// A sweep records only switches that were given.
void add_missing_words(PairJson& list, const MeasuredGroup& before, const MeasuredGroup& after) {
    const auto add_those_of = [&](const MeasuredGroup& one, const MeasuredGroup& other, bool is_before) {
        for (const auto& [name, value] : one.asked) {
            const bool is_there = std::any_of(other.asked.begin(), other.asked.end(), [&](const auto& each) { return each.first == name; });
            if (!is_there) {
                list.push_back(
                    {{"group", "sweep"}, {"name", name}, {"before", is_before ? value : "-"}, {"after", is_before ? "-" : value}});
            }
        }
    };
    add_those_of(before, after, true);
    add_those_of(after, before, false);
}

bool is_zero_throughout(const MeasuredFigure& figure) {
    return std::all_of(figure.values.begin(), figure.values.end(), [](double value) { return value == 0; });
}

bool has_both_directions(const MeasuredGroup& group) {
    const auto has_rate_of = [&](std::string_view direction) {
        return std::any_of(group.figures.begin(), group.figures.end(), [&](const MeasuredFigure& figure) {
            return figure.name == direction && figure.unit == "/s" && !is_zero_throughout(figure);
        });
    };
    return has_rate_of("reads") && has_rate_of("writes");
}

// A direction without requests on one side is shown: it may be a storage that no longer answers. Without any on both, nothing was wanted
// of it, and without a mix "both" repeats the other direction.
PairJson compare_groups(const MeasuredGroup& before, const MeasuredGroup& after) {
    PairJson rows = PairJson::array();
    const bool shows_both = has_both_directions(before) || has_both_directions(after);
    for (const MeasuredFigure& figure : before.figures) {
        if (figure.name.starts_with("both") && !shows_both) continue;
        const auto other = std::find_if(after.figures.begin(), after.figures.end(),
                                        [&](const MeasuredFigure& each) { return each.name == figure.name && each.unit == figure.unit; });
        if (other == after.figures.end() || (is_zero_throughout(figure) && is_zero_throughout(*other))) continue;
        rows.push_back(row_of_figures(figure, *other));
    }
    return {{"class", after.label}, {"before_path", before.path}, {"after_path", after.path}, {"rows", std::move(rows)}};
}

std::string figure_text(double value) {
    if (std::abs(value) >= 1000) return count_text(static_cast<std::uint64_t>(std::llround(value)));
    return fmt::format("{:.{}f}", value, std::abs(value) >= 100 ? 0 : 1);
}

std::string cell_of(const PairJson& value, const char* form) {
    return value.is_null() ? "-" : fmt::format(fmt::runtime(form), value.get<double>());
}

std::string group_title(const PairJson& group) {
    const std::string before = ums::printable(group["before_path"].get<std::string>());
    const std::string after = ums::printable(group["after_path"].get<std::string>());
    const std::string label = ums::printable(group["class"].get<std::string>());
    const std::string path = before == after ? before : fmt::format("{} -> {}", before, after);
    return label.empty() ? path : path.empty() ? label : fmt::format("{} {}", label, path);
}

std::string side_text(const char* word, const PairJson& side, bool is_sweep) {
    std::vector<std::string> facts;
    if (!is_sweep) facts.push_back(counted(side["rounds"].get<std::uint64_t>(), "round"));
    if (const auto engine = side["engine"].get<std::string>(); !engine.empty()) facts.push_back(ums::printable(engine));
    if (const auto start = side["start_utc"].get<std::string>(); !start.empty()) facts.push_back(ums::printable(start.substr(0, 19)));
    if (!side["is_whole"].get<bool>()) facts.emplace_back("not measured to its end");
    if (const auto findings = side["findings"].get<std::uint64_t>(); findings > 0) facts.push_back(counted(findings, "finding"));
    return fmt::format("{:6}  {}{}{}\n", word, ums::printable(side["name"].get<std::string>()), facts.empty() ? "" : ": ",
                       fmt::join(facts, ", "));
}

// Whether every round is worse than each of the baseline, by more than the tolerance. A single stall makes the noise of a few rounds so
// large that their means say nothing, but it does not change this. With at least kOrdersMin orders in which the rounds could have come, all
// equally likely if nothing has changed, chance puts all of one side last in less than 2.5 of 100 cases, as often as Welch's test calls a
// side worse. That takes four rounds on each side, three and five, or two and eight.
bool is_worse_in_every_round(const PairJson& row, double tolerance_percent) {
    constexpr double kOrdersMin = 40;
    const auto before = row["before_values"].get<std::vector<double>>();
    const auto after = row["after_values"].get<std::vector<double>>();
    double orders = 1;  // before + after, choose after
    for (std::size_t i = 1; i <= after.size() && orders < kOrdersMin; ++i) {
        orders = orders * static_cast<double>(before.size() + i) / static_cast<double>(i);
    }
    if (before.empty() || after.empty() || orders < kOrdersMin) return false;
    if (row["more_is_better"].get<bool>()) {
        const double least = *std::min_element(before.begin(), before.end());
        return *std::max_element(after.begin(), after.end()) < least * (1 - tolerance_percent / 100);
    }
    const double largest = *std::max_element(before.begin(), before.end());
    return *std::min_element(after.begin(), after.end()) > largest * (1 + tolerance_percent / 100);
}

// How much worse a row is, in percent; negative if it is better.
double percent_worse(const PairJson& row) {
    const double change = row["change_percent"].get<double>();
    return row["more_is_better"].get<bool>() ? -change : change;
}

}  // namespace

PairJson compare_measurements(const MeasuredSide& before, const MeasuredSide& after) {
    if (before.kind != after.kind) {
        throw ResultsDocumentError(fmt::format("'{}' is {}, '{}' is {}: only two of a kind can be compared.", before.name,
                                               kind_word(before.kind), after.name, kind_word(after.kind)));
    }
    PairJson comparison{{"document", kComparisonDocument}, {"version", kComparisonVersion}};
    comparison["kind"] = before.kind == MeasuredKind::sweep ? "sweeps" : "measurements";
    comparison["before"] = side_json(before);
    comparison["after"] = side_json(after);
    comparison["asked"] = PairJson::array();
    comparison["groups"] = PairJson::array();
    comparison["unpaired"] = PairJson::array();
    const std::vector<const MeasuredGroup*> partner = partners_of(before.groups, after.groups);
    for (std::size_t i = 0; i < partner.size(); ++i) {
        if (partner[i] == nullptr) {
            comparison["unpaired"].push_back(name_of_group(before.groups[i]));
            continue;
        }
        add_asked_differences(comparison["asked"], before.groups[i], *partner[i]);
        if (before.kind == MeasuredKind::sweep) add_missing_words(comparison["asked"], before.groups[i], *partner[i]);
        PairJson group = compare_groups(before.groups[i], *partner[i]);
        if (!group["rows"].empty()) comparison["groups"].push_back(std::move(group));
    }
    for (const MeasuredGroup& group : after.groups) {
        if (std::find(partner.begin(), partner.end(), &group) == partner.end()) comparison["unpaired"].push_back(name_of_group(group));
    }
    return comparison;
}

std::string measure_comparison_text(const PairJson& comparison) {
    const bool is_sweep = comparison["kind"] == "sweeps";
    std::string text = side_text("before", comparison["before"], is_sweep) + side_text("after", comparison["after"], is_sweep);
    if (!comparison["asked"].empty()) text += "\nThe settings differ; the differences below may come from that:\n";
    for (const PairJson& change : comparison["asked"]) {
        text += fmt::format("  {}: {}: {} -> {}\n", ums::printable(change["group"].get<std::string>()),
                            ums::printable(change["name"].get<std::string>()), ums::printable(change["before"].get<std::string>()),
                            ums::printable(change["after"].get<std::string>()));
    }
    for (const PairJson& group : comparison["groups"]) {
        text += fmt::format("\n{}\n", group_title(group));
        Table table({{"", Table::Align::left}, {"before"}, {"after"}, {"change"}, {"noise"}, {"", Table::Align::left}});
        for (const PairJson& row : group["rows"]) {
            const std::string unit = row["unit"].get<std::string>();
            const std::string verdict = row["verdict"].get<std::string>();
            table.add_row({ums::printable(row["figure"].get<std::string>()) + (unit.empty()   ? ""
                                                                               : unit == "/s" ? unit
                                                                                              : " " + unit),
                           figure_text(row["before"].get<double>()), figure_text(row["after"].get<double>()),
                           cell_of(row["change_percent"], "{:+.1f} %"), cell_of(row["noise_percent"], "{:.1f} %"),
                           verdict == "better" || verdict == "worse" ? verdict : ""});
        }
        text += table.text(kReportColumns);
    }
    for (const PairJson& name : comparison["unpaired"]) {
        text += fmt::format("\n{}: only in one of the two\n", ums::printable(name.get<std::string>()));
    }
    if (is_sweep) {  // it has no --repeat
        return text + "\n" +
               wrapped("A sweep measures each point once, so the noise is not known, and nothing is marked.", kReportColumns, 0);
    }
    return text + "\n" +
           wrapped(
               "'better' and 'worse' mark differences that exceed the noise: how far the means of the rounds may lie apart by chance in "
               "95 of 100 cases. Where a side has one round (--repeat 5 makes more) the noise is not known, and nothing is marked.",
               kReportColumns, 0);
}

std::string baseline_problem(const MeasuredSide& baseline, const sim::MeasureTimespan& spec, bool wants_verification) {
    if (baseline.kind != MeasuredKind::measurement) {
        return fmt::format("'{}' is {}; a baseline is what 'bench --json' wrote with the same switches", ums::printable(baseline.name),
                           kind_word(baseline.kind));
    }
    if (!baseline.is_whole || baseline.finding_count > 0) {
        return fmt::format("'{}' was stopped, failed or met wrong pages: it cannot be a baseline", ums::printable(baseline.name));
    }
    const MeasuredSide asked = measured_side_of(spec);
    const std::vector<const MeasuredGroup*> partner = partners_of(baseline.groups, asked.groups);
    PairJson differences = PairJson::array();
    for (std::size_t i = 0; i < partner.size(); ++i) {
        if (partner[i] != nullptr) add_asked_differences(differences, baseline.groups[i], *partner[i]);
    }
    const bool is_paired =
        baseline.groups.size() == asked.groups.size() && std::find(partner.begin(), partner.end(), nullptr) == partner.end();
    if (!is_paired) return fmt::format("'{}' has other files or classes of work", ums::printable(baseline.name));
    // Verification takes CPU time, which counts as latency.
    if (baseline.wants_verification.value_or(wants_verification) != wants_verification) {
        const auto word = [](bool is_on) { return is_on ? "on" : "off"; };
        differences.push_back({{"name", "--verify"}, {"before", word(!wants_verification)}, {"after", word(wants_verification)}});
    }
    if (differences.empty()) return "";
    const PairJson& first = differences.front();
    return fmt::format("'{}' had other settings: {} was {}, and is {}", ums::printable(baseline.name),
                       ums::printable(first["name"].get<std::string>()), ums::printable(first["before"].get<std::string>()),
                       ums::printable(first["after"].get<std::string>()));
}

void judge_by_baseline(PairJson& comparison, double tolerance_percent) {
    PairJson failed = PairJson::array();
    for (const PairJson& group : comparison["groups"]) {
        for (const PairJson& row : group["rows"]) {
            if (!row["judged"].get<bool>() || row["change_percent"].is_null()) continue;
            if (percent_worse(row) <= tolerance_percent) continue;
            const bool is_in_every_round = is_worse_in_every_round(row, tolerance_percent);
            if (row["verdict"] == "same" && !is_in_every_round) continue;
            failed.push_back({{"where", group_title(group)},
                              {"figure", row["figure"]},
                              {"unit", row["unit"]},
                              {"before", row["before"]},
                              {"after", row["after"]},
                              {"percent_worse", percent_worse(row)},
                              {"in_every_round", is_in_every_round}});
        }
    }
    comparison["baseline"] = {{"tolerance_percent", tolerance_percent}, {"outcome", failed.empty() ? "held" : "worse"}, {"worse", failed}};
}

bool holds_baseline(const PairJson& comparison) { return comparison["baseline"]["outcome"] == "held"; }

std::string baseline_text(const PairJson& comparison) {
    const PairJson& baseline = comparison["baseline"];
    const std::string name = ums::printable(comparison["before"]["name"].get<std::string>());
    const double tolerance = baseline["tolerance_percent"].get<double>();
    if (holds_baseline(comparison)) return fmt::format("The baseline {} is held, within {} %.\n", name, tolerance);
    std::string text;
    for (const PairJson& row : baseline["worse"]) {
        text +=
            fmt::format("WORSE       {}{} of {}: {} in the baseline, {} now, {:.1f} % worse{} (allowed: {} %)\n",
                        ums::printable(row["figure"].get<std::string>()), row["unit"] == "/s" ? "/s" : " " + row["unit"].get<std::string>(),
                        ums::printable(row["where"].get<std::string>()), figure_text(row["before"].get<double>()),
                        figure_text(row["after"].get<double>()), row["percent_worse"].get<double>(),
                        row["in_every_round"].get<bool>() ? ", in every round" : "", tolerance);
    }
    return text;
}

}  // namespace reports
