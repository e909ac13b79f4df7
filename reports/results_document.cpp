#include "reports/results_document.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include <fmt/format.h>

#include "reports/results_json.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;
using Type = Json::value_t;

constexpr std::array<std::pair<std::string_view, Type>, 12> kParts{{{"version", Type::string},
                                                                    {"run", Type::object},
                                                                    {"verdict", Type::object},
                                                                    {"phases", Type::array},
                                                                    {"files", Type::array},
                                                                    {"intervals", Type::object},
                                                                    {"users", Type::array},
                                                                    {"schedulers", Type::array},
                                                                    {"waits", Type::array},
                                                                    {"configuration", Type::array},
                                                                    {"findings", Type::array},
                                                                    {"text_report", Type::string}}};
constexpr std::array<std::string_view, 11> kColumns{"reads",          "writes",        "read_bytes",   "written_bytes",
                                                    "read_time_us",   "write_time_us", "throttles",    "outstanding",
                                                    "request_blocks", "read_latency",  "write_latency"};

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
    throw ResultsDocumentError(fmt::format("'{}': {}. A results file is what 'ioproof run --json FILE' writes.", name, reason));
}

void check_file(const Json& file, std::size_t intervals, const std::string& name) {
    const bool has_facts = file.is_object() && file.contains("path") && file["path"].is_string() && file.contains("is_log") &&
                           file["is_log"].is_boolean() && file.contains("latency") && file["latency"].is_object() &&
                           file.contains("series") && file["series"].is_object();
    if (!has_facts) refuse(name, "the facts of a file are missing in it");
    for (const std::string_view column : kColumns) {
        const auto found = file["series"].find(column);
        if (found == file["series"].end() || !found->is_array() || found->size() != intervals) {
            refuse(name, fmt::format("the time series '{}' of {} is not complete", column, file["path"].get<std::string>()));
        }
    }
}

}  // namespace

Json parse_results(std::string_view text, const std::string& name) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) refuse(name, "it is not JSON, or it was cut off");
    const auto format = json.is_object() ? json.find("format") : json.end();
    if (!json.is_object() || json.value("program", Json()) != "ioproof" || format == json.end() || !format->is_number_integer()) {
        refuse(name, "it is JSON, but not a results file of ioproof");
    }
    if (*format != kResultsFormat) {
        throw ResultsDocumentError(
            fmt::format("'{}': it is of format {}; this version reads format {}. Use the version of ioproof that wrote it, or a newer one.",
                        name, format->dump(), kResultsFormat));
    }
    for (const auto& [part, type] : kParts) {
        const auto found = json.find(part);
        if (found == json.end() || found->type() != type) refuse(name, fmt::format("'{}' is missing in it, or is something else", part));
    }
    if (!json["finding_count"].is_number_unsigned()) refuse(name, "'finding_count' is missing in it");
    for (const char* column : {"start_us", "duration_us", "phase", "cycle"}) {
        if (!json["intervals"].contains(column) || !json["intervals"][column].is_array()) refuse(name, "the intervals are missing in it");
    }
    for (const Json& file : json["files"]) check_file(file, json["intervals"]["start_us"].size(), name);
    return json;
}

std::string text_report_of(const Json& results) { return results.at("text_report").get<std::string>(); }

}  // namespace reports
