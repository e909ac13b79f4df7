#include "reports/finding_json.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "reports/finding_text.hpp"
#include "reports/group_text.hpp"
#include "reports/json_text.hpp"
#include "reports/time_text.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

std::string hex32(std::uint32_t value) { return fmt::format("0x{:08x}", value); }
std::string hex64(std::uint64_t value) { return fmt::format("0x{:016x}", value); }

Json sectors_of(const sim::Finding& finding) {
    if (or_empty(finding.comparison).sectors.empty()) return nullptr;
    Json sectors = Json::array();
    for (const sim::SectorFact& sector : or_empty(finding.comparison).sectors) {
        sectors.push_back({{"state", sim::name_of(sector.state)},
                           {"version", sector.version},
                           {"file_id", sector.file_id},
                           {"page", sector.page_id},
                           {"sector", sector.sector}});
    }
    return sectors;
}

Json rereads_of(const sim::Finding& finding) {
    Json rereads = Json::array();
    for (const sim::Reread& reread : finding.rereads) {
        rereads.push_back({{"attempt", reread.attempt},
                           {"after_us", reread.after_us},
                           {"through_new_file", reread.through_new_file},
                           {"result", sim::name_of(reread.result)},
                           {"version", reread.version},
                           {"checksum", hex32(reread.checksum)},
                           {"errno", reread.error_code}});
    }
    return rereads;
}

Json other_of(const sim::Finding& finding) {
    if (!finding.other) return nullptr;
    const sim::PagePlace& other = *finding.other;
    return {{"file", other.path}, {"file_id", other.file_id}, {"page", other.page_id}, {"version", other.version}};
}

Json device_of(const sim::Finding& finding) {
    if (!finding.place.device) return nullptr;
    return {{"name", finding.place.device->device}, {"offset", finding.place.device->offset_bytes}};
}

// Null for an empty text.
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

void add_verdict(Json& json, const sim::Finding& finding) {
    json["format"] = kFindingsFormat;
    json["number"] = finding.number;
    json["class"] = sim::name_of(finding.kind);
    json["transient"] = finding.transient;
    json["persistence"] = persistence_text(finding.transient);
    json["warning"] = finding.is_warning;
    json["repaired"] = finding.repaired;
    json["operation"] = sim::operation_of(finding);
    json["file"] = finding.place.path;
    json["file_id"] = finding.place.file_id;
    if (finding.place.role != sim::FileRole::test) json["role"] = sim::name_of(finding.place.role);
    json["page"] = finding.place.page_id;
    json["byte_offset"] = finding.place.offset_bytes;
    json["size"] = finding.place.size_bytes;
}

void add_comparison(Json& json, const sim::Finding& finding) {
    const sim::ImageComparison& comparison = or_empty(finding.comparison);
    const sim::ExpectedIdentity& expected = or_empty(finding.expected);
    const sim::ReceivedIdentity& received = or_empty(finding.received);
    const sim::RequestFailure& failure = or_empty(finding.failure);
    json["expected_version"] = expected.version;
    json["received_version"] = received.version;
    json["expected_lsn"] = hex64(expected.lsn);
    json["received_lsn"] = hex64(received.lsn);
    json["expected_checksum"] = hex32(expected.checksum);
    json["received_checksum"] = hex32(received.checksum);
    json["calculated_checksum"] = hex32(received.calculated_checksum);
    json["received_run_id"] = hex64(received.run_id);
    json["received_file_id"] = received.file_id;
    json["received_page"] = received.page_id;
    json["other"] = other_of(finding);
    json["sectors"] = sectors_of(finding);
    json["first_wrong_byte"] = comparison.first_wrong_byte;
    json["wrong_bytes"] = comparison.wrong_bytes;
    json["wrong_bits"] = comparison.wrong_bits;
    json["wrong_bit_positions"] = comparison.wrong_bit_positions;
    json["shift_bytes"] = comparison.shift_bytes;
    json["not_read_bytes"] = comparison.not_read_bytes;
    json["tear_on_4k_lines"] = comparison.tear_on_4k_lines;
    json["errno"] = failure.error_code;
    json["error"] = text_or_null(failure.error_text);
    json["duration_us"] = failure.duration_us;
    json["reads"] = finding.reads;
    json["rereads"] = rereads_of(finding);
}

// Only if there is one, so that files of runs without a group keep their form.
void add_group_fact(Json& json, const sim::Finding& finding) {
    if (!finding.group_fact) return;
    const sim::GroupFact& fact = *finding.group_fact;
    json["group_fact"] = {{"name", sim::name_of(fact.kind)},
                          {"title", sim::title_of(fact.kind)},
                          {"text", fact.text},
                          {"hint", hint_of(fact.kind)},
                          {"rank", fact.rank},
                          {"host", fact.host},
                          {"run_id", fmt::format("{:016x}", fact.run_id)},
                          {"incarnation", fact.incarnation},
                          {"path", fact.path},
                          {"page_id", fact.page_id},
                          {"utc_us", fact.utc_us}};
}

void add_circumstances(Json& json, const sim::Finding& finding) {
    json["phase"] = finding.moment.phase;
    json["user"] = finding.moment.user;
    json["cpu"] = finding.moment.cpu;
    json["tick_ms"] = finding.moment.tick_ms;
    json["utc"] = utc_iso_text(finding.moment.utc_us);
    json["local"] = local_iso_text(finding.moment.utc_us);
    json["device"] = device_of(finding);
    json["dump"] = text_or_null(finding.evidence.dump_path);
    json["description"] = finding.description;
    json["reasoning"] = finding.reasoning;
}

}  // namespace

std::string finding_json(const sim::Finding& finding) {
    Json json;
    add_verdict(json, finding);
    add_comparison(json, finding);
    add_circumstances(json, finding);
    add_group_fact(json, finding);
    return json_line(json);
}

Json findings_json(const std::vector<sim::Finding>& findings) {
    Json list = Json::array();
    for (const sim::Finding& finding : findings) list.push_back(Json::parse(finding_json(finding)));
    return list;
}

}  // namespace reports
