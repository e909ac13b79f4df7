// Any results file must quickly give a document for every report, or a ResultsDocumentError.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/comparison.hpp"
#include "reports/html_page.hpp"
#include "reports/json_text.hpp"
#include "reports/results_document.hpp"
#include "reports/results_json.hpp"
#include "tests/reports/mutated_document.hpp"
#include "tests/reports/prepared_results.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/utf8.hpp"

using Json = nlohmann::ordered_json;

namespace {

// Small, so that mutations reach every place, but with every shape: findings with all parts, files with and without a drive.
Json small_document(sim::Results results) {
    results.intervals.resize(3);
    for (sim::FileResult& file : results.files) file.samples.resize(3);
    for (sim::Finding& finding : results.findings) {
        finding.other = sim::PagePlace{};
        finding.place.device = sim::DevicePlace{};
        finding.rereads.emplace_back();
    }
    results.preflight.push_back({});
    return reports::results_document(results,
                                     {.repeat_command = "ioproof", .log_path = "a.xml", .configuration = {{"CONFIG", {{"a", "b"}}}}});
}

// Whether the text was accepted; if so, every report must be possible.
bool try_document(const std::string& text, const Json& sound) {
    Json document;
    try {
        document = reports::parse_results(text, "a.json");
    } catch (const reports::ResultsDocumentError& error) {
        REQUIRE(std::string(error.what()).starts_with("'a.json': "));
        return false;
    }
    static_cast<void>(reports::text_report_of(document));
    REQUIRE(ums::is_utf8(reports::html_report(document)));
    using Pair = std::pair<const Json*, const Json*>;
    for (const auto& [before, after] : {Pair(&document, &sound), Pair(&sound, &document)}) {
        const Json comparison = reports::compare_results(*before, "a", *after, "b");
        const std::string shown = reports::comparison_text(comparison);
        REQUIRE(shown.find('\x1b') == std::string::npos);
        static_cast<void>(reports::html_comparison(comparison));
    }
    return true;
}

}  // namespace

TEST_CASE("mutated results documents are shown, compared and turned into pages, or refused") {
    ums::Prng prng(ums::testing::test_seed("mutated documents"));
    const std::vector<Json> documents{small_document(stale_results()), small_document(sound_results()),
                                      small_document(full_disk_results())};
    const std::uint64_t tries = test::fewer_if_sanitized(1500);
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < tries; ++i) {
        Json document = documents[prng.below(documents.size())];
        for (std::uint64_t k = prng.between(1, 3); k > 0; --k) test::mutate(document, prng);
        ++(try_document(reports::json_line(document), documents[1]) ? accepted : refused);
    }
    // Both must happen, or the test proves nothing.
    CHECK(accepted > tries / 10);
    CHECK(refused > tries / 10);
}

TEST_CASE("damaged bytes of results documents are shown or refused") {
    ums::Prng prng(ums::testing::test_seed("damaged documents"));
    const Json sound = small_document(stale_results());
    const std::string whole = reports::json_line(sound);
    const std::uint64_t tries = test::fewer_if_sanitized(1500);
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < tries; ++i) {
        std::string text = whole;
        test::mutate_bytes(text, prng);
        refused += try_document(text, sound) ? 0 : 1;
    }
    CHECK(refused > tries / 10);
}

TEST_CASE("nesting, keys and values of results documents are limited") {
    const Json sound = small_document(sound_results());
    const auto error_of = [&](const std::string& text) {
        try {
            static_cast<void>(reports::parse_results(text, "a.json"));
        } catch (const reports::ResultsDocumentError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    const std::string head = "{\"format\":1,\"program\":\"ioproof\",\"version\":";
    for (const char* open : {"[", "{\"a\":"}) {
        std::string deep = head;
        for (int i = 0; i < 200'000; ++i) deep += open;
        CHECK_THAT(error_of(deep), ContainsSubstring("it is nested more than 32 levels deep"));
    }
    std::string wide = head + "{";
    for (int i = 0; i < 200'000; ++i) wide += "\"" + std::to_string(i) + "\":0,";
    CHECK_THAT(error_of(wide), ContainsSubstring("it has an object of more than 1000 keys"));
    std::string many = head + "[";
    many.reserve(25'000'000);
    for (int i = 0; i < 10'000'001; ++i) many += "0,";
    CHECK_THAT(error_of(many), ContainsSubstring("it has more than 10000000 values"));
    CHECK_THAT(error_of(reports::json_line(sound) + std::string(1, '\0') + "x"), ContainsSubstring("a zero byte, line 2, column 1"));
    CHECK_THAT(error_of("\xff\xfe{"), ContainsSubstring("it is not JSON"));
    CHECK_THAT(error_of("{\"format\":1,\n \"program\":\"\xff\"}"), ContainsSubstring("it is not JSON, or was cut off: line 2"));
}

TEST_CASE("a refusal names the place, and what is allowed there") {
    const auto error_with = [](const char* pointer, const Json& value) {
        Json document = small_document(stale_results());
        document[Json::json_pointer(pointer)] = value;
        try {
            static_cast<void>(reports::parse_results(document.dump(), "a.json"));
        } catch (const reports::ResultsDocumentError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    CHECK_THAT(error_with("/findings", Json::array({Json::array()})), ContainsSubstring("findings[0] is an array; allowed: an object."));
    CHECK_THAT(error_with("/run/start_utc", Json::object()), ContainsSubstring("run.start_utc is an object; allowed: a string."));
    CHECK_THAT(error_with("/finding_count", -1), ContainsSubstring("finding_count is -1; allowed: 0 or more."));
    CHECK_THAT(error_with("/finding_count", 1.5), ContainsSubstring("finding_count is a number; allowed: an integer."));
    CHECK_THAT(error_with("/verdict/judgement", "FINE"),
               ContainsSubstring("verdict.judgement is \"FINE\"; allowed: \"PASS\" or \"FAIL\" or \"INCOMPLETE\"."));
    CHECK_THAT(error_with("/files/0/latency/read/percentiles_ns", nullptr),
               ContainsSubstring("files[0].latency.read.percentiles_ns is null; allowed: an array."));
    CHECK_THAT(error_with("/files/0/latency/read/percentiles_ns/0", Json::array({1})),
               ContainsSubstring("has 1 values; allowed: 2 or more."));
    CHECK_THAT(error_with("/files/1/series/write_latency/2", Json::array({32, 1})),
               ContainsSubstring("files[1].series.write_latency[2] is not pairs of a bucket, from 0 to 30, and a count."));
    CHECK_THAT(error_with("/intervals/phase", Json::array({"main run"})),
               ContainsSubstring("intervals.phase has 1 values; allowed: 3, one for each interval."));
    CHECK_THAT(error_with("/findings/0/reasoning", "because"), ContainsSubstring("findings[0].reasoning is a string; allowed: an array."));
    CHECK(error_with("/findings/0/added_later", 1) == "accepted");
}
