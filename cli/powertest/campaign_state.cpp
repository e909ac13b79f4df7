#include "cli/powertest/campaign_state.hpp"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "reports/json_text.hpp"

namespace cli {
namespace {

using StateJson = nlohmann::ordered_json;

constexpr std::string_view kStateFormat = "ioproof powertest campaign";
constexpr std::array<std::string_view, 4> kPhaseNames{"idle", "running", "cutting", "verifying"};

// Keeps bytes that are not UTF-8 unchanged: file names are bytes.
StateJson byte_array_of(const std::string& text) {
    StateJson bytes = StateJson::array();
    for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
    return bytes;
}

bool is_ascii(const std::string& text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) >= 0x80) return false;
    }
    return true;
}

StateJson text_to_json(const std::string& text) { return is_ascii(text) ? StateJson(text) : byte_array_of(text); }

std::string text_from_json(const StateJson& json) {
    if (json.is_string()) return json.get<std::string>();
    std::string text;
    for (const StateJson& byte : json) text += static_cast<char>(byte.get_ref<const StateJson::number_unsigned_t&>());
    return text;
}

StateJson words_to_json(const std::vector<std::string>& words) {
    StateJson json = StateJson::array();
    for (const std::string& word : words) json.push_back(text_to_json(word));
    return json;
}

std::vector<std::string> words_from_json(const StateJson& json) {
    std::vector<std::string> words;
    for (const StateJson& word : json) words.push_back(text_from_json(word));
    return words;
}

StateJson cycle_to_json(const reports::PowerCycle& cycle) {
    return {{"number", cycle.number},
            {"was_cut", cycle.was_cut},
            {"moment", cycle.moment},
            {"load_ms", cycle.load_ms},
            {"outcome", name_of(cycle.outcome)},
            {"finding_count", cycle.finding_count},
            {"torn_pages", cycle.torn_pages},
            {"blocks_behind", cycle.blocks_behind},
            {"verify_ms", cycle.verify_ms},
            {"said", text_to_json(cycle.said)}};
}

[[noreturn]] void refuse_damaged(const std::string& path, std::string_view what) {
    throw UsageError(fmt::format("{}: is damaged, or not a campaign of ioproof: {}; name another folder for a new campaign", path, what));
}

// get_to() would take any number, also one that the count cannot hold.
template <typename Count>
void read_count(const StateJson& json, const char* key, const std::string& path, Count& count) {
    const StateJson& value = json.at(key);
    const bool is_count = value.is_number_unsigned() && std::in_range<Count>(value.get<std::uint64_t>());
    if (!is_count) refuse_damaged(path, fmt::format("{} is not a whole number in its range", key));
    count = value.get<Count>();
}

reports::CutOutcome outcome_named(const std::string& name, const std::string& path) {
    for (const auto outcome : {reports::CutOutcome::intact, reports::CutOutcome::findings, reports::CutOutcome::nothing}) {
        if (name_of(outcome) == name) return outcome;
    }
    refuse_damaged(path, fmt::format("outcome '{}'", name));
}

CampaignPhase phase_named(const std::string& name, const std::string& path) {
    for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
        if (kPhaseNames.at(i) == name) return static_cast<CampaignPhase>(i);
    }
    refuse_damaged(path, fmt::format("phase '{}'", name));
}

reports::PowerCycle cycle_from_json(const StateJson& json, const std::string& path) {
    reports::PowerCycle cycle;
    read_count(json, "number", path, cycle.number);
    json.at("was_cut").get_to(cycle.was_cut);
    json.at("moment").get_to(cycle.moment);
    read_count(json, "load_ms", path, cycle.load_ms);
    cycle.outcome = outcome_named(json.at("outcome").get<std::string>(), path);
    read_count(json, "finding_count", path, cycle.finding_count);
    read_count(json, "torn_pages", path, cycle.torn_pages);
    read_count(json, "blocks_behind", path, cycle.blocks_behind);
    read_count(json, "verify_ms", path, cycle.verify_ms);
    cycle.said = text_from_json(json.at("said"));
    return cycle;
}

StateJson plan_to_json(const CampaignPlan& plan) {
    return {{"typed", words_to_json(plan.typed)},
            {"folder", text_to_json(plan.folder)},
            {"run_words", words_to_json(plan.run_words)},
            {"folders", words_to_json(plan.folders)},
            {"cycles", plan.cycles},
            {"cut", text_to_json(plan.cut)},
            {"restore", text_to_json(plan.restore)},
            {"least_s", plan.least_s},
            {"most_s", plan.most_s},
            {"timeout_s", plan.timeout_s},
            {"seed", plan.seed},
            {"moments", words_to_json(plan.moments)}};
}

CampaignPlan plan_from_json(const StateJson& json, const std::string& path) {
    CampaignPlan plan;
    plan.typed = words_from_json(json.at("typed"));
    plan.folder = text_from_json(json.at("folder"));
    plan.run_words = words_from_json(json.at("run_words"));
    if (json.contains("folders")) plan.folders = words_from_json(json.at("folders"));
    read_count(json, "cycles", path, plan.cycles);
    plan.cut = text_from_json(json.at("cut"));
    plan.restore = text_from_json(json.at("restore"));
    read_count(json, "least_s", path, plan.least_s);
    read_count(json, "most_s", path, plan.most_s);
    read_count(json, "timeout_s", path, plan.timeout_s);
    read_count(json, "seed", path, plan.seed);
    plan.moments = words_from_json(json.at("moments"));
    if (plan.moments.empty()) refuse_damaged(path, "no moments");
    if (plan.least_s > plan.most_s || plan.most_s > kCampaignSecondsMax || plan.timeout_s > kCampaignSecondsMax) {
        refuse_damaged(path, "times that no campaign has");
    }
    return plan;
}

CampaignState state_from_json(const StateJson& json, const std::string& path) {
    if (json.at("document") != kStateFormat) refuse_damaged(path, "another document");
    std::uint64_t version = 0;
    read_count(json, "version", path, version);
    if (version > kCampaignVersion) {
        throw UsageError(
            fmt::format("{}: is of version {}, made by a newer ioproof; this one knows up to {}", path, version, kCampaignVersion));
    }
    CampaignState state;
    state.plan = plan_from_json(json.at("plan"), path);
    state.phase = phase_named(json.at("phase").get<std::string>(), path);
    json.at("begins_anew").get_to(state.begins_anew);
    json.at("makes_files").get_to(state.makes_files);
    if (json.contains("mounts")) state.mounts = words_from_json(json.at("mounts"));
    json.at("moment").get_to(state.moment);
    if (json.contains("has_logged")) json.at("has_logged").get_to(state.has_logged);
    json.at("was_cut").get_to(state.was_cut);
    json.at("is_over").get_to(state.is_over);
    read_count(json, "run_started_utc_us", path, state.run_started_utc_us);
    if (json.contains("cut_begins_utc_us")) read_count(json, "cut_begins_utc_us", path, state.cut_begins_utc_us);
    read_count(json, "load_ms", path, state.load_ms);
    for (const StateJson& cycle : json.at("cycles")) state.cycles.push_back(cycle_from_json(cycle, path));
    return state;
}

}  // namespace

std::string campaign_state_text(const CampaignState& state) {
    StateJson json{{"document", kStateFormat},
                   {"version", kCampaignVersion},
                   {"plan", plan_to_json(state.plan)},
                   {"phase", kPhaseNames.at(static_cast<std::size_t>(state.phase))},
                   {"begins_anew", state.begins_anew},
                   {"was_cut", state.was_cut},
                   {"is_over", state.is_over},
                   {"run_started_utc_us", state.run_started_utc_us},
                   {"makes_files", state.makes_files},
                   {"moment", state.moment},
                   {"has_logged", state.has_logged},
                   {"load_ms", state.load_ms},
                   {"mounts", words_to_json(state.mounts)},
                   {"cut_begins_utc_us", state.cut_begins_utc_us}};
    json["cycles"] = StateJson::array();
    for (const reports::PowerCycle& cycle : state.cycles) json["cycles"].push_back(cycle_to_json(cycle));
    return reports::json_text(json);
}

CampaignState parse_campaign_state(const std::string& text, const std::string& path) {
    try {
        return state_from_json(StateJson::parse(text), path);
    } catch (const nlohmann::json::exception&) {
        refuse_damaged(path, "an entry is missing");
    }
}

}  // namespace cli
