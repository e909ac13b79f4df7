#include "reports/comparison.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "reports/html_page.hpp"
#include "reports/results_document.hpp"
#include "reports/results_json.hpp"
#include "tests/reports/prepared_results.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::ordered_json;

namespace {

Json document_of(const sim::Results& results, const reports::RunFacts& facts = {}) {
    return reports::parse_results(reports::results_json(results, facts), "test");
}

Json row_of(const Json& comparison, std::size_t file, const std::string& figure) {
    for (const Json& row : comparison["files"][file]["rows"]) {
        if (row["figure"] == figure) return row;
    }
    return nullptr;
}

// Multiplies the reads of every interval by `factor`, and their durations by `latency_factor`.
sim::Results scaled(double factor, double latency_factor) {
    sim::Results results = sound_results();
    for (sim::FileSample& sample : results.files[0].samples) {
        sample.reads = static_cast<std::uint64_t>(static_cast<double>(sample.reads) * factor);
        sample.read_time_us = static_cast<std::uint64_t>(static_cast<double>(sample.read_time_us) * factor * latency_factor);
    }
    return results;
}

std::string error_of(const std::string& text) {
    try {
        reports::parse_results(text, "x.json");
    } catch (const reports::ResultsDocumentError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("results compared with themselves show no difference") {
    const Json document = document_of(sound_results());
    const Json comparison = reports::compare_results(document, "a.json", document, "b.json");
    REQUIRE(comparison["files"].size() == 2);
    for (const Json& file : comparison["files"]) {
        for (const Json& row : file["rows"]) CHECK((row["verdict"] == "same" || row["verdict"] == "unknown"));
    }
    CHECK(row_of(comparison, 0, "reads")["verdict"] == "same");
    CHECK(comparison["unpaired"].empty());
    CHECK(comparison["configuration"].empty());
}

TEST_CASE("a difference within the noise does not count, and a larger one is better or worse") {
    const Json before = document_of(sound_results());
    const auto against = [&](double factor, double latency_factor) {
        return reports::compare_results(before, "a", document_of(scaled(factor, latency_factor)), "b");
    };
    CHECK(row_of(against(1.005, 1), 0, "reads")["verdict"] == "same");
    CHECK(row_of(against(1.5, 1), 0, "reads")["verdict"] == "better");
    CHECK(row_of(against(0.5, 1), 0, "reads")["verdict"] == "worse");
    CHECK(row_of(against(1, 1.5), 0, "average read")["verdict"] == "worse");
    CHECK(row_of(against(1, 0.6), 0, "average read")["verdict"] == "better");
    const Json row = row_of(against(1.5, 1), 0, "reads");
    CHECK(row["change_percent"].get<double>() > 49);
    CHECK(row["change_percent"].get<double>() < 51);
}

// Main runs of both sides in `blocks` intervals of a second, half of them with 1000 reads and half with `other_reads`.
Json run_of(std::size_t blocks, std::uint64_t other_reads) {
    sim::Results results = sound_results();
    results.intervals.assign(blocks, {0, 1'000'000, sim::Phase::main_run, 1});
    for (auto& file : results.files) {
        file.samples.assign(blocks, {});
        for (std::size_t i = 0; i < blocks; ++i) file.samples[i].reads = i % 2 == 0 ? 1000 : other_reads;
    }
    return document_of(results);
}

TEST_CASE("the noise is that of Student's t with the degrees of freedom that both sides have") {
    // Known answers: t(8; 0.975) = 2.306 for five blocks each, t(18; 0.975) = 2.101 for ten. 1000 and 1010: of five blocks, three and two.
    const auto noise = [](std::size_t blocks) {
        const Json row = row_of(reports::compare_results(run_of(blocks, 1010), "a", run_of(blocks, 1010), "b"), 0, "reads");
        return row["noise_percent"].get<double>() / 100 * row["before"].get<double>();
    };
    const double error_of_5 = std::sqrt(30.0 / 5);           // sum of squares 120, over 4 and 5
    const double error_of_10 = std::sqrt(250.0 / 9.0 / 10);  // sum of squares 250
    CHECK(std::abs(noise(5) / (2.306 * std::sqrt(2.0) * error_of_5) - 1) < 0.001);
    CHECK(std::abs(noise(10) / (2.101 * std::sqrt(2.0) * error_of_10) - 1) < 0.001);
}

TEST_CASE("figures that vary by less than their squares can tell have no noise") {
    Json before = run_of(10, 1010);
    double tiny = 1e-90;
    for (Json& reads : before["files"][0]["series"]["reads"]) reads = tiny += 1e-90;
    const Json row = row_of(reports::compare_results(before, "a", before, "b"), 0, "reads");
    CHECK(row["noise_percent"] == 0.0);
    CHECK(row["verdict"] == "same");
}

TEST_CASE("a percentile is compared with that of the other run") {
    sim::Results after = sound_results();
    for (std::size_t i = 0; i < sim::kLatencyPercents.size(); ++i) {
        after.files[0].latency[0].percentiles_ns[i] = 2 * sound_results().files[0].latency[0].percentiles_ns[i];
    }
    const Json comparison = reports::compare_results(document_of(sound_results()), "a.json", document_of(after), "b.json");
    const Json row = row_of(comparison, 0, "read, 99 %");
    REQUIRE(row.is_object());
    CHECK(row["before"].get<double>() > 0);
    CHECK(row["after"] == 2 * row["before"].get<double>());
    CHECK(row["change_percent"] == 100);
    // Those of a file cover all phases; a log is read only in the final audit.
    const std::string text = reports::comparison_text(comparison);
    CHECK_THAT(text, ContainsSubstring("only percentiles are") && !ContainsSubstring("Main run"));
    CHECK_THAT(reports::html_comparison(comparison), ContainsSubstring("only percentiles are of the whole runs"));
}

TEST_CASE("each figure is compared by its own columns of the time series") {
    sim::Results results = sound_results();
    for (sim::FileSample& sample : results.files[0].samples) sample.throttles = 3;
    const Json before = document_of(results);
    // The figures that change if all values of one column are doubled, and by how many percent.
    using Changes = std::map<std::string, int>;
    const std::map<std::string, Changes> expected{{"reads", {{"reads", 100}, {"average read", -50}}},
                                                  {"writes", {{"writes", 100}, {"average write", -50}}},
                                                  {"read_bytes", {{"read", 100}}},
                                                  {"written_bytes", {{"written", 100}}},
                                                  {"read_time_us", {{"average read", 100}}},
                                                  {"write_time_us", {{"average write", 100}}},
                                                  {"throttles", {{"throttled", 100}}},
                                                  {"request_blocks", {{"request blocks", 100}}},
                                                  {"outstanding", {}}};
    for (const auto& [name, changes] : expected) {
        INFO(name);
        Json after = before;
        for (Json& value : after["files"][0]["series"][name]) value = 2 * value.get<std::uint64_t>();
        const Json comparison = reports::compare_results(before, "a.json", after, "b.json");
        Changes found;
        for (const Json& row : comparison["files"][0]["rows"]) {
            const double percent = row["change_percent"].get<double>();
            if (percent != 0) found[row["figure"]] = static_cast<int>(std::lround(percent));
        }
        CHECK(found == changes);
    }
}

TEST_CASE("request blocks are better or worse only where the load was held back to them") {
    const auto verdict = [](const sim::Results& before, const sim::Results& after, std::size_t file) {
        const Json comparison = reports::compare_results(document_of(before), "a", document_of(after), "b");
        return row_of(comparison, file, "request blocks")["verdict"];
    };
    CHECK(verdict(sound_results(), throttled_results(), 0) == "worse");
    CHECK(verdict(throttled_results(), sound_results(), 0) == "better");
    CHECK(verdict(throttled_results(), throttled_results(), 0) == "same");
    // A faster log needs fewer. Its final audit was throttled.
    sim::Results fast = sound_results();
    fast.files[1].throttle_count = fast.files[1].samples.back().throttles = 7;
    for (sim::FileSample& sample : fast.files[1].samples) sample.request_blocks = 3;
    CHECK(verdict(sound_results(), fast, 1) == "unknown");
    CHECK(verdict(fast, sound_results(), 1) == "unknown");
    // 33 were too few before, and fewer are enough now.
    for (sim::FileSample& sample : fast.files[0].samples) sample.request_blocks = 20;
    CHECK(verdict(throttled_results(), fast, 0) == "unknown");
}

TEST_CASE("the curves of a comparison are those of the main run, from its beginning") {
    sim::Results results = sound_results();
    const Json before = document_of(results);
    for (sim::FileSample& sample : results.files[0].samples) sample.reads = sample.writes = 0;
    const Json file = reports::compare_results(before, "a.json", document_of(results), "b.json")["files"][0];
    // Seconds 8 to 35.
    const sim::FileSample first = sound_results().files[0].samples[8];
    const auto requests = static_cast<double>(first.reads + first.writes);
    CHECK(file["before"]["seconds"].size() == 28);
    CHECK(file["before"]["seconds"][0] == 0);
    CHECK(file["before"]["seconds"][27] == 27);
    CHECK(file["before"]["requests_per_s"][0] == requests);
    CHECK(file["before"]["latency_ms"][0] == static_cast<double>(first.read_time_us + first.write_time_us) / requests / 1000);
    CHECK(file["after"]["requests_per_s"][0] == 0);
    CHECK(file["after"]["latency_ms"][0].is_null());
    CHECK(file["is_log"] == false);
    CHECK(file["before_path"] == "/data/sqliosim.mdx");
    CHECK(file["after_path"] == "/data/sqliosim.mdx");
}

TEST_CASE("without enough intervals nothing is said about noise") {
    sim::Results results = sound_results();
    results.intervals.resize(12);
    for (auto& file : results.files) file.samples.resize(12);
    const Json few = document_of(results);
    CHECK(row_of(reports::compare_results(few, "a", document_of(scaled(2, 1)), "b"), 0, "reads")["verdict"] == "unknown");
}

TEST_CASE("files are paired by path, otherwise by kind and order, and unpaired ones are shown") {
    sim::Results other = sound_results();
    other.files[0].path = "/new/sqliosim.mdx";
    other.files.push_back(other.files[0]);
    other.files.back().path = "/new/second.mdx";
    const Json comparison = reports::compare_results(document_of(sound_results()), "a", document_of(other), "b");
    CHECK(comparison["files"][0]["after_path"] == "/new/sqliosim.mdx");
    CHECK(comparison["files"][1]["after_path"] == "/log/sqliosim.ldx");
    CHECK(comparison["unpaired"] == Json::parse(R"(["/new/second.mdx"])"));
}

TEST_CASE("differences in the configuration are shown") {
    const Json before = document_of(sound_results(), {"", "", {{"CONFIG", {{"TargetIODuration", "100"}, {"StopOnError", "TRUE"}}}}});
    const Json after = document_of(sound_results(), {"", "", {{"CONFIG", {{"TargetIODuration", "20"}, {"StopOnError", "TRUE"}}}}});
    const Json comparison = reports::compare_results(before, "a", after, "b");
    REQUIRE(comparison["configuration"].size() == 1);
    CHECK_THAT(reports::comparison_text(comparison), ContainsSubstring("CONFIG.TargetIODuration: 100 -> 20\n"));
}

TEST_CASE("the table marks what exceeds the noise") {
    const Json comparison = reports::compare_results(document_of(sound_results()), "a", document_of(scaled(2, 1)), "b");
    const std::string text = reports::comparison_text(comparison);
    CHECK_THAT(text, ContainsSubstring("before  a: PASS, 2025-11-24T16:00:00, uring\n"));
    CHECK_THAT(text, ContainsSubstring("better\n"));
    CHECK_THAT(text, !ContainsSubstring("worse\n"));
}

TEST_CASE("a comparison marks the side that is a rehearsal, in its text, document and page") {
    sim::Results rehearsed = sound_results();
    rehearsed.rehearsal = "stale_read:0.001";
    Json older = document_of(sound_results());
    older["run"].erase("rehearsal");  // of an earlier version
    const Json comparison = reports::compare_results(older, "a", document_of(rehearsed), "b");
    const std::string text = reports::comparison_text(comparison);
    CHECK_THAT(text, ContainsSubstring("REHEARSAL: faults are injected on purpose: stale_read:0.001."));
    CHECK(text.find("REHEARSAL") > text.find("\nafter"));
    CHECK(text.find("REHEARSAL") == text.rfind("REHEARSAL"));
    CHECK(comparison["before"]["rehearsal"] == "");
    CHECK(comparison["after"]["rehearsal"] == "stale_read:0.001");
    CHECK_THAT(reports::html_comparison(comparison), ContainsSubstring("run.rehearsal ?"));
}

TEST_CASE("a file that is not a results file is refused with the reason") {
    CHECK_THAT(error_of("{"), ContainsSubstring("'x.json': it is not JSON, or was cut off: line 1, column 1."));
    CHECK_THAT(error_of(""), ContainsSubstring("'x.json': it is empty: its run was lost, or is still running."));
    CHECK_THAT(error_of("[1]"), ContainsSubstring("not a results file of ioproof"));
    CHECK_THAT(error_of("{\"format\":1}"), ContainsSubstring("not a results file of ioproof"));
    CHECK_THAT(error_of("{\"format\":2,\"program\":\"ioproof\"}"), ContainsSubstring("it is of format 2; this version reads format 1"));
    CHECK_THAT(error_of("{\"format\":1,\"program\":\"ioproof\"}"), ContainsSubstring("'x.json': version is missing"));
    Json document = document_of(sound_results());
    document["files"][0]["series"]["reads"].erase(0);
    CHECK_THAT(error_of(document.dump()),
               ContainsSubstring("'x.json': files[0].series.reads has 39 values; allowed: 40, one for each interval."));
    document = document_of(sound_results());
    document.erase("waits");
    CHECK_THAT(error_of(document.dump()), ContainsSubstring("'x.json': waits is missing"));
}
