// Why the files that a power cut left do not prove a loss.
#include "sim/rehearsal/crash_explanation.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("a growth of the log that no block has used yet is lost after the end of the log") {
    const sim::CrashPlan plan = sim::draw_crash_plan(1, {});
    std::uint32_t cuts = 0;
    static_cast<void>(sim::rehearse_crash(plan, [&](const sim::CrashPlan&, sim::CrashState& state) {
        if (state.phase != sim::Phase::main_run) return;
        const auto& files = plan.options.files;
        const auto log = std::find_if(files.begin(), files.end(), [](const auto& file) { return file.is_log; });
        const std::uint64_t size_bytes = state.power.files.at(log->path)->size_bytes();
        state.power.lost.push_back({log->path, ums::LostPart::size, size_bytes, 1 << 20});
        const sim::CrashExplanation explanation = sim::explain_cut(plan, state);
        CHECK(explanation.proofs.empty());
        CHECK(explanation.reason() == sim::MissReason::end_of_log);
        ++cuts;
    }));
    CHECK(cuts > 0);
}

TEST_CASE("if log that recovery needs is gone, a ledger proves nothing about pages that it may have cut off") {
    const sim::CrashPlan plan = sim::draw_crash_plan(1, {});
    std::uint32_t cuts = 0;
    static_cast<void>(sim::rehearse_crash(plan, [&](const sim::CrashPlan&, sim::CrashState& state) {
        if (state.phase != sim::Phase::main_run || state.book.blocks().empty()) return;
        const auto& files = plan.options.files;
        const auto is_wanted = [&](const auto& each) {
            const auto found = state.power.files.find(files.at(each.first.file_id - 1).path);
            const std::uint64_t end_bytes = (std::uint64_t{each.first.page_id} + 1) * sim::kPageBytes;
            return each.first.page_id != 0 && found != state.power.files.end() && found->second->size_bytes() >= end_bytes;
        };
        const auto page = std::find_if(state.book.pages().begin(), state.book.pages().end(), is_wanted);
        if (page == state.book.pages().end()) return;
        for (const sim::FileOptions& file : files) {
            if (!file.is_log) continue;
            ums::SimulatedFile& log = *state.power.files.at(file.path);
            const std::vector<std::byte> zeros(log.size_bytes() - sim::kPageBytes);
            log.write(sim::kPageBytes, zeros.data(), zeros.size());
        }
        sim::PromiseSection section;
        section.run_id = section.section_id = section.incarnation = 1;
        sim::PromiseBatch batch;
        batch.run_id = batch.section_id = batch.number = 1;
        batch.hardened_sequence = state.book.blocks().rbegin()->first;
        batch.pages.push_back({page->first.file_id, page->first.page_id, 1'000'000, 0});
        state.promises.emplace();
        state.promises->begin(section);
        REQUIRE(state.promises->add(batch));
        for (const bool is_shrinkable : {false, true}) {
            sim::CrashPlan with_cuts = plan;
            sim::FileOptions& file = with_cuts.options.files.at(page->first.file_id - 1);
            file.initial_size_mb = 0;
            file.increment_mb = 1;
            file.shrinkable = is_shrinkable;
            const sim::CrashExplanation explanation = sim::explain_cut(with_cuts, state, sim::Knowledge::files_and_ledger);
            const bool is_proven = std::any_of(explanation.proofs.begin(), explanation.proofs.end(),
                                               [](const sim::CrashProof& proof) { return proof.is_by_ledger; });
            CHECK(is_proven == !is_shrinkable);
        }
        ++cuts;
    }));
    CHECK(cuts > 0);
}
