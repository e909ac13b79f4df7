#include "cli/words/manual.hpp"

#include <string>

#include "cli/process/exit_codes.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/help_text.hpp"
#include "config/parameter_table.hpp"
#include "config/roff.hpp"
#include "tests/support/catch.hpp"

namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("roff: the rendered text is the intended one") {
    CHECK(config::roff_text(".x 'y' -d\n'z \\n") == "\\&.x \\(aqy\\(aq \\-d\n\\&\\(aqz \\en");
    CHECK(config::roff_section("See also") == ".SH SEE ALSO\n");
}

TEST_CASE("the manual page names every command, and every switch in all spellings") {
    const std::string page = cli::program_manual();
    for (const cli::Command& command : cli::commands()) {
        INFO(command.name);
        CHECK(holds(page, ".B ioproof " + config::roff_text(command.name) + "\n"));
        for (const cli::Switch& entry : command.switches) {
            INFO(entry.name);
            CHECK(holds(page, config::roff_bold("--" + std::string(entry.name))));
            if (!entry.sqliosim.empty()) CHECK(holds(page, config::roff_bold("-" + std::string(entry.sqliosim))));
        }
        CHECK(holds(cli::help_text(), "ioproof " + std::string(command.name)));
    }
}

TEST_CASE("each exit code in the manual page has its number, and its meaning is one paragraph") {
    CHECK(!holds(cli::program_manual(), config::roff_bold("") + "\n"));
    CHECK(holds(cli::program_manual(), "than the " + config::roff_text("--baseline") + " allows"));
}

TEST_CASE("the manual page of configuration files names every parameter in both dialects") {
    const std::string page = cli::generated_text("ioproof.conf.5");
    for (const config::Parameter& parameter : config::parameter_table()) {
        INFO(parameter.ini_name);
        CHECK(holds(page, config::roff_bold(parameter.ini_name)));
        CHECK(holds(page, config::roff_text(parameter.toml_name)));
    }
}

TEST_CASE("completions for bash leave names of files and folders to bash, which quotes blanks in them") {
    const std::string script = cli::generated_text("bash");
    CHECK(!holds(script, "compgen -f"));
    CHECK(!holds(script, "compgen -d"));
    CHECK(holds(script, "                --json) compopt -o default; return ;;\n"));
    CHECK(holds(script, "                -dir | --dir) compopt -o dirnames; return ;;\n"));
    CHECK(holds(script, "                --state) compopt -o dirnames; return ;;\n"));
    CHECK(holds(script, "            [[ $current == -* ]] || { COMPREPLY=(); compopt -o default; }\n"));
    CHECK(holds(script, "            [[ $current == -* ]] || { COMPREPLY=(); compopt -o dirnames; }\n"));
}

TEST_CASE("completions of all shells know every switch, other shells are refused") {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const std::string script = cli::generated_text(shell);
        for (const cli::Command& command : cli::commands()) {
            for (const cli::Switch& entry : command.switches) {
                INFO(shell << " " << command.name << " " << entry.name);
                CHECK((holds(script, "--" + std::string(entry.name)) || holds(script, "-l " + std::string(entry.name))));
            }
        }
        CHECK(holds(script, "CacheHitRatio"));
    }
    CHECK_THROWS_AS(cli::generated_text("tcsh"), cli::UsageError);
    CHECK_THROWS_AS(cli::generated_text(""), cli::UsageError);
}
