#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

TEST_CASE("preflight: a real folder is examined, text and JSON agree, and nothing is left there") {
    const IoproofFolder folder;
    const auto look = folder.start({"preflight", "data", "--json", "look.json"});
    const int code = look->wait();
    INFO(look->output() << look->error());
    const auto json = nlohmann::json::parse(folder.read("look.json"));
    CHECK(code == (json["fail"] == 0 ? 0 : 1));
    CHECK(json["lines"].size() >= 8);
    std::string flat = look->output();
    for (const auto& line : json["lines"]) {
        CHECK(line["folder"] == "data");
        CHECK_THAT(flat, ContainsSubstring(line["topic"].get<std::string>()));
    }
    CHECK_THAT(flat, ContainsSubstring("durable writes") && ContainsSubstring(" FAIL: "));
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("preflight: a folder that is named twice is examined once, also one for tempdb") {
    const IoproofFolder folder;
    const std::vector<std::string> database{"preflight", "data", "data", "--json=-"};
    const std::vector<std::string> tempdb{"preflight", "--tempdb", "data", "--tempdb", "data", "--json=-"};
    std::filesystem::create_directory_symlink("data", folder.path() / "link");
    const std::vector<std::string> spellings{"preflight", "data", "./data", "data/", folder.data().string(), "link", "--json=-"};
    for (const std::vector<std::string>& words : {database, tempdb, spellings}) {
        const auto look = folder.start(words);
        CHECK(look->wait() <= 1);
        const auto json = nlohmann::json::parse(look->output());
        std::size_t file_systems = 0;
        for (const auto& line : json["lines"]) {
            CHECK(line["folder"] == "data");
            if (line["topic"] == "file system") ++file_systems;
        }
        CHECK(file_systems == 1);
    }
}

TEST_CASE("preflight: JSON instead of the text") {
    const IoproofFolder folder;
    const auto look = folder.start({"preflight", "data", "--json=-"});
    look->wait();
    CHECK(nlohmann::json::parse(look->output())["lines"].size() >= 8);
}

TEST_CASE("preflight: JSON replaces only an older one of ioproof") {
    const IoproofFolder folder;
    folder.start({"preflight", "data", "--json", "look.json"})->wait();
    const auto again = folder.start({"preflight", "data", "--json", "look.json"});
    CHECK(again->wait() <= 1);
    folder.write("letter.txt", "Dear vendor");
    const auto refused = folder.start({"preflight", "data", "--json", "letter.txt"});
    CHECK(refused->wait() == 2);
    CHECK_THAT(refused->error(), ContainsSubstring("letter.txt") && ContainsSubstring("is not an ioproof JSON file of the same kind"));
    CHECK(folder.read("letter.txt") == "Dear vendor");
}

TEST_CASE("preflight: a folder in memory fails, exit 1") {
    if (::access("/dev/shm", W_OK) != 0) {
        WARN("skipped: there is no /dev/shm");
        return;
    }
    const test::TempFolder memory("/dev/shm");
    const IoproofFolder folder;
    const auto look = folder.start({"preflight", memory.path().string()});
    CHECK(look->wait() == 1);
    CHECK_THAT(look->output(), ContainsSubstring("FAIL  file system") && ContainsSubstring("tmpfs") && ContainsSubstring("fix:"));
    // For tempdb it may be in memory.
    const auto tempdb = folder.start({"preflight", "--tempdb", memory.path().string()});
    CHECK(tempdb->wait() <= 1);
    CHECK_THAT(tempdb->output(), ContainsSubstring("OK    file system") && ContainsSubstring("tmpfs"));
}

TEST_CASE("preflight: what cannot be examined is one clear error, exit 3") {
    const IoproofFolder folder;
    folder.write("file", "x");
    const auto missing = folder.start({"preflight", "nowhere"});
    CHECK(missing->wait() == 3);
    CHECK(missing->error() == "ioproof: nowhere: the folder does not exist; name the one that the database files will be in\n");
    const auto file = folder.start({"preflight", "file"});
    CHECK(file->wait() == 3);
    CHECK_THAT(file->error(), ContainsSubstring("file: is not a folder"));
    const auto read_only = folder.start({"preflight", "/proc"});
    CHECK(read_only->wait() == 3);
    CHECK_THAT(read_only->error(), ContainsSubstring("/proc: cannot create a file there"));
    const auto unwritable = folder.start({"preflight", "data", "--json", "nowhere/look.json"});
    CHECK(unwritable->wait() == 3);
    CHECK_THAT(unwritable->error(), ContainsSubstring("nowhere/look.json"));
}

TEST_CASE("preflight: a full folder cannot be examined, exit 3") {
    const IoproofFolder folder;
    if (::mount("tmpfs", folder.data().c_str(), "tmpfs", 0, "size=1m") != 0) {
        WARN("not tried: a small file system cannot be mounted here");
        return;
    }
    const auto look = folder.start({"preflight", "data"});
    CHECK(look->wait() == 3);
    CHECK_THAT(look->error(), ContainsSubstring("data: ") && ContainsSubstring("No space left on device"));
    CHECK(::umount(folder.data().c_str()) == 0);
}

TEST_CASE("preflight: wrong usage is reported, exit 2") {
    const IoproofFolder folder;
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"preflight"}, {"preflight", "data", "--jsn"}, {"preflight", "data", "--json"}}) {
        const auto refused = folder.start(words);
        CHECK(refused->wait() == 2);
        CHECK_THAT(refused->error(), ContainsSubstring("ioproof: "));
    }
    const auto help = folder.start({"preflight", "--help"});
    CHECK(help->wait() == 0);
    CHECK_THAT(help->output(), ContainsSubstring("--json FILE") && ContainsSubstring("Exit codes"));
}

TEST_CASE("a run examines its folders first: the summary is in the start text and the log, never as an error") {
    const IoproofFolder folder;
    const auto run = folder.start_run("1", {"--ephemeral"});
    const int code = run->wait();
    INFO(run->output() << run->error());
    CHECK(code == 0);
    CHECK_THAT(run->output(), ContainsSubstring("preflight      ") && ContainsSubstring(" FAIL: "));
    CHECK_THAT(folder.read("sqliosim.log.xml"), ContainsSubstring("preflight: ") && !ContainsSubstring("TYPE='ERROR'"));
    CHECK(test::names_in(folder.data()).empty());
}
