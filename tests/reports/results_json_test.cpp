#include "reports/results_json.hpp"

#include <utility>

#include "reports/verdict.hpp"
#include "tests/reports/example_results.hpp"
#include "tests/reports/prepared_results.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"

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
    phase.set(results.phases[0].count, "count");
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
    promised.set(promises.keeper, "keeper");
    promised.set(promises.remark, "remark");
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
    kept.set(keeping.keeper, "keeper");
    kept.set(keeping.stopped_because, "stopped_because");
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

TEST_CASE("each figure of a group, of its members, its turns and its readers is in the JSON under its own name") {
    sim::Results results = example_results();
    sim::GroupResult& group = results.group.emplace();
    Figures all;
    all.set(group.name, "name");
    all.set(group.plan, "plan");
    all.set(group.rank, "rank");
    all.set(group.of, "of");
    all.set(group.host, "host");
    all.set(group.witness, "witness");
    all.set(group.coherence, "coherence");
    all.set(group.bursts, "bursts");
    all.set(group.started_utc_us, "started_utc_us");
    Figures clock;
    clock.set(group.clock_offset_us, "offset_us");
    clock.set(group.round_trip_us, "round_trip_us");
    group.missing_ranks = {3, 5};
    sim::GroupMemberResult& peer = group.members.emplace_back();
    Figures member;
    member.set(peer.rank, "rank");
    member.set(peer.host, "host");
    member.set(peer.state, "state");
    member.set(peer.clock_offset_us, "clock_offset_us");
    peer.run_id = 0xabc;
    peer.files = {"/a", "/b"};
    sim::TurnResult& turn = group.turn.emplace();
    Figures turns;
    turns.set(turn.number, "number");
    turns.set(turn.turns, "turns");
    turns.set(turn.planned_end, "planned_end");
    turns.set(turn.incarnation, "incarnation");
    sim::EarlierOwnerResult& owner = turn.previous.emplace();
    Figures previous;
    previous.set(owner.rank, "rank");
    previous.set(owner.host, "host");
    previous.set(owner.incarnation, "incarnation");
    previous.set(owner.ended_by, "ended_by");
    previous.set(owner.ended_utc_us, "ended_utc_us");
    turn.planned_losses = {{2, 1}, {3, 2}};
    Figures verified;
    verified.set(turn.verified.pages, "pages");
    verified.set(turn.verified.promised_pages, "promised_pages");
    verified.set(turn.verified.log_blocks, "log_blocks");
    verified.set(turn.verified.torn_pages, "torn_pages");
    verified.set(turn.verified.findings, "findings");
    sim::ReaderResult& reads = group.reader.emplace();
    Figures reader;
    reader.set(reads.passes, "passes");
    reader.set(reads.opens, "opens");
    reader.set(reads.pages, "pages");
    reader.set(reads.promised_pages, "promised_pages");
    reader.set(reads.in_flight_pages, "in_flight_pages");
    reader.set(reads.promise_loads, "promise_loads");
    const Json json = document_of(results)["group"];
    CHECK(all.wrong_in(json) == "");
    CHECK(clock.wrong_in(json["clock"]) == "");
    CHECK(json["missing_ranks"] == Json({3, 5}));
    CHECK(member.wrong_in(json["members"].at(0)) == "");
    CHECK(json["members"].at(0)["run_id"] == "0000000000000abc");
    CHECK(json["members"].at(0)["files"] == Json({"/a", "/b"}));
    CHECK(turns.wrong_in(json["turn"]) == "");
    CHECK(previous.wrong_in(json["turn"]["previous"]) == "");
    CHECK(json["turn"]["planned_losses"] == Json::parse(R"([{"number": 2, "rank": 1}, {"number": 3, "rank": 2}])"));
    CHECK(verified.wrong_in(json["turn"]["verified"]) == "");
    CHECK(reader.wrong_in(json["reader"]) == "");
}

TEST_CASE("each fact of a run is in the JSON under its own name, and its outcome in a word") {
    sim::Results results = example_results();
    reports::RunFacts facts;
    Figures run;
    run.set(results.duration_us, "duration_us");
    run.set(results.engine, "engine");
    run.set(results.engine_reason, "engine_reason");
    run.set(results.cpu_count, "cpu_count");
    run.set(results.buffer_pool_bytes, "buffer_pool_bytes");
    run.set(results.cycles_completed, "cycles_completed");
    run.set(results.outcome_reason, "outcome_reason");
    run.set(facts.repeat_command, "repeat_command");
    run.set(facts.log_path, "log_file");
    run.set(results.rehearsal, "rehearsal");
    Figures counts;
    counts.set(results.version, "version");
    counts.set(results.finding_count, "finding_count");
    counts.set(results.warning_count, "warning_count");
    results.findings.resize(1);
    results.findings[0].number = 61;
    results.warnings.resize(1);
    results.warnings[0].number = 62;
    facts.configuration = {{"File1", {{"FileName", "a"}, {"InitialSize", "4"}}}};
    using sim::Outcome;
    const std::pair<Outcome, const char*> outcomes[] = {
        {Outcome::passed, "passed"}, {Outcome::stopped, "stopped"}, {Outcome::failed, "failed"}, {Outcome::not_done, "not_done"}};
    for (const auto& [outcome, word] : outcomes) {
        results.outcome = outcome;
        CHECK(document_of(results)["run"]["outcome"] == word);
    }
    using sim::NothingToVerify;
    const std::pair<NothingToVerify, const char*> reasons[] = {{NothingToVerify::no, ""},
                                                               {NothingToVerify::no_files, "no_files"},
                                                               {NothingToVerify::being_replaced, "being_replaced"},
                                                               {NothingToVerify::no_changes, "no_changes"}};
    for (const auto& [reason, word] : reasons) {
        results.nothing_to_verify = reason;
        CHECK(document_of(results)["run"]["nothing_to_verify"] == word);
    }
    CHECK(document_of(results)["run"]["unfinished"] == false);
    results.is_unfinished = true;
    CHECK(document_of(results)["run"]["unfinished"] == true);
    const Json json = reports::results_document(results, facts);
    CHECK(run.wrong_in(json["run"]) == "");
    CHECK(json["run"]["run_id"] == "5eed000000000001");
    CHECK(json["run"]["seed"] == "20260101");
    CHECK(json["run"]["start_utc"] == "2025-11-24T16:00:00.000000Z");
    CHECK(counts.wrong_in(json) == "");
    CHECK(json["findings"].at(0)["number"] == 61);
    CHECK(json["warnings"].at(0)["number"] == 62);
    CHECK(json["configuration"] == Json::parse(R"([{"section": "File1", "values": {"FileName": "a", "InitialSize": "4"}}])"));
}

TEST_CASE("each figure of an interval and of a limit is in the JSON under its own name") {
    sim::Results results = example_results();
    results.intervals.resize(1);
    Figures interval;
    interval.set(results.intervals[0].start_us, "start_us");
    interval.set(results.intervals[0].duration_us, "duration_us");
    interval.set(results.intervals[0].cycle, "cycle");
    results.intervals[0].phase = sim::Phase::redo;
    results.thresholds.resize(3);
    sim::ThresholdResult& threshold = results.thresholds[0];
    Figures limit;
    limit.set(threshold.expression, "expression");
    limit.set(threshold.limit, "limit");
    limit.set(threshold.value, "value");
    limit.set(threshold.measured, "measured");
    limit.set(threshold.path, "file");
    limit.set(threshold.io_class, "io_class");
    results.thresholds[1] = threshold;
    results.thresholds[1].is_exceeded = true;
    results.thresholds[2].value = 7;
    const Json json = document_of(results);
    Json first = Json::object();
    for (const auto& [name, column] : json["intervals"].items()) first[name] = column.at(0);
    CHECK(interval.wrong_in(first) == "");
    CHECK(first["phase"] == sim::name_of(sim::Phase::redo));
    CHECK(limit.wrong_in(json["thresholds"].at(0)) == "");
    CHECK(json["thresholds"].at(0)["outcome"] == "kept");
    CHECK(json["thresholds"].at(1)["outcome"] == "exceeded");
    CHECK(json["thresholds"].at(2)["outcome"] == "not_measured");
    CHECK(json["thresholds"].at(2)["value"].is_null());
}

TEST_CASE("the verdict in the JSON is that of the report, with each remark's texts under their own names") {
    const sim::Results results = stale_results();
    const reports::Verdict verdict = reports::verdict_of(results);
    const Json json = document_of(results)["verdict"];
    const auto is_same = [](const Json& written, const std::vector<reports::Remark>& remarks) {
        REQUIRE(written.size() == remarks.size());
        for (std::size_t i = 0; i < remarks.size(); ++i) {
            const Json expected{{"id", remarks[i].id},
                                {"grade", reports::name_of(remarks[i].grade)},
                                {"text", remarks[i].text},
                                {"next", remarks[i].next},
                                {"source", remarks[i].source}};
            CHECK(written.at(i) == expected);
        }
    };
    CHECK(json["judgement"] == "FAIL");
    is_same(json["reasons"], verdict.reasons);
    REQUIRE(json["files"].size() == verdict.files.size());
    for (std::size_t i = 0; i < verdict.files.size(); ++i) {
        CHECK(json["files"].at(i)["path"] == verdict.files[i].path);
        CHECK(json["files"].at(i)["grade"] == reports::name_of(verdict.files[i].grade));
        is_same(json["files"].at(i)["remarks"], verdict.files[i].remarks);
    }
}
