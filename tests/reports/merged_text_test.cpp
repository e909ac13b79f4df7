// Several results files as one text, and what a page has in common with it.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/group_text.hpp"
#include "reports/html_page.hpp"
#include "reports/merged_results.hpp"
#include "reports/results_document.hpp"
#include "reports/results_json.hpp"
#include "tests/reports/prepared_results.hpp"
#include "tests/support/catch.hpp"

namespace {

// The prepared latencies are not in the buckets of a histogram, and cannot be added up.
nlohmann::ordered_json unmeasured_part(sim::Results results) {
    for (sim::FileResult& file : results.files) file.latency = {};
    return reports::parse_results(reports::results_json(results, {}), "test");
}

nlohmann::ordered_json merged_with_sound(const sim::Results& results) {
    const nlohmann::ordered_json sound = unmeasured_part(sound_results());
    const nlohmann::ordered_json other = unmeasured_part(results);
    return reports::merged_results({{"a.json", &sound}, {"b.json", &other}}, "1.2.3");
}

}  // namespace

TEST_CASE("findings of a kind are at least as many as those that are known, if a run did not keep all of them") {
    sim::Results stale = stale_results();
    ++stale.run_id;
    CHECK_THAT(reports::merged_text(merged_with_sound(stale)),
               ContainsSubstring("\n          3  stale_read\n") && !ContainsSubstring("at least") && !ContainsSubstring(" more: see"));
    stale.finding_count = 20'000;
    const nlohmann::ordered_json merged = merged_with_sound(stale);
    const std::string text = reports::merged_text(merged);
    CHECK_THAT(text, ContainsSubstring("\n  at least         3  stale_read\n"));
    CHECK_THAT(text, ContainsSubstring("\n  19,997 more: see the JSON documents.\n"));
    CHECK_THAT(reports::html_merged(merged),
               ContainsSubstring("kindsTable(data.findings_by_kind, data.finding_count, entry => entry.kind)"));
}

TEST_CASE("the text of several results names the kinds of requests as that of a run does") {
    sim::Results stale = stale_results();
    ++stale.run_id;
    nlohmann::ordered_json merged = merged_with_sound(stale);
    nlohmann::ordered_json& flushes = merged["latency"]["log_flush"];
    flushes["count"] = 5;
    for (const char* key : {"mean_ns", "max_ns"}) flushes[key] = 2e6;
    CHECK_THAT(reports::merged_text(merged), ContainsSubstring("\n  log flush ") && !ContainsSubstring("log_flush"));
}

TEST_CASE("facts of a group are at least as many as those that are known, if the run did not keep all findings") {
    sim::Results results = stale_results();
    results.group.emplace();
    results.findings[0].group_fact.emplace().kind = sim::GroupFactKind::zombie_owner;
    CHECK_THAT(reports::group_text(results), ContainsSubstring("FOUND           1 x zombie owner\n"));
    results.finding_count = 20'000;
    CHECK_THAT(reports::group_text(results), ContainsSubstring("FOUND           at least 1 x zombie owner\n"));
}
