#include "cli/process/progress_display.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/cli/process/terminal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace {

constexpr std::uint64_t kDisplaySecondUs = 1'000'000;

// A console that writes its messages to a file.
struct FileConsole {
    test::TempFolder folder;
    int descriptor = ::open((folder / "messages").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    cli::Console console{descriptor, descriptor};

    FileConsole() { REQUIRE(descriptor >= 0); }
    ~FileConsole() { ::close(descriptor); }
    FileConsole(const FileConsole&) = delete;
    FileConsole& operator=(const FileConsole&) = delete;

    std::string text() {
        console.finish();
        return test::read_text(folder / "messages");
    }
};

sim::Progress progress_in(sim::Phase phase, std::uint64_t io_count) {
    sim::Progress progress;
    progress.phase = phase;
    progress.io_count = io_count;
    return progress;
}

}  // namespace

TEST_CASE("if lines cannot be redrawn, one is printed every ten seconds and one for each phase") {
    FileConsole file;
    cli::ProgressDisplay display(file.console, true, 100 * kDisplaySecondUs);
    for (std::uint64_t second = 1; second <= 35; ++second) {
        const sim::Phase phase = second < 13 ? sim::Phase::initial_update : sim::Phase::main_run;
        display.update(progress_in(phase, second * 1000), (100 + second) * kDisplaySecondUs);
    }
    CHECK(display.line().empty());
    const std::string text = file.text();
    INFO(text);
    // Seconds 1 and 11 in the first phase, 13, 23, 33 in the second one.
    CHECK(std::count(text.begin(), text.end(), '\n') == 5);
    CHECK(text.find("initial update") == 0);
    CHECK_THAT(text, ContainsSubstring("1000 IO/s") || ContainsSubstring("1.00k IO/s") || ContainsSubstring("1.0k IO/s"));
}

TEST_CASE("a new cycle is announced like a new phase") {
    FileConsole file;
    cli::ProgressDisplay display(file.console, true, 0);
    sim::Progress progress = progress_in(sim::Phase::main_run, 1);
    progress.cycles = 0;
    display.update(progress, kDisplaySecondUs);
    progress.cycle = 2;
    display.update(progress, 2 * kDisplaySecondUs);
    display.update(progress, 3 * kDisplaySecondUs);
    const std::string text = file.text();
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
    CHECK_THAT(text, ContainsSubstring("cycle 2"));
}

TEST_CASE("a terminal's line has a small chart of the throughput in a UTF-8 locale, and none in another one") {
    const test::Terminal terminal;
    for (const char* locale : {"C.UTF-8", "C"}) {
        ::setenv("LC_ALL", locale, 1);
        cli::Console console(terminal.descriptor(), terminal.descriptor());
        cli::ProgressDisplay display(console, true, 0);
        sim::Progress progress = progress_in(sim::Phase::main_run, 0);
        for (std::uint64_t second = 1; second <= 5; ++second) {
            progress.io_bytes += second << 20;
            display.update(progress, second * kDisplaySecondUs);
        }
        INFO(display.line());
        CHECK_THAT(display.line(), ContainsSubstring("main run") && ContainsSubstring("MB/s") && ContainsSubstring("findings"));
        CHECK((display.line().find("█") != std::string::npos) == (std::string(locale) == "C.UTF-8"));
    }
    ::unsetenv("LC_ALL");
}

TEST_CASE("nothing is shown if progress is switched off") {
    FileConsole file;
    cli::ProgressDisplay display(file.console, false, 0);
    for (std::uint64_t second = 1; second <= 30; ++second)
        display.update(progress_in(sim::Phase::main_run, second), second * kDisplaySecondUs);
    CHECK(file.text().empty());
}
