#include "reports/merged_hosts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include <fmt/format.h>

#include "reports/results_document.hpp"
#include "reports/time_text.hpp"

namespace reports {

namespace {

using HostJson = nlohmann::ordered_json;

MergedHost host_of(const NamedResults& file) {
    MergedHost host{&file, member_of(file), 0};
    const std::string start = host.results()["run"]["start_utc"].get<std::string>();
    const std::optional<std::uint64_t> start_us = utc_us_of(start);
    if (!start_us) throw ResultsDocumentError(fmt::format("'{}': run.start_utc is '{}', and not a time in UTC.", file.name, start));
    const std::int64_t offset_us = host.member && host.member->clock_offset_us ? *host.member->clock_offset_us : 0;
    host.start_utc_us = static_cast<std::uint64_t>(std::max(std::int64_t{0}, static_cast<std::int64_t>(*start_us) + offset_us));
    return host;
}

void refuse_strangers(const MergedHost& first, const MergedHost& other) {
    const bool is_one_group = first.member.has_value() == other.member.has_value() &&
                              (!first.member || (first.member->group == other.member->group && first.member->plan == other.member->plan));
    if (is_one_group) return;
    const auto words = [](const MergedHost& host) {
        return host.member ? fmt::format("of group '{}', plan {}", host.member->group, host.member->plan) : std::string("of no group");
    };
    throw ResultsDocumentError(
        fmt::format("'{}' is {}, '{}' is {}: they are not one result.", first.file->name, words(first), other.file->name, words(other)));
}

// A run that is counted twice would falsify the sums.
void refuse_twins(const MergedHost& a, const MergedHost& b) {
    const HostJson& run_a = a.results()["run"];
    const HostJson& run_b = b.results()["run"];
    const bool are_of_ranks = a.member && b.member && a.member->rank != b.member->rank;  // a reader has its owner's run id
    const bool is_same_run = !are_of_ranks && run_a["run_id"] == run_b["run_id"] && run_a["start_utc"] == run_b["start_utc"] &&
                             a.results().contains("durability") == b.results().contains("durability");
    const bool is_same_place = a.member && b.member && a.member->rank == b.member->rank && a.member->turn == b.member->turn;
    if (is_same_run) {
        throw ResultsDocumentError(fmt::format("'{}' and '{}' are of the same run: give each once.", a.file->name, b.file->name));
    }
    if (!is_same_place) return;
    throw ResultsDocumentError(
        fmt::format("'{}' and '{}' are both of {}: give the one that counts.", a.file->name, b.file->name, a.name()));
}

// Side by side: whether this run has met another run of the other's rank than the other one. One that has passed has met all ranks.
bool has_met_another(const MergedHost& host, const MergedHost& other) {
    const HostJson& group = host.results()["group"];
    const std::size_t rank = other.member->rank;
    if (!group.contains("members") || !group["members"].is_array() || group["members"].size() <= rank) return false;
    const HostJson& met = group["members"][rank];
    if (!met.is_object() || !met.contains("rank") || !met.contains("run_id") || !met["rank"].is_number_unsigned()) return false;
    return met["rank"].get<std::uint64_t>() == rank && met["run_id"] != other.results()["run"]["run_id"];
}

// Results of an earlier group of the same name stay where a host or a turn of this one wrote none, and would pass in its place. A result
// that did not pass may be of files that were not the group's.
void refuse_earlier_group(const MergedHost& a, const MergedHost& b) {
    const auto has_passed = [](const MergedHost& host) { return host.results()["verdict"]["judgement"] == "PASS"; };
    if (!a.member || !has_passed(a) || !has_passed(b)) return;
    if (a.member->plan == "side-by-side") {
        if (!has_met_another(a, b) && !has_met_another(b, a)) return;
        throw ResultsDocumentError(fmt::format("'{}' and '{}' are of runs that have not met: leave out the results of an earlier group.",
                                               a.file->name, b.file->name));
    }
    // Owners and readers of the same files are of one run.
    if (a.results()["run"]["run_id"] == b.results()["run"]["run_id"]) return;
    throw ResultsDocumentError(
        fmt::format("'{}' and '{}' are of different runs, although plan {} has one: leave out the results of an earlier group.",
                    a.file->name, b.file->name, a.member->plan));
}

}  // namespace

std::string MergedHost::name() const {
    if (!member) return file->name;
    const std::string on = member->host.empty() ? "" : " on " + member->host;
    if (member->turn == 0) return fmt::format("rank {}{}", member->rank, on);
    return fmt::format("turn {}, rank {}{}", member->turn, member->rank, on);
}

void refuse_other_groups(const std::vector<NamedResults>& all) {
    const MergedHost first = host_of(all.front());
    for (const NamedResults& file : all) refuse_strangers(first, host_of(file));
}

std::vector<MergedHost> merged_hosts(const std::vector<NamedResults>& all) {
    refuse_other_groups(all);
    std::vector<MergedHost> hosts;
    for (const NamedResults& file : all) {
        hosts.push_back(host_of(file));
        for (std::size_t i = 0; i + 1 < hosts.size(); ++i) {
            refuse_twins(hosts[i], hosts.back());
            refuse_earlier_group(hosts[i], hosts.back());
        }
    }
    if (!hosts.front().member) return hosts;
    std::stable_sort(hosts.begin(), hosts.end(), [](const MergedHost& a, const MergedHost& b) {
        return std::pair(a.member->turn, a.member->rank) < std::pair(b.member->turn, b.member->rank);
    });
    return hosts;
}

}  // namespace reports
