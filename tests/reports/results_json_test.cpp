#include "reports/results_json.hpp"

#include "tests/reports/example_results.hpp"
#include "tests/reports/figures.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::ordered_json;
using test::Figures;

namespace {

Json document_of(const sim::Results& results) { return reports::results_document(results, {}); }

}  // namespace

TEST_CASE("each figure of a phase, a user, a scheduler and a wait is in the JSON under its own name") {
    sim::Results results = example_results();
    Figures phase;
    results.phases.resize(1);
    phase.set(results.phases[0].cycle, "cycle");
    phase.set(results.phases[0].duration_us, "duration_us");
    phase.set(results.phases[0].pages_read, "pages_read");
    phase.set(results.phases[0].pages_written, "pages_written");
    phase.set(results.phases[0].pages_verified, "pages_verified");
    phase.set(results.phases[0].log_bytes_written, "log_bytes_written");
    Figures user;
    user.set(results.users[1].count, "count");
    user.set(results.users[1].cycles, "cycles");
    user.set(results.users[1].pages_read, "pages_read");
    user.set(results.users[1].pages_updated, "pages_updated");
    user.set(results.users[1].rollbacks, "rollbacks");
    user.set(results.users[1].log_bytes, "log_bytes");
    Figures scheduler;
    scheduler.set(results.schedulers[1].id, "id");
    scheduler.set(results.schedulers[1].switches, "switches");
    scheduler.set(results.schedulers[1].yields, "yields");
    scheduler.set(results.schedulers[1].quantum_overruns, "quantum_overruns");
    scheduler.set(results.schedulers[1].idle_us, "idle_us");
    scheduler.set(results.schedulers[1].io_requests, "io_requests");
    Figures wait;
    wait.set(results.waits[1].count, "count");
    wait.set(results.waits[1].wait_us, "wait_us");
    wait.set(results.waits[1].max_wait_us, "max_wait_us");
    wait.set(results.waits[1].signal_wait_us, "signal_wait_us");
    const Json json = document_of(results);
    CHECK(phase.wrong_in(json["phases"].at(0)) == "");
    CHECK(user.wrong_in(json["users"].at(1)) == "");
    CHECK(scheduler.wrong_in(json["schedulers"].at(1)) == "");
    CHECK(wait.wrong_in(json["waits"].at(1)) == "");
}

TEST_CASE("each figure of a verification, of a recovery and of promises is in the JSON under its own name") {
    sim::Results results = example_results();
    sim::DurabilityResult durability;
    Figures verified;
    verified.set(durability.log_blocks, "log_blocks");
    verified.set(durability.first_block, "first_block");
    verified.set(durability.last_block, "last_block");
    verified.set(durability.hardened_block, "hardened_block");
    verified.set(durability.last_lsn, "last_lsn");
    verified.set(durability.last_write_utc_us, "last_write_utc_us");
    verified.set(durability.blocks_behind, "blocks_behind");
    verified.set(durability.missing_blocks, "missing_blocks");
    verified.set(durability.checkpoint_lsn, "checkpoint_lsn");
    verified.set(durability.pages_proven, "pages_proven");
    verified.set(durability.pages_released, "pages_released");
    verified.set(durability.regions_compared, "regions_compared");
    verified.set(durability.regions_skipped, "regions_skipped");
    verified.set(durability.torn_pages, "torn_pages");
    verified.set(durability.torn_on_4k_lines, "torn_on_4k_lines");
    verified.set(durability.pages_beyond_log, "pages_beyond_log");
    verified.set(durability.wrong_pages, "wrong_pages");
    verified.set(durability.undurable_files, "undurable_files");
    Figures promised;
    sim::PromisesResult promises;
    promised.set(promises.pages, "pages");
    promised.set(promises.block, "block");
    promised.set(promises.checkpoint_lsn, "checkpoint_lsn");
    promised.set(promises.last_utc_us, "last_utc_us");
    durability.promises = promises;
    results.durability = durability;
    sim::ResumeResult resume;
    Figures resumed;
    resumed.set(resume.incarnation, "incarnation");
    resumed.set(resume.last_block, "last_block");
    resumed.set(resume.pages_redone, "pages_redone");
    resumed.set(resume.torn_pages, "torn_pages");
    resumed.set(resume.pages_given_up, "pages_given_up");
    resumed.set(resume.blocks_given_up, "blocks_given_up");
    results.resumed = resume;
    sim::PromiseKeepingResult keeping;
    Figures kept;
    kept.set(keeping.batches, "batches");
    kept.set(keeping.pages, "pages");
    kept.set(keeping.dropped_pages, "dropped_pages");
    kept.set(keeping.last_utc_us, "last_utc_us");
    kept.set(keeping.breaks, "breaks");
    results.promising = keeping;
    const Json json = document_of(results);
    CHECK(verified.wrong_in(json["durability"]) == "");
    CHECK(promised.wrong_in(json["durability"]["promises"]) == "");
    CHECK(resumed.wrong_in(json["resumed"]) == "");
    CHECK(kept.wrong_in(json["promising"]) == "");
}
