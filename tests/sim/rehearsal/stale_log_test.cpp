// Another run's old log in the space into which a log grows without zeroing it.
#include "sim/rehearsal/stale_log.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/log/log_block_check.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/rehearsal/crash_tally.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "ums/base/units.hpp"

using ums::kMb;

namespace {

constexpr std::uint64_t kStaleRuns = test::fewer_if_sanitized(12);
constexpr std::uint32_t kFileId = 2;

std::vector<std::byte> stale_megabyte() {
    ums::SimulatedFile file(1);
    file.resize(2 * kMb);
    sim::fill_with_stale_log(file, kMb, 2 * kMb, kFileId, 7);
    std::vector<std::byte> bytes(kMb);
    file.read(kMb, bytes.data(), bytes.size());
    return bytes;
}

// Sound blocks of any run in the part of the log that has grown.
std::vector<sim::LogBlockHeader> blocks_in_growth(const ums::SimulatedFile& file, std::uint64_t made_bytes) {
    std::vector<sim::LogBlockHeader> blocks;
    if (file.size_bytes() <= made_bytes) return blocks;
    std::vector<std::byte> bytes(file.size_bytes() - made_bytes);
    file.read(made_bytes, bytes.data(), bytes.size());
    for (std::size_t at = 0; at + sim::kSectorBytes <= bytes.size(); at += sim::kSectorBytes) {
        if (sim::is_sound_block(bytes.data() + at, bytes.size() - at)) blocks.push_back(sim::read_block_header(bytes.data() + at));
    }
    return blocks;
}

}  // namespace

TEST_CASE("stale log is sound, with places and numbers that could be this run's") {
    const std::vector<std::byte> bytes = stale_megabyte();
    std::uint64_t last = 0;
    for (std::size_t at = 0; at < bytes.size();) {
        REQUIRE(sim::is_sound_block(bytes.data() + at, bytes.size() - at));
        const sim::LogBlockHeader header = sim::read_block_header(bytes.data() + at);
        CHECK(header.file_id == kFileId);
        CHECK(std::uint64_t{header.vlf_sector} * sim::kSectorBytes == at);
        CHECK(std::uint64_t{header.vlf_sectors} * sim::kSectorBytes == kMb);
        CHECK(header.sequence > last);
        last = header.sequence;
        at += header.size_bytes;
    }
}

TEST_CASE("if a block of this run is lost in stale log, every sector there is reported as stale") {
    const std::vector<std::byte> bytes = stale_megabyte();
    const sim::ExpectedBlock expected{.run_id = 4711, .sequence = 17, .vlf_sequence = 5, .vlf_sector = 0};
    for (std::size_t at = 0; at < bytes.size(); at += sim::kSectorBytes) {
        const auto fault = sim::check_block(bytes.data() + at, bytes.size() - at, expected);
        REQUIRE(fault);
        CHECK(fault->kind == sim::FindingKind::log_stale_block);
    }
}

TEST_CASE("when the log grows into the log of another run and the power fails, stale log is never taken for log") {
    std::uint64_t cuts_with_both = 0;
    for (std::uint64_t seed = 1; seed <= kStaleRuns; ++seed) {
        sim::CrashPlan plan = sim::draw_crash_plan(seed, {});
        // No checkpoint comes in time: the log must grow.
        plan.options.recent = {.log_instant_growth = true};
        plan.options.files[1].increment_mb = 4;
        plan.options.files[1].max_size_mb = 5;
        plan.options.checkpoint_interval_ms = 5000;
        plan.options.random_user.user_count = 8;
        plan.options.random_user.read_write_ratio = 10'000;
        plan.options.random_user.min_log_per_buffer_bytes = plan.options.random_user.max_log_per_buffer_bytes = 8192;
        plan.options.random_user.sleep_after_ms = 20;
        plan.device.new_space = sim::stale_log_space(plan.options, seed);
        plan.cut_count = 4;
        const sim::CrashReport report = sim::rehearse_crash(plan, [&](const sim::CrashPlan& judged, sim::CrashState& state) {
            const auto log = state.power.files.find(judged.options.files[1].path);
            if (log != state.power.files.end()) {
                const std::vector<sim::LogBlockHeader> blocks = blocks_in_growth(*log->second, kMb);
                const auto is_stale = [](const sim::LogBlockHeader& header) { return header.sequence >= 1'000'000; };
                const auto stale = std::count_if(blocks.begin(), blocks.end(), is_stale);
                if (stale > 0 && static_cast<std::size_t>(stale) < blocks.size()) ++cuts_with_both;
            }
            const sim::CutJudgement judgement = sim::judge_cut(judged, state);
            INFO("seed " << seed << ": " << judgement.text << " " << judgement.problem);
            CHECK(judgement.problem.empty());
        });
        CHECK(report.problems.empty());
    }
    if (!test::kIsSanitized) CHECK(cuts_with_both > 0);  // a small number of runs may have none
}
