#include "reports/measure_csv.hpp"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/bench_report.hpp"
#include "reports/json_text.hpp"
#include "reports/statistics.hpp"

namespace reports {

namespace {

using CsvJson = nlohmann::ordered_json;

constexpr std::string_view kCsvHead =
    "round,target,class,path,operation,requests,bytes,requests_per_s,bytes_per_s,latency_mean_us,latency_deviation_us,latency_min_us,"
    "latency_p50_us,latency_p90_us,latency_p95_us,latency_p99_us,latency_p999_us,latency_p9999_us,latency_max_us\n";
constexpr double kCsvPercents[] = {50, 90, 95, 99, 99.9, 99.99};
constexpr std::size_t kLatencyCells = std::size(kCsvPercents) + 4;

// Bytes that are not UTF-8 are replaced as in the JSON: readers would refuse the whole file.
std::string csv_cell(const std::string& name) {
    auto text = CsvJson::parse(json_line(CsvJson(name))).get<std::string>();
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

// Counts are exact: ten digits would cut off the bytes of a few seconds.
std::string number_cell(const CsvJson& value) {
    return value.is_number_integer() ? value.dump() : fmt::format("{:.10g}", value.get<double>());
}

std::string us_cell(double ns) { return fmt::format("{:.10g}", ns / 1000); }

void add_latency(std::vector<std::string>& cells, const CsvJson& latency) {
    if (latency["count"] == 0) {
        cells.resize(cells.size() + kLatencyCells);
        return;
    }
    for (const char* const name : {"mean_ns", "deviation_ns", "min_ns"}) cells.push_back(us_cell(latency[name].get<double>()));
    for (const double percent : kCsvPercents) {
        if (!has_requests_beyond(latency["count"].get<double>(), percent)) {
            cells.emplace_back();
            continue;
        }
        const auto pair = std::find_if(latency["percentiles_ns"].begin(), latency["percentiles_ns"].end(),
                                       [&](const CsvJson& each) { return each[0].get<double>() == percent; });
        cells.push_back(pair == latency["percentiles_ns"].end() ? "" : us_cell((*pair)[1].get<double>()));
    }
    cells.push_back(us_cell(latency["max_ns"].get<double>()));
}

struct CsvPlace {
    std::size_t round = 1;
    std::string target;  // its number, or "all"
    std::string label;
    std::string path;
};

std::vector<std::string> place_cells(const CsvPlace& place, std::string_view operation) {
    return {fmt::format("{}", place.round), place.target, csv_cell(place.label), csv_cell(place.path), std::string(operation)};
}

std::string line_of(const CsvPlace& place, std::string_view operation, const CsvJson& counts) {
    std::vector<std::string> cells = place_cells(place, operation);
    for (const char* const name : {"requests", "bytes", "requests_per_s", "bytes_per_s"}) cells.push_back(number_cell(counts[name]));
    add_latency(cells, counts["latency"]);
    return fmt::format("{}\n", fmt::join(cells, ","));
}

std::string lines_of_round(std::size_t round, const CsvJson& targets, const CsvJson& total) {
    std::string text;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const CsvPlace place{round, fmt::format("{}", i + 1), targets[i]["class"].get<std::string>(),
                             targets[i]["path"].get<std::string>()};
        text += line_of(place, "read", targets[i]["reads"]) + line_of(place, "write", targets[i]["writes"]);
    }
    const CsvPlace all{round, "all", "", ""};
    return text + line_of(all, "read", total["reads"]) + line_of(all, "write", total["writes"]) + line_of(all, "both", total["both"]);
}

// The files of a run's own path are measured together, and only the mean of their latencies is known.
std::string own_path_line(const CsvJson& document) {
    std::vector<std::string> names;
    for (const CsvJson& file : document["files"]) names.push_back(file.get<std::string>());
    std::vector<std::string> cells =
        place_cells({1, "all", "", fmt::format("{}", fmt::join(names, " "))}, document["op"].get<std::string>());
    for (const char* const name : {"requests", "bytes", "requests_per_s", "bytes_per_s", "latency_mean_us"})
        cells.push_back(number_cell(document[name]));
    cells.resize(cells.size() + kLatencyCells - 1);
    return fmt::format("{}\n", fmt::join(cells, ","));
}

}  // namespace

std::string measure_csv_head() { return std::string(kCsvHead); }

std::string measure_csv(const CsvJson& document) {
    std::string text = measure_csv_head();
    if (document["document"] == kBenchDocument) return text + own_path_line(document);
    if (!document.contains("targets")) return text;
    if (!document.contains("rounds")) return text + lines_of_round(1, document["targets"], document["total"]);
    const CsvJson& rounds = document["rounds"];
    for (std::size_t i = 0; i < rounds["totals"].size(); ++i) text += lines_of_round(i + 1, rounds["targets"][i], rounds["totals"][i]);
    return text;
}

}  // namespace reports
