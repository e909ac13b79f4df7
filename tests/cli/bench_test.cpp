// `ioproof bench` from end to end.
#include <string>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

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
    CHECK_THAT(bench->error(), ContainsSubstring("letter.txt") && ContainsSubstring("is not such a JSON file of ioproof"));
    CHECK(folder.read("letter.txt") == "Dear vendor");
    CHECK_FALSE(folder.has("data/b.mdx"));
}

TEST_CASE("a damaged page of a measured file is reported, and the exit code is 1") {
    const IoproofFolder folder;
    REQUIRE(folder.start({"bench", "data/b.mdx", "--buffered", "--size", "1M", "--seconds", "1"})->wait() == 0);
    std::string bytes = folder.read("data/b.mdx");
    bytes[3 * 8192 + 777] = static_cast<char>(bytes[3 * 8192 + 777] + 1);
    folder.write("data/b.mdx", bytes);
    const auto bench = folder.start({"bench", "data/b.mdx", "--buffered", "--seconds", "1"});
    CHECK(bench->wait() == 1);
    CHECK_THAT(bench->output() + bench->error(), ContainsSubstring("Page 3 is not what a run wrote there"));
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

TEST_CASE("Ctrl-C ends a measurement with its figures") {
    const IoproofFolder folder;
    const auto bench = folder.start({"bench", "null:", "--verify=off", "--seconds", "600"});
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    bench->send(SIGINT);
    CHECK(bench->wait() == 130);
    CHECK_THAT(bench->output(), ContainsSubstring("stopped before its end"));
}
