// Files given as configurations or results that are neither must quickly give exit code 2 and one line.
#include <sys/stat.h>

#include <string>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

namespace {

std::string repeated(const std::string& piece, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += piece;
    return text;
}

void check_refused(const IoproofFolder& folder, const std::vector<std::string>& words, const std::string& reason) {
    const auto program = folder.start(words);
    INFO(words[0] << ' ' << words.back());
    CHECK(program->wait(std::chrono::seconds(20)) == 2);
    CHECK_THAT(program->error(), ContainsSubstring(reason));
    CHECK(program->output().empty());
}

}  // namespace

TEST_CASE("endlessly nested documents do not crash the program") {
    const IoproofFolder folder;
    folder.write("deep.toml", "[config]\n" + repeated("a.", 5'000) + "a=1\n");
    folder.write("long.toml", repeated("a.", 50'000) + "a=1\n");
    folder.write("deep.json", R"({"format":1,"program":"ioproof","version":)" + repeated("[", 30'000) + repeated("]", 30'000) + "}");
    check_refused(folder, {"run", "-cfg", "deep.toml"}, "deep.toml:2: nested too deeply");
    check_refused(folder, {"run", "-cfg", "long.toml"}, "long.toml:1: the line has more than");
    check_refused(folder, {"report", "deep.json"}, "'deep.json': it is nested more than 32 levels deep.");
    check_refused(folder, {"compare", "deep.json", "deep.json"}, "'deep.json': it is nested more than 32 levels deep.");
}

TEST_CASE("a FIFO, a device and a folder are not documents, and the program does not wait for them") {
    const IoproofFolder folder;
    for (const char* name : {"fifo.toml", "sqliosim.cfg.ini"}) REQUIRE(::mkfifo((folder.path() / name).c_str(), 0600) == 0);
    check_refused(folder, {"run", "-cfg", "fifo.toml"}, "fifo.toml: is a FIFO");
    check_refused(folder, {"run"}, "sqliosim.cfg.ini: is a FIFO");
    check_refused(folder, {"config", "show", "-cfg", "/dev/zero"}, "/dev/zero: is a device");
    check_refused(folder, {"report", "fifo.toml"}, "'fifo.toml': is a FIFO");
    check_refused(folder, {"report", "/dev/zero"}, "'/dev/zero': is a device");
    check_refused(folder, {"compare", "data", "data"}, "'data': is a folder");
}

TEST_CASE("an endless file is not read forever") {
    const IoproofFolder folder;
    folder.write("hole", "x");
    std::filesystem::resize_file(folder.path() / "hole", std::uint64_t{1} << 40);
    check_refused(folder, {"run", "-cfg", "hole"}, "hole: is larger than 4 MB");
    check_refused(folder, {"report", "hole"}, "'hole': is larger than 128 MB");
}

TEST_CASE("results of a wrong shape are refused by every command that reads them") {
    const IoproofFolder folder;
    folder.write("a.json", R"({"format":1,"program":"ioproof","version":"1","findings":[[]]})");
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"report", "a.json"}, {"report", "a.json", "--html", "a.html"}, {"compare", "a.json", "a.json"}}) {
        check_refused(folder, words, "'a.json': run is missing.");
    }
    CHECK(!folder.has("a.html"));
}
