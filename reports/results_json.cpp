#include "reports/results_json.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "reports/backup_report.hpp"
#include "reports/file_json.hpp"
#include "reports/finding_json.hpp"
#include "reports/json_text.hpp"
#include "reports/preflight_report.hpp"
#include "reports/text_report.hpp"
#include "reports/time_text.hpp"
#include "reports/verdict.hpp"
#include "ums/base/assert.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of_outcome(sim::Outcome outcome) {
    switch (outcome) {
        case sim::Outcome::passed: return "passed";
        case sim::Outcome::stopped: return "stopped";
        case sim::Outcome::failed: return "failed";
        case sim::Outcome::not_done: return "not_done";
    }
    UMS_ASSERT(false && "unknown outcome");
}

const char* word_of(sim::NothingToVerify why) {
    switch (why) {
        case sim::NothingToVerify::no: return "";
        case sim::NothingToVerify::no_files: return "no_files";
        case sim::NothingToVerify::being_replaced: return "being_replaced";
        case sim::NothingToVerify::no_changes: return "no_changes";
    }
    UMS_ASSERT(false && "unknown reason");
}

Json run_of(const sim::Results& results, const RunFacts& facts) {
    return {{"run_id", fmt::format("{:016x}", results.run_id)},
            {"seed", std::to_string(results.seed)},
            {"start_utc", utc_iso_text(results.start_utc_us)},
            {"duration_us", results.duration_us},
            {"engine", results.engine},
            {"engine_reason", results.engine_reason},
            {"cpu_count", results.cpu_count},
            {"buffer_pool_bytes", results.buffer_pool_bytes},
            {"cycles_completed", results.cycles_completed},
            {"outcome", name_of_outcome(results.outcome)},
            {"outcome_reason", results.outcome_reason},
            {"nothing_to_verify", word_of(results.nothing_to_verify)},
            {"unfinished", results.is_unfinished},
            {"repeat_command", facts.repeat_command},
            {"log_file", facts.log_path},
            {"rehearsal", results.rehearsal}};
}

Json remarks_of(const std::vector<Remark>& remarks) {
    Json list = Json::array();
    for (const Remark& remark : remarks) {
        list.push_back(
            {{"id", remark.id}, {"grade", name_of(remark.grade)}, {"text", remark.text}, {"next", remark.next}, {"source", remark.source}});
    }
    return list;
}

Json verdict_of_run(const sim::Results& results) {
    const Verdict verdict = verdict_of(results);
    Json files = Json::array();
    for (const FileVerdict& file : verdict.files) {
        files.push_back({{"path", file.path}, {"grade", name_of(file.grade)}, {"remarks", remarks_of(file.remarks)}});
    }
    return {{"judgement", name_of(verdict.judgement)}, {"reasons", remarks_of(verdict.reasons)}, {"files", std::move(files)}};
}

Json configuration_of(const RunFacts& facts) {
    Json sections = Json::array();
    for (const RunFacts::Section& section : facts.configuration) {
        Json values = Json::object();
        for (const auto& [name, value] : section.values) values[name] = value;
        sections.push_back({{"section", section.name}, {"values", std::move(values)}});
    }
    return sections;
}

Json phases_of(const sim::Results& results) {
    Json phases = Json::array();
    for (const sim::PhaseResult& phase : results.phases) {
        phases.push_back({{"phase", sim::name_of(phase.phase)},
                          {"cycle", phase.cycle},
                          {"duration_us", phase.duration_us},
                          {"pages_read", phase.pages_read},
                          {"pages_written", phase.pages_written},
                          {"pages_verified", phase.pages_verified},
                          {"log_bytes_written", phase.log_bytes_written},
                          {"count", phase.count}});
    }
    return phases;
}

Json intervals_of(const sim::Results& results) {
    Json starts = Json::array();
    Json durations = Json::array();
    Json phases = Json::array();
    Json cycles = Json::array();
    for (const sim::Interval& interval : results.intervals) {
        starts.push_back(interval.start_us);
        durations.push_back(interval.duration_us);
        phases.push_back(sim::name_of(interval.phase));
        cycles.push_back(interval.cycle);
    }
    return {
        {"start_us", std::move(starts)}, {"duration_us", std::move(durations)}, {"phase", std::move(phases)}, {"cycle", std::move(cycles)}};
}

Json users_of(const sim::Results& results) {
    Json users = Json::array();
    for (const sim::UserResult& user : results.users) {
        users.push_back({{"name", user.name},
                         {"count", user.count},
                         {"cycles", user.cycles},
                         {"pages_read", user.pages_read},
                         {"pages_updated", user.pages_updated},
                         {"rollbacks", user.rollbacks},
                         {"log_bytes", user.log_bytes}});
    }
    return users;
}

Json schedulers_of(const sim::Results& results) {
    Json schedulers = Json::array();
    for (const sim::SchedulerResult& scheduler : results.schedulers) {
        schedulers.push_back({{"id", scheduler.id},
                              {"switches", scheduler.switches},
                              {"yields", scheduler.yields},
                              {"quantum_overruns", scheduler.quantum_overruns},
                              {"idle_us", scheduler.idle_us},
                              {"io_requests", scheduler.io_requests}});
    }
    return schedulers;
}

Json waits_of(const sim::Results& results) {
    Json waits = Json::array();
    for (const sim::WaitResult& wait : results.waits) {
        waits.push_back({{"type", wait.type},
                         {"count", wait.count},
                         {"wait_us", wait.wait_us},
                         {"max_wait_us", wait.max_wait_us},
                         {"signal_wait_us", wait.signal_wait_us}});
    }
    return waits;
}

Json thresholds_of(const sim::Results& results) {
    Json thresholds = Json::array();
    for (const sim::ThresholdResult& threshold : results.thresholds) {
        const bool is_measured = !threshold.measured.empty();
        thresholds.push_back({{"expression", threshold.expression},
                              {"outcome", !is_measured            ? "not_measured"
                                          : threshold.is_exceeded ? "exceeded"
                                                                  : "kept"},
                              {"limit", threshold.limit},
                              {"value", is_measured ? Json(threshold.value) : Json()},
                              {"measured", threshold.measured},
                              {"file", threshold.path},
                              {"io_class", threshold.io_class}});
    }
    return thresholds;
}

Json resumed_of(const sim::ResumeResult& resumed) {
    return {{"incarnation", resumed.incarnation}, {"last_block", resumed.last_block},         {"pages_redone", resumed.pages_redone},
            {"torn_pages", resumed.torn_pages},   {"pages_given_up", resumed.pages_given_up}, {"blocks_given_up", resumed.blocks_given_up}};
}

Json promises_of(const sim::PromisesResult& promises) {
    return {{"keeper", promises.keeper},
            {"are_used", promises.are_used},
            {"remark", promises.remark},
            {"pages", promises.pages},
            {"block", promises.block},
            {"checkpoint_lsn", promises.checkpoint_lsn},
            {"last_utc_us", promises.last_utc_us}};
}

Json promising_of(const sim::PromiseKeepingResult& promising) {
    return {{"keeper", promising.keeper},
            {"batches", promising.batches},
            {"pages", promising.pages},
            {"dropped_pages", promising.dropped_pages},
            {"last_utc_us", promising.last_utc_us},
            {"breaks", promising.breaks},
            {"stopped_because", promising.stopped_because}};
}

Json members_of(const sim::GroupResult& group) {
    Json members = Json::array();
    for (const sim::GroupMemberResult& member : group.members) {
        members.push_back({{"rank", member.rank},
                           {"host", member.host},
                           {"run_id", fmt::format("{:016x}", member.run_id)},
                           {"files", member.files},
                           {"state", member.state},
                           {"clock_offset_us", member.clock_offset_us}});
    }
    return members;
}

Json planned_losses_of(const sim::TurnResult& turn) {
    Json losses = Json::array();
    for (const sim::LostTurnResult& lost : turn.planned_losses) losses.push_back({{"number", lost.number}, {"rank", lost.rank}});
    return losses;
}

Json turn_of(const sim::TurnResult& turn) {
    Json previous = nullptr;
    if (turn.previous) {
        previous = {{"rank", turn.previous->rank},
                    {"host", turn.previous->host},
                    {"incarnation", turn.previous->incarnation},
                    {"ended_by", turn.previous->ended_by},
                    {"ended_utc_us", turn.previous->ended_utc_us}};
    }
    return {{"number", turn.number},
            {"turns", turn.turns},
            {"planned_end", turn.planned_end},
            {"incarnation", turn.incarnation},
            {"previous", std::move(previous)},
            {"planned_losses", planned_losses_of(turn)},
            {"verified",
             {{"pages", turn.verified.pages},
              {"promised_pages", turn.verified.promised_pages},
              {"log_blocks", turn.verified.log_blocks},
              {"torn_pages", turn.verified.torn_pages},
              {"findings", turn.verified.findings}}}};
}

Json reader_of(const sim::ReaderResult& reader) {
    return {{"passes", reader.passes},
            {"opens", reader.opens},
            {"pages", reader.pages},
            {"promised_pages", reader.promised_pages},
            {"in_flight_pages", reader.in_flight_pages},
            {"promise_loads", reader.promise_loads}};
}

Json group_of(const sim::GroupResult& group) {
    return {{"name", group.name},
            {"plan", group.plan},
            {"rank", group.rank},
            {"of", group.of},
            {"host", group.host},
            {"witness", group.witness},
            {"coherence", group.coherence},
            {"bursts", group.bursts},
            {"clock", {{"offset_us", group.clock_offset_us}, {"round_trip_us", group.round_trip_us}}},
            {"started_utc_us", group.started_utc_us},
            {"missing_ranks", group.missing_ranks},
            {"members", members_of(group)},
            {"turn", group.turn ? turn_of(*group.turn) : Json(nullptr)},
            {"reader", group.reader ? reader_of(*group.reader) : Json(nullptr)}};
}

Json durability_of(const sim::DurabilityResult& durability) {
    Json json{{"log_blocks", durability.log_blocks},
              {"first_block", durability.first_block},
              {"last_block", durability.last_block},
              {"hardened_block", durability.hardened_block},
              {"last_lsn", durability.last_lsn},
              {"last_write_utc_us", durability.last_write_utc_us},
              {"blocks_behind", durability.blocks_behind},
              {"missing_blocks", durability.missing_blocks},
              {"checkpoint_lsn", durability.checkpoint_lsn},
              {"pages_proven", durability.pages_proven},
              {"pages_released", durability.pages_released},
              {"regions_compared", durability.regions_compared},
              {"regions_skipped", durability.regions_skipped},
              {"torn_pages", durability.torn_pages},
              {"torn_on_4k_lines", durability.torn_on_4k_lines},
              {"pages_beyond_log", durability.pages_beyond_log},
              {"wrong_pages", durability.wrong_pages},
              {"undurable_files", durability.undurable_files}};
    if (durability.promises) json["promises"] = promises_of(*durability.promises);
    return json;
}

}  // namespace

Json results_document(const sim::Results& results, const RunFacts& facts) {
    Json json;
    json["format"] = kResultsFormat;
    json["program"] = "ioproof";
    json["version"] = results.version;
    json["run"] = run_of(results, facts);
    json["verdict"] = verdict_of_run(results);
    json["finding_count"] = results.finding_count;
    json["phases"] = phases_of(results);
    json["files"] = Json::array();
    for (const sim::FileResult& file : results.files) json["files"].push_back(file_json(file));
    json["intervals"] = intervals_of(results);
    json["users"] = users_of(results);
    json["schedulers"] = schedulers_of(results);
    json["waits"] = waits_of(results);
    json["preflight"] = preflight_lines_json(results.preflight);
    json["configuration"] = configuration_of(facts);
    json["findings"] = findings_json(results.findings);
    json["warning_count"] = results.warning_count;
    json["warnings"] = findings_json(results.warnings);
    json["thresholds"] = thresholds_of(results);
    if (results.promising) json["promising"] = promising_of(*results.promising);
    if (results.resumed) json["resumed"] = resumed_of(*results.resumed);
    if (results.backup) json["backup"] = backup_json(*results.backup);
    if (results.durability) json["durability"] = durability_of(*results.durability);
    if (results.group) json["group"] = group_of(*results.group);
    json["text_report"] = text_report(results);
    return json;
}

std::string results_json(const sim::Results& results, const RunFacts& facts) { return json_line(results_document(results, facts)); }

}  // namespace reports
