// What a run leaves if the storage is faulty: dump files, and findings as JSON.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

namespace {

// One user that only reads, so that damage is found instead of overwritten.
constexpr const char* kReaders =
    "[CONFIG]\nStopOnError=FALSE\nTestCycleDuration=4\n[RandomUser]\nUserCount=1\nRandomUserReadWriteRatio=0\n"
    "[BulkUpdateUser]\nUserCount=0\n[ShrinkUser]\nMinShrinkInterval=900\nMaxShrinkInterval=900\n";

// Direct, like the run's writes: a cached write beside them would make the kernel fail the direct ones.
void zero_pages(const std::string& path, off_t first, int count) {
    alignas(4096) static const std::array<char, 8192> kZeros{};
    const int fd = ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
    for (int i = 0; i < count; ++i) CHECK(::pwrite(fd, kZeros.data(), kZeros.size(), (first + i) * 8192) == 8192);
    ::close(fd);
}

// Runs ioproof, and damages pages as soon as the main run has begun.
int run_with_damage(const IoproofFolder& folder, const std::vector<std::string>& more, std::string& output) {
    folder.write("readers.ini", kReaders);
    std::vector<std::string> words{"run", "-cfg", "readers.ini", "-dir", "data", "-size", "4"};
    words.insert(words.end(), more.begin(), more.end());
    const auto run = folder.start(words);
    CHECK(run->says("main run, "));
    zero_pages(folder.data_file().string(), 30, 2);
    const int code = run->wait();
    output = run->output() + run->error();
    return code;
}

}  // namespace

TEST_CASE("each finding leaves a dump beside the log, an entry that names the dump, and a line of JSON") {
    const IoproofFolder folder;
    std::string output;
    CHECK(run_with_damage(folder, {"--findings", "f.jsonl"}, output) == 1);
    INFO(output);
    const std::string json = folder.read("f.jsonl");
    CHECK(std::count(json.begin(), json.end(), '\n') == 2);
    for (const char* name : {"SqlSimErrorDump00001.txt", "SqlSimErrorDump00002.txt"}) {
        const std::string path = (folder.path() / name).string();
        CHECK_THAT(json, ContainsSubstring("\"dump\":\"" + path + "\""));
        CHECK_THAT(folder.read("sqliosim.log.xml"),
                   ContainsSubstring("Dump file successfully written: " + path + " </EXTENDED_DESCRIPTION>"));
        CHECK_THAT(folder.read(name), ContainsSubstring("\nLast operations on all files\n") && ContainsSubstring("\nWhat to do:\n"));
        CHECK_THAT(folder.read(name),
                   ContainsSubstring("\nRun\n---\n  system              ") && ContainsSubstring("\n  repeat with         "));
    }
    CHECK_THAT(json, ContainsSubstring("\"page\":30,") && ContainsSubstring("\"page\":31,"));
    CHECK(folder.log_error().empty());
    CHECK_THAT(output, ContainsSubstring("30-31"));
    CHECK_THAT(output, ContainsSubstring("The evidence is in"));
}

TEST_CASE("a findings file with contents is refused before anything is touched, and stays empty without findings") {
    const IoproofFolder folder;
    folder.write("f.jsonl", "precious\n");
    const auto refused = folder.start_run("1", {"--findings", "f.jsonl"});
    CHECK(refused->wait() == 2);
    CHECK_THAT(refused->error(), ContainsSubstring("findings file 'f.jsonl': it exists and is not empty"));
    CHECK(folder.read("f.jsonl") == "precious\n");
    CHECK_FALSE(std::filesystem::exists(folder.data_file()));
    const auto good = folder.start_run("1", {"--findings", "new.jsonl"});
    CHECK(good->wait() == 0);
    CHECK(folder.has("new.jsonl"));
    CHECK(folder.read("new.jsonl").empty());
    CHECK_THAT(good->output(), ContainsSubstring("findings       new.jsonl\n"));
}
