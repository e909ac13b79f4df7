// Whatever a results file holds: a document that every report can be made of, or a ResultsDocumentError, and soon.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/comparison.hpp"
#include "reports/html_page.hpp"
#include "reports/json_text.hpp"
#include "reports/results_document.hpp"
#include "reports/results_json.hpp"
#include "tests/reports/prepared_results.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/utf8.hpp"

using Json = nlohmann::ordered_json;

namespace {

// Small, so that every place of it is met, and of every shape: findings with all their parts, files with and without a drive.
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

Json random_value(ums::Prng& prng) {
    static const std::vector<Json> kValues{nullptr,
                                           true,
                                           0,
                                           -1,
                                           1,
                                           99,
                                           31,
                                           32,
                                           1.5,
                                           -0.0,
                                           1e300,
                                           -1e300,
                                           18446744073709551615ULL,
                                           -9223372036854775807LL,
                                           "",
                                           "a",
                                           "\x1b[31m\n</script>",
                                           Json::array(),
                                           Json::object(),
                                           Json::array({Json::array()}),
                                           Json::array({1, 2}),
                                           Json::array({nullptr, "x"}),
                                           {{"x", 1}}};
    return kValues[prng.below(kValues.size())];
}

// A place somewhere in the document; deeper with every step.
Json& random_place(Json& document, ums::Prng& prng) {
    Json* place = &document;
    while (place->is_structured() && !place->empty() && !prng.chance(1000)) {
        auto child = place->begin();
        std::advance(child, static_cast<std::ptrdiff_t>(prng.below(place->size())));
        place = &*child;
    }
    return *place;
}

void mutate(Json& document, ums::Prng& prng) {
    Json& place = random_place(document, prng);
    const bool has_children = place.is_structured() && !place.empty();
    switch (prng.below(5)) {
        case 0: {
            const Json value = random_value(prng);
            place = value;
            break;
        }
        case 1:
            if (has_children) place.erase(std::next(place.begin(), static_cast<std::ptrdiff_t>(prng.below(place.size()))));
            break;
        case 2:
            if (place.is_array()) place.push_back(has_children && prng.chance(5000) ? Json(place[0]) : random_value(prng));
            if (place.is_object()) place[prng.chance(5000) ? "added" : "path"] = random_value(prng);
            break;
        case 3: {
            const Json other = random_place(document, prng);
            place = other;
            break;
        }
        default:
            if (place.is_array()) place = Json::array();
            if (place.is_object()) place = Json::object();
            break;
    }
}

void mutate_bytes(std::string& text, ums::Prng& prng) {
    static const std::string kSpecial = "{}[]\",:0-9eE.\\u\x00\x1b\xff\xef\xbb\xbf tfn";
    for (std::uint64_t i = prng.between(1, 6); i > 0 && !text.empty(); --i) {
        const std::size_t at = prng.below(text.size());
        switch (prng.below(4)) {
            case 0: text.erase(at, prng.below(30)); break;
            case 1: text.insert(at, text.substr(prng.below(text.size()), prng.below(30))); break;
            case 2: text[at] = static_cast<char>(prng.below(256)); break;
            default: text[at] = kSpecial[prng.below(kSpecial.size())]; break;
        }
    }
}

// True if the text was accepted; then all that is made of documents must be made of it.
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

TEST_CASE("mutated results documents are shown, compared and made pages of, or refused") {
    ums::Prng prng(ums::testing::test_seed("mutated documents"));
    const std::vector<Json> documents{small_document(stale_results()), small_document(sound_results()),
                                      small_document(full_disk_results())};
    int accepted = 0;
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        Json document = documents[prng.below(documents.size())];
        for (std::uint64_t k = prng.between(1, 3); k > 0; --k) mutate(document, prng);
        ++(try_document(reports::json_line(document), documents[1]) ? accepted : refused);
    }
    // Both must happen, else the test tests nothing.
    CHECK(accepted > 100);
    CHECK(refused > 100);
}

TEST_CASE("damaged bytes of results documents are shown or refused") {
    ums::Prng prng(ums::testing::test_seed("damaged documents"));
    const Json sound = small_document(stale_results());
    const std::string whole = reports::json_line(sound);
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
        std::string text = whole;
        mutate_bytes(text, prng);
        refused += try_document(text, sound) ? 0 : 1;
    }
    CHECK(refused > 100);
}

TEST_CASE("nesting, keys and values of results documents are bounded") {
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

TEST_CASE("what is refused is named by its place, with what is allowed") {
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
