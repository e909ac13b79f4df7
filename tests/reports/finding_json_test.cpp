#include "reports/finding_json.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "reports/group_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"

using FindingJson = nlohmann::ordered_json;
using test::Figures;

namespace {

FindingJson json_of_finding(const sim::Finding& finding) { return FindingJson::parse(reports::finding_json(finding)); }

}  // namespace

TEST_CASE("each figure of a finding is in the JSON under its own name") {
    sim::Finding finding;
    Figures figures;
    figures.set(finding.number, "number");
    figures.set(finding.place.path, "file");
    figures.set(finding.place.file_id, "file_id");
    figures.set(finding.place.page_id, "page");
    figures.set(finding.place.offset_bytes, "byte_offset");
    figures.set(finding.place.size_bytes, "size");
    figures.set(finding.expected.emplace().version, "expected_version");
    figures.set(finding.received.emplace().version, "received_version");
    figures.set(finding.received->file_id, "received_file_id");
    figures.set(finding.received->page_id, "received_page");
    sim::ImageComparison& comparison = finding.comparison.emplace();
    figures.set(comparison.first_wrong_byte, "first_wrong_byte");
    figures.set(comparison.wrong_bytes, "wrong_bytes");
    figures.set(comparison.wrong_bits, "wrong_bits");
    figures.set(comparison.shift_bytes, "shift_bytes");
    figures.set(comparison.not_read_bytes, "not_read_bytes");
    comparison.wrong_bit_positions = {9, 11};
    figures.set(finding.failure.emplace().error_code, "errno");
    figures.set(finding.failure->error_text, "error");
    figures.set(finding.failure->duration_us, "duration_us");
    figures.set(finding.reads, "reads");
    figures.set(finding.moment.phase, "phase");
    figures.set(finding.moment.user, "user");
    figures.set(finding.moment.cpu, "cpu");
    figures.set(finding.moment.tick_ms, "tick_ms");
    figures.set(finding.evidence.dump_path, "dump");
    figures.set(finding.description, "description");
    finding.reasoning = {"one", "two"};
    const FindingJson json = json_of_finding(finding);
    CHECK(figures.wrong_in(json) == "");
    CHECK(json["wrong_bit_positions"] == FindingJson::parse("[9, 11]"));
    CHECK(json["reasoning"] == FindingJson::parse(R"(["one", "two"])"));
}

TEST_CASE("the expected, the received and the calculated sums and LSNs of a finding are in the JSON under their own names") {
    sim::Finding finding;
    finding.expected.emplace().lsn = 0x11;
    finding.expected->checksum = 0x12;
    finding.received.emplace().lsn = 0x13;
    finding.received->checksum = 0x14;
    finding.received->calculated_checksum = 0x15;
    finding.received->run_id = 0x16;
    const FindingJson json = json_of_finding(finding);
    CHECK(json["expected_lsn"] == "0x0000000000000011");
    CHECK(json["expected_checksum"] == "0x00000012");
    CHECK(json["received_lsn"] == "0x0000000000000013");
    CHECK(json["received_checksum"] == "0x00000014");
    CHECK(json["calculated_checksum"] == "0x00000015");
    CHECK(json["received_run_id"] == "0x0000000000000016");
}

TEST_CASE("each fact of a finding is in the JSON under its own name") {
    sim::Finding finding;
    sim::ImageComparison& comparison = finding.comparison.emplace();
    const std::pair<const char*, bool*> facts[] = {{"transient", &finding.transient},
                                                   {"warning", &finding.is_warning},
                                                   {"repaired", &finding.repaired},
                                                   {"tear_on_4k_lines", &comparison.tear_on_4k_lines}};
    for (const auto& [name, fact] : facts) {
        *fact = true;
        const FindingJson json = json_of_finding(finding);
        for (const auto& [other, other_fact] : facts) CHECK(json[other] == (other_fact == fact));
        *fact = false;
    }
    CHECK_FALSE(json_of_finding(finding).contains("role"));
    finding.place.role = sim::FileRole::restored;
    CHECK(json_of_finding(finding)["role"] == "restored file");
}

TEST_CASE("each figure of a sector, a re-read, another place and a device is in the JSON of a finding under its own name") {
    sim::Finding finding;
    sim::SectorFact& fact = finding.comparison.emplace().sectors.emplace_back();
    Figures sector;
    fact.state = sim::SectorState::damaged;
    sector.set(fact.version, "version");
    sector.set(fact.file_id, "file_id");
    sector.set(fact.page_id, "page");
    sector.set(fact.sector, "sector");
    sim::Reread& again = finding.rereads.emplace_back();
    Figures reread;
    reread.set(again.attempt, "attempt");
    reread.set(again.after_us, "after_us");
    reread.set(again.version, "version");
    reread.set(again.error_code, "errno");
    again.result = sim::RereadResult::other_image;
    again.through_new_file = true;
    again.checksum = 0x17;
    sim::PagePlace& place = finding.other.emplace();
    Figures other;
    other.set(place.path, "file");
    other.set(place.file_id, "file_id");
    other.set(place.page_id, "page");
    other.set(place.version, "version");
    sim::DevicePlace& below = finding.place.device.emplace();
    Figures device;
    device.set(below.device, "name");
    device.set(below.offset_bytes, "offset");
    const FindingJson json = json_of_finding(finding);
    CHECK(sector.wrong_in(json["sectors"].at(0)) == "");
    CHECK(json["sectors"].at(0)["state"] == "damaged");
    CHECK(reread.wrong_in(json["rereads"].at(0)) == "");
    CHECK(json["rereads"].at(0)["result"] == "other_image");
    CHECK(json["rereads"].at(0)["through_new_file"] == true);
    CHECK(json["rereads"].at(0)["checksum"] == "0x00000017");
    CHECK(other.wrong_in(json["other"]) == "");
    CHECK(device.wrong_in(json["device"]) == "");
}

TEST_CASE("what a finding means among several hosts is in its JSON, if it was one of several") {
    sim::Finding finding;
    CHECK_FALSE(json_of_finding(finding).contains("group_fact"));
    sim::GroupFact& fact = finding.group_fact.emplace();
    fact.kind = sim::GroupFactKind::zombie_owner;
    fact.run_id = 0x18;
    Figures figures;
    figures.set(fact.text, "text");
    figures.set(fact.rank, "rank");
    figures.set(fact.host, "host");
    figures.set(fact.incarnation, "incarnation");
    figures.set(fact.path, "path");
    figures.set(fact.page_id, "page_id");
    figures.set(fact.utc_us, "utc_us");
    const FindingJson json = json_of_finding(finding)["group_fact"];
    CHECK(figures.wrong_in(json) == "");
    CHECK(json["name"] == "zombie_owner");
    CHECK(json["title"] == "zombie owner");
    CHECK(json["hint"] == reports::hint_of(sim::GroupFactKind::zombie_owner));
    CHECK(json["run_id"] == "0000000000000018");
}
