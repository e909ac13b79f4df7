// Several results as one text for a terminal.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/merged_results.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "sim/latency_result.hpp"
#include "sim/limits.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFindingsShown = 20;

std::string text_of(const Json& json) { return ums::printable(json.get<std::string>()); }
std::uint64_t number_of(const Json& json) { return json.get<std::uint64_t>(); }

std::string time_text(double ns) { return latency_text(static_cast<std::uint64_t>(ns)); }

// One of the percentiles of sim::kLatencyPercents; "-" without requests.
std::string percentile_text(const Json& latency, double percent) {
    if (number_of(latency["count"]) == 0) return "-";
    for (const Json& each : latency["percentiles_ns"]) {
        if (each[0].get<double>() == percent) return time_text(each[1].get<double>());
    }
    return "-";
}

std::string clock_offset_text(const Json& host) {
    if (host["clock_offset_us"].is_null()) return "-";
    const auto offset_us = host["clock_offset_us"].get<std::int64_t>();
    return (offset_us < 0 ? "-" : "+") + duration_text(static_cast<std::uint64_t>(offset_us < 0 ? -offset_us : offset_us));
}

std::string heading_text(const Json& group) {
    const Json& of = group["group"];
    const std::size_t count = group["hosts"].size();
    if (of.is_null()) {
        return wrapped(fmt::format("ioproof {}, {} of independent runs, begun {}. Times are those of the hosts' own clocks, which were not "
                                   "compared.",
                                   text_of(group["program_version"]), counted(count, "result"), text_of(group["begin_utc"])),
                       kReportColumns, 0);
    }
    const bool has_clock = group["clock"] == "witness";
    return wrapped(
        fmt::format("ioproof {}, {} of group {}, plan {}, {} ranks, begun {}{}", text_of(group["program_version"]),
                    counted(count, "result"), text_of(of["name"]), text_of(of["plan"]), number_of(of["of"]), text_of(group["begin_utc"]),
                    has_clock
                        ? fmt::format(" by the clock of the witness {}. 'Clock': the witness's minus the host's.", text_of(of["witness"]))
                        : ". The offset of some host's clock was never measured: its times are its own."),
        kReportColumns, 0);
}

std::string hosts_table(const Json& group) {
    Table table({{"Host", Table::Align::left, true}, {"began"}, {"took"}, {"clock"}, {"verified"}, {"findings"}, {"", Table::Align::left}});
    for (const Json& host : group["hosts"]) {
        table.add_row({text_of(host["name"]), "+" + duration_text(number_of(host["begin_us"])),
                       duration_text(number_of(host["duration_us"])), clock_offset_text(host),
                       count_text(number_of(host["counters"]["pages_verified"])), count_text(number_of(host["finding_count"])),
                       text_of(host["judgement"])});
    }
    return table.text(kReportColumns);
}

// Shows which host is slower than the others.
std::string slowest_table(const Json& group) {
    Table table({{"99 % within", Table::Align::left, true}, {"read"}, {"scatter"}, {"write"}, {"gather"}, {"log flush"}});
    for (const Json& host : group["hosts"]) {
        std::vector<std::string> row{text_of(host["name"])};
        for (const char* kind : {"read", "scatter_read", "write", "gather_write", "log_flush"}) {
            row.push_back(percentile_text(host["latency"][kind], 99));
        }
        table.add_row(std::move(row));
    }
    return "\n" + table.text(kReportColumns);
}

std::string latency_table(const Json& group) {
    Table table({{"All hosts", Table::Align::left}, {"count"}, {"average"}, {"50 %"}, {"99 %"}, {"99.9 %"}, {"longest"}});
    bool has_rows = false;
    for (const auto& [kind, latency] : group["latency"].items()) {
        if (number_of(latency["count"]) == 0) continue;
        has_rows = true;
        std::string name = kind;
        std::replace(name.begin(), name.end(), '_', ' ');
        table.add_row({std::move(name), count_text(number_of(latency["count"])), time_text(latency["mean_ns"].get<double>()),
                       percentile_text(latency, 50), percentile_text(latency, 99), percentile_text(latency, 99.9),
                       time_text(latency["max_ns"].get<double>())});
    }
    return has_rows ? "\n" + table.text(kReportColumns) : "";
}

std::string sums_text(const Json& group) {
    const Json& sums = group["counters"];
    return "\n" + wrapped(fmt::format("Together: {} verified, {} read, {} written; {}, {}.",
                                      counted(number_of(sums["pages_verified"]), "page read"), size_text(number_of(sums["read_bytes"])),
                                      size_text(number_of(sums["written_bytes"])), counted(number_of(group["finding_count"]), "finding"),
                                      counted(number_of(group["warning_count"]), "warning")),
                          kReportColumns, 0);
}

// As finding_place() does for a finding of this process. Log has no pages: its page is 0, its offset is not.
std::string place_of_finding(const Json& finding) {
    std::string operation = text_of(finding["operation"]);
    if (operation != "read" && operation != "write") return operation;
    const std::uint64_t offset_bytes = number_of(finding["byte_offset"]);
    const std::uint64_t page = number_of(finding["page"]);
    if (offset_bytes != page * sim::kPageBytes) return fmt::format("offset {:#x}", offset_bytes);
    return fmt::format("page {} (offset {:#x})", page, offset_bytes);
}

std::string finding_text(const Json& group, const Json& each) {
    const Json& finding = each["finding"];
    const Json& host = group["hosts"][each["host"].get<std::size_t>()];
    const auto at_us = each["at_us"].get<std::int64_t>();
    const std::string text =
        fmt::format("{}{} {}: {}, {}: {}", at_us < 0 ? "-" : "+", duration_text(static_cast<std::uint64_t>(at_us < 0 ? -at_us : at_us)),
                    text_of(host["name"]), text_of(finding["file"]), place_of_finding(finding), text_of(finding["description"]));
    return "  " + wrapped("* " + text, kReportColumns - 2, 4);
}

std::string findings_text(const Json& group) {
    if (group["findings"].empty()) return {};
    const std::uint64_t all = number_of(group["finding_count"]);
    std::uint64_t known = 0;
    for (const Json& each : group["findings_by_kind"]) known += number_of(each["count"]);
    std::string text = "\nFindings, by time\n";
    for (const Json& each : group["findings_by_kind"]) {
        text += fmt::format("  {}{:>9}  {}\n", known < all ? "at least " : "", count_text(number_of(each["count"])), text_of(each["kind"]));
    }
    const std::size_t shown = std::min(group["findings"].size(), kFindingsShown);
    for (std::size_t i = 0; i < shown; ++i) text += finding_text(group, group["findings"][i]);
    if (all > shown) text += fmt::format("  {} more: see the JSON documents.\n", count_text(all - shown));
    return text;
}

}  // namespace

std::string merged_text(const Json& group) {
    std::string text = heading_text(group) + "\n" + hosts_table(group) + slowest_table(group) + latency_table(group) + sums_text(group) +
                       findings_text(group);
    text += "\n" + wrapped(fmt::format("{}: {}", text_of(group["verdict"]), text_of(group["headline"])), kReportColumns, 0);
    for (const Json& remark : group["remarks"]) text += "  " + wrapped("* " + text_of(remark), kReportColumns - 2, 4);
    return text;
}

}  // namespace reports
