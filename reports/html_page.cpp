#include "reports/html_page.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/comparison.hpp"
#include "reports/html/embedded.hpp"
#include "reports/measure_comparison.hpp"
#include "reports/merged_results.hpp"
#include "reports/results_document.hpp"
#include "reports/sweep_report.hpp"
#include "sim/kept_findings.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

std::string html_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

struct Script {
    std::string_view text;
    std::string_view hash;
};

// Whatever the data contain, nothing is loaded or sent, and only our own scripts run: neither one that was injected, nor one in a link or
// an attribute.
std::string policy(const Script& script) {
    return fmt::format(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
        "style-src 'unsafe-inline'; img-src data:; script-src '{}' '{}' '{}'\">\n",
        embedded::kChartScriptHash, embedded::kCommonScriptHash, script.hash);
}

// `plain`: for browsers that run no scripts.
std::string page(const std::string& title, const Json& data, const Script& script, const std::string& plain) {
    std::string html = "<!DOCTYPE html>\n<!-- ioproof page -->\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + policy(script);
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    html += fmt::format("<title>{}</title>\n<style>\n", html_escaped(ums::printable(title)));
    html.append(embedded::kStyle).append("</style>\n</head>\n<body>\n<main id=\"page\"></main>\n");
    html += fmt::format("<noscript><pre>{}</pre></noscript>\n", html_escaped(ums::printable_lines(plain)));
    html += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", script_safe(data));
    // Byte for byte, because the policy has their hashes.
    for (const std::string_view text : {embedded::kChartScript, embedded::kCommonScript, script.text}) {
        html.append("<script>").append(text).append("</script>\n");
    }
    return html.append("</body>\n</html>\n");
}

// How many findings of each kind the document has, most frequent first.
Json kinds_counted(const Json& findings) {
    std::map<std::string, std::uint64_t> counts;
    for (const Json& finding : findings) {
        if (!finding.value("warning", false)) ++counts[finding.value("class", "unknown")];
    }
    std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    Json list = Json::array();
    for (const auto& [kind, count] : sorted) list.push_back({{"class", kind}, {"count", count}});
    return list;
}

// Findings of one host, or of several with each finding inside its entry: what a page shows of them.
void keep_shown(Json& findings) {
    sim::KeptFindings kept(kHtmlFindings);
    Json shown = Json::array();
    for (Json& entry : findings) {
        const auto inner = entry.find("finding");
        const Json& finding = inner == entry.end() ? entry : *inner;
        if (kept.keeps(sim::finding_kind_of(finding.value("class", "unknown")), finding.value("warning", false))) {
            shown.push_back(std::move(entry));
        }
    }
    findings = std::move(shown);
}

// As text: a browser's numbers are exact only up to 2^53, and LSNs have 64 bits.
void spell_lsns(Json& facts) {
    for (auto fact = facts.begin(); fact != facts.end(); ++fact) {
        if (fact.value().is_object()) spell_lsns(fact.value());
        if (!fact.key().ends_with("_lsn") || !fact.value().is_number_unsigned()) continue;
        fact.value() = fmt::format("0x{:x}", fact.value().get<std::uint64_t>());
    }
}

}  // namespace

std::string script_safe(const Json& json) {
    // ASCII only: this escapes U+2028 and U+2029, too.
    const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) {
        if (c == '<' || c == '>' || c == '&') {
            safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            safe += c;
        }
    }
    return safe;
}

std::string html_report(const Json& results) {
    Json data = results;
    data["findings_by_kind"] = kinds_counted(results["findings"]);
    keep_shown(data["findings"]);
    for (Json& finding : data["findings"]) {
        const auto is_same = [&](const Json& file) { return file["file_id"] == finding["file_id"]; };
        const auto file = std::find_if(results["files"].begin(), results["files"].end(), is_same);
        // A chain of backups, which is not among the files of the run, has no pages either.
        const bool is_chain = finding.value("role", "") == sim::name_of(sim::FileRole::backup_chain);
        finding["file_is_log"] = is_chain || (file != results["files"].end() && (*file)["is_log"].get<bool>());
    }
    if (data.contains("warnings") && data["warnings"].is_array() && data["warnings"].size() > kHtmlFindings) {
        data["warnings"].erase(data["warnings"].begin() + kHtmlFindings, data["warnings"].end());
    }
    if (const auto durability = data.find("durability"); durability != data.end() && durability->is_object()) spell_lsns(*durability);
    data.erase("text_report");
    const std::string judgement = results["verdict"].value("judgement", "");
    return page(fmt::format("{}: ioproof results", judgement), data, {embedded::kReportScript, embedded::kReportScriptHash},
                text_report_of(results));
}

std::string html_merged(const Json& group) {
    Json data = group;
    keep_shown(data["findings"]);
    return page(fmt::format("{}: ioproof, {} hosts", group.value("verdict", ""), group["hosts"].size()), data,
                {embedded::kMergedScript, embedded::kMergedScriptHash}, merged_text(group));
}

std::string html_campaign(const Json& campaign, const std::string& plain) {
    return page(fmt::format("{}: ioproof power cuts", campaign.value("verdict", "")), campaign,
                {embedded::kPowertestScript, embedded::kPowertestScriptHash}, plain);
}

std::string html_sweep(const Json& document) {
    return page("ioproof sweep", document, {embedded::kSweepScript, embedded::kSweepScriptHash}, sweep_text(document));
}

std::string html_measurement(const Json& document) {
    return page("ioproof measurement", document, {embedded::kMeasurementScript, embedded::kMeasurementScriptHash},
                document.value("text_report", ""));
}

std::string html_measure_comparison(const Json& comparison) {
    return page("ioproof comparison", comparison, {embedded::kCompareMeasuredScript, embedded::kCompareMeasuredScriptHash},
                measure_comparison_text(comparison));
}

std::string html_comparison(const Json& comparison) {
    return page("ioproof comparison", comparison, {embedded::kCompareScript, embedded::kCompareScriptHash}, comparison_text(comparison));
}

}  // namespace reports
