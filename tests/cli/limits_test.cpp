// Limits of the process and its control group: exit code 3 with the limit's name and nothing touched, or a run that makes do with less.
#include <unistd.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/run.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

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

// A control group with a limit of processes; removed by the destructor.
class ProcessLimit {
public:
    explicit ProcessLimit(int count_max) {
        for (const char* root : {"/sys/fs/cgroup/pids", "/sys/fs/cgroup"}) {
            const fs::path folder = fs::path(root) / fmt::format("ioproof-test-{}", ::getpid());
            std::error_code error;
            if (!fs::create_directory(folder, error)) continue;
            std::ofstream(folder / "pids.max") << count_max << std::flush;
            if (test::read_text(folder / "pids.max") == fmt::format("{}\n", count_max)) {
                path_ = folder;
                return;
            }
            fs::remove(folder, error);
        }
    }
    ~ProcessLimit() {
        // The system takes a moment to notice that the group is empty.
        for (int i = 0; !path_.empty() && ::rmdir(path_.c_str()) != 0 && i < 100; ++i) ::usleep(10'000);
    }
    ProcessLimit(const ProcessLimit&) = delete;
    ProcessLimit& operator=(const ProcessLimit&) = delete;
    [[nodiscard]] bool is_there() const { return !path_.empty(); }
    [[nodiscard]] std::string join_command() const { return fmt::format("echo $$ > {}/cgroup.procs", path_.string()); }

private:
    fs::path path_;
};

}  // namespace

TEST_CASE("with too few open files a run names the limit and leaves an earlier run's files as they are") {
    const IoproofFolder folder;
    REQUIRE(start_after(folder, "true", kRun)->wait() == 0);
    const std::string log = folder.read("l.xml");
    const std::string results = folder.read("r.json");
    const std::string data = folder.read("data/sqliosim.mdx");
    const int limit = GENERATE(4, 6, 9, 14, 18, 20, 23, 25);
    if (test::kIsSanitized && limit < 9) return;  // a sanitizer's start-up fails if it cannot open a few files itself
    for (const char* engine : {"uring", "threads"}) {
        INFO("ulimit -n " << limit << ", " << engine);
        const auto run = start_after(folder, fmt::format("ulimit -n {}", limit), fmt::format("{} --engine {}", kRun, engine));
        CHECK(run->wait() == 3);
        CHECK_THAT(run->error(), ContainsSubstring("ulimit -n"));
        CHECK(folder.read("l.xml") == log);
        CHECK(folder.read("r.json") == results);
        CHECK(folder.read("data/sqliosim.mdx") == data);
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
    const ProcessLimit limit(count);
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

TEST_CASE("a rehearsal without enough memory does not count as failed") {
    if (test::kIsSanitized) {
        WARN("not tried: a sanitizer's own memory is more than the limit");
        return;
    }
    const IoproofFolder folder;
    for (int limit_kb = 30'000; limit_kb <= 66'000; limit_kb += 4000) {
        INFO("ulimit -v " << limit_kb);
        const auto rehearsal = start_after(folder, fmt::format("ulimit -v {}", limit_kb), "rehearse --fault stale_read --seed 1");
        const int code = rehearsal->wait();
        CHECK((code == 0 || code == 3));
        if (code == 3) CHECK_THAT(rehearsal->error(), ContainsSubstring("ulimit"));
    }
}

TEST_CASE("too little memory ends a run with the limit's name, and with a summary if it had begun") {
    if (test::kIsSanitized) {
        WARN("not tried: a sanitizer's own memory is more than the limit");
        return;
    }
    const IoproofFolder folder;
    for (int limit_kb = 50'000; limit_kb <= 120'000; limit_kb += 10'000) {
        INFO("ulimit -v " << limit_kb);
        const auto run = start_after(folder, fmt::format("ulimit -v {}", limit_kb), std::string(kRun) + " --no-progress");
        const int code = run->wait();
        CHECK((code == 0 || code == 3));
        if (code == 3) {
            CHECK_THAT(run->output() + run->error(), ContainsSubstring("ulimit -v"));
            CHECK_THAT(run->output(), ContainsSubstring("INCOMPLETE: "));
        }
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
