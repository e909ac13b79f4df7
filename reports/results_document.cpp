#include "reports/results_document.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "reports/html/embedded.hpp"
#include "reports/json_limits.hpp"
#include "reports/json_schema.hpp"
#include "reports/results_json.hpp"
#include "sim/results.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
    throw ResultsDocumentError(fmt::format("'{}': {}. A results file is what 'ioproof run --json FILE' writes.", name, reason));
}

const JsonSchema& results_schema() {
    static const JsonSchema schema(embedded::kResultsSchema);
    return schema;
}

// A schema cannot require that columns have a value for each interval.
void check_length(const Json& column, std::size_t intervals, const std::string& name, const std::string& place) {
    if (column.size() != intervals) {
        refuse(name, fmt::format("{} has {} values; allowed: {}, one for each interval", place, column.size(), intervals));
    }
}

// A column of latencies holds pairs: bucket, count, bucket, count, ...
void check_pairs(const Json& column, const std::string& name, const std::string& place) {
    for (std::size_t i = 0; i < column.size(); ++i) {
        const Json& pairs = column[i];
        bool is_sound = pairs.size() % 2 == 0;
        for (std::size_t k = 0; is_sound && k < pairs.size(); k += 2) {
            is_sound = pairs[k].get<std::uint64_t>() < sim::kCoarseLatencyBuckets;
        }
        if (is_sound) continue;
        refuse(name, fmt::format("{}[{}] is not pairs of a bucket, from 0 to {}, and a count", place, i, sim::kCoarseLatencyBuckets - 1));
    }
}

void check_columns(const Json& results, const std::string& name) {
    const std::size_t intervals = results["intervals"]["start_us"].size();
    for (const char* column : {"duration_us", "phase", "cycle"}) {
        check_length(results["intervals"][column], intervals, name, fmt::format("intervals.{}", column));
    }
    for (std::size_t i = 0; i < results["files"].size(); ++i) {
        const Json& series = results["files"][i]["series"];
        const auto place = [&](const std::string& column) { return fmt::format("files[{}].series.{}", i, column); };
        for (const auto& [column, values] : series.items()) {
            if (values.is_array()) check_length(values, intervals, name, place(column));
        }
        for (const char* column : {"read_latency", "write_latency"}) check_pairs(series[column], name, place(column));
    }
}

}  // namespace

Json parse_results(std::string_view text, const std::string& name) {
    // As the run made it at its start.
    if (text.empty()) refuse(name, "it is empty: its run was lost, or is still running");
    if (const auto problem = json_problem(text)) refuse(name, "it " + *problem);
    Json json = Json::parse(text);
    const auto format = json.is_object() ? json.find("format") : json.end();
    const bool is_ours = format != json.end() && format->is_number_integer() && json.value("program", Json()) == "ioproof";
    if (!is_ours) {
        refuse(name, "it is JSON, but not a results file of ioproof");
    }
    if (*format != kResultsFormat) {
        throw ResultsDocumentError(
            fmt::format("'{}': it is of format {}; this version reads format {}. Use the version of ioproof that wrote it, or a newer one.",
                        name, format->dump(), kResultsFormat));
    }
    if (const auto problem = results_schema().problem_of(json)) refuse(name, *problem);
    check_columns(json, name);
    return json;
}

std::string text_report_of(const Json& results) { return results.at("text_report").get<std::string>(); }

}  // namespace reports
