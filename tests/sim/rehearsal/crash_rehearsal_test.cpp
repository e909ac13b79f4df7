// What power cuts leave of entire runs, read without the product's own log reader.
#include "sim/rehearsal/crash_rehearsal.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/log/log_block_check.hpp"
#include "sim/page/checksum.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using sim::CrashPlan;
using sim::CrashReport;
using sim::CrashState;
using sim::CutReason;
using sim::kPageBytes;
using sim::kSectorBytes;
using sim::Phase;

namespace {

constexpr std::uint64_t kCrashRuns = test::fewer_if_sanitized(25);

std::vector<std::byte> part_of_file(const ums::SimulatedFile& file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    std::vector<std::byte> bytes(size_bytes);
    file.read(offset_bytes, bytes.data(), std::min(size_bytes, file.size_bytes() - std::min(file.size_bytes(), offset_bytes)));
    return bytes;
}

// All complete blocks that are in the log file where their headers say, by number.
std::map<std::uint64_t, sim::LogBlockHeader> blocks_left(const ums::SimulatedFile& file, std::uint64_t run_id) {
    const std::vector<std::byte> bytes = part_of_file(file, 0, file.size_bytes());
    std::map<std::uint64_t, sim::LogBlockHeader> blocks;
    for (std::size_t at = kPageBytes; at + kSectorBytes <= bytes.size(); at += kSectorBytes) {
        if (!sim::is_sound_block(bytes.data() + at, bytes.size() - at)) continue;
        const sim::LogBlockHeader header = sim::read_block_header(bytes.data() + at);
        if (header.run_id == run_id) blocks.emplace(header.sequence, header);
    }
    return blocks;
}

// The hardened blocks that are missing although their VLF cannot have been reused: a log file of one MB has four VLFs, and the one after
// the newest may be in use again. So the newest two before it must be complete.
std::vector<std::string> missing_blocks(const std::map<std::uint64_t, sim::LogBlockHeader>& blocks) {
    constexpr std::uint32_t kVlfsKept = 2;
    std::vector<std::string> missing;
    if (blocks.empty()) return missing;
    std::uint64_t hardened = 0;
    std::map<std::uint32_t, std::uint64_t> first_of_vlf;  // where the VLF begins
    std::uint32_t newest_vlf = 0;
    for (const auto& [sequence, header] : blocks) {
        hardened = std::max(hardened, header.hardened_sequence);
        newest_vlf = std::max(newest_vlf, header.vlf_sequence);
        if (header.vlf_sector == 0) first_of_vlf.emplace(header.vlf_sequence, sequence);
    }
    const auto newest = first_of_vlf.find(newest_vlf);
    if (newest == first_of_vlf.end() || newest->second > hardened) return missing;  // the VLF has only just begun
    const std::uint32_t oldest_vlf = newest_vlf - std::min(newest_vlf - 1, kVlfsKept);
    for (std::uint32_t vlf = oldest_vlf; vlf < newest_vlf; ++vlf) {
        if (first_of_vlf.count(vlf) == 0) missing.push_back(fmt::format("the beginning of VLF {} before {}", vlf, newest_vlf));
    }
    const std::uint64_t first = first_of_vlf.lower_bound(oldest_vlf)->second;
    for (std::uint64_t sequence = first; sequence <= hardened; ++sequence) {
        if (blocks.count(sequence) == 0) missing.push_back(fmt::format("block {} of {} to {}", sequence, first, hardened));
    }
    return missing;
}

// What every honest cut must leave once the files are created.
std::vector<std::string> judge_honest(const CrashPlan& plan, const CrashState& state) {
    std::vector<std::string> problems;
    std::uint64_t run_id = 0;
    std::uint32_t file_id = 0;
    std::map<std::uint64_t, sim::LogBlockHeader> blocks;  // of all log files
    for (const sim::FileOptions& file : plan.options.files) {
        ++file_id;
        const auto found = state.power.files.find(file.path);
        if (found == state.power.files.end()) {
            problems.push_back(file.path + " is missing");
            continue;
        }
        const std::vector<std::byte> page = part_of_file(*found->second, 0, kPageBytes);
        const sim::PageHeader header = sim::read_header(page.data());
        if (!sim::has_signature(page.data()) || header.file_id != file_id) problems.push_back(file.path + " has no signature");
        // The run rewrites page 0 of a data file, which may therefore be torn; page 0 of a log file never is.
        const bool may_be_torn = std::any_of(state.power.torn.begin(), state.power.torn.end(),
                                             [&](const ums::TornWrite& torn) { return torn.path == file.path && torn.offset_bytes == 0; });
        if (!may_be_torn && sim::page_checksum(page.data()) != header.checksum) problems.push_back(file.path + ": page 0 is damaged");
        if (file.is_log && header.version != 1) problems.push_back(file.path + ": the signature page is not that of the creation");
        if (file_id == 1) run_id = header.run_id;
        if (header.run_id != run_id) problems.push_back(file.path + " is of another run");
        if (file.is_log) blocks.merge(blocks_left(*found->second, run_id));
    }
    for (const std::string& missing : missing_blocks(blocks)) problems.push_back("missing: " + missing);
    return problems;
}

std::string text_of_cut(const CrashState& state) {
    return fmt::format("cut at moment {} ({}, {}, phase {})", state.power.moment, name_of(state.reason), name_of(state.power.mix),
                       name_of(state.phase));
}

}  // namespace

TEST_CASE("an honest device that loses power keeps the created files and the hardened log") {
    std::array<std::uint64_t, sim::kCutReasonCount> reasons{};
    std::set<ums::CutMix> mixes;
    std::uint64_t torn = 0;
    for (std::uint64_t seed = 1; seed <= kCrashRuns; ++seed) {
        CrashPlan plan = sim::draw_crash_plan(seed, {});
        plan.cut_count = 8;
        std::uint64_t cuts = 0;
        const CrashReport report = rehearse_crash(plan, [&](const CrashPlan&, const CrashState& state) {
            INFO("seed " << seed << ": " << text_of_cut(state));
            CHECK(state.power.lost.empty());
            ++cuts;
            ++reasons.at(static_cast<std::size_t>(state.reason));
            mixes.insert(state.power.mix);
            torn += state.power.torn.size();
            if (state.phase == Phase::create) return;
            CHECK(fmt::format("{}", fmt::join(judge_honest(plan, state), ", ")) == "");
        });
        INFO("seed " << seed);
        CHECK(cuts == plan.cut_count);
        CHECK(fmt::format("{}", fmt::join(report.problems, ", ")) == "");
        CHECK(report.moment_count > 100);
    }
    CHECK(torn > 0);
    if (kCrashRuns < 20) return;
    CHECK(mixes.size() == ums::kCutMixCount);
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        INFO(name_of(static_cast<CutReason>(i)));
        CHECK(reasons.at(i) > 0);
    }
}

TEST_CASE("each lie costs whole runs some of their promises, and what is left shows it") {
    for (std::uint32_t i = 0; i < ums::kPowerLieCount; ++i) {
        const auto lie = static_cast<ums::PowerLie>(i);
        std::uint64_t damaged = 0;
        std::uint64_t seen = 0;
        for (std::uint64_t seed = 1; seed <= test::fewer_if_sanitized(10); ++seed) {
            CrashPlan plan = sim::draw_crash_plan(seed, {lie});
            plan.cut_count = 8;
            const CrashReport report = rehearse_crash(plan, [&](const CrashPlan&, const CrashState& state) {
                damaged += state.power.lost.empty() ? 0 : 1;
                if (state.phase == Phase::create) return;
                const bool is_seen = !judge_honest(plan, state).empty();
                INFO(name_of(lie) << ", seed " << seed << ": " << text_of_cut(state));
                CHECK((!is_seen || !state.power.lost.empty()));
                seen += is_seen ? 1 : 0;
            });
            CHECK(report.problems.empty());  // while there is power, the lie goes unnoticed
        }
        INFO(name_of(lie));
        CHECK(damaged > 0);
        if (!test::kIsThreadSanitized) CHECK(seen > 0);
    }
}

TEST_CASE("the same plan gives the same cuts, a different seed different ones") {
    struct Seen {
        std::uint64_t moment;
        std::uint64_t at_ns;
        std::uint32_t checksum;

        bool operator==(const Seen&) const = default;
    };
    const auto cuts_of = [](std::uint64_t seed) {
        std::vector<Seen> cuts;
        const CrashReport report = rehearse_crash(sim::draw_crash_plan(seed, {}), [&](const CrashPlan&, const CrashState& state) {
            Seen seen{state.power.moment, state.power.at_ns, 0};
            for (const auto& [path, file] : state.power.files) {
                const std::vector<std::byte> bytes = part_of_file(*file, 0, file->size_bytes());
                seen.checksum ^= sim::crc32c(bytes.data(), bytes.size());
            }
            cuts.push_back(seen);
        });
        CHECK(report.moment_count > 100);
        return cuts;
    };
    const std::vector<Seen> first = cuts_of(3);
    CHECK(first.size() == CrashPlan{}.cut_count);
    CHECK(first == cuts_of(3));
    CHECK(first != cuts_of(4));
}
