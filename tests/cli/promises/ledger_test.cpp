// `--ledger` from end to end: what the files alone cannot prove.
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

namespace {

// Starts a run and kills it while it works.
void run_and_kill(const IoproofFolder& folder, const std::vector<std::string>& more) {
    const auto run = folder.start_run("100", more);
    INFO(run->error());
    REQUIRE(run->says("main run, "));
    run->send(SIGKILL);
    REQUIRE(run->wait() == 128 + SIGKILL);
}

void copy_files(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::filesystem::create_directories(to);
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
}

nlohmann::json json_of(const IoproofFolder& folder, const std::string& name) { return nlohmann::json::parse(folder.read(name)); }

}  // namespace

TEST_CASE("storage that was rolled back passes by its files alone, and fails by the ledger") {
    const IoproofFolder folder;
    run_and_kill(folder, {"--ledger", "ledger"});
    CHECK(folder.start({"verify", "-dir", "data", "--ledger", "ledger"})->wait() == 0);
    copy_files(folder.data(), folder.path() / "snapshot");
    run_and_kill(folder, {"--ledger", "ledger", "--resume"});
    copy_files(folder.path() / "snapshot", folder.data());

    CHECK(folder.start({"verify", "-dir", "data"})->wait() == 0);
    const auto verify = folder.start({"verify", "-dir", "data", "--ledger", "ledger", "--json", "v.json"});
    CHECK(verify->wait() == 1);
    CHECK_THAT(verify->output(), ContainsSubstring("FAIL: ") && ContainsSubstring("ledger"));
    const nlohmann::json promises = json_of(folder, "v.json")["durability"]["promises"];
    CHECK(promises["are_used"] == true);
    CHECK(promises["pages"] > 0);
    const auto resumed = folder.start_run("1", {"--ledger", "ledger", "--resume"});
    CHECK(resumed->wait() == 1);
}

TEST_CASE("missing or zeroed files are findings of a verification with the ledger") {
    const IoproofFolder folder;
    run_and_kill(folder, {"--ledger", "ledger"});
    const auto size_bytes = std::filesystem::file_size(folder.data_file());
    for (const auto& file : {folder.data_file(), folder.log_file()}) std::filesystem::remove(file);
    const auto gone = folder.start({"verify", "-dir", "data", "--ledger", "ledger"});
    CHECK(gone->wait() == 1);
    CHECK_THAT(gone->output(), ContainsSubstring("FAIL: "));
    CHECK_FALSE(std::filesystem::exists(folder.data_file()));
    for (const auto& file : {folder.data_file(), folder.log_file()}) {
        std::ofstream(file).close();
        std::filesystem::resize_file(file, size_bytes);
    }
    const auto zeros = folder.start({"verify", "-dir", "data", "--ledger", "ledger"});
    CHECK(zeros->wait() == 1);
    CHECK_THAT(zeros->output(), ContainsSubstring("FAIL: "));
}

TEST_CASE("a ledger that the run continued without is not demanded, and the verification says so") {
    const IoproofFolder folder;
    run_and_kill(folder, {"--ledger", "ledger"});
    run_and_kill(folder, {"--resume"});
    const auto verify = folder.start({"verify", "-dir", "data", "--ledger", "ledger", "--json", "v.json"});
    CHECK(verify->wait() == 0);
    CHECK_THAT(verify->output(), ContainsSubstring("not used"));
    CHECK(json_of(folder, "v.json")["durability"]["promises"]["are_used"] == false);
}

TEST_CASE("a ledger older than the files blames nothing, and is refused") {
    const IoproofFolder folder;
    run_and_kill(folder, {"--ledger", "ledger"});
    copy_files(folder.data(), folder.path() / "snapshot");
    run_and_kill(folder, {});
    const auto verify = folder.start({"verify", "-dir", "data", "--ledger", "ledger"});
    CHECK(verify->wait() == 2);
    CHECK_THAT(verify->error(), ContainsSubstring("the newer run did not use it"));
    CHECK(folder.start({"verify", "-dir", "data"})->wait() == 0);

    // The reverse: now the files are older than the promises, as after a rollback.
    run_and_kill(folder, {"--ledger", "ledger"});
    copy_files(folder.path() / "snapshot", folder.data());
    CHECK(folder.start({"verify", "-dir", "data", "--ledger", "ledger"})->wait() == 1);
}

TEST_CASE("if none of the files exists, an empty ledger is not to blame") {
    const IoproofFolder folder;
    folder.write("ledger", "");
    const auto verify = folder.start({"verify", "-dir", "data", "--ledger", "ledger"});
    CHECK(verify->wait() == 2);
    CHECK_THAT(verify->error(), ContainsSubstring("nothing to verify"));
}

TEST_CASE("a run reports its promises, and warns about a ledger on the file system under test") {
    const IoproofFolder folder;
    const auto run = folder.start_run("1", {"--ledger", "ledger", "--json", "r.json"});
    CHECK(run->wait() == 0);
    CHECK_THAT(run->output(), ContainsSubstring("Promised to the ledger "));
    const nlohmann::json promising = json_of(folder, "r.json")["promising"];
    CHECK(promising["batches"] > 0);
    CHECK(promising["pages"] > 0);
    CHECK(promising["stopped_because"] == "");
    CHECK_THAT(folder.read("sqliosim.log.xml"), ContainsSubstring("is on the file system of"));
}

TEST_CASE("a resumed run refuses a ledger of another run, and a file that is not a ledger") {
    const IoproofFolder folder;
    run_and_kill(folder, {"--ledger", "other"});
    run_and_kill(folder, {"--ledger", "ledger"});
    const std::string data = test::read_text(folder.data_file());
    const auto resumed = folder.start_run("1", {"--ledger", "other", "--resume"});
    CHECK(resumed->wait() != 0);
    CHECK_THAT(resumed->error() + resumed->output(), ContainsSubstring("holds the promises of run "));
    CHECK(test::read_text(folder.data_file()) == data);

    folder.write("text", "a text that somebody needs");
    for (const char* const command : {"run", "verify"}) {
        const auto refused = folder.start({command, "-dir", "data", "--ledger", "text"});
        CHECK(refused->wait() != 0);
        CHECK_THAT(refused->error() + refused->output(), ContainsSubstring("it is not a ledger of ioproof"));
    }
    CHECK(folder.read("text") == "a text that somebody needs");
    CHECK(test::read_text(folder.data_file()) == data);
    CHECK(folder.start({"verify", "-dir", "data", "--ledger", "no/such/ledger"})->wait() == 3);
}
