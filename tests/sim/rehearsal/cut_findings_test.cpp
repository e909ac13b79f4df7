// The judge of a verification must itself be able to reject a finding.
#include "sim/rehearsal/cut_findings.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "sim/limits.hpp"
#include "tests/support/catch.hpp"

namespace {

using sim::CrashRule;
using sim::Finding;
using sim::FindingKind;
using sim::proofs_without_finding;
using sim::unexplained_findings;

const std::string kOldPath = "/simulated/a.mdx";

Finding about_a_page(std::uint32_t page_id, FindingKind kind) {
    Finding finding;
    finding.kind = kind;
    finding.place.path = kOldPath;
    finding.place.page_id = page_id;
    finding.place.offset_bytes = std::uint64_t{page_id} * sim::kPageBytes;
    finding.place.size_bytes = sim::kPageBytes;
    return finding;
}

sim::CrashExplanation old_page(std::uint32_t page_id) {
    sim::CrashExplanation explanation;
    explanation.proofs.push_back(
        {CrashRule::page_least, kOldPath, std::uint64_t{page_id} * sim::kPageBytes, sim::kPageBytes, "page is old"});
    return explanation;
}

}  // namespace

TEST_CASE("a finding must name the page that is wrong after a power cut, and name it rightly, once") {
    const sim::CrashExplanation explanation = old_page(7);
    const Finding right = about_a_page(7, FindingKind::lost_write);
    CHECK(unexplained_findings(explanation, {}, {right}).empty());
    CHECK(unexplained_findings(explanation, {}, {about_a_page(8, FindingKind::lost_write)}).size() == 1);
    CHECK(unexplained_findings(explanation, {}, {about_a_page(7, FindingKind::future_version)}).size() == 1);
    CHECK(unexplained_findings(explanation, {}, {right, right}).size() == 1);
    Finding transient = right;
    transient.transient = true;
    CHECK(unexplained_findings(explanation, {}, {transient}).size() == 1);
}

TEST_CASE("a finding about what the device has really lost is right, even if the rules do not prove it") {
    const std::vector<ums::LostWrite> lost{{kOldPath, ums::LostPart::contents, 7 * sim::kPageBytes, sim::kPageBytes}};
    CHECK(unexplained_findings({}, lost, {about_a_page(7, FindingKind::lost_write)}).empty());
    CHECK(unexplained_findings({}, lost, {about_a_page(8, FindingKind::lost_write)}).size() == 1);
    CHECK(unexplained_findings({}, lost, {about_a_page(7, FindingKind::bit_corruption)}).size() == 1);
}

TEST_CASE("a finding about a lost page must name a version that had been acknowledged, even if the device has really lost it") {
    const std::vector<ums::LostWrite> lost{{kOldPath, ums::LostPart::contents, 7 * sim::kPageBytes, sim::kPageBytes}};
    sim::CrashExplanation explanation = old_page(7);
    explanation.proofs.front().least_version = 3;
    explanation.proofs.front().newest_version = 5;
    const auto says = [](std::uint32_t version) {
        Finding finding = about_a_page(7, FindingKind::lost_write);
        finding.expected = sim::ExpectedIdentity{.version = version};
        return finding;
    };
    for (const std::uint32_t version : {3U, 4U, 5U}) CHECK(unexplained_findings(explanation, lost, {says(version)}).empty());
    for (const std::uint32_t version : {0U, 2U, 6U}) CHECK(unexplained_findings(explanation, lost, {says(version)}).size() == 1);
    // In front of a hole in the log, an earlier checkpoint is the last complete one.
    explanation.proofs.push_back({CrashRule::log_row, "/simulated/log.ldx", 0, 512, "a block is gone"});
    CHECK(unexplained_findings(explanation, lost, {says(2)}).empty());
}

TEST_CASE("a finding about a region means that more than two of its pages are lost, and no proof but that of its sums") {
    const auto lost = [](std::uint64_t pages) {
        return std::vector<ums::LostWrite>{{kOldPath, ums::LostPart::contents, 7 * sim::kPageBytes, pages * sim::kPageBytes}};
    };
    Finding region = about_a_page(0, FindingKind::lost_write);
    region.place.size_bytes = 64 * sim::kPageBytes;
    sim::CrashExplanation explanation = old_page(7);
    CHECK(proofs_without_finding(explanation, {region}).size() == 1);
    explanation.proofs.front().is_by_sums = true;
    CHECK(proofs_without_finding(explanation, {region}).empty());
    CHECK(unexplained_findings(explanation, lost(3), {region}).empty());
    CHECK(unexplained_findings(explanation, lost(2), {region}).size() == 1);
    CHECK(unexplained_findings(explanation, lost(1), {region}).size() == 1);
    region.transient = true;
    CHECK(unexplained_findings(explanation, lost(3), {region}).size() == 1);
}

TEST_CASE("a finding about missing blocks of the log must name one that is missing, once, and each of them must be named") {
    const auto explained = [](const std::vector<std::uint64_t>& blocks, CrashRule rule) {
        sim::CrashExplanation explanation;
        for (const std::uint64_t block : blocks) {
            explanation.proofs.push_back({rule, "/simulated/log.ldx", block * 512, 512, "a block is gone"});
            explanation.proofs.back().sequence = block;
        }
        return explanation;
    };
    const auto finding = [](std::uint64_t first, std::uint64_t last) {
        Finding about;
        about.kind = FindingKind::log_gap;
        about.place.path = "/simulated/log.ldx";
        about.place.is_log = true;
        about.missing_blocks = sim::BlockRange{first, last};
        return about;
    };
    const sim::CrashExplanation kept = explained({7, 8, 20}, CrashRule::log_kept);
    const Finding two = finding(7, 8);
    const Finding one = finding(20, 20);
    CHECK(unexplained_findings(kept, {}, {two, one}).empty());
    CHECK(proofs_without_finding(kept, {two, one}).empty());
    CHECK(unexplained_findings(kept, {}, {two, two}).size() == 1);
    CHECK(unexplained_findings(kept, {}, {two, finding(8, 8)}).size() == 1);
    CHECK(unexplained_findings(kept, {}, {finding(9, 9)}).size() == 1);
    CHECK(unexplained_findings(kept, {}, {finding(30, 32)}).size() == 1);
    CHECK(proofs_without_finding(kept, {two}).size() == 1);
    // In front of a hole, an earlier checkpoint is the last complete one, and needs more.
    const sim::CrashExplanation needed = explained({7, 8, 20}, CrashRule::log_row);
    CHECK(unexplained_findings(needed, {}, {finding(1, 4), two, one}).empty());
    CHECK(unexplained_findings(needed, {}, {finding(21, 21)}).size() == 1);
    sim::CrashExplanation promised = needed;
    for (sim::CrashProof& proof : promised.proofs) proof.is_found_by_any = true;
    CHECK(proofs_without_finding(promised, {two}).empty());
    CHECK(proofs_without_finding(promised, {}).size() == 3);
}

TEST_CASE("a page has one finding, and none if its region has one, even if the device has really lost it") {
    const std::vector<ums::LostWrite> lost{{kOldPath, ums::LostPart::contents, 7 * sim::kPageBytes, 3 * sim::kPageBytes}};
    const Finding page = about_a_page(7, FindingKind::lost_write);
    Finding region = about_a_page(0, FindingKind::lost_write);
    region.place.size_bytes = 64 * sim::kPageBytes;
    CHECK(unexplained_findings(old_page(7), lost, {page, about_a_page(8, FindingKind::lost_write)}).empty());
    CHECK(unexplained_findings(old_page(7), lost, {page, page}).size() == 1);
    CHECK(unexplained_findings({}, lost, {page, page}).size() == 1);
    CHECK(unexplained_findings({}, lost, {region}).empty());
    CHECK(unexplained_findings({}, lost, {region, page}).size() == 1);
    Finding gone;
    gone.kind = FindingKind::io_error;
    gone.place.path = kOldPath;
    gone.request.of_file = sim::FileRequest::open;
    const std::vector<ums::LostWrite> lost_file{{kOldPath, ums::LostPart::name, 0, 1 << 20}};
    CHECK(unexplained_findings({}, lost_file, {gone}).empty());
    CHECK(unexplained_findings({}, lost_file, {gone, gone}).size() == 1);
}

TEST_CASE("each page that the files prove to be wrong needs its own finding") {
    sim::CrashExplanation explanation = old_page(7);
    explanation.proofs.push_back(old_page(9).proofs.front());
    const Finding first = about_a_page(7, FindingKind::lost_write);
    CHECK(proofs_without_finding(explanation, {first}).size() == 1);
    CHECK(proofs_without_finding(explanation, {first, about_a_page(9, FindingKind::lost_write)}).empty());
}

TEST_CASE("of several pages that are too old by the sums of their region, each may have a finding of its own, one of them torn") {
    sim::CrashExplanation explanation = old_page(7);
    explanation.proofs.push_back(old_page(9).proofs.front());
    for (sim::CrashProof& proof : explanation.proofs) {
        proof.is_by_sums = proof.is_torn = true;
        proof.region_end_bytes = 64 * sim::kPageBytes;
    }
    const Finding first = about_a_page(7, FindingKind::lost_write);
    const Finding second = about_a_page(9, FindingKind::torn_page);
    CHECK(unexplained_findings(explanation, {}, {first, second}).empty());
    CHECK(unexplained_findings(explanation, {}, {first, second, second}).size() == 1);
    const Finding between = about_a_page(8, FindingKind::lost_write);
    CHECK(unexplained_findings(explanation, {}, {first, between, second}).size() == 1);
}

TEST_CASE("what a documented rule excuses need not be found after a power cut, and proves nothing, but is no false alarm") {
    sim::CrashExplanation explanation = old_page(7);
    REQUIRE(explanation.is_provable());
    explanation.proofs.front().is_excused = true;
    CHECK_FALSE(explanation.is_provable());
    CHECK(proofs_without_finding(explanation, {}).empty());
    CHECK(unexplained_findings(explanation, {}, {about_a_page(7, FindingKind::lost_write)}).empty());
}
