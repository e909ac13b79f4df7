#include "cli/process/console.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>

#include "tests/cli/process/terminal.hpp"
#include "tests/support/catch.hpp"

using test::Terminal;

namespace {

class Pipe {
public:
    Pipe() { REQUIRE(::pipe2(ends_, O_CLOEXEC) == 0); }
    ~Pipe() {
        close_reader();
        ::close(ends_[1]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] int descriptor() const { return ends_[1]; }
    void close_reader() {
        if (ends_[0] >= 0) ::close(ends_[0]);
        ends_[0] = -1;
    }
    [[nodiscard]] std::string seen() const {
        std::string text(1 << 20, '\0');
        ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
        const ssize_t size = ::read(ends_[0], text.data(), text.size());
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }

private:
    int ends_[2] = {-1, -1};
};

}  // namespace

TEST_CASE("a terminal is recognized with its width, and a pipe counts as 80 columns") {
    const Terminal terminal;
    const Pipe pipe;
    CHECK(cli::Console(pipe.descriptor(), terminal.descriptor()).redraws());
    CHECK(cli::Console(pipe.descriptor(), terminal.descriptor()).columns() == 100);
    CHECK_FALSE(cli::Console(terminal.descriptor(), pipe.descriptor()).redraws());
    CHECK(cli::Console(terminal.descriptor(), pipe.descriptor()).columns() == 80);
    ::setenv("TERM", "dumb", 1);
    CHECK_FALSE(cli::Console(pipe.descriptor(), terminal.descriptor()).redraws());
}

TEST_CASE("NO_COLOR switches off colors and nothing else") {
    const Terminal terminal;
    CHECK(cli::Console(terminal.descriptor(), terminal.descriptor()).shows_colors());
    ::setenv("NO_COLOR", "1", 1);
    const cli::Console console(terminal.descriptor(), terminal.descriptor());
    CHECK_FALSE(console.shows_colors());
    CHECK(console.redraws());
    ::unsetenv("NO_COLOR");
}

TEST_CASE("the progress line is redrawn in place, and erased around messages") {
    const Terminal terminal;
    cli::Console console(terminal.descriptor(), terminal.descriptor());
    console.flush("one");
    CHECK(terminal.seen() == "one\r");
    console.flush("two");
    CHECK(terminal.seen() == "\r\x1b[Ktwo\r");
    console.flush("two");
    CHECK(terminal.seen().empty());
    console.add_message("message\n");
    console.flush("two");
    CHECK(terminal.seen() == "\r\x1b[Kmessage\ntwo\r");
    console.add_result("result\n");
    console.finish();
    CHECK(terminal.seen() == "\r\x1b[Kresult\n");
}

TEST_CASE("a progress line ends before the terminal does, because one that wraps could not be erased") {
    const Terminal terminal;
    cli::Console console(terminal.descriptor(), terminal.descriptor());
    console.flush(std::string(150, 'x'));
    CHECK(terminal.seen() == std::string(99, 'x') + "\r");
    console.flush(std::string(99, 'y'));
    CHECK(terminal.seen() == "\r\x1b[K" + std::string(99, 'y') + "\r");
    std::string bars;
    for (int i = 0; i < 120; ++i) bars += "█";
    console.flush(bars);
    const std::string seen = terminal.seen();
    CHECK(std::count(seen.begin(), seen.end(), '\xe2') == 99);
    CHECK(seen.ends_with("█\r"));
}

TEST_CASE("no progress goes to a pipe, and lines keep their order") {
    const Pipe pipe;
    cli::Console console(pipe.descriptor(), pipe.descriptor());
    console.add_message("a\n");
    console.add_result("b\n");
    console.add_message("c\n");
    console.flush("progress");
    CHECK(pipe.seen() == "a\nb\nc\n");
}

TEST_CASE("a reader that does not read blocks nothing, and loses messages but never results") {
    const Pipe pipe;
    cli::Console console(pipe.descriptor(), pipe.descriptor());
    const std::string line(99, 'm');
    for (int i = 0; i < 12'000; ++i) console.add_message(line + "\n");
    console.add_result("the result\n");
    console.flush("");  // returns although a pipe holds only 64 KB
    std::string all = pipe.seen();
    CHECK(all.size() < 200'000);
    for (int i = 0; i < 1000 && all.find("messages left out") == std::string::npos; ++i) {
        console.flush("");
        all += pipe.seen();
    }
    CHECK_THAT(all, ContainsSubstring("\nthe result\n"));
    CHECK_THAT(all, ContainsSubstring("… 2000 messages left out here; they are in the log\n"));
    CHECK(std::count(all.begin(), all.end(), '\n') == 10'002);
}

TEST_CASE("output without a receiver is dropped") {
    ::signal(SIGPIPE, SIG_IGN);
    Pipe pipe;
    cli::Console console(pipe.descriptor(), pipe.descriptor());
    pipe.close_reader();
    console.add_message("a\n");
    console.add_result("b\n");
    console.finish();
    SUCCEED("it returned");
}
