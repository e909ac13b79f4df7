// `ioproof bench` from end to end.
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

namespace {

// Of a file of 4 MB: it has been filled, or nearly so.
bool has_last_page(const IoproofFolder& folder, const std::string& name) {
    std::ifstream file(folder.path() / name, std::ios::binary);
    std::array<char, 8> begin{};
    file.seekg(511 * 8192);
    return file.read(begin.data(), begin.size()) && std::string_view(begin.data() + 4, 4) == "IOPF";
}

}  // namespace

TEST_CASE("a measurement creates its file, prints its figures, and writes them as JSON") {
    const IoproofFolder folder;
    const auto bench = folder.start({"bench", "data/b.mdx", "--buffered", "--size", "4M", "--seconds", "1", "--json", "o.json"});
    CHECK(bench->wait() == 0);
    CHECK_THAT(bench->output(), ContainsSubstring("random reads of 8 KB, depth 32") && ContainsSubstring("verified"));
    CHECK_THAT(folder.read("o.json"), ContainsSubstring("\"requests_per_s\": ") && ContainsSubstring("\"findings\": 0"));
    CHECK(folder.has("data/b.mdx"));
    const auto again = folder.start({"bench", "data/b.mdx", "--buffered", "--op", "write", "--seconds", "1", "--json", "-"});
    CHECK(again->wait() == 0);
    CHECK(again->output().front() == '{');
    CHECK_THAT(again->output(), ContainsSubstring("\"pages_read_back\": 512"));
}

TEST_CASE("a measurement's JSON does not replace a foreign file, and nothing is measured") {
    const IoproofFolder folder;
    folder.write("letter.txt", "Dear vendor");
    const auto bench = folder.start({"bench", "data/b.mdx", "--buffered", "--size", "4M", "--seconds", "1", "--json", "letter.txt"});
    CHECK(bench->wait() == 2);
    CHECK_THAT(bench->error(), ContainsSubstring("letter.txt") && ContainsSubstring("is not an ioproof JSON file of the same kind"));
    CHECK(folder.read("letter.txt") == "Dear vendor");
    CHECK_FALSE(folder.has("data/b.mdx"));
}

TEST_CASE("a damaged page of a measured file is reported, and the exit code is 1") {
    const IoproofFolder folder;
    REQUIRE(folder.start({"bench", "data/b.mdx", "--buffered", "--size", "1M", "--seconds", "1"})->wait() == 0);
    std::string bytes = folder.read("data/b.mdx");
    bytes[3 * 8192 + 777] = static_cast<char>(bytes[3 * 8192 + 777] + 1);
    folder.write("data/b.mdx", bytes);
    for (const std::string preset : {"--depth=4", "--random-percent=100"}) {
        const std::string json = preset.substr(2) + ".json";
        const auto bench = folder.start({"bench", "data/b.mdx", "--buffered", "--seconds", "1", preset, "--json", json});
        CHECK(bench->wait() == 1);
        CHECK_THAT(bench->output() + bench->error(), ContainsSubstring("Page 3 "));
        CHECK_THAT(folder.read(json), ContainsSubstring("\"finding_list\": [") && ContainsSubstring("\"byte_offset\": 24576"));
    }
}

TEST_CASE("a measurement refuses a foreign file, and leaves it as it is") {
    const IoproofFolder folder;
    const std::string foreign(100'000, 'F');
    folder.write("data/b.mdx", foreign);
    const auto bench = folder.start({"bench", "data/b.mdx", "--buffered", "--op", "write", "--seconds", "1"});
    CHECK(bench->wait() == 2);
    CHECK_THAT(bench->error(), ContainsSubstring("data/b.mdx: refused"));
    CHECK(folder.read("data/b.mdx") == foreign);
    CHECK(folder.start({"bench", "data/b.mdf", "--buffered", "--seconds", "1"})->wait() == 2);
    CHECK(folder.start({"bench"})->wait() == 2);
    CHECK(folder.start({"bench", "missing/b.mdx", "--seconds", "1"})->wait() == 3);
}

TEST_CASE("a measurement that is to run on a CPU that is not there is refused, and creates no file") {
    const IoproofFolder folder;
    const std::string command = GENERATE("bench", "sweep");
    const auto bench = folder.start({command, "data/new", "--size", "8M", "--seconds", "1", "--affinity", "1023"});
    CHECK(bench->wait() == 2);
    CHECK_THAT(bench->error(), ContainsSubstring("--affinity: CPU 1023 is not there"));
    CHECK(!folder.has("data/new"));
}

TEST_CASE("Ctrl-C ends a measurement with its figures") {
    const IoproofFolder folder;
    const auto bench = folder.start({"bench", "data/b.mdx", "--buffered", "--size", "4M", "--seconds", "600"});
    while (!has_last_page(folder, "data/b.mdx") && bench->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    bench->send(SIGINT);
    CHECK(bench->wait() == 130);
    CHECK_THAT(bench->output(), ContainsSubstring("stopped before its end"));
}

TEST_CASE("a measurement that is stopped before it has figures leaves the files of an earlier one as they were") {
    const std::string preset = GENERATE("", "--preset=oltp");
    const IoproofFolder folder;
    const auto words_of = [&](const std::string& file, const std::string& size, const std::string& seconds) {
        std::vector<std::string> words{"bench",  file,     "--buffered", "--size", size,     "--seconds", seconds,
                                       "--json", "o.json", "--csv",      "o.csv",  "--html", "o.html"};
        if (!preset.empty()) words.push_back(preset);
        return words;
    };
    const auto outputs = [&] { return std::vector<std::string>{folder.read("o.json"), folder.read("o.csv"), folder.read("o.html")}; };
    REQUIRE(folder.start(words_of("data/b.mdx", "4M", "1"))->wait() == 0);
    std::vector<std::string> words = words_of("data/large.mdx", "512M", "600");
    if (!preset.empty()) words.push_back("--warm-up=600");  // no figures meanwhile, however late the signal comes
    bool are_kept = false;
    // Without a warm-up there may be figures if the signal comes late, on a busy machine.
    for (int attempt = 0; attempt < 5 && !are_kept; ++attempt) {
        const std::vector<std::string> before = outputs();
        std::filesystem::remove(folder.data() / "large.mdx");
        const auto bench = folder.start(words);
        while (!folder.has("data/large.mdx") && bench->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        bench->send(SIGINT);
        CHECK(bench->wait() == 130);
        are_kept = bench->error().find("files of an earlier measurement, left as they were: o.json, o.csv, o.html") != std::string::npos;
        if (are_kept) CHECK(outputs() == before);
    }
    CHECK(are_kept);
}

TEST_CASE("a measurement is written as CSV and as a page, and shown again by report") {
    const IoproofFolder folder;
    const auto bench = folder.start({"bench", "data/b.mdx", "--preset", "oltp", "--buffered", "--size", "4M", "--seconds", "1", "--repeat",
                                     "2", "--json", "o.json", "--csv", "o.csv", "--html", "o.html"});
    CHECK(bench->wait() == 0);
    CHECK_THAT(folder.read("o.csv"), ContainsSubstring("\n2,1,oltp,data/b.mdx,write,") && ContainsSubstring("\n1,all,,,both,"));
    CHECK_THAT(folder.read("o.html"), ContainsSubstring("<title>ioproof measurement</title>") && ContainsSubstring("\"text_report\""));
    const auto report = folder.start({"report", "o.json"});
    CHECK(report->wait() == 0);
    CHECK_THAT(report->output(), ContainsSubstring("2 rounds: ") && ContainsSubstring("oltp data/b.mdx, reads"));
    CHECK(folder.start({"report", "o.json", "--html", "again.html"})->wait() == 0);
    CHECK(folder.read("again.html") == folder.read("o.html"));
}

TEST_CASE("a run's own path is written as CSV and as a page, and shown again by report") {
    const IoproofFolder folder;
    const auto bench = folder.start(
        {"bench", "data/b.mdx", "--buffered", "--size", "4M", "--seconds", "1", "--json", "o.json", "--csv", "o.csv", "--html", "o.html"});
    CHECK(bench->wait() == 0);
    CHECK_THAT(folder.read("o.csv"), ContainsSubstring("\n1,all,,data/b.mdx,read,"));
    CHECK_THAT(folder.read("o.html"), ContainsSubstring("<title>ioproof measurement</title>"));
    const auto report = folder.start({"report", "o.json"});
    CHECK(report->wait() == 0);
    CHECK(report->output() == bench->output());
}

TEST_CASE("a measurement takes no file's place that is not such a file, and measures nothing then") {
    const IoproofFolder folder;
    folder.write("letter.txt", "Dear vendor");
    for (const char* const option : {"--csv", "--html"}) {
        const auto bench =
            folder.start({"bench", "data/b.mdx", "--preset", "oltp", "--buffered", "--size", "4M", "--seconds", "1", option, "letter.txt"});
        CHECK(bench->wait() == 2);
        CHECK_THAT(bench->error(), ContainsSubstring("letter.txt"));
        CHECK(folder.read("letter.txt") == "Dear vendor");
        CHECK_FALSE(folder.has("data/b.mdx"));
    }
    CHECK(folder.start({"bench", "data/b.mdx", "--preset", "oltp", "--csv", "x", "--html", "x"})->wait() == 2);
}

TEST_CASE("by Little's law, all requests of the asked depth are in flight: latency lasts until the task has its answer") {
    constexpr double kDepth = 32;
    const IoproofFolder folder;
    const auto bench = folder.start({"bench", "data/b.mdx", "--random-percent", "100", "--buffered", "--size", "4M", "--depth", "32",
                                     "--cpus", "1", "--verify", "off", "--seconds", "2", "--json", "o.json"});
    REQUIRE(bench->wait() == 0);
    const auto reads = nlohmann::json::parse(folder.read("o.json"))["total"]["reads"];
    const double in_flight = reads["requests_per_s"].get<double>() * reads["latency"]["mean_ns"].get<double>() / 1e9;
    // A task that makes its next request has none in flight. One CPU makes one request at a time.
    CHECK(in_flight > kDepth - 1.5);
    CHECK(in_flight < kDepth + 0.5);
}
