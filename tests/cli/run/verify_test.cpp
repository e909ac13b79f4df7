// `ioproof verify` from end to end, on real files.
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;
using Json = nlohmann::json;

namespace {

// Changes one byte of page 100.
void damage_page(const std::filesystem::path& file) {
    constexpr std::streamoff kOffset = 100 * 8192 + 4000;
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(kOffset);
    const char byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(kOffset);
    stream.put(byte);
}

}  // namespace

TEST_CASE("the files of a run are verified, as text, XML, JSON and a page, and stay as they are") {
    const IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    const std::string data = test::read_text(folder.data_file());
    const std::string log = test::read_text(folder.log_file());
    const std::string log_of_run = folder.read("sqliosim.log.xml");

    const auto verify = folder.start({"verify", "-dir", "data", "--json", "v.json", "--html", "v.html"});
    CHECK(verify->wait() == 0);
    CHECK_THAT(verify->output(), ContainsSubstring("PASS: ") && ContainsSubstring("What the files prove"));
    CHECK_THAT(verify->output(), ContainsSubstring("Verification Complete") && !ContainsSubstring("Stress Test"));
    CHECK(test::read_text(folder.data_file()) == data);
    CHECK(test::read_text(folder.log_file()) == log);
    CHECK(folder.read("sqliosim.log.xml") == log_of_run);
    CHECK(folder.log_error("sqliosim.verify.log.xml").empty());
    CHECK_THAT(folder.read("sqliosim.verify.log.xml"), ContainsSubstring("Verdict: PASS"));
    const Json json = Json::parse(folder.read("v.json"));
    CHECK(json["verdict"]["judgement"] == "PASS");
    CHECK(json["durability"]["missing_blocks"] == 0);
    CHECK(json["durability"]["regions_compared"] > 0);
    CHECK_THAT(folder.read("v.html"), ContainsSubstring("What the files prove"));
    CHECK(folder.start({"report", "v.json", "--html", "again.html"})->wait() == 0);
}

TEST_CASE("a damaged page is a finding of the verification, with a dump") {
    const IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    damage_page(folder.data_file());
    const auto verify = folder.start({"verify", "-dir", "data", "-log", "after.log.xml", "--findings", "after.jsonl"});
    CHECK(verify->wait() == 1);
    CHECK_THAT(verify->output(), ContainsSubstring("FAIL: 1 finding (bit corruption)"));
    CHECK_THAT(folder.read("after.jsonl"), ContainsSubstring("\"class\":\"bit_corruption\"") && ContainsSubstring("\"page\":100"));
    CHECK(folder.has("SqlSimErrorDump00001.txt"));
    CHECK(folder.log_error("after.log.xml").empty());
}

TEST_CASE("after kill -9 nothing is missing, because the system keeps what was written") {
    const IoproofFolder folder;
    const auto run = folder.start_run("100");
    REQUIRE(run->says("main run, "));
    run->send(SIGKILL);
    CHECK(run->wait() == 128 + SIGKILL);
    const auto verify = folder.start({"verify", "-dir", "data"});
    CHECK(verify->wait() == 0);
    CHECK_THAT(verify->output(), ContainsSubstring("PASS: "));
}

TEST_CASE("a killed run resumes with its files, and the next verification proves both") {
    const IoproofFolder folder;
    const auto run = folder.start_run("100");
    REQUIRE(run->says("main run, "));
    run->send(SIGKILL);
    CHECK(run->wait() == 128 + SIGKILL);
    const auto resumed = folder.start_run("1", {"--resume", "--json", "r.json"});
    CHECK(resumed->wait() == 0);
    CHECK_THAT(resumed->output(), ContainsSubstring("What the crash had left (incarnation 2 of the run begins)"));
    CHECK_THAT(resumed->output(), ContainsSubstring("PASS: "));
    CHECK(Json::parse(folder.read("r.json"))["resumed"]["incarnation"] == 2);
    CHECK(folder.start({"report", "r.json", "--html", "r.html"})->wait() == 0);
    const auto verify = folder.start({"verify", "-dir", "data"});
    CHECK(verify->wait() == 0);
}

TEST_CASE("a repair makes damaged files usable, says what it gave up, and leaves other files alone") {
    const IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    damage_page(folder.data_file());
    const auto refused = folder.start_run("1", {"--resume"});
    CHECK(refused->wait() == 1);
    CHECK_THAT(refused->output(), ContainsSubstring("was not resumed") && ContainsSubstring("verify --repair"));
    const auto repair = folder.start({"verify", "--repair", "-dir", "data"});
    CHECK(repair->wait() == 1);
    CHECK_THAT(repair->output(), ContainsSubstring("bit corruption") && ContainsSubstring("What the crash had left"));
    CHECK(folder.start({"verify", "-dir", "data"})->wait() == 0);
    CHECK(folder.start_run("1", {"--resume"})->wait() == 0);

    const std::string others(1 << 20, 'x');
    folder.write("data/sqliosim.mdx", others);
    const auto foreign = folder.start({"verify", "--repair", "-dir", "data"});
    CHECK(foreign->wait() == 2);
    CHECK(folder.read("data/sqliosim.mdx") == others);
    CHECK(folder.start_run("1", {"--resume"})->wait() == 2);
    CHECK(folder.read("data/sqliosim.mdx") == others);
}

TEST_CASE("files that a run needs a switch for are verified without it, and repaired with it") {
    const IoproofFolder folder;
    folder.write("n.ini",
                 "[File1]\nFileName=data/n.mdf\nInitialSize=4\nMaxSize=4\n"
                 "[File2]\nFileName=data/n.ldx\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\n");
    const std::string allowed = "--overwrite-foreign-files";
    REQUIRE(folder.start({"run", "-cfg", "n.ini", "-d", "1", allowed})->wait() == 0);
    damage_page(folder.data() / "n.mdf");
    CHECK(folder.start({"verify", "-cfg", "n.ini"})->wait() == 1);
    const auto refused = folder.start({"verify", "--repair", "-cfg", "n.ini"});
    CHECK(refused->wait() == 2);
    CHECK_THAT(refused->error(), ContainsSubstring("n.mdf: refused"));
    CHECK(folder.start({"verify", "--repair", "-cfg", "n.ini", allowed})->wait() == 1);
    CHECK(folder.start({"verify", "-cfg", "n.ini", allowed})->wait() == 0);
}

TEST_CASE("a run cannot be resumed without its files") {
    const IoproofFolder folder;
    const auto nothing = folder.start_run("1", {"--resume"});
    CHECK(nothing->wait() == 2);
    CHECK_THAT(nothing->error(), ContainsSubstring("nothing to resume"));
    CHECK_FALSE(folder.has("data/sqliosim.mdx"));
}

TEST_CASE("no repair is recommended for a file that is missing") {
    const IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    REQUIRE(std::filesystem::remove(folder.data_file()));
    for (const bool repairs : {false, true}) {
        const auto refused = repairs ? folder.start({"verify", "--repair", "-dir", "data"}) : folder.start_run("1", {"--resume"});
        CHECK(refused->wait() == 2);
        CHECK_THAT(refused->error(), ContainsSubstring("is not there") && ContainsSubstring("Put it back, or begin a new run."));
        CHECK_THAT(refused->error(), !ContainsSubstring("--repair") && !ContainsSubstring("Nothing in it"));
    }
}

TEST_CASE("a run that is not resumed because a file is not as it was names the command that judges the storage") {
    const IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    const bool is_missing = GENERATE(false, true);
    CAPTURE(is_missing);
    std::filesystem::resize_file(folder.data_file(), 0);
    if (is_missing) std::filesystem::remove(folder.data_file());
    const auto refused = folder.start_run("1", {"--resume"});
    CHECK(refused->wait() == 2);
    CHECK_THAT(refused->error(), ContainsSubstring("'ioproof verify' says whether the storage is at fault"));
    CHECK(folder.start({"verify", "-dir", "data"})->wait() == 1);
}

TEST_CASE("of a run that was cut off before its first change nothing can be said") {
    const IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    // The log has its signature page, and the data file not even that.
    const auto clear_from = [](const std::filesystem::path& file, std::uintmax_t offset) {
        const std::uintmax_t size = std::filesystem::file_size(file);
        std::filesystem::resize_file(file, offset);
        std::filesystem::resize_file(file, size);
    };
    clear_from(folder.data_file(), 0);
    clear_from(folder.log_file(), 8192);
    const auto verify = folder.start({"verify", "-dir", "data", "--json", "v.json"});
    CHECK(verify->wait() == 3);
    CHECK_THAT(verify->output(), ContainsSubstring("INCOMPLETE: ") && ContainsSubstring("No change had been acknowledged"));
    CHECK(Json::parse(folder.read("v.json"))["run"]["nothing_to_verify"] == "no_changes");
}

TEST_CASE("files that a measurement has written to since the run leave nothing to verify, whatever it wrote, and are no fault") {
    using Words = std::vector<std::string>;
    const auto more = GENERATE(Words{"--op", "write"}, Words{"--preset", "checkpoint"}, Words{"--preset", "file-init"});
    const IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    Words words{"bench", folder.data_file().string(), "--buffered", "--seconds", "1"};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(folder.start(words)->wait() == 0);
    const auto verify = folder.start({"verify", "-dir", "data"});
    CHECK(verify->wait() == 3);
    CHECK_THAT(verify->output() + verify->error(), ContainsSubstring("measurement") && !ContainsSubstring("FAIL:"));
}

TEST_CASE("a verification is refused during a run, and without files of ioproof") {
    const IoproofFolder folder;
    const auto nothing = folder.start({"verify", "-dir", "data", "--json", "v.json"});
    CHECK(nothing->wait() == 2);
    CHECK_THAT(nothing->error(), ContainsSubstring("nothing to verify") && ContainsSubstring("-dir"));
    CHECK(Json::parse(folder.read("v.json"))["run"]["nothing_to_verify"] == "no_files");

    const auto run = folder.start_run("100", {"-log", "run.log.xml"});
    REQUIRE(run->says("main run, "));
    const auto verify = folder.start({"verify", "-dir", "data"});
    CHECK(verify->wait() == 3);
    CHECK_THAT(verify->error(), ContainsSubstring("in use by another run"));
    run->send(SIGINT);
    CHECK(run->wait() == 130);
}

TEST_CASE("a verification does not accept switches for the work of a run") {
    const IoproofFolder folder;
    for (const char* word : {"-size", "-d", "--seed", "--inject", "--fail-on", "-save"}) {
        const auto verify = folder.start({"verify", "-dir", "data", word, "1"});
        CHECK(verify->wait() == 2);
        CHECK_THAT(verify->error(), ContainsSubstring("unknown switch"));
    }
}
