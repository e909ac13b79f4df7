// Names that would take over a terminal, fake a line or break a document: of files, in configurations, in foreign documents, on the
// command line. Covers every command, and text, XML, JSON, HTML and the live view.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/http_client.hpp"
#include "ums/base/printable.hpp"

using Json = nlohmann::json;
using test::IoproofFolder;

namespace {

// Clears the screen (C0, C1 in UTF-8, C1 as a byte), sets the window's title, reverses the text direction, fakes a line, closes elements
// and strings.
const std::string kHostile =
    "a\x1b[2J\x1b]0;t\x07\xc2\x9b"
    "31m\x9b\xe2\x80\xae\x7f\r\nFAKED: 0\t'\"`\\</script><img src=x onerror=alert(1)>&{}$(id)";
// Without '/', which a file name cannot contain, and backslashes, which look like a Windows path.
const std::string kHostileName =
    "a\x1b[2J\x1b]0;t\x07\xc2\x9b"
    "31m\x9b\xe2\x80\xae\x7f\r\nFAKED: 0\t'\"`<script><img src=x onerror=alert(1)>&{}$(id)";

void check_shown(const std::string& text) {
    INFO(ums::printable(text));
    CHECK(ums::printable_lines(text) == text);
    CHECK(text.find("\nFAKED") == std::string::npos);
    CHECK(text.find("\rFAKED") == std::string::npos);
}

// Returns the exit code.
int check_command(const IoproofFolder& folder, const std::vector<std::string>& words) {
    const auto program = folder.start(words);
    const int code = program->wait();
    INFO(words[0]);
    check_shown(program->output());
    check_shown(program->error());
    return code;
}

}  // namespace

TEST_CASE("hostile words on the command line are quoted harmlessly") {
    const IoproofFolder folder;
    CHECK(check_command(folder, {kHostile}) == 2);
    for (const char* verb : {"run", "preflight", "bench", "report", "compare", "rehearse", "config"}) {
        INFO(verb);
        check_command(folder, {verb, kHostile});
        CHECK(check_command(folder, {verb, "--" + kHostile}) == 2);
    }
    for (const char* switch_name :
         {"-cfg", "-log", "-size", "-d", "--seed", "--engine", "--status", "--json", "--html", "--findings", "--inject"}) {
        INFO(switch_name);
        check_command(folder, {"run", "-dir", "nowhere", switch_name, kHostile});
    }
    check_command(folder, {"config", "explain", kHostile});
    check_command(folder, {"config", "show", "-cfg", kHostile});
    check_command(folder, {"compare", kHostile, kHostile});
    check_command(folder, {"rehearse", "--fault", kHostile});
    check_command(folder, {"bench", kHostile, "--size", kHostile});
    CHECK(check_command(folder, {"report", kHostile}) == 3);
}

TEST_CASE("hostile text in a configuration is quoted harmlessly") {
    const IoproofFolder folder;
    const std::string line =
        "a\x1b[2J\xc2\x9b"
        "31m\x9b\xe2\x80\xae\x7f";
    folder.write("a.ini",
                 "[CONFIG]\nMaxMemoryMB=" + line + "\n" + line + "=1\n[" + line + "]\n" + line + "\n[File1]\nFileName=" + line + "\n");
    CHECK(check_command(folder, {"run", "-cfg", "a.ini"}) == 2);
    folder.write("warned.ini", "[CONFIG]\n" + line + "=1\nErrorFile=" + line + "\n");
    CHECK(check_command(folder, {"config", "show", "-cfg", "warned.ini", "-dir", "data"}) == 0);
    const std::string escaped = R"("a\u001b[2J\u009b31m\u202e\u007f\nFAKED")";
    folder.write("a.toml", escaped + " = 1\n[" + escaped + "]\n[config]\n" + escaped + " = 2\nmax_memory_mb = " + escaped + "\n");
    CHECK(check_command(folder, {"run", "-cfg", "a.toml"}) == 2);
    folder.write("shown.toml", "[config]\nerror_file = " + escaped + "\n");
    CHECK(check_command(folder, {"config", "show", "-cfg", "shown.toml", "-dir", "data"}) == 0);
    folder.write("broken.toml", "[config]\na = \x1b[2J\n");
    CHECK(check_command(folder, {"run", "-cfg", "broken.toml"}) == 2);
}

TEST_CASE("a run in a folder with a hostile name: text, XML, JSON, HTML and the suggested commands are sound") {
    const IoproofFolder folder;
    std::filesystem::create_directory(folder.path() / kHostileName);
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--inject", "bit_corruption:0.01", "--seed", "1"}}) {
        std::vector<std::string> words{"run", "-dir", kHostileName, "-size", "4", "-d", "2", "--json", "r.json", "--html", "r.html"};
        words.insert(words.end(), more.begin(), more.end());
        CHECK(check_command(folder, words) <= 1);
        CHECK(folder.log_error().empty());
        const Json results = Json::parse(folder.read("r.json"));
        CHECK(results["files"][0]["path"].get<std::string>().find("\x1b[2J") != std::string::npos);
        const std::string html = folder.read("r.html");
        CHECK(html.find("<img") == std::string::npos);
        CHECK(ums::printable_lines(html.substr(0, html.find("<script>"))) == html.substr(0, html.find("<script>")));
        CHECK(check_command(folder, {"report", "r.json"}) == 0);
        CHECK(check_command(folder, {"compare", "r.json", "r.json"}) == 0);
    }
    CHECK(check_command(folder, {"preflight", kHostileName}) <= 1);
    const auto preflight = folder.start({"preflight", kHostileName, "--json", "-"});
    CHECK(preflight->wait() <= 1);
    CHECK(!Json::parse(preflight->output())["lines"].empty());
    check_shown(preflight->output());
    const std::vector<std::string> bench{"bench", kHostileName + "/b.mdx", "--buffered", "--size", "1M", "--seconds", "1", "--json", "-"};
    const auto measured = folder.start(bench);
    CHECK(measured->wait() == 0);
    check_shown(measured->output());
    CHECK(Json::parse(measured->output())["files"][0].get<std::string>().find("\x1b[2J") != std::string::npos);
}

TEST_CASE("a foreign document cannot take over the terminal or the page") {
    const IoproofFolder folder;
    REQUIRE(folder.start_run("1", {"--json", "r.json"})->wait() == 0);
    Json results = Json::parse(folder.read("r.json"));
    std::string hostile = kHostile;
    hostile.erase(hostile.find('\x9b', hostile.find('m')), 1);  // JSON is UTF-8
    const std::vector<std::string> places{"/version",
                                          "/run/engine",
                                          "/run/engine_reason",
                                          "/run/start_utc",
                                          "/run/repeat_command",
                                          "/run/log_file",
                                          "/files/0/path",
                                          "/verdict/reasons/0/text",
                                          "/phases/0/phase",
                                          "/users/0/name",
                                          "/waits/0/type",
                                          "/configuration/0/section",
                                          "/text_report"};
    for (const std::string& place : places) results[Json::json_pointer(place)] = hostile;
    results["configuration"][0]["values"][hostile] = hostile;
    folder.write("hostile.json", results.dump());
    const auto report = folder.start({"report", "hostile.json"});
    CHECK(report->wait() == 0);
    CHECK(ums::printable_lines(report->output()) == report->output());
    CHECK(check_command(folder, {"compare", "r.json", "hostile.json", "--html", "c.html"}) == 0);
    CHECK(check_command(folder, {"report", "hostile.json", "--html", "p.html"}) == 0);
    for (const char* page : {"c.html", "p.html"}) {
        INFO(page);
        const std::string html = folder.read(page);
        CHECK(html.find("<img") == std::string::npos);
        CHECK(html.find('\x1b') == std::string::npos);
        CHECK_THAT(html, !ContainsSubstring("script-src 'unsafe-inline'"));
    }
}
