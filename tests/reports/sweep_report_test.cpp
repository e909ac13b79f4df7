#include "reports/sweep_report.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/json_text.hpp"
#include "reports/results_document.hpp"
#include "tests/reports/measured_example.hpp"
#include "tests/support/catch.hpp"

namespace {

std::string sweep_of_one_point() {
    const std::vector<nlohmann::ordered_json> points{reports::sweep_point({1, 1, 8192, 0}, test::measured_second(1000, 100))};
    return reports::json_text(reports::sweep_document({"b.mdx"}, {"depth=1"}, 1, points));
}

std::size_t points_in(const std::string& text) { return reports::points_of_sweep(text, "s.json", {"b.mdx"}, {"depth=1"}).size(); }

}  // namespace

TEST_CASE("the points of a sweep are read from what it wrote") { CHECK(points_in(sweep_of_one_point()) == 1); }

TEST_CASE("a sweep is not resumed from JSON that is nested without end") {
    const std::string nested = std::string(300'000, '[') + std::string(300'000, ']');
    const std::string text = R"({"document": "ioproof sweep", "version": 1, "files": ["b.mdx"], "asked": ["depth=1"], "combinations": 1, )"
                             "\"points\": " +
                             nested + "}";
    CHECK_THROWS_AS(points_in(text), reports::ResultsDocumentError);
}
