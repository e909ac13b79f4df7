#include "reports/sweep_report.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "reports/json_limits.hpp"
#include "reports/json_text.hpp"
#include "reports/knee.hpp"
#include "reports/results_document.hpp"
#include "reports/statistics.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using SweepJson = nlohmann::ordered_json;

// Columns of a point, in the order of the CSV.
constexpr std::string_view kPointColumns[] = {
    "depth",          "threads",         "block_bytes",        "write_percent",    "requests_per_s",
    "bytes_per_s",    "latency_mean_us", "latency_p50_us",     "latency_p99_us",   "latency_p999_us",
    "latency_max_us", "in_flight",       "cpu_ns_per_request", "cpu_mean_percent", "cpu_busiest_percent"};

constexpr std::string_view kPercentileColumns[] = {"latency_p50_us", "latency_p99_us", "latency_p999_us"};

// Null: not even one request lies beyond this percentile.
std::string microseconds(const SweepJson& value) {
    if (value.is_null()) return "-";
    const double us = value.get<double>();
    return us < 10'000 ? fmt::format("{:.1f} us", us) : duration_text(static_cast<std::uint64_t>(us));
}

std::string series_name(const SweepKey& key) {
    return fmt::format("{}, {}, {} % writes", counted(key.threads, "thread"), size_text(key.block_bytes), key.write_percent);
}

bool is_same_series(const SweepKey& a, const SweepKey& b) {
    return a.threads == b.threads && a.block_bytes == b.block_bytes && a.write_percent == b.write_percent;
}

// The depth is that of each file, the figures are those of all together.
SweepPoint knee_point_of(const SweepJson& point, std::size_t file_count, bool has_rate) {
    const auto requests_per_s = point["requests_per_s"].get<double>();
    return {.outstanding = point["depth"].get<double>() * static_cast<double>(file_count),
            .requests_per_s = requests_per_s,
            .latency_mean_ms = point["latency_mean_us"].get<double>() / 1000,
            .busiest_cpu_percent = point["cpu_busiest_percent"].get<double>(),
            .own_cpu_percent = point["cpu_ns_per_request"].get<double>() * requests_per_s / 1e9 * 100,
            .has_rate = has_rate};
}

std::string series_text(const std::vector<SweepPoint>& line, const Knee& knee, std::size_t file_count) {
    const std::string text = knee_text(line, knee);
    return file_count == 1 ? text
                           : text + fmt::format(" These are the requests of all {} files together; the depth is that of each.", file_count);
}

// Points with the same threads, block and mix, by depth.
std::vector<std::vector<SweepJson>> series_of(const std::vector<SweepJson>& points) {
    std::vector<std::vector<SweepJson>> series;
    for (const SweepJson& point : points) {
        const auto place = std::find_if(series.begin(), series.end(),
                                        [&](const auto& each) { return is_same_series(key_of_point(each.front()), key_of_point(point)); });
        if (place == series.end()) {
            series.push_back({point});
        } else {
            place->push_back(point);
        }
    }
    for (auto& each : series) {
        std::stable_sort(each.begin(), each.end(), [](const SweepJson& a, const SweepJson& b) { return a["depth"] < b["depth"]; });
    }
    return series;
}

constexpr std::size_t kKeyColumns = 4;  // the first ones, whole numbers
constexpr double kFigureMax = 1e18;     // nothing that is measured comes near, and it can be counted

bool is_percentile(std::string_view column) {
    return std::find(std::begin(kPercentileColumns), std::end(kPercentileColumns), column) != std::end(kPercentileColumns);
}

bool is_point(const SweepJson& point) {
    if (!point.is_object()) return false;
    for (std::size_t i = 0; i < std::size(kPointColumns); ++i) {
        const std::string column(kPointColumns[i]);
        if (!point.contains(column)) return false;
        const SweepJson& value = point[column];
        if (value.is_null() && is_percentile(column)) continue;
        if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > kFigureMax) return false;
        if (i < kKeyColumns && (!value.is_number_unsigned() || value.get<std::uint64_t>() > UINT32_MAX)) return false;
    }
    return true;
}

[[noreturn]] void refuse_sweep(const std::string& name, std::string_view what) {
    throw ResultsDocumentError(fmt::format("'{}': {}.", ums::printable(name), what));
}

// Bytes that are not UTF-8 were replaced when the document was written.
bool is_written_as(const SweepJson& list, const std::vector<std::string>& texts) { return json_line(list) == json_line(SweepJson(texts)); }

bool are_texts(const SweepJson& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const SweepJson& each) { return each.is_string(); });
}

// Of which every part that is used is there.
void check_sweep(const SweepJson& document, const std::string& name) {
    const auto part = [&](const char* key) { return document.value(key, SweepJson()); };
    if (!document.is_object() || part("document") != kSweepDocument) refuse_sweep(name, "is not what 'ioproof sweep --json' wrote");
    if (part("version") != kSweepVersion) refuse_sweep(name, "is of another version of ioproof");
    if (!part("points").is_array() || !part("combinations").is_number_unsigned() || !are_texts(part("files")) || !are_texts(part("asked")))
        refuse_sweep(name, "is not what 'ioproof sweep --json' wrote");
    for (const SweepJson& point : document["points"]) {
        if (!is_point(point)) refuse_sweep(name, "has a point without its figures");
    }
    if ((document.contains("findings") && !part("findings").is_number_unsigned()) ||
        (document.contains("failure") && !part("failure").is_string()))
        refuse_sweep(name, "is not what 'ioproof sweep --json' wrote");
}

}  // namespace

SweepJson sweep_point(const SweepKey& key, const sim::MeasureTimespanResults& timespan) {
    const sim::MeasureCounts both = timespan.total().both();
    const double seconds = timespan.seconds() > 0 ? timespan.seconds() : 1;
    const double rate = static_cast<double>(both.requests) / seconds;
    const auto us = [&](double percent) {
        if (!has_requests_beyond(static_cast<double>(both.latency.count()), percent)) return SweepJson(nullptr);
        return SweepJson(static_cast<double>(both.latency.percentile_ns(percent)) / 1000);
    };
    const auto file_count = static_cast<double>(timespan.targets.size());
    double busiest = 0;
    for (const sim::MeasureCpu& cpu : timespan.cpus) busiest = std::max(busiest, cpu.usage_percent());
    SweepJson point;
    point["depth"] = key.depth;
    point["threads"] = key.threads;
    point["block_bytes"] = key.block_bytes;
    point["write_percent"] = key.write_percent;
    point["requests_per_s"] = rate;
    point["bytes_per_s"] = static_cast<double>(both.bytes) / seconds;
    point["latency_mean_us"] = both.latency.mean_ns() / 1000;
    point["latency_p50_us"] = us(50);
    point["latency_p99_us"] = us(99);
    point["latency_p999_us"] = us(99.9);
    point["latency_max_us"] = static_cast<double>(both.latency.max_ns()) / 1000;
    point["in_flight"] = requests_in_flight(rate, both.latency.mean_ns() / 1e6, static_cast<double>(key.depth) * file_count);
    point["cpu_ns_per_request"] = timespan.cpu_ns_per_request();
    point["cpu_mean_percent"] = timespan.cpu_mean().usage_percent();
    point["cpu_busiest_percent"] = busiest;
    return point;
}

SweepKey key_of_point(const SweepJson& point) {
    return {point["depth"].get<std::uint32_t>(), point["threads"].get<std::uint32_t>(), point["block_bytes"].get<std::uint32_t>(),
            point["write_percent"].get<std::uint32_t>()};
}

SweepJson sweep_document(const std::vector<std::string>& files, const std::vector<std::string>& asked, std::size_t count,
                         const std::vector<SweepJson>& points) {
    SweepJson document{{"document", kSweepDocument}, {"version", kSweepVersion}, {"files", files}, {"asked", asked}};
    document["combinations"] = count;
    document["is_complete"] = points.size() >= count;
    document["points"] = points;
    document["series"] = SweepJson::array();
    const std::size_t file_count = std::max<std::size_t>(files.size(), 1);
    const bool has_rate = std::any_of(asked.begin(), asked.end(), [](const std::string& word) { return word.starts_with("rate="); });
    for (const auto& series : series_of(points)) {
        std::vector<SweepPoint> line;
        for (const SweepJson& point : series) line.push_back(knee_point_of(point, file_count, has_rate));
        const Knee knee = knee_of(line);
        document["series"].push_back({{"name", series_name(key_of_point(series.front()))},
                                      {"has_knee", knee.is_knee},
                                      {"knee_depth", series[knee.at]["depth"]},
                                      {"is_cpu_bound", knee.is_cpu_bound},
                                      {"is_cpu_shared", knee.is_cpu_shared},
                                      {"littles_ratio", knee.littles_ratio},
                                      {"text", series_text(line, knee, file_count)},
                                      {"points", series}});
    }
    return document;
}

void add_sweep_failure(SweepJson& document, const sim::MeasureResults& failed) {
    document["findings"] = failed.finding_count;
    document["failure"] = failed.failure_reason;
}

std::vector<SweepJson> points_of_sweep(std::string_view text, const std::string& name, const std::vector<std::string>& files,
                                       const std::vector<std::string>& asked) {
    if (json_problem(text)) refuse_sweep(name, "is not what 'ioproof sweep --json' wrote");
    const SweepJson document = SweepJson::parse(text, nullptr, false);
    check_sweep(document, name);
    if (!is_written_as(document["files"], files) || !is_written_as(document["asked"], asked)) {
        refuse_sweep(name, "is of a sweep with other settings; give the same files and switches, or leave --resume out");
    }
    return document["points"];
}

SweepJson sweep_anew(const SweepJson& document, const std::string& name) {
    check_sweep(document, name);
    SweepJson anew = sweep_document(document["files"], document["asked"], document["combinations"].get<std::size_t>(), document["points"]);
    for (const char* part : {"findings", "failure"}) {
        if (document.contains(part)) anew[part] = document[part];
    }
    return anew;
}

std::string sweep_text(const SweepJson& document) {
    std::string text;
    Table table(
        {{"depth"}, {"threads"}, {"block"}, {"writes"}, {"requests/s"}, {"MB/s"}, {"mean"}, {"99 %"}, {"99.9 %"}, {"in flight"}, {"CPU"}});
    for (const SweepJson& series : document["series"]) {
        for (const SweepJson& point : series["points"]) {
            table.add_row(
                {fmt::format("{}", point["depth"].get<std::uint32_t>()), fmt::format("{}", point["threads"].get<std::uint32_t>()),
                 size_text(point["block_bytes"].get<std::uint64_t>()), fmt::format("{} %", point["write_percent"].get<std::uint32_t>()),
                 rounded_text(point["requests_per_s"].get<double>()), fmt::format("{:.1f}", point["bytes_per_s"].get<double>() / (1 << 20)),
                 microseconds(point["latency_mean_us"]), microseconds(point["latency_p99_us"]), microseconds(point["latency_p999_us"]),
                 fmt::format("{:.1f}", point["in_flight"].get<double>()),
                 fmt::format("{:.0f} %", point["cpu_busiest_percent"].get<double>())});
        }
    }
    text += table.text(kReportColumns);
    for (const SweepJson& series : document["series"]) {
        text +=
            "\n" + wrapped(fmt::format("{}: {}", series["name"].get<std::string>(), series["text"].get<std::string>()), kReportColumns, 2);
    }
    if (const auto findings = document.value("findings", std::uint64_t{0}); findings > 0) {
        text += fmt::format("\nWRONG: {} ended the sweep.\n", counted(findings, "finding"));
    }
    if (!document["is_complete"].get<bool>()) {
        text += fmt::format("\nNot complete: {} of {} combinations were measured. --resume measures the others.\n",
                            document["points"].size(), document["combinations"].get<std::size_t>());
    }
    return text;
}

std::string sweep_csv_head() { return fmt::format("{}\n", fmt::join(kPointColumns, ",")); }

std::string sweep_csv(const SweepJson& document) {
    std::string text = sweep_csv_head();
    for (const SweepJson& point : document["points"]) {
        std::vector<std::string> cells;
        for (const std::string_view column : kPointColumns) {
            const SweepJson& value = point[std::string(column)];
            cells.push_back(value.is_null() ? "" : fmt::format("{:.10g}", value.get<double>()));
        }
        text += fmt::format("{}\n", fmt::join(cells, ","));
    }
    return text;
}

}  // namespace reports
