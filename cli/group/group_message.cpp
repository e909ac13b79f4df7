#include "cli/group/group_message.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/json_limits.hpp"

namespace cli {

using Json = nlohmann::json;

namespace {

// Names of hosts and files may hold bytes that are not UTF-8; these are replaced.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string short_text(const Json& json, const char* key) {
    std::string text = json.value(key, std::string());
    if (text.size() > kGroupTextMax) text.resize(kGroupTextMax);
    return text;
}

std::vector<std::string> short_texts(const Json& json, const char* key) {
    std::vector<std::string> texts;
    for (const Json& each : json.value(key, Json::array())) {
        if (texts.size() == kGroupFilesMax) break;
        texts.push_back(each.get<std::string>().substr(0, kGroupTextMax));
    }
    return texts;
}

template <typename Message, typename Read>
std::optional<Message> decode(std::string_view text, const Read& read) {
    const Json json = parse_group_json(text);
    if (!json.is_object()) return std::nullopt;
    try {
        return read(json);
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

std::optional<GroupBeat> read_beat(const Json& json) {
    GroupBeat beat;
    beat.group = json.at("group").get<std::string>();
    beat.terms = terms_of(json.at("terms"));
    beat.rank = json.at("rank").get<std::uint32_t>();
    beat.session = json.at("session").get<std::uint64_t>();
    beat.number = json.value("number", std::uint64_t{0});
    beat.host = short_text(json, "host");
    beat.state = short_text(json, "state");
    beat.run_id = json.value("run_id", std::uint64_t{0});
    beat.files = short_texts(json, "files");
    beat.clock_offset_us = json.value("clock_offset_us", std::int64_t{0});
    beat.stage = json.value("stage", std::uint32_t{0});
    beat.turn = json.value("turn", std::uint32_t{0});
    beat.is_turn_over = json.value("is_turn_over", false);
    beat.findings = json.value("findings", std::uint64_t{0});
    beat.failure = short_text(json, "failure");
    beat.incarnation = json.value("incarnation", std::uint32_t{0});
    beat.first_vlf = json.value("first_vlf", std::uint32_t{0});
    beat.found_lsn = json.value("found_lsn", std::uint64_t{0});
    beat.known_revision = json.value("known_revision", std::uint64_t{0});
    const bool is_state = beat.state == "joined" || beat.state == "working" || beat.state == "done";
    if (!is_group_name(beat.group) || !are_allowed(beat.terms) || beat.rank >= beat.terms.of || beat.session == 0 || !is_state) {
        return std::nullopt;
    }
    return beat;
}

std::optional<GroupView> read_view(const Json& json) {
    GroupView view;
    view.problem = json.value("problem", std::string());
    view.trouble = json.value("trouble", std::string());
    view.is_rank_taken = json.value("is_rank_taken", false);
    view.utc_us = json.at("utc_us").get<std::uint64_t>();
    view.revision = json.value("revision", std::uint64_t{0});
    if (json.contains("peers")) {
        view.peers.emplace();
        for (const Json& peer : json["peers"]) view.peers->push_back(peer_of(peer));
    }
    view.missing = json.value("missing", std::vector<std::uint32_t>());
    view.released_stage = json.value("released_stage", std::uint32_t{0});
    view.released_utc_us = json.value("released_utc_us", std::uint64_t{0});
    for (const Json& turn : json.value("turns", Json::array())) view.turns.push_back(turn_of(turn));
    view.is_over = json.value("is_over", false);
    view.failure = json.value("failure", std::string());
    return view;
}

}  // namespace

Json parse_group_json(std::string_view text) {
    if (reports::json_problem(text)) return Json(Json::value_t::discarded);
    const auto without_fraction = [](int /*depth*/, Json::parse_event_t /*event*/, Json& value) {
        if (value.is_number_float()) value = nullptr;
        return true;
    };
    return Json::parse(text, without_fraction, false);
}

bool are_allowed(const GroupTerms& terms) {
    return terms.of >= 1 && terms.of <= kGroupRanksMax && terms.turns >= 1 && terms.turns <= kGroupTurnsMax && terms.lease_ms >= 100 &&
           terms.lease_ms <= 86'400'000 && terms.wait_ms <= 864'000'000;
}

bool is_group_name(std::string_view name) {
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= 64 && name.front() != '.' && std::all_of(name.begin(), name.end(), is_allowed);
}

Json json_of(const GroupTerms& terms) {
    return {{"plan", terms.plan},          {"of", terms.of},           {"turns", terms.turns},   {"changes", terms.changes},
            {"lease_ms", terms.lease_ms},  {"wait_ms", terms.wait_ms}, {"bursts", terms.bursts}, {"burst_s", terms.burst_s},
            {"coherence", terms.coherence}};
}

GroupTerms terms_of(const Json& json) {
    GroupTerms terms;
    terms.plan = short_text(json, "plan");
    terms.of = json.at("of").get<std::uint32_t>();
    terms.turns = json.value("turns", std::uint32_t{1});
    terms.changes = short_texts(json, "changes");
    terms.lease_ms = json.at("lease_ms").get<std::uint64_t>();
    terms.wait_ms = json.at("wait_ms").get<std::uint64_t>();
    terms.bursts = short_text(json, "bursts");
    terms.coherence = short_text(json, "coherence");
    terms.burst_s = json.value("burst_s", std::uint64_t{10});
    return terms;
}

Json json_of(const GroupPeer& peer) {
    return {{"rank", peer.rank},   {"session", peer.session},   {"host", peer.host},
            {"state", peer.state}, {"run_id", peer.run_id},     {"files", peer.files},
            {"stage", peer.stage}, {"findings", peer.findings}, {"clock_offset_us", peer.clock_offset_us}};
}

GroupPeer peer_of(const Json& json) {
    GroupPeer peer;
    peer.rank = json.at("rank").get<std::uint32_t>();
    peer.session = json.at("session").get<std::uint64_t>();
    peer.host = short_text(json, "host");
    peer.state = short_text(json, "state");
    peer.run_id = json.at("run_id").get<std::uint64_t>();
    peer.files = short_texts(json, "files");
    peer.stage = json.value("stage", std::uint32_t{0});
    peer.findings = json.value("findings", std::uint64_t{0});
    peer.clock_offset_us = json.value("clock_offset_us", std::int64_t{0});
    return peer;
}

Json json_of(const GroupTurn& turn) {
    return {{"number", turn.number},
            {"rank", turn.rank},
            {"session", turn.session},
            {"host", turn.host},
            {"run_id", turn.run_id},
            {"incarnation", turn.incarnation},
            {"first_vlf", turn.first_vlf},
            {"found_lsn", turn.found_lsn},
            {"clock_offset_us", turn.clock_offset_us},
            {"began_utc_us", turn.began_utc_us},
            {"ended_utc_us", turn.ended_utc_us},
            {"ended_by", turn.ended_by},
            {"findings", turn.findings}};
}

GroupTurn turn_of(const Json& json) {
    GroupTurn turn;
    turn.number = json.at("number").get<std::uint32_t>();
    turn.rank = json.at("rank").get<std::uint32_t>();
    turn.session = json.at("session").get<std::uint64_t>();
    turn.host = short_text(json, "host");
    turn.run_id = json.at("run_id").get<std::uint64_t>();
    turn.incarnation = json.at("incarnation").get<std::uint32_t>();
    turn.first_vlf = json.at("first_vlf").get<std::uint32_t>();
    turn.found_lsn = json.value("found_lsn", std::uint64_t{0});
    turn.clock_offset_us = json.value("clock_offset_us", std::int64_t{0});
    turn.began_utc_us = json.at("began_utc_us").get<std::uint64_t>();
    turn.ended_utc_us = json.at("ended_utc_us").get<std::uint64_t>();
    turn.ended_by = short_text(json, "ended_by");
    turn.findings = json.value("findings", std::uint64_t{0});
    return turn;
}

std::string encode(const GroupBeat& beat) {
    return text_of({{"group", beat.group},
                    {"terms", json_of(beat.terms)},
                    {"rank", beat.rank},
                    {"session", beat.session},
                    {"number", beat.number},
                    {"host", beat.host},
                    {"state", beat.state},
                    {"run_id", beat.run_id},
                    {"files", beat.files},
                    {"clock_offset_us", beat.clock_offset_us},
                    {"stage", beat.stage},
                    {"turn", beat.turn},
                    {"is_turn_over", beat.is_turn_over},
                    {"findings", beat.findings},
                    {"failure", beat.failure},
                    {"incarnation", beat.incarnation},
                    {"first_vlf", beat.first_vlf},
                    {"found_lsn", beat.found_lsn},
                    {"known_revision", beat.known_revision}});
}

std::string encode(const GroupView& view) {
    Json json{{"problem", view.problem},
              {"trouble", view.trouble},
              {"is_rank_taken", view.is_rank_taken},
              {"utc_us", view.utc_us},
              {"revision", view.revision},
              {"missing", view.missing},
              {"released_stage", view.released_stage},
              {"released_utc_us", view.released_utc_us},
              {"is_over", view.is_over},
              {"failure", view.failure}};
    if (view.peers) {
        json["peers"] = Json::array();
        for (const GroupPeer& peer : *view.peers) json["peers"].push_back(json_of(peer));
    }
    json["turns"] = Json::array();
    for (const GroupTurn& turn : view.turns) json["turns"].push_back(json_of(turn));
    return text_of(json);
}

std::optional<GroupBeat> decode_beat(std::string_view text) {
    return decode<std::optional<GroupBeat>>(text, read_beat).value_or(std::nullopt);
}
std::optional<GroupView> decode_view(std::string_view text) {
    return decode<std::optional<GroupView>>(text, read_view).value_or(std::nullopt);
}

}  // namespace cli
