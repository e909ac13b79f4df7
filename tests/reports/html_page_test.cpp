#include "reports/html_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/bench_report.hpp"
#include "reports/comparison.hpp"
#include "reports/measure_json.hpp"
#include "reports/powertest_campaign.hpp"
#include "reports/results_document.hpp"
#include "reports/results_json.hpp"
#include "reports/sweep_report.hpp"
#include "tests/reports/measured_example.hpp"
#include "tests/reports/prepared_results.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::ordered_json;

namespace {

Json parsed(const sim::Results& results) { return reports::parse_results(reports::results_json(results, {}), "test"); }

std::string data_of(const std::string& html) {
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t at = html.find(begin) + begin.size();
    return html.substr(at, html.find("</script>", at) - at);
}

}  // namespace

TEST_CASE("nothing in the data can end its element, begin a comment or break a script") {
    const std::string hostile = "</script><!-- <script> \xe2\x80\xa8 & ]]>";
    const std::string safe = reports::script_safe(Json(hostile));
    for (const char c : {'<', '>', '&'}) CHECK(safe.find(c) == std::string::npos);
    CHECK(safe.find('\xe2') == std::string::npos);
    CHECK(Json::parse(safe) == hostile);
}

TEST_CASE("a page holds the data, and loads nothing") {
    sim::Results results = stale_results();
    results.files[0].path = "/data/</script><img src=x onerror=alert(1)>.mdx";
    const std::string html = reports::html_report(parsed(results));
    const Json data = Json::parse(data_of(html));
    CHECK(data["verdict"]["judgement"] == "FAIL");
    CHECK(data["files"][0]["path"] == results.files[0].path);
    CHECK(html.find("<img") == std::string::npos);
    CHECK_THAT(html, ContainsSubstring("default-src 'none'") && ContainsSubstring("<title>FAIL: ioproof results</title>"));
    for (const char* loader : {"<link", " src=\"", "@import", "url("}) CHECK(html.find(loader) == std::string::npos);
}

TEST_CASE("the page of a measurement holds its figures and its text, whatever its files are called") {
    sim::MeasureResults measured;
    measured.timespans = {test::measured_second(100, 50, 20, 80, "oltp", "/data/</script><img src=x onerror=alert(1)>.mdx")};
    Json document = reports::measure_json(measured);
    document["text_report"] = "</pre><img src=x>";
    const std::string html = reports::html_measurement(document);
    CHECK(Json::parse(data_of(html)) == document);
    CHECK(html.find("<img") == std::string::npos);
    CHECK_FALSE(reports::html_measurement(reports::measure_json({})).empty());
}

TEST_CASE("the page of a measurement of one target has its figures once, and both directions together under its name, as the text does") {
    const std::string html = reports::html_measurement(reports::measure_json({}));
    CHECK_THAT(html, ContainsSubstring("targets.length > 1 ? both('all', total)\n"));
    CHECK_THAT(html, ContainsSubstring("figures(nameOf(targets[0], 0) + ', both', total.both)"));
}

TEST_CASE("a page shows what was promised to a ledger, what a reader read, and what a take-over verified") {
    const std::string html = reports::html_report(parsed(stale_results()));
    for (const char* shown : {"data.promising", "group.reader", "group.turn.verified"}) CHECK_THAT(html, ContainsSubstring(shown));
}

TEST_CASE("a page rounds the speed of backups as the text does") {
    CHECK_THAT(reports::html_report(parsed(stale_results())), ContainsSubstring("mbRate(w.bytes_per_s / 1048576)"));
}

TEST_CASE("a page has LSNs as text, because a browser would round the numbers of a log that has run for long") {
    constexpr std::uint64_t kLsn = (std::uint64_t{0x20'0001} << 32) + 0x2005;
    sim::Results results = stale_results();
    results.durability.emplace();
    results.durability->last_lsn = kLsn;
    results.durability->promises.emplace().checkpoint_lsn = kLsn;
    const Json document = parsed(results);
    CHECK(document["durability"]["last_lsn"] == kLsn);
    const Json shown = Json::parse(data_of(reports::html_report(document)))["durability"];
    CHECK(shown["last_lsn"] == "0x20000100002005");
    CHECK(shown["checkpoint_lsn"] == "0x0");
    CHECK(shown["promises"]["checkpoint_lsn"] == "0x20000100002005");
    CHECK(shown["last_block"] == 0);
}

TEST_CASE("the words about a heat map hold on a dark page, too, where what is more frequent is brighter") {
    const std::string html = reports::html_report(parsed(stale_results()));
    CHECK_THAT(html, ContainsSubstring("'Read latency (stronger color: more of that second\\'s reads)'") && !ContainsSubstring("(darker"));
}

TEST_CASE("in the legend of the sectors a color is nearer to its own word than to the one before") {
    CHECK_THAT(reports::html_report(parsed(stale_results())), ContainsSubstring("\n.legend > span { margin-right: "));
}

TEST_CASE("on paper a chart is no wider than its box, so that the browser need not shrink the page") {
    const std::string html = reports::html_report(parsed(stale_results()));
    CHECK_THAT(html.substr(html.find("@media print")), ContainsSubstring(".chart canvas { max-width: 100%; max-height: 100%; }"));
}

TEST_CASE("on paper, which cannot be scrolled, a long path is wrapped instead of pushing the columns after it off the page") {
    const std::string html = reports::html_report(parsed(stale_results()));
    CHECK_THAT(html.substr(html.find("@media print")),
               ContainsSubstring("td:first-child, td.left { white-space: normal; overflow-wrap: anywhere;"));
}

TEST_CASE("a page shows a limit as good only if it was kept, and not if nothing was measured") {
    CHECK_THAT(reports::html_report(parsed(stale_results())), ContainsSubstring("{kept: 'good', exceeded: 'poor'}[t.outcome] || 'fair'"));
}

TEST_CASE("a page shows the average time without a CPU for each kind of wait, as the text does") {
    const std::string html = reports::html_report(parsed(stale_results()));
    CHECK_THAT(html, ContainsSubstring("'average signal'") && ContainsSubstring("duration(w.count ? w.signal_wait_us / w.count : 0)"));
}

TEST_CASE("pages round MB/s and times of measurements as the texts do") {
    const std::string run = reports::html_report(parsed(stale_results()));
    CHECK_THAT(run, ContainsSubstring("const mbRate = mb => mb.toFixed(mb < 99.95 ? 1 : 0);"));
    CHECK_THAT(run, ContainsSubstring("mbRate(pages * 8192"));
    const std::string own_path = reports::html_measurement(reports::bench_json({}));
    CHECK_THAT(own_path, ContainsSubstring("['mean latency', time(data.latency_mean_us * 1000)]"));
    CHECK_THAT(own_path, ContainsSubstring(".filter(point => point.y !== null)"));
    const std::string sweep = reports::html_sweep(reports::sweep_document({"b.mdx"}, {"depth=1"}, 1, {}));
    CHECK_THAT(sweep, ContainsSubstring("map(us => us === null ? '-' : time(us * 1000))"));
}

TEST_CASE("a page runs only its own scripts, and links only to files") {
    const std::string html = reports::html_report(parsed(stale_results()));
    const std::size_t policy = html.find("script-src 'sha256-");
    REQUIRE(policy != std::string::npos);
    const std::string sources = html.substr(policy, html.find('>', policy) - policy);
    CHECK(std::count(sources.begin(), sources.end(), '=') == 3);
    CHECK_THAT(sources, !ContainsSubstring("unsafe"));
    CHECK_THAT(html, ContainsSubstring("base-uri 'none'; form-action 'none'"));
    // The only link, whose address begins with '/' or './', so that a dump's name cannot act as a scheme or another host.
    const std::size_t link = html.find("{href:");
    CHECK(html.find("{href:", link + 1) == std::string::npos);
    CHECK(html.substr(link).starts_with("{href: (path.startsWith('/') ? '' : './') + encodeURI(path)"));
}

TEST_CASE("a page holds the first of many findings, and the number of all") {
    sim::Results results = stale_results();
    results.findings.resize(1);
    results.findings.resize(2'000, results.findings[0]);
    results.finding_count = 12'345;
    const std::string html = reports::html_report(parsed(results));
    const Json data = Json::parse(data_of(html));
    CHECK(data["findings"].size() == reports::kHtmlFindings);
    CHECK(data["finding_count"] == 12'345);
    CHECK(data["findings_by_kind"] == Json::parse(R"([{"class":"stale_read","count":2000}])"));
    CHECK_THAT(html, ContainsSubstring("kindsTable(data.findings_by_kind, data.finding_count, entry => entry.class)"));
    CHECK_THAT(html, ContainsSubstring("< all ? 'at least' : 'count'"));
    CHECK(html.size() < 4'000'000);
}

TEST_CASE("a page holds the first finding of each kind, however many of other kinds there were before it") {
    sim::Results results = stale_results();
    results.findings.resize(1);
    results.findings.resize(reports::kHtmlFindings + 100, results.findings[0]);
    results.findings.back().kind = sim::FindingKind::lost_write;
    results.finding_count = results.findings.size();
    const Json data = Json::parse(data_of(reports::html_report(parsed(results))));
    REQUIRE(data["findings"].size() == reports::kHtmlFindings + 1);
    CHECK(data["findings"].back()["class"] == "lost_write");
}

TEST_CASE("a page shows a finding in a log or in a chain of backups at its offset, not at page 0") {
    sim::Results results = stale_results();
    results.findings[0].place.file_id = results.files[1].file_id;
    results.findings[1].place.file_id = 9;
    results.findings[1].place.role = sim::FileRole::backup_chain;
    results.findings[2].place.file_id = 8;
    results.findings[2].place.role = sim::FileRole::backup;
    const Json data = Json::parse(data_of(reports::html_report(parsed(results))));
    CHECK(data["findings"][0]["file_is_log"] == true);
    CHECK(data["findings"][1]["file_is_log"] == true);
    CHECK(data["findings"][2]["file_is_log"] == false);
}

TEST_CASE("a comparison can be a page, too") {
    const Json comparison = reports::compare_results(parsed(sound_results()), "a", parsed(slow_results()), "b");
    CHECK(Json::parse(data_of(reports::html_comparison(comparison)))["files"].size() == 2);
}

TEST_CASE("a campaign of power cuts can be a page, and nothing in it can end its script") {
    const std::vector<reports::PowerCycle> cycles{{.number = 1,
                                                   .moment = "flush",
                                                   .outcome = reports::CutOutcome::findings,
                                                   .finding_count = 2,
                                                   .said = "</script><script>alert(1)"}};
    const std::string html = reports::html_campaign(reports::campaign_document(cycles, 3, "1"), "text </pre>");
    CHECK(html.find("alert(1)") != std::string::npos);
    CHECK(html.find("</script><script>alert") == std::string::npos);
    CHECK(html.find("text </pre>") == std::string::npos);
    const Json data = Json::parse(data_of(html));
    CHECK(data["cycles"][0]["moment"] == "flush");
    CHECK_THAT(html, ContainsSubstring("<title>FAIL: ioproof power cuts</title>"));
}
