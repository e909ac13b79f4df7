#include "cli/words/commands.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "cli/words/help_text.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;
using test::Process;

namespace {

// What a call that ends immediately prints: the result on success, otherwise the message.
std::string answer(std::vector<std::string> words) {
    const IoproofFolder folder;
    words.insert(words.begin(), IOPROOF_PROGRAM);
    Process program(words, folder.path());
    const int code = program.wait();
    CHECK((code == 0 || code == 2));
    return code == 0 ? program.output() : program.error();
}

void check_columns(const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        INFO(text.substr(begin, end - begin));
        CHECK(end - begin <= 102);
        begin = end + 1;
    }
}

}  // namespace

TEST_CASE("a command is found by its name of one or two words") {
    for (const cli::Command& command : cli::commands()) {
        INFO(command.name);
        std::vector<std::string> words{std::string(command.name)};
        if (const std::size_t blank = words[0].find(' '); blank != std::string::npos) {
            words = {words[0].substr(0, blank), words[0].substr(blank + 1)};
        }
        words.emplace_back("--more");
        CHECK(cli::find_command(words) == &command);
        CHECK(command.execute != nullptr);
    }
    CHECK(cli::find_command({}) == nullptr);
    CHECK(cli::find_command({"rum"}) == nullptr);
    CHECK(cli::find_command({"config"}) == nullptr);
}

TEST_CASE("errors in commands are explained") {
    CHECK_THAT(answer({}), ContainsSubstring("ioproof run"));
    CHECK_THAT(answer({"rum"}), ContainsSubstring("unknown command 'rum'; allowed are run, verify, preflight, report, compare, rehearse, "
                                                  "powertest, bench, sweep, diskspd, sqlio, witness, "
                                                  "config"));
    CHECK_THAT(answer({"-dir", "/x"}), ContainsSubstring("ioproof run -dir"));
    CHECK_THAT(answer({"config"}), ContainsSubstring("config: say what; allowed are show, explain"));
    CHECK_THAT(answer({"config", "print"}), ContainsSubstring("'print' is not allowed; allowed are show, explain"));
    CHECK_THAT(answer({"config", "explain", "a", "b"}), ContainsSubstring("one parameter"));
    CHECK_THAT(answer({"report"}), ContainsSubstring("one results file"));
    CHECK_THAT(answer({"compare", "a"}), ContainsSubstring("two results files") && ContainsSubstring("1 given"));
    CHECK_THAT(answer({"preflight", "--jsno", "-"}), ContainsSubstring("did you mean --json?"));
}

TEST_CASE("help and version work wherever they are requested") {
    CHECK(answer({"--version"}) == cli::version_text());
    CHECK(answer({"--help"}) == cli::help_text());
    CHECK(answer({"-h"}) == cli::help_text());
    CHECK(answer({"run", "-dir", "/x", "--help"}) == cli::help_text(*cli::find_command({"run"})));
    CHECK(answer({"config", "--help"}) == cli::help_text_of_group("config"));
    CHECK(answer({"config", "explain", "-h"}) == cli::help_text(*cli::find_command({"config", "explain"})));
}

TEST_CASE("help followed by a command explains that command, and refuses what is none") {
    CHECK(answer({"help"}) == cli::help_text());
    CHECK(answer({"help", "--help"}) == cli::help_text());
    CHECK(answer({"help", "run"}) == cli::help_text(*cli::find_command({"run"})));
    CHECK(answer({"--help", "diskspd"}) == cli::help_text(*cli::find_command({"diskspd"})));
    CHECK(answer({"help", "config"}) == cli::help_text_of_group("config"));
    CHECK(answer({"help", "config", "explain"}) == cli::help_text(*cli::find_command({"config", "explain"})));
    CHECK_THAT(answer({"help", "rum"}), ContainsSubstring("unknown command 'rum'"));
    CHECK_THAT(answer({"help", "config", "print"}), ContainsSubstring("'print' is not allowed; allowed are show, explain"));
}

TEST_CASE("the help of bench and sweep says that a given size destroys what a file of another size holds") {
    const std::string bench = cli::help_text(*cli::find_command({"bench"}));
    CHECK_THAT(bench, ContainsSubstring("DANGER: if an existing one has another size") && ContainsSubstring("of each FILE; with --mix"));
    CHECK_THAT(bench, ContainsSubstring("'-': to the standard output"));
    const std::string sweep = cli::help_text(*cli::find_command({"sweep"}));
    CHECK_THAT(sweep, ContainsSubstring("if an existing one has another size") && !ContainsSubstring("use this much of each FILE"));
    CHECK_THAT(sweep, ContainsSubstring("--resume continues from there") && !ContainsSubstring("'-': to the standard output"));
}

TEST_CASE("a command's help has its switches in every spelling, exit codes and examples, on lines that fit") {
    check_columns(cli::help_text());
    check_columns(cli::sqliosim_help_text());
    for (const cli::Command& command : cli::commands()) {
        const std::string help = cli::help_text(command);
        INFO(help);
        check_columns(help);
        CHECK_THAT(help, ContainsSubstring("Exit codes:\n  0 ") && ContainsSubstring("Examples:\n  ioproof " + std::string(command.name)));
        if (!command.switches_of.empty()) continue;
        for (const cli::Switch& entry : command.switches) {
            CHECK_THAT(help, ContainsSubstring("--" + std::string(entry.name)));
            if (!entry.sqliosim.empty()) CHECK_THAT(help, ContainsSubstring("  -" + std::string(entry.sqliosim)));
        }
    }
    CHECK_THAT(cli::help_text(*cli::find_command({"run"})), ContainsSubstring("destroyed for good"));
}

TEST_CASE("the help of every command that takes a while has the exit code of Ctrl-C") {
    for (const char* name : {"run", "verify", "preflight", "rehearse", "powertest", "bench", "sweep"}) {
        CHECK_THAT(cli::help_text(*cli::find_command({name})), ContainsSubstring("\n  130  stopped by a person"));
    }
}

TEST_CASE("config show accepts the switches of a run, config explain a name or none") {
    CHECK_THAT(answer({"config", "show", "-dir", "/d", "-size", "64"}), ContainsSubstring("FileName=/d/sqliosim.mdx"));
    CHECK_THAT(answer({"config", "show", "-dir", "/d", "--profile", "sql2022-oltp"}),
               ContainsSubstring("TargetRecoveryTime=60") && ContainsSubstring("FileName=/d/sqliosim.ldx\nInitialSize=50\nMaxSize=1024"));
    CHECK_THAT(answer({"config", "show", "--profile", "sql2019"}), ContainsSubstring("there is no such profile"));
    CHECK_THAT(answer({"config", "explain", "CacheHitRatio"}), ContainsSubstring("CacheHitRatio"));
    CHECK_THAT(answer({"config", "explain"}), ContainsSubstring("MaxMemoryMB"));
}

TEST_CASE("config show ends with the exit codes of its help: a configuration that cannot be read is 2") {
    const IoproofFolder folder;
    CHECK(folder.start({"config", "show", "-cfg", "missing.ini", "-dir", "/d"})->wait() == 2);
    CHECK_THAT(answer({"config", "show", "--help"}),
               ContainsSubstring("2    wrong usage, or a configuration that is wrong or cannot be read"));
}

TEST_CASE("the help of both config commands says how they end if the output cannot be written, as to a full device") {
    for (const std::string name : {"show", "explain"}) {
        CHECK_THAT(answer({"config", name, "--help"}), ContainsSubstring("3    the output cannot be written"));
    }
}

TEST_CASE("config show answers in the dialect of the file that it read, in whatever case its name ends") {
    const IoproofFolder folder;
    for (const std::string name : {"a.toml", "A.TOML"}) {
        folder.write(name, "[config]\ntest_cycles = 3\n");
        const auto shown = folder.start({"config", "show", "-cfg", name, "-dir", "/d"});
        CHECK(shown->wait() == 0);
        CHECK_THAT(shown->output(), ContainsSubstring("test_cycles = 3"));
    }
}

TEST_CASE("called as sqliosim, in any case and with .com, the program takes no command") {
    const IoproofFolder folder;
    for (const std::string name : {"sqliosim", "SQLIOSIM.COM", "SqlIoSim", "sqliosim.exe"}) {
        INFO(name);
        const std::string link = (folder.path() / name).string();
        std::filesystem::create_symlink(IOPROOF_PROGRAM, link);
        Process help({link, "-?"}, folder.path());
        CHECK(help.wait() == 0);
        CHECK(help.output() == cli::sqliosim_help_text());
        Process command({link, "run"}, folder.path());
        CHECK(command.wait() == 2);
        CHECK_THAT(command.error(), ContainsSubstring("sqliosim: 'run' is not a switch"));
    }
    const std::string other = (folder.path() / "sqliosim2").string();
    std::filesystem::create_symlink(IOPROOF_PROGRAM, other);
    Process version({other, "-?"}, folder.path());
    CHECK(version.wait() == 0);
    CHECK(version.output() == cli::help_text());
}
