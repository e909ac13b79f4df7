// The files of the previous run may be evidence, so a failed start leaves them; links on the way to them are reported.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using test::IoproofFolder;
using test::Process;
namespace fs = std::filesystem;

namespace {

ino_t inode_of(const fs::path& path) {
    struct stat facts {};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    return facts.st_ino;
}

}  // namespace

TEST_CASE("whatever keeps a run from starting, the files of the previous run stay") {
    const IoproofFolder folder;
    const std::vector<std::string> outputs{"--json", "r.json", "--html", "r.html"};
    REQUIRE(folder.start_run("1", outputs)->wait() == 0);
    const ino_t data = inode_of(folder.data_file());
    const std::string head = folder.read("data/sqliosim.mdx").substr(0, 8192);
    const auto results_of_run = [&] { return folder.read("sqliosim.log.xml") + folder.read("r.json") + folder.read("r.html"); };
    const std::string before = results_of_run();
    const auto check_refusal = [&](std::vector<std::string> words, int code, const std::string& what) {
        words.insert(words.end(), outputs.begin(), outputs.end());
        const auto run = folder.start(words);
        CHECK(run->wait() == code);
        CHECK(results_of_run() == before);
        CHECK_THAT(run->error(), ContainsSubstring("files of an earlier run, left as they were: sqliosim.log.xml, r.json, r.html"));
        CHECK_THAT(run->error(), ContainsSubstring(what));
        REQUIRE(folder.has("data/sqliosim.mdx"));
        CHECK(inode_of(folder.data_file()) == data);
        CHECK(folder.read("data/sqliosim.mdx").substr(0, 8192) == head);
    };
    const std::vector<std::string> plain{"run", "-dir", "data", "-size", "4", "-d", "1"};
    SECTION("the run is refused") {
        check_refusal({"run", "-dir", "data", "-size", "16000000", "-d", "1"}, 3, "data/sqliosim.mdx");
        check_refusal({"run", "-dir", "data", "-dir", "nowhere", "-size", "4", "-d", "1"}, 3, "nowhere");

        const int fd = ::open(folder.log_file().c_str(), O_RDWR | O_CLOEXEC);
        REQUIRE(::flock(fd, LOCK_EX) == 0);
        check_refusal(plain, 3, "sqliosim.ldx: is in use");
        ::close(fd);

        fs::rename(folder.log_file(), folder.path() / "real.ldx");
        fs::create_symlink(folder.path() / "real.ldx", folder.log_file());
        check_refusal(plain, 2, "sqliosim.ldx: refused: it is a symbolic link to");
        CHECK(fs::is_symlink(folder.log_file()));

        fs::remove(folder.log_file());
        folder.write("data/sqliosim.ldx", "precious");
        check_refusal(plain, 2, "sqliosim.ldx: refused");
        CHECK(folder.read("data/sqliosim.ldx") == "precious");
    }
    SECTION("there is too little memory") {
        if constexpr (test::kIsSanitized) {
            WARN("not tried: a sanitizer's own memory is more than the limit");
        } else {
            Process run({"/bin/sh", "-c", std::string("ulimit -v 300000; exec '") + IOPROOF_PROGRAM + "' run -dir data -size 400 -d 1"},
                        folder.path());
            CHECK(run.wait() == 3);
            CHECK(inode_of(folder.data_file()) == data);
        }
    }
    SECTION("the file is larger than the process may write") {
        Process run({"/bin/sh", "-c", std::string("ulimit -f 20480; exec '") + IOPROOF_PROGRAM + "' run -dir data -size 64 -d 1"},
                    folder.path());
        CHECK(run.wait() == 3);
        CHECK_THAT(run.error(), ContainsSubstring("sqliosim.mdx: cannot be 64 MB large"));
        CHECK(inode_of(folder.data_file()) == data);
    }
}

TEST_CASE("if the folder is a link, the start, the log and the results say where it leads") {
    const IoproofFolder folder;
    fs::create_directory_symlink("data", folder.path() / "link");
    const auto run = folder.start({"run", "-dir", "link", "-size", "4", "-d", "1", "--json", "r.json"});
    CHECK(run->wait() == 0);
    const std::string real = (fs::canonical(folder.data()) / "sqliosim.mdx").string();
    const std::string sentence = "link/sqliosim.mdx is " + real;
    CHECK_THAT(run->output(), ContainsSubstring("  links          " + sentence));
    CHECK_THAT(run->output(), ContainsSubstring("\n" + sentence + "\n"));
    CHECK_THAT(folder.read("sqliosim.log.xml"), ContainsSubstring(sentence));
    CHECK_THAT(folder.read("r.json"), ContainsSubstring("\"link/sqliosim.mdx\""));
    CHECK(folder.has("data/sqliosim.mdx"));
}

TEST_CASE("a file that lost its name during the run is not deleted, and neither is the file that has the name now") {
    const IoproofFolder folder;
    const auto run = folder.start_run("2", {"--ephemeral"});
    REQUIRE(run->says("main run, "));
    fs::rename(folder.data_file(), folder.path() / "moved.mdx");
    folder.write("data/sqliosim.mdx", "precious");
    CHECK(run->wait() == 0);
    CHECK_THAT(run->error(), ContainsSubstring("sqliosim.mdx: not deleted: the name is gone, or belongs to another file by now"));
    CHECK(folder.read("data/sqliosim.mdx") == "precious");
    CHECK(folder.has("moved.mdx"));
    CHECK_FALSE(fs::exists(folder.log_file()));
}

TEST_CASE("links and files that are renamed over the test files while runs start are not lost") {
    const IoproofFolder folder;
    const std::string precious(100'000, 'p');
    folder.write("prod.mdf", precious);
    std::atomic<bool> is_over = false;
    std::thread other([&] {
        const fs::path target = folder.path() / "prod.mdf";
        const fs::path spare = folder.path() / "spare";
        std::error_code ignored;
        for (bool is_link = true; !is_over; is_link = !is_link) {
            if (is_link) fs::create_symlink(target, spare, ignored);
            if (!is_link) fs::create_hard_link(target, spare, ignored);
            // Begins once a run has created a file.
            while (!is_over && !fs::exists(fs::symlink_status(folder.data_file(), ignored))) std::this_thread::yield();
            fs::rename(spare, folder.data_file(), ignored);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            fs::remove(folder.data_file(), ignored);
        }
    });
    for (int i = 0; i < 4; ++i) {
        const auto run = folder.start_run("1", {"--ephemeral", "-log", std::to_string(i) + ".xml"});
        const int code = run->wait();
        CHECK((code == 0 || code == 2 || code == 3));
    }
    is_over = true;
    other.join();
    CHECK(folder.read("prod.mdf") == precious);
}
