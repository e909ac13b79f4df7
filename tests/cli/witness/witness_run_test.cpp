// `ioproof witness`, `run --witness` and `verify --witness` from end to end.
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/witness/witness_rig.hpp"

using test::IoproofFolder;

namespace {

// A witness as a separate process. With port 0 it prints the port that it got.
class WitnessProcess {
public:
    explicit WitnessProcess(const IoproofFolder& folder, const std::string& listen = "127.0.0.1:0")
        : process_(folder.start({"witness", "--listen", listen, "--store", "store", "--key-file", "key"})) {
        INFO(process_->error());
        REQUIRE(process_->says("listens on "));
        const std::string said = process_->output() + process_->error();
        const std::size_t begin = said.find("listens on ") + std::string("listens on ").size();
        address_ = said.substr(begin, said.find(';') - begin);
    }

    [[nodiscard]] const std::string& address() const { return address_; }
    int end(int signal) {
        process_->send(signal);
        return process_->wait();
    }

private:
    std::unique_ptr<test::Process> process_;
    std::string address_;
};

std::vector<std::string> witness_words(const WitnessProcess& witness) { return {"--witness", witness.address(), "--key-file", "key"}; }

}  // namespace

TEST_CASE("a witness finds what the files alone cannot show: they are rolled back") {
    const IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    WitnessProcess witness(folder);
    const auto words = witness_words(witness);
    const auto run = folder.start_run("100", words);
    REQUIRE(run->says("main run, "));
    run->send(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // for promises in flight
    std::filesystem::copy(folder.data(), folder.path() / "snapshot", std::filesystem::copy_options::recursive);
    run->send(SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    run->send(SIGKILL);
    run->wait();
    const auto verify = [&](const char* json) {
        const auto process = folder.start({"verify", "-dir", "data", "--json", json, words[0], words[1], words[2], words[3]});
        return process->wait();
    };
    CHECK(verify("sound.json") == 0);
    std::filesystem::copy(folder.path() / "snapshot", folder.data(),
                          std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
    CHECK(folder.start({"verify", "-dir", "data"})->wait() == 0);
    CHECK(verify("old.json") == 1);
    const auto json = nlohmann::json::parse(folder.read("old.json"));
    CHECK(json["durability"]["promises"]["keeper"] == "the witness " + witness.address());
    CHECK(json["finding_count"] > 0);
    CHECK(witness.end(SIGTERM) == 0);
}

TEST_CASE("a killed witness stops promises but not the run, and promises continue when it is back") {
    const IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    auto witness = std::make_unique<WitnessProcess>(folder);
    const std::string address = witness->address();
    auto words = witness_words(*witness);
    words.insert(words.end(), {"--json", "r.json"});
    const auto run = folder.start_run("10", words);
    REQUIRE(run->says("main run, "));
    CHECK(witness->end(SIGKILL) == 128 + SIGKILL);
    REQUIRE(run->says("are suspended"));
    witness = std::make_unique<WitnessProcess>(folder, address);
    CHECK(run->says(" continue."));
    CHECK(run->wait() == 0);
    const auto promising = nlohmann::json::parse(folder.read("r.json"))["promising"];
    CHECK(promising["breaks"] == 1);
    CHECK(promising["stopped_because"] == "");
    const auto verify = folder.start({"verify", "-dir", "data", "--witness", address, "--key-file", "key"});
    CHECK(verify->wait() == 0);
    CHECK(witness->end(SIGINT) == 0);
}

TEST_CASE("a run that cannot reach its witness does not begin, and touches nothing") {
    const IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    REQUIRE(folder.start_run("1")->wait() == 0);
    const std::string data = test::read_text(folder.data_file());
    const auto run = folder.start_run("1", {"--witness", "127.0.0.1:1", "--key-file", "key"});
    CHECK(run->wait() == 3);
    CHECK_THAT(run->output() + run->error(), ContainsSubstring("the witness 127.0.0.1:1: Connection refused"));
    CHECK(test::read_text(folder.data_file()) == data);
}

TEST_CASE("a witness listens at 127.0.0.1:7017 unless a switch says otherwise") {
    const IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    // If the port is in use, the message names it, too.
    CHECK(folder.start({"witness", "--store", "store", "--key-file", "key"})->says("127.0.0.1:7017"));
}

TEST_CASE("messages name a witness with an IPv6 address as --witness takes it") {
    const IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    const auto run = folder.start({"run", "-dir", "data", "--witness", "[::1]:1", "--key-file", "key"});
    CHECK(run->wait() == 3);
    CHECK_THAT(run->output() + run->error(), ContainsSubstring("the witness [::1]:1: "));
}

TEST_CASE("inconsistent switches of a witness are refused") {
    const IoproofFolder folder;
    const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
        const auto process = folder.start(words);
        CHECK(process->wait() == 2);
        CHECK_THAT(process->error(), ContainsSubstring(why));
    };
    refused({"run", "-dir", "data", "--witness", "x"}, "needs --key-file");
    refused({"run", "-dir", "data", "--key-file", "x"}, "are for --witness");
    refused({"verify", "-dir", "data", "--witness", "x", "--key-file", "k", "--ledger", "l"}, "not both");
    refused({"witness", "--key-file", "x"}, "--store DIR is missing");
    refused({"witness", "--store", "s"}, "needs --key-file");
    for (const char* const address : {":7017", "x:", "x:70000", "[::1", "::1", "x:1y"}) {
        refused({"run", "-dir", "data", "--key-file", "k", "--witness", address}, "is not allowed");
    }
    for (const char* const name : {"localhost:7017", "7017"}) {
        refused({"witness", "--store", "s", "--key-file", "k", "--listen", name}, "allowed are a numeric address of this machine");
    }
    CHECK(test::names_in(folder.path()) == std::vector<std::string>{"data"});
}
