#include "reports/preflight_report.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"

using namespace reports;

namespace {

std::vector<sim::PreflightLine> example_lines() {
    return {{.folder = "/mnt/data", .topic = "file system", .found = "xfs on /dev/sdb1, mounted at /mnt/data"},
            {.folder = "/mnt/data",
             .topic = "access times",
             .grade = sim::PreflightGrade::warn,
             .found = "relatime",
             .reason = "reading a file may write its access time",
             .source = "Microsoft",
             .remedy = "mount -o remount,noatime /mnt/data"},
            {.folder = "/mnt/lo\"g\xff",
             .topic = "file system",
             .grade = sim::PreflightGrade::fail,
             .found = "tmpfs",
             .reason = "gone when the machine stops",
             .source = "Microsoft",
             .remedy = "use a disk"}};
}

}  // namespace

TEST_CASE("the report goes folder by folder, with reason, source and fix below each problem") {
    CHECK(preflight_text({example_lines()[0], example_lines()[1]}, 100) ==
          "/mnt/data\n"
          "  OK    file system   xfs on /dev/sdb1, mounted at /mnt/data\n"
          "  WARN  access times  relatime\n"
          "                      why:    reading a file may write its access time\n"
          "                      source: Microsoft\n"
          "                      fix:    mount -o remount,noatime /mnt/data\n"
          "\n"
          "1 OK, 1 WARN, 0 FAIL: nothing there rules SQL Server out; look at what WARNs before measuring.\n");
    CHECK_THAT(preflight_text(example_lines(), 100), ContainsSubstring("\n\n/mnt/lo\"g"));
}

TEST_CASE("the summary says what to do") {
    CHECK(preflight_summary({example_lines()[0]}) == "1 OK, 0 WARN, 0 FAIL: no problem for SQL Server was found there.");
    CHECK(preflight_summary(example_lines()) == "1 OK, 1 WARN, 1 FAIL: do not put a database there before what FAILs is fixed.");
}

TEST_CASE("the text for a log is one sentence on one line") {
    CHECK(preflight_sentence(example_lines()[1]) ==
          "preflight /mnt/data: WARN access times: relatime: reading a file may write its access time. "
          "Fix: mount -o remount,noatime /mnt/data");
}

TEST_CASE("the JSON can be parsed, whatever bytes the names contain") {
    const auto json = nlohmann::json::parse(preflight_json(example_lines()));
    CHECK(json["document"] == "ioproof preflight");
    CHECK(json["version"] == 1);
    CHECK(json["ok"] == 1);
    CHECK(json["warn"] == 1);
    CHECK(json["fail"] == 1);
    REQUIRE(json["lines"].size() == 3);
    CHECK(json["lines"][1]["grade"] == "warn");
    CHECK(json["lines"][1]["cure"] == "mount -o remount,noatime /mnt/data");
    CHECK(json["lines"][2]["grade"] == "fail");
}

TEST_CASE("each text of a line is in the JSON under its own name, and each grade is counted for itself") {
    std::vector<sim::PreflightLine> lines(6);
    test::Figures texts;
    texts.set(lines[0].folder, "folder");
    texts.set(lines[0].topic, "topic");
    texts.set(lines[0].found, "found");
    texts.set(lines[0].reason, "reason");
    texts.set(lines[0].source, "source");
    texts.set(lines[0].remedy, "cure");
    lines[1].grade = lines[2].grade = sim::PreflightGrade::warn;
    lines[3].grade = lines[4].grade = lines[5].grade = sim::PreflightGrade::fail;
    const auto json = nlohmann::ordered_json::parse(preflight_json(lines));
    CHECK(texts.wrong_in(json["lines"].at(0)) == "");
    CHECK(json["lines"].at(0)["grade"] == "ok");
    CHECK(json["ok"] == 1);
    CHECK(json["warn"] == 2);
    CHECK(json["fail"] == 3);
}
