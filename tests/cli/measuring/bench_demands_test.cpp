// Limits and baselines of `ioproof bench` for pipelines, and `ioproof compare` of its output, from end to end.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using DemandsJson = nlohmann::ordered_json;
using test::IoproofFolder;

namespace {

std::unique_ptr<test::Process> start_bench(const IoproofFolder& folder, const std::vector<std::string>& more) {
    std::vector<std::string> words{"bench", "data/b.mdx", "--buffered", "--size", "2M", "--seconds", "1", "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return folder.start(words);
}

// Scales the results as if everything had been `factor` times as fast.
void scale_rates(DemandsJson& json, double factor) {
    if (json.is_object() || json.is_array()) {
        for (auto& [key, value] : json.items()) {
            if ((key == "requests_per_s" || key == "bytes_per_s") && value.is_number()) {
                value = value.get<double>() * factor;
            } else if (key == "mean_ns" && value.is_number()) {
                value = value.get<double>() / factor;
            } else {
                scale_rates(value, factor);
            }
        }
    }
}

void write_scaled(const IoproofFolder& folder, const std::string& from, const std::string& to, double factor) {
    DemandsJson document = DemandsJson::parse(folder.read(from));
    scale_rates(document, factor);
    folder.write(to, document.dump(2));
}

}  // namespace

TEST_CASE("a measurement beyond a limit exits with 1 and says which") {
    const IoproofFolder folder;
    const auto beyond =
        start_bench(folder, {"--fail-on", "longest > 1000 s, p99 >= 0us", "--fail-on", "requests_per_s < 0", "--json", "b.json"});
    CHECK(beyond->wait() == 1);
    CHECK_THAT(beyond->output(), ContainsSubstring("EXCEEDED    p99 >= 0us") && ContainsSubstring("kept        longest > 1000 s"));
    const DemandsJson document = DemandsJson::parse(folder.read("b.json"));
    REQUIRE(document["limits"].size() == 3);
    CHECK(document["limits"][0]["outcome"] == "kept");
    CHECK(document["limits"][1]["outcome"] == "exceeded");
    const auto within = start_bench(folder, {"--fail-on", "longest > 1000 s"});
    CHECK(within->wait() == 0);
    CHECK_THAT(within->output(), !ContainsSubstring("EXCEEDED"));
}

TEST_CASE("a limit that does not apply to the measurement is wrong usage, and nothing is measured") {
    const IoproofFolder folder;
    for (const char* bad : {"p99", "log.p99 > 1ms", "write.p99 > 1ms", "p99 > 1ms in other.mdx"}) {
        INFO(bad);
        const auto bench = start_bench(folder, {"--fail-on", bad});
        CHECK(bench->wait() == 2);
        CHECK_THAT(bench->error(), ContainsSubstring("--fail-on"));
    }
    CHECK(start_bench(folder, {"--tolerance", "5%"})->wait() == 2);
    CHECK(start_bench(folder, {"--baseline", "b.json", "--tolerance", "500%"})->wait() == 2);
    CHECK(start_bench(folder, {"--baseline", "missing.json"})->wait() == 3);
    CHECK_FALSE(folder.has("data/b.mdx"));
}

TEST_CASE("a measurement slower than its baseline exits with 1, any other with 0") {
    const IoproofFolder folder;
    const auto now = start_bench(folder, {"--repeat", "2", "--json", "now.json"});
    REQUIRE(now->wait() == 0);
    CHECK_THAT(now->output(), ContainsSubstring("2 rounds: ") && ContainsSubstring("\nThe last round:\n1 thread on "));
    write_scaled(folder, "now.json", "slow.json", 1e-6);
    write_scaled(folder, "now.json", "fast.json", 1e6);
    const auto better = start_bench(folder, {"--baseline", "slow.json", "--tolerance", "5%", "--json", "after.json"});
    CHECK(better->wait() == 0);
    CHECK_THAT(better->output(), ContainsSubstring("The baseline slow.json is held, within 5 %") && !ContainsSubstring("The last round"));
    CHECK(DemandsJson::parse(folder.read("after.json"))["baseline"]["baseline"]["outcome"] == "held");
    const auto worse = start_bench(folder, {"--baseline", "fast.json", "--json", "-"});
    CHECK(worse->wait() == 1);
    const DemandsJson document = DemandsJson::parse(worse->output());
    CHECK(document["baseline"]["baseline"]["outcome"] == "worse");
    CHECK(document["baseline"]["baseline"]["tolerance_percent"] == 5);
    const auto other = start_bench(folder, {"--baseline", "slow.json", "--block", "64K"});
    CHECK(other->wait() == 2);
    CHECK_THAT(other->error(), ContainsSubstring("block_bytes was 8192, and is 65536"));
    const auto unverified = start_bench(folder, {"--baseline", "slow.json", "--verify", "off"});
    CHECK(unverified->wait() == 2);
    CHECK_THAT(unverified->error(), ContainsSubstring("--verify was on, and is off"));
}

TEST_CASE("two measurements are compared as text and JSON") {
    const IoproofFolder folder;
    REQUIRE(start_bench(folder, {"--json", "a.json"})->wait() == 0);
    write_scaled(folder, "a.json", "b.json", 0.5);
    const auto text = folder.start({"compare", "a.json", "b.json"});
    CHECK(text->wait() == 0);
    CHECK_THAT(text->output(), ContainsSubstring("reads/s") && ContainsSubstring("-50.0 %"));
    REQUIRE(folder.start({"compare", "a.json", "b.json", "--json", "c.json"})->wait() == 0);
    CHECK(DemandsJson::parse(folder.read("c.json"))["document"] == "ioproof comparison");
    CHECK(folder.start({"compare", "a.json", "b.json", "--html", "c.html"})->wait() == 0);
    CHECK_THAT(folder.read("c.html"), ContainsSubstring("<title>ioproof comparison</title>") && ContainsSubstring("a.json"));
    // A page that is refused does not cost the JSON of an earlier comparison.
    folder.write("foreign.html", "<p>mine</p>");
    const std::string earlier = folder.read("c.json");
    CHECK(folder.start({"compare", "b.json", "a.json", "--json", "c.json", "--html", "foreign.html"})->wait() == 2);
    CHECK(folder.read("c.json") == earlier);
    CHECK(folder.read("foreign.html") == "<p>mine</p>");
    folder.write("other.json", "{}");
    const auto other = folder.start({"compare", "a.json", "other.json"});
    CHECK(other->wait() == 2);
    CHECK_THAT(other->error(), ContainsSubstring("'other.json'"));
    // The same for a measurement of the run's own path.
    REQUIRE(folder.start({"bench", "data/b.mdx", "--buffered", "--seconds", "1", "--json", "own.json"})->wait() == 0);
    CHECK(folder.start({"compare", "own.json", "own.json"})->wait() == 0);
    CHECK(folder.start({"compare", "own.json", "a.json"})->wait() == 2);
}
