// Limits of the process and its control group: exit code 3 with the limit's name and nothing touched, or a run that makes do with less.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/run/run.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "ums/io/uring_probe.hpp"

using test::IoproofFolder;
using test::Process;
namespace fs = std::filesystem;

namespace {

constexpr const char* kRun = "run -cfg mine.ini -log l.xml --json r.json";
constexpr const char* kConfiguration =
    "[CONFIG]\nTestCycleDuration=1\nCPUCount=2\n[File1]\nFileName=data/sqliosim.mdx\nInitialSize=4\nMaxSize=8\nIncrement=1\n"
    "[File2]\nFileName=data/sqliosim.ldx\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\n";

// Starts ioproof with these arguments after a shell command.
std::unique_ptr<Process> start_after(const IoproofFolder& folder, const std::string& limit, const std::string& words) {
    folder.write("mine.ini", kConfiguration);
    // Descriptors that the test program has inherited count, too.
    const char* close_others = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-";
    return std::make_unique<Process>(
        std::vector<std::string>{"/bin/sh", "-c", fmt::format("{}; {}; exec '{}' {}", close_others, limit, IOPROOF_PROGRAM, words)},
        folder.path());
}

// A control group with a limit, of v1 or v2; removed by the destructor.
class ControlGroup {
public:
    // `names`: of the file that holds the limit, in v1 and in v2.
    ControlGroup(const std::string& controller, const std::array<const char*, 2>& names, std::uint64_t limit) {
        const std::array<std::string, 2> roots{"/sys/fs/cgroup/" + controller, "/sys/fs/cgroup"};
        for (std::size_t version = 0; version < roots.size(); ++version) {
            const fs::path folder = fs::path(roots.at(version)) / fmt::format("ioproof-test-{}", ::getpid());
            std::error_code error;
            if (!fs::create_directory(folder, error)) continue;
            std::ofstream(folder / names.at(version)) << limit << std::flush;
            if (test::read_text(folder / names.at(version)) == fmt::format("{}\n", limit)) {
                path_ = folder;
                return;
            }
            fs::remove(folder, error);
        }
    }
    ~ControlGroup() {
        // The system takes a moment to notice that the group is empty.
        for (int i = 0; !path_.empty() && ::rmdir(path_.c_str()) != 0 && i < 100; ++i) ::usleep(10'000);
    }
    ControlGroup(const ControlGroup&) = delete;
    ControlGroup& operator=(const ControlGroup&) = delete;
    [[nodiscard]] bool is_there() const { return !path_.empty(); }
    [[nodiscard]] std::string join_command() const { return fmt::format("echo $$ > {}/cgroup.procs", path_.string()); }

private:
    fs::path path_;
};

// The number that the README gives in this place.
std::uint64_t readme_figure(const std::string& pattern) {
    const std::string text = std::regex_replace(test::read_text(fs::path(IOPROOF_SOURCE_ROOT) / "README.md"), std::regex("\\s+"), " ");
    std::smatch match;
    REQUIRE(std::regex_search(text, match, std::regex(pattern)));
    return std::stoull(match[1].str());
}

}  // namespace

TEST_CASE("with too few open files a run names the limit and leaves an earlier run's files as they are") {
    const IoproofFolder folder;
    REQUIRE(start_after(folder, "true", kRun)->wait() == 0);
    const std::string log = folder.read("l.xml");
    const std::string results = folder.read("r.json");
    const std::string data = folder.read("data/sqliosim.mdx");
    std::vector<const char*> engines{"threads"};
    if (ums::probe_uring().is_usable()) engines.push_back("uring");
    for (const int limit : {4, 6, 9, 14, 18, 20, 23, 25}) {
        if (test::kIsSanitized && limit < 9) continue;  // a sanitizer's start-up fails if it cannot open a few files itself
        for (const char* const engine : engines) {
            INFO("ulimit -n " << limit << ", " << engine);
            const auto run = start_after(folder, fmt::format("ulimit -n {}", limit), fmt::format("{} --engine {}", kRun, engine));
            CHECK(run->wait() == 3);
            CHECK_THAT(run->error(), ContainsSubstring("ulimit -n"));
            CHECK(folder.read("l.xml") == log);
            CHECK(folder.read("r.json") == results);
            CHECK(folder.read("data/sqliosim.mdx") == data);
        }
    }
}

TEST_CASE("a preflight that may not open what describes the disk says so, and judges nothing") {
    const IoproofFolder folder;
    const auto preflight = start_after(folder, "ulimit -n 5", "preflight data");
    CHECK(preflight->wait() == 3);
    CHECK_THAT(preflight->error(), ContainsSubstring("ulimit -n"));
    CHECK(preflight->output().empty());
}

TEST_CASE("the soft limit of open files does not matter if the hard limit allows more") {
    const IoproofFolder folder;
    CHECK(start_after(folder, "ulimit -S -n 8", kRun)->wait() == 0);
}

TEST_CASE("a run without the threads it needs does not begin, one with few continues and says so") {
    const IoproofFolder folder;
    const std::string engine = GENERATE("threads", "uring");
    const int count = GENERATE(1, 2, 4, 6, 7, 8);  // 8: two schedulers, an I/O thread for each, and four more
    const ControlGroup limit("pids", {"pids.max", "pids.max"}, static_cast<std::uint64_t>(count));
    if (!limit.is_there()) {
        WARN("not tried: this user cannot make a control group");
        return;
    }
    if (test::kIsSanitized && count < 4) return;  // a sanitizer's search for leaks takes a thread
    INFO(engine << ", " << count << " threads");
    const auto run = start_after(folder, limit.join_command(), fmt::format("{} --engine {}", kRun, engine));
    const int code = run->wait();
    if (engine == "uring" && run->error().find("io_uring cannot be used") != std::string::npos) return;
    CHECK(code == (count < 8 ? 3 : 0));
    if (count < 8) CHECK(test::names_in(folder.data()).empty());
    if (count < 8 || engine == "threads") CHECK_THAT(run->error(), ContainsSubstring("pids.max"));
    if (count == 8 && engine == "threads") {
        CHECK_THAT(folder.read("r.json"), ContainsSubstring("\"outcome\":\"passed\""));
        CHECK_THAT(run->error(), ContainsSubstring("The run continues with fewer threads for I/O than it wanted"));
    }
}

TEST_CASE("the numbers of open files that the README gives are enough, and one less is not") {
    if (test::kIsSanitized) {
        WARN("not tried: a sanitizer opens files of its own");
        return;
    }
    const IoproofFolder folder;
    const std::uint64_t of_any = 3 + readme_figure("for any command (\\d+) more than are open already");
    CHECK(start_after(folder, fmt::format("ulimit -n {}", of_any - 1), "config explain")->wait() == 3);
    CHECK(start_after(folder, fmt::format("ulimit -n {}", of_any), "config explain")->wait() == 0);
    const std::uint64_t with_uring = readme_figure("(\\d+) with two files and two CPUs");
    const std::uint64_t with_threads = readme_figure("with two files and two CPUs, (\\d+) with the thread pool");
    // 3 for each file, 2 for each CPU with io_uring, and the others.
    const std::uint64_t others = readme_figure("for each CPU with io_uring, and (\\d+) more");
    CHECK(with_threads == 2 * 3 + others);
    CHECK(with_uring == with_threads + 2 * 2);
    for (const bool is_uring : {false, true}) {
        const std::uint64_t enough = is_uring ? with_uring : with_threads;
        const std::string words = fmt::format("{} --engine {}", kRun, is_uring ? "uring" : "threads");
        const auto refused = start_after(folder, fmt::format("ulimit -n {}", enough - 1), words);
        CHECK(refused->wait() == 3);
        CHECK(test::names_in(folder.data()).empty());
        const auto run = start_after(folder, fmt::format("ulimit -n {}", enough), words + " --ephemeral");
        const int code = run->wait();
        if (is_uring && run->error().find("io_uring cannot be used") != std::string::npos) continue;
        INFO(enough << ": " << run->error());
        CHECK(code == 0);
    }
}

TEST_CASE("below the memory of a control group that the README gives no command begins") {
    const std::uint64_t needed_mb = readme_figure("`memory.max`\\) \\| (\\d+) MB");
    const IoproofFolder folder;
    for (const std::uint64_t limit_mb : {needed_mb - 1, needed_mb}) {
        const ControlGroup limit("memory", {"memory.limit_in_bytes", "memory.max"}, limit_mb << 20);
        if (!limit.is_there() || test::kIsSanitized) {
            WARN("not tried: this user cannot make a control group, or a sanitizer's own memory is more than the limit");
            return;
        }
        const auto command = start_after(folder, limit.join_command(), "config explain");
        CHECK(command->wait() == (limit_mb < needed_mb ? 3 : 0));
        if (limit_mb < needed_mb)
            CHECK_THAT(command->error(), ContainsSubstring("memory.max") && ContainsSubstring(fmt::format("at least {} MB", needed_mb)));
    }
}

TEST_CASE("a file that may not become as large as MaxSize (ulimit -f) does not grow, and the run goes on") {
    const IoproofFolder folder;
    folder.write("grow.ini",
                 "[CONFIG]\nTestCycleDuration=2\n[ShrinkUser]\nMinShrinkInterval=1\nMaxShrinkInterval=1\nMinExtends=2\nMaxExtends=2\n"
                 "[File1]\nFileName=data/a.mdx\nInitialSize=8\nMaxSize=16\nIncrement=1\nShrinkable=TRUE\n"
                 "[File2]\nFileName=data/a.ldx\nInitialSize=8\nMaxSize=8\nLogFile=TRUE\n");
    // 9 MB, in blocks of 512 bytes.
    const auto run = start_after(folder, "ulimit -f 18432", "run -cfg grow.ini");
    CHECK(run->wait() == 0);
    CHECK_THAT(run->error(), ContainsSubstring("a.mdx") && ContainsSubstring("It stays as it is"));
    CHECK(fs::file_size(folder.data() / "a.mdx") == 8 << 20);
}

TEST_CASE("a rehearsal without enough memory does not count as failed") {
    if (test::kIsSanitized) {
        WARN("not tried: a sanitizer's own memory is more than the limit");
        return;
    }
    const IoproofFolder folder;
    int refused = 0;
    for (int limit_kb = 30'000; limit_kb <= 66'000; limit_kb += 4000) {
        INFO("ulimit -v " << limit_kb);
        const auto rehearsal = start_after(folder, fmt::format("ulimit -v {}", limit_kb), "rehearse --fault stale_read --seed 1");
        const int code = rehearsal->wait();
        CHECK((code == 0 || code == 3));
        if (code == 3) CHECK_THAT(rehearsal->error(), ContainsSubstring("ulimit"));
        refused += code == 3 ? 1 : 0;
    }
    CHECK(refused > 0);
}

TEST_CASE("too little memory ends a run with the limit's name, and with a summary if it had begun") {
    if (test::kIsSanitized) {
        WARN("not tried: a sanitizer's own memory is more than the limit");
        return;
    }
    const IoproofFolder folder;
    int ended = 0;
    for (int limit_kb = 50'000; limit_kb <= 120'000; limit_kb += 10'000) {
        INFO("ulimit -v " << limit_kb);
        const auto run = start_after(folder, fmt::format("ulimit -v {}", limit_kb), std::string(kRun) + " --no-progress");
        const int code = run->wait();
        CHECK((code == 0 || code == 3));
        if (code == 3) {
            CHECK_THAT(run->output() + run->error(), ContainsSubstring("ulimit -v"));
            CHECK_THAT(run->output(), ContainsSubstring("INCOMPLETE: "));
            ++ended;
        }
    }
    CHECK(ended > 0);
}

TEST_CASE("a run that gets no memory for its backups says so, and leaves none of the files that it had made") {
    if (test::kIsSanitized) {
        WARN("not tried: a sanitizer's own memory is more than the limit");
        return;
    }
    const IoproofFolder folder;
    folder.write("backup.ini", std::string(kConfiguration) + "[BackupUser]\nBackupFolder=data\nBufferCount=256\nMaxTransferSize=4096\n");
    const auto run = start_after(folder, "ulimit -v 600000", "run -cfg backup.ini --no-progress");
    CHECK(run->wait() == 3);
    CHECK_THAT(run->output() + run->error(), ContainsSubstring("ulimit -v"));
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("too little memory ends the commands of other tools with 1, as 3 means wrong usage there") {
    if (test::kIsSanitized) {
        WARN("not tried: a sanitizer's own memory is more than the limit");
        return;
    }
    const IoproofFolder folder;
    folder.write("z.dat", std::string(4 << 20, '\0'));
    for (const std::string words : {"diskspd -d1 -W0 -b8K -w100 -Z500M z.dat", "sqlio -s1 -o256 -b1024 z.dat"}) {
        int ended = 0;
        for (int limit_kb = 40'000; limit_kb <= 80'000; limit_kb += 20'000) {
            INFO("ulimit -v " << limit_kb << ", " << words);
            const auto tool = start_after(folder, fmt::format("ulimit -v {}", limit_kb), words);
            const int code = tool->wait();
            CHECK((code == 0 || code == 1));
            if (tool->error().find("there is not enough memory") == std::string::npos) continue;
            CHECK(code == 1);
            ++ended;
        }
        CHECK(ended > 0);
    }
}

TEST_CASE("a run that ended by an internal error has its own exit code") {
    sim::Results results;
    results.outcome = sim::Outcome::not_done;
    CHECK(cli::exit_code_of(results) == cli::ExitCode::environment);
    results.is_internal_error = true;
    CHECK(cli::exit_code_of(results) == cli::ExitCode::internal_error);
    results.finding_count = 1;
    CHECK(cli::exit_code_of(results) == cli::ExitCode::integrity);
}
