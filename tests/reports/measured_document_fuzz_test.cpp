// Any file of bench or sweep must give figures that can be compared and used as a baseline, or a ResultsDocumentError.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/html_page.hpp"
#include "reports/json_text.hpp"
#include "reports/measure_comparison.hpp"
#include "reports/measured_side.hpp"
#include "reports/results_document.hpp"
#include "reports/sweep_report.hpp"
#include "tests/reports/measured_example.hpp"
#include "tests/reports/mutated_document.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"

namespace {

nlohmann::ordered_json small_sweep() {
    std::vector<nlohmann::ordered_json> points;
    for (const std::uint32_t depth : {1U, 2U, 4U}) {
        points.push_back(reports::sweep_point({depth, 1, 8192, 0}, test::measured_second(1000 * depth, 100)));
    }
    return reports::sweep_document({"b.mdx"}, {"depth=1..4"}, points.size(), points);
}

// Whether the text was accepted; if so, it must be comparable with a sound document, and the comparison must be shown and judged.
bool try_measured(const std::string& text, const nlohmann::ordered_json& sound) {
    reports::MeasuredSide side;
    try {
        side = reports::read_measured_side(text, "a.json");
    } catch (const reports::ResultsDocumentError& error) {
        REQUIRE(std::string(error.what()).starts_with("'a.json': "));
        return false;
    }
    if (side.kind == reports::MeasuredKind::sweep) {
        try {
            const nlohmann::ordered_json sweep = reports::sweep_anew(reports::read_measured_document(text, "a.json"), "a.json");
            REQUIRE(reports::html_sweep(sweep).size() > reports::sweep_text(sweep).size());
        } catch (const reports::ResultsDocumentError& error) {
            REQUIRE(std::string(error.what()).starts_with("'a.json': "));
        }
    } else {
        REQUIRE_FALSE(reports::html_measurement(reports::read_measured_document(text, "a.json")).empty());
    }
    const reports::MeasuredSide other = reports::read_measured_side(reports::json_text(sound), "b.json");
    if (side.kind != other.kind) return true;
    using Sides = std::pair<const reports::MeasuredSide*, const reports::MeasuredSide*>;
    for (const auto& [before, after] : {Sides(&side, &other), Sides(&other, &side)}) {
        nlohmann::ordered_json comparison = reports::compare_measurements(*before, *after);
        reports::judge_by_baseline(comparison, 5);
        const std::string shown = reports::measure_comparison_text(comparison) + reports::baseline_text(comparison);
        REQUIRE(shown.find('\x1b') == std::string::npos);
    }
    static_cast<void>(reports::baseline_problem(side, test::measured_second(10, 10).spec, true));
    return true;
}

}  // namespace

TEST_CASE("mutated documents of measurements and sweeps are compared, or refused") {
    ums::Prng prng(ums::testing::test_seed("mutated measurements"));
    const std::vector<nlohmann::ordered_json> documents{
        test::measured_document({test::measured_second(100, 50, 20, 80)}),
        test::measured_document({test::measured_second(100, 50), test::measured_second(110, 40), test::measured_second(90, 60)}),
        small_sweep()};
    const std::uint64_t tries = test::fewer_if_sanitized(1500);
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < tries; ++i) {
        const nlohmann::ordered_json& sound = documents[prng.below(documents.size())];
        nlohmann::ordered_json document = sound;
        for (std::uint64_t k = prng.between(1, 3); k > 0; --k) test::mutate(document, prng);
        ++(try_measured(reports::json_line(document), sound) ? accepted : refused);
    }
    // Both must happen, or the test proves nothing.
    CHECK(accepted > tries / 10);
    CHECK(refused > tries / 10);
}

TEST_CASE("damaged bytes of measurements are compared or refused") {
    ums::Prng prng(ums::testing::test_seed("damaged measurements"));
    const nlohmann::ordered_json sound = test::measured_document({test::measured_second(100, 50), test::measured_second(110, 40)});
    const std::string whole = reports::json_line(sound);
    const std::uint64_t tries = test::fewer_if_sanitized(1500);
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < tries; ++i) {
        std::string text = whole;
        test::mutate_bytes(text, prng);
        refused += try_measured(text, sound) ? 0 : 1;
    }
    CHECK(refused > tries / 10);
}
