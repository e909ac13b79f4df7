#include "cli/powertest/reported_findings.hpp"

#include <algorithm>
#include <fstream>
#include <ios>
#include <nlohmann/json.hpp>
#include <optional>

#include "reports/time_text.hpp"
#include "sim/finding.hpp"

namespace cli {

void ReportedFindings::look() {
    std::ifstream file(path_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(read_bytes_));
    // The last line is complete only with its end.
    for (std::string line; std::getline(file, line) && !file.eof();) {
        read_bytes_ += line.size() + 1;
        take(line);
    }
}

void ReportedFindings::take(const std::string& line) {
    const nlohmann::json finding = nlohmann::json::parse(line, nullptr, false);
    if (!finding.is_object() || !finding.contains("warning") || !finding.contains("class")) return;
    const nlohmann::json& warning = finding.at("warning");
    const nlohmann::json& name = finding.at("class");
    if (!warning.is_boolean() || warning.get<bool>() || !name.is_string()) return;
    const std::optional<sim::FindingKind> kind = sim::finding_kind_of(name.get<std::string>());
    if (!kind) return;
    ++count_;
    const bool has_failed =
        *kind == sim::FindingKind::io_error || *kind == sim::FindingKind::short_transfer || *kind == sim::FindingKind::stalled_io;
    if (!has_failed) ++wrong_data_;
    if (!finding.contains("utc") || !finding.at("utc").is_string()) return;
    const std::optional<std::uint64_t> utc_us = reports::utc_us_of(finding.at("utc").get<std::string>());
    if (utc_us) utc_us_.push_back(*utc_us);
}

std::uint64_t ReportedFindings::count_before(std::uint64_t utc_us) const {
    const auto is_before = [utc_us](std::uint64_t each) { return each < utc_us; };
    return static_cast<std::uint64_t>(std::count_if(utc_us_.begin(), utc_us_.end(), is_before));
}

}  // namespace cli
