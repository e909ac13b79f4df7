// `ioproof sweep` from end to end.
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using SweepDocument = nlohmann::ordered_json;
using test::IoproofFolder;

namespace {

constexpr std::size_t kSweepPoints = 64;

// Takes a minute, so the tests do not wait for its end.
std::vector<std::string> sweep_words(const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", "data/b.mdx", "--buffered", "--size", "2M",    "--seconds",
                                   "1",     "--depth",    "1..64+1",    "--json", "s.json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// Waits for the first point. The file can be read at any time, because it is replaced as a whole.
bool has_first_point(const IoproofFolder& folder) {
    for (int i = 0; i < 3000; ++i) {
        if (folder.has("s.json") && !folder.read("s.json").empty()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

// Overwrites all pages but the first one, by which the file is recognized.
void spoil_pages(const std::filesystem::path& path) {
    constexpr std::size_t kPageBytes = 8192;
    const std::string garbage(std::filesystem::file_size(path) - kPageBytes, 'x');
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(kPageBytes));
    file << garbage << std::flush;
}

std::size_t pages_that_differ(const std::string& before, const std::string& after) {
    constexpr std::size_t kPageBytes = 8192;
    std::size_t count = 0;
    for (std::size_t at = 0; at + kPageBytes <= before.size(); at += kPageBytes) {
        if (before.compare(at, kPageBytes, after, at, kPageBytes) != 0) ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("an interrupted sweep keeps its measured points, and resumes without measuring them again") {
    const IoproofFolder folder;
    const auto sweep = folder.start(sweep_words({"--csv", "s.csv", "--html", "s.html"}));
    REQUIRE(has_first_point(folder));
    sweep->send(SIGINT);
    CHECK(sweep->wait() == 130);
    CHECK_THAT(sweep->output(), ContainsSubstring("Not complete") && ContainsSubstring("--resume"));
    SweepDocument kept = SweepDocument::parse(folder.read("s.json"));
    CHECK(kept["is_complete"] == false);
    CHECK(kept["combinations"] == kSweepPoints);
    const std::size_t measured = kept["points"].size();
    REQUIRE(measured >= 1);
    REQUIRE(measured < kSweepPoints);
    CHECK(kept["points"][0]["depth"] == 1);
    CHECK(kept["points"][0]["requests_per_s"].get<double>() > 0);
    CHECK_THAT(folder.read("s.csv"), ContainsSubstring("depth,threads,block_bytes"));
    CHECK_THAT(folder.read("s.html"), ContainsSubstring("Not complete"));

    // Pretends that all points but the last were measured, so that the rest takes a second.
    SweepDocument points = kept["points"];
    while (points.size() < kSweepPoints - 1) {
        SweepDocument point = kept["points"][0];
        point["depth"] = points.size() + 1;
        points.push_back(point);
    }
    kept["points"] = points;
    folder.write("s.json", kept.dump(2));
    const auto resumed = folder.start(sweep_words({"--resume"}));
    CHECK(resumed->wait() == 0);
    const SweepDocument all = SweepDocument::parse(folder.read("s.json"));
    CHECK(all["is_complete"] == true);
    REQUIRE(all["points"].size() == kSweepPoints);
    for (std::size_t i = 0; i < points.size(); ++i) CHECK(all["points"][i] == points[i]);
    CHECK(all["points"].back()["depth"] == kSweepPoints);
    CHECK(all["points"].back()["requests_per_s"].get<double>() > 0);
}

TEST_CASE("a sweep is not resumed from the results of another one, nor from nothing") {
    const IoproofFolder folder;
    const auto nothing = folder.start(sweep_words({"--resume"}));
    CHECK(nothing->wait() == 3);
    REQUIRE(
        folder.start({"sweep", "data/b.mdx", "--buffered", "--size", "2M", "--seconds", "1", "--depth", "1", "--json", "s.json"})->wait() ==
        0);
    const std::string before = folder.read("s.json");
    const auto other = folder.start(sweep_words({"--resume"}));
    CHECK(other->wait() == 2);
    CHECK_THAT(other->error(), ContainsSubstring("with other settings"));
    CHECK(folder.read("s.json") == before);
    folder.write("s.json", "{\"document\": \"ioproof sweep\"");
    CHECK(folder.start(sweep_words({"--resume"}))->wait() == 2);
}

TEST_CASE("a sweep whose JSON cannot be written midway ends there, and still shows and writes what it has measured") {
    const IoproofFolder folder;
    const auto sweep = folder.start(sweep_words({"--csv", "s.csv", "--html", "s.html"}));
    REQUIRE(has_first_point(folder));
    std::filesystem::remove(folder.path() / "s.json");
    std::filesystem::create_directory(folder.path() / "s.json");
    CHECK(sweep->wait() == 3);
    CHECK_THAT(sweep->error(), ContainsSubstring("JSON file 's.json': it is a directory"));
    CHECK_THAT(sweep->output(), ContainsSubstring("Not complete"));
    CHECK_THAT(folder.read("s.csv"), ContainsSubstring("depth,threads,block_bytes"));
    CHECK_THAT(folder.read("s.html"), ContainsSubstring("Not complete"));
}

TEST_CASE("a sweep that found a fault ends with 1, even if it cannot write its files then") {
    const IoproofFolder folder;
    const auto sweep = folder.start(sweep_words({"--csv", "s.csv"}));
    REQUIRE(has_first_point(folder));
    std::filesystem::create_directory(folder.path() / "s.csv");
    spoil_pages(folder.path() / "data/b.mdx");  // perhaps between two points: the next one knows what the file held
    CHECK(sweep->wait() == 1);
    CHECK_THAT(sweep->error(), ContainsSubstring("FINDING") && ContainsSubstring("CSV file 's.csv': it is a directory"));
    CHECK_THAT(sweep->output(), ContainsSubstring("WRONG: "));
    const SweepDocument kept = SweepDocument::parse(folder.read("s.json"));
    CHECK_FALSE(kept["points"].empty());
    CHECK(kept["findings"].get<std::size_t>() > 0);
}

TEST_CASE("a sweep that comes to a point for which there is not enough memory keeps the points before it") {
    const IoproofFolder folder;
    std::vector<std::string> words{"sweep", "data/b.mdx", "--buffered", "--size", "64M", "--seconds", "1"};
    words.insert(words.end(), {"--depth", "16000", "--block", "4K,64M", "--csv", "s.csv"});
    const auto sweep = folder.start(words);
    CHECK(sweep->wait() == 3);
    CHECK_THAT(sweep->error(), ContainsSubstring("MB of memory"));
    CHECK_THAT(sweep->output(), ContainsSubstring("Not complete"));
    CHECK_THAT(folder.read("s.csv"), ContainsSubstring("depth,threads,block_bytes"));
}

TEST_CASE("a sweep says from which depth on its pool of threads is smaller than the requests outstanding: a knee there may be the pool's") {
    const IoproofFolder folder;
    const auto sweep = folder.start({"sweep", "data/b.mdx", "--buffered", "--size", "2M", "--seconds", "1", "--threads", "1", "--depth",
                                     "64..66+1", "--engine", "threads"});
    CHECK(sweep->wait() == 0);
    CHECK_THAT(sweep->error(), ContainsSubstring("ioproof: depth 65: a pool has 64 threads") && !ContainsSubstring("depth 64: a pool") &&
                                   !ContainsSubstring("depth 66: a pool"));
}

TEST_CASE("each point of a sweep has random places of its own, so that no cache answers what an earlier one asked for") {
    const IoproofFolder folder;
    REQUIRE(folder.start({"bench", "data/b.mdx", "--buffered", "--size", "32M", "--random-percent", "100", "--seconds", "1"})->wait() == 0);
    const std::string before = folder.read("data/b.mdx");
    const auto sweep = folder.start({"sweep", "data/b.mdx", "--buffered", "--write-percent", "100", "--rate", "20", "--depth", "1,2",
                                     "--seconds", "1", "--json", "s.json"});
    CHECK(sweep->wait() == 0);
    double requests = 0;
    const SweepDocument document = SweepDocument::parse(folder.read("s.json"));
    for (const SweepDocument& point : document["points"]) requests += point["requests_per_s"].get<double>();
    REQUIRE(requests > 30);
    // The only task of depth 1 is also one of the two of depth 2: with the same places, a quarter of the writes would be second ones.
    CHECK(static_cast<double>(pages_that_differ(before, folder.read("data/b.mdx"))) > requests * 0.9);
}
