#include "reports/merged_results.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reports/merged_hosts.hpp"
#include "reports/merged_latency.hpp"
#include "reports/merged_members.hpp"
#include "reports/results_document.hpp"
#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "reports/time_text.hpp"
#include "sim/latency_result.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;
using Latencies = std::array<MergedLatency, sim::kIoClassCount>;

constexpr std::array kFileCounters{"reads",         "scatter_reads",  "writes",          "gather_writes", "read_bytes",
                                   "written_bytes", "pages_verified", "long_ios",        "write_retries", "grown_count",
                                   "shrunk_count",  "throttle_count", "total_io_time_us"};

// --- sums ---

void add_number(Json& sums, const char* key, std::uint64_t value) { sums[key] = sums.value(key, std::uint64_t{0}) + value; }

Json counters_of(const Json& results) {
    Json sums = Json::object();
    for (const char* key : kFileCounters) {
        std::uint64_t sum = 0;
        for (const Json& file : results["files"]) sum += file[key].get<std::uint64_t>();
        sums[key] = sum;
    }
    return sums;
}

void add_latencies(const NamedResults& file, Latencies& sums) {
    for (const Json& each : (*file.results)["files"]) {
        for (std::size_t i = 0; i < sim::kIoClassCount; ++i) {
            const std::string name(sim::name_of(static_cast<sim::IoClass>(i)));
            const auto problem = sums[i].add(each["latency"][name]);
            if (!problem) continue;
            throw ResultsDocumentError(fmt::format("'{}': how long the requests '{}' of {} took cannot be added up: {}.", file.name, name,
                                                   each["path"].get<std::string>(), *problem));
        }
    }
}

Json json_of(const Latencies& latencies) {
    Json json = Json::object();
    for (std::size_t i = 0; i < sim::kIoClassCount; ++i)
        json[std::string(sim::name_of(static_cast<sim::IoClass>(i)))] = latencies[i].json();
    return json;
}

// Adds up users or waits of the same name, in the order of their first occurrence.
Json summed_by_name(const std::vector<MergedHost>& hosts, const char* list, const char* name, const char* largest) {
    Json sums = Json::array();
    std::map<std::string, std::size_t> places;
    for (const MergedHost& host : hosts) {
        for (const Json& each : host.results()[list]) {
            const auto [place, is_new] = places.try_emplace(each[name].get<std::string>(), sums.size());
            if (is_new) {
                sums.push_back(each);
                continue;
            }
            Json& sum = sums[place->second];
            for (const auto& [key, value] : each.items()) {
                if (key == name || !value.is_number_unsigned()) continue;
                Json& known = sum.emplace(key, 0U).first.value();  // another version may not have it
                if (!known.is_number_unsigned()) continue;
                const auto number = value.get<std::uint64_t>();
                const auto before = known.get<std::uint64_t>();
                known = key == largest ? std::max(before, number) : before + number;
            }
        }
    }
    return sums;
}

// --- one host ---

// The series of all its files together, with times on the axis of all hosts.
Json series_of(const Json& results, std::uint64_t begin_us) {
    const Json& intervals = results["intervals"];
    const std::size_t count = intervals["start_us"].size();
    Json series = {{"start_us", Json::array()}, {"duration_us", intervals["duration_us"]}, {"phase", intervals["phase"]}};
    for (const Json& start_us : intervals["start_us"]) series["start_us"].push_back(begin_us + start_us.get<std::uint64_t>());
    for (const char* column : {"reads", "writes", "read_bytes", "written_bytes", "read_time_us", "write_time_us"}) {
        Json sums = Json::array();
        for (std::size_t i = 0; i < count; ++i) {
            std::uint64_t sum = 0;
            for (const Json& file : results["files"]) sum += file["series"][column][i].get<std::uint64_t>();
            sums.push_back(sum);
        }
        series[column] = std::move(sums);
    }
    return series;
}

Json document_of(const MergedHost& host, std::uint64_t axis_utc_us) {
    const Json& results = host.results();
    const MergedMember member = host.member.value_or(MergedMember{});
    Latencies latencies;
    add_latencies(*host.file, latencies);
    const std::uint64_t begin_us = host.start_utc_us - axis_utc_us;
    const Json& reasons = results["verdict"]["reasons"];
    return {{"name", host.name()},
            {"results_file", host.file->name},
            {"rank", host.member ? Json(member.rank) : Json()},
            {"turn", member.turn != 0 ? Json(member.turn) : Json()},
            {"host", member.host},
            {"run_id", results["run"]["run_id"]},
            {"version", results["version"]},
            {"is_verification", results.contains("durability")},
            {"start_utc", results["run"]["start_utc"]},
            {"clock_offset_us", member.clock_offset_us ? Json(*member.clock_offset_us) : Json()},
            {"clock_error_us", member.clock_error_us},
            {"begin_us", begin_us},
            {"duration_us", results["run"]["duration_us"]},
            {"judgement", results["verdict"]["judgement"]},
            {"reason", reasons.empty() ? Json("") : reasons[0]["text"]},
            {"finding_count", results["finding_count"]},
            {"warning_count", results["warning_count"]},
            {"files", results["files"].size()},
            {"counters", counters_of(results)},
            {"latency", json_of(latencies)},
            {"series", series_of(results, begin_us)}};
}

// --- findings ---

Json findings_of(const std::vector<MergedHost>& hosts, std::uint64_t axis_utc_us) {
    Json list = Json::array();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const std::int64_t offset_us = hosts[i].member && hosts[i].member->clock_offset_us ? *hosts[i].member->clock_offset_us : 0;
        for (const Json& finding : hosts[i].results()["findings"]) {
            const std::optional<std::uint64_t> utc_us = utc_us_of(finding["utc"].get<std::string>());
            const std::int64_t at_us = static_cast<std::int64_t>(utc_us.value_or(hosts[i].start_utc_us)) + (utc_us ? offset_us : 0) -
                                       static_cast<std::int64_t>(axis_utc_us);
            list.push_back({{"host", i}, {"at_us", at_us}, {"finding", finding}});
        }
    }
    std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) { return a["at_us"] < b["at_us"]; });
    return list;
}

// Counts findings by their name among several hosts if they have one, otherwise by class; most frequent first.
Json kinds_of(const Json& findings) {
    std::map<std::string, std::uint64_t> counts;
    for (const Json& each : findings) {
        const Json& finding = each["finding"];
        const auto fact = finding.find("group_fact");
        const bool is_named = fact != finding.end() && fact->is_object() && fact->contains("name") && (*fact)["name"].is_string();
        ++counts[is_named ? (*fact)["name"].get<std::string>() : finding.value("class", "unknown")];
    }
    std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    Json list = Json::array();
    for (const auto& [kind, count] : sorted) list.push_back({{"kind", kind}, {"count", count}});
    return list;
}

// --- the verdict ---

std::string numbers_text(std::string_view noun, const std::vector<std::uint32_t>& numbers) {
    if (numbers.size() == 1) return fmt::format("{} {}", noun, numbers[0]);
    std::string text = fmt::format("{}s ", noun);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) text += i + 1 == numbers.size() ? " and " : ", ";
        text += std::to_string(numbers[i]);
    }
    return text;
}

struct Judged {
    std::string verdict;
    std::string headline;
    std::vector<std::string> remarks;
};

std::size_t count_of(const std::vector<MergedHost>& hosts, std::string_view judgement) {
    return static_cast<std::size_t>(std::count_if(
        hosts.begin(), hosts.end(), [&](const MergedHost& host) { return host.results()["verdict"]["judgement"] == judgement; }));
}

void add_host_remarks(const std::vector<MergedHost>& hosts, std::string_view judgement, Judged& judged) {
    for (const MergedHost& host : hosts) {
        const Json& verdict = host.results()["verdict"];
        if (verdict["judgement"] != judgement || verdict["reasons"].empty()) continue;
        judged.remarks.push_back(fmt::format("{}: {}", host.name(), verdict["reasons"][0]["text"].get<std::string>()));
    }
}

// Before all else: the findings of such a host are not its storage's.
void add_rehearsals(const std::vector<MergedHost>& hosts, Judged& judged) {
    std::vector<std::string> notices;
    for (const MergedHost& host : hosts) {
        const std::string faults = host.results()["run"].value("rehearsal", std::string());  // older documents do not have it
        if (!faults.empty()) notices.push_back(fmt::format("{}: {}", host.name(), rehearsal_notice(faults)));
    }
    judged.remarks.insert(judged.remarks.begin(), notices.begin(), notices.end());
}

// Nothing is known to be wrong, but a limit of --fail-on was exceeded.
bool is_only_slow(const MergedHost& host) {
    const Json& verdict = host.results()["verdict"];
    const Json& reasons = verdict["reasons"];
    if (verdict["judgement"] != "FAIL" || reasons.empty()) return false;
    return reasons[0]["id"] == "threshold" || reasons[0]["id"] == "threshold_incomplete";
}

// What a result without findings proves.
std::string_view proof_of(const MergedHost& any) {
    if (!any.member) return "Each run got back from its storage what it had given to it.";
    if (any.member->plan == "hand-over") return "Each owner found what the ones before it had been promised.";
    if (any.member->plan == "readers")
        return "The owner got back what it had written, and each reader saw what had been promised to the owner.";
    return "Each host got back what it had written, and nothing of another one's.";
}

Judged judged(const std::vector<MergedHost>& hosts, const MergedGaps& gaps, std::uint64_t pages_verified) {
    Judged judged;
    const std::string_view noun = hosts.front().member ? (gaps.turn_count != 0 ? "turn" : "rank") : "result";
    const std::size_t failed = count_of(hosts, "FAIL");
    const auto slow = static_cast<std::size_t>(std::count_if(hosts.begin(), hosts.end(), is_only_slow));
    const std::size_t incomplete = count_of(hosts, "INCOMPLETE");
    std::vector<std::string> missing;
    // A rank of a hand-over that ended early may have come, and waited for a turn that never began.
    if (!gaps.ranks.empty() && gaps.turn_count == 0)
        missing.push_back(fmt::format("{} of {} did not come back", numbers_text("rank", gaps.ranks), gaps.of));
    if (!gaps.turns.empty())
        missing.push_back(fmt::format("there is no result of {} of {}", numbers_text("turn", gaps.turns), gaps.turn_count));
    if (failed > 0) {
        judged.verdict = "FAIL";
        judged.headline = fmt::format("{} of {} failed{}", failed, counted(hosts.size(), noun),
                                      slow == failed ? ": the storage is slower than you allow. Nothing that it returned was wrong."
                                                     : ". Do not trust this storage with a database until the cause is found.");
        add_host_remarks(hosts, "FAIL", judged);
        for (const std::string& each : missing) judged.remarks.push_back(fmt::format("In addition, {}.", each));
        add_host_remarks(hosts, "INCOMPLETE", judged);
    } else if (!missing.empty() || incomplete > 0) {
        judged.verdict = "INCOMPLETE";
        if (incomplete > 0) missing.push_back(fmt::format("{} of {} proved nothing", incomplete, counted(hosts.size(), noun)));
        judged.headline = fmt::format("{}. The results of the others say nothing about these.", fmt::join(missing, "; "));
        add_host_remarks(hosts, "INCOMPLETE", judged);
    } else {
        judged.verdict = "PASS";
        // Of a turn that was cut off by plan, the next one is the result.
        const std::uint64_t count = gaps.turn_count != 0 ? gaps.turn_count : hosts.size();
        judged.headline = fmt::format("all {}: {} were verified. {}", counted(count, noun), counted(pages_verified, "page read"),
                                      proof_of(hosts.front()));
    }
    add_rehearsals(hosts, judged);
    return judged;
}

Json group_of(const std::vector<MergedHost>& hosts, const MergedGaps& gaps) {
    if (!hosts.front().member) return nullptr;
    const MergedMember& member = *hosts.front().member;
    return {{"name", member.group},       {"plan", member.plan},       {"of", gaps.of},
            {"turns", gaps.turn_count},   {"witness", member.witness}, {"missing_ranks", gaps.ranks},
            {"missing_turns", gaps.turns}};
}

MergedGaps gaps_of(const std::vector<MergedHost>& hosts) {
    std::vector<MergedMember> members;
    for (const MergedHost& host : hosts) {
        if (host.member) members.push_back(*host.member);
    }
    return gaps_of(members);
}

bool are_clocks_compared(const std::vector<MergedHost>& hosts) {
    return std::all_of(hosts.begin(), hosts.end(), [](const MergedHost& host) { return host.member && host.member->clock_offset_us; });
}

}  // namespace

Json merged_results(const std::vector<NamedResults>& all, std::string_view program_version) {
    const std::vector<MergedHost> hosts = merged_hosts(all);
    const auto first = std::min_element(hosts.begin(), hosts.end(),
                                        [](const MergedHost& a, const MergedHost& b) { return a.start_utc_us < b.start_utc_us; });
    const std::uint64_t axis_utc_us = first->start_utc_us;
    Json rows = Json::array();
    Json counters = Json::object();
    Latencies latencies;
    std::uint64_t finding_count = 0;
    std::uint64_t warning_count = 0;
    std::uint64_t duration_us = 0;
    for (const MergedHost& host : hosts) {
        rows.push_back(document_of(host, axis_utc_us));
        for (const auto& [key, value] : rows.back()["counters"].items()) add_number(counters, key.c_str(), value.get<std::uint64_t>());
        add_latencies(*host.file, latencies);
        finding_count += rows.back()["finding_count"].get<std::uint64_t>();
        warning_count += rows.back()["warning_count"].get<std::uint64_t>();
        duration_us = std::max(duration_us, rows.back()["begin_us"].get<std::uint64_t>() + rows.back()["duration_us"].get<std::uint64_t>());
    }
    const MergedGaps gaps = gaps_of(hosts);
    const Judged verdict = judged(hosts, gaps, counters["pages_verified"].get<std::uint64_t>());
    Json findings = findings_of(hosts, axis_utc_us);
    Json kinds = kinds_of(findings);
    return {{"document", kMergedDocument},
            {"version", 1},
            {"program_version", program_version},
            {"verdict", verdict.verdict},
            {"headline", verdict.headline},
            {"remarks", verdict.remarks},
            {"group", group_of(hosts, gaps)},
            {"clock", are_clocks_compared(hosts) ? "witness" : "hosts"},
            {"begin_utc", utc_iso_text(axis_utc_us)},
            {"duration_us", duration_us},
            {"finding_count", finding_count},
            {"warning_count", warning_count},
            {"counters", std::move(counters)},
            {"latency", json_of(latencies)},
            {"users", summed_by_name(hosts, "users", "name", "")},
            {"waits", summed_by_name(hosts, "waits", "type", "max_wait_us")},
            {"findings_by_kind", std::move(kinds)},
            {"hosts", std::move(rows)},
            {"findings", std::move(findings)}};
}

}  // namespace reports
