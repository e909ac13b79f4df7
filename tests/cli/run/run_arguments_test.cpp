#include "cli/run/run_arguments.hpp"

#include <limits>
#include <string>
#include <vector>

#include "cli/process/exit_codes.hpp"
#include "tests/support/catch.hpp"

namespace {

cli::RunArguments run_with(const std::vector<std::string>& words) { return cli::parse_run(words); }

std::string run_message(const std::vector<std::string>& words) {
    try {
        (void)cli::parse_run(words);
    } catch (const cli::UsageError& error) {
        return error.what();
    }
    return "(no error)";
}

}  // namespace

TEST_CASE("SQLIOSim's switches are understood exactly") {
    const cli::RunArguments run =
        run_with({"-cfg", "a.ini", "-save", "b.ini", "-log", "c.xml", "-dir", "/d1", "-d", "60", "-size", "256", "-dir", "/d 2"});
    CHECK(run.config_path == "a.ini");
    CHECK(run.save_path == "b.ini");
    CHECK(run.log_path == "c.xml");
    CHECK(run.directories == std::vector<std::string>{"/d1", "/d 2"});
    CHECK(run.duration_s == 60);
    CHECK(run.size_mb == 256);
}

TEST_CASE("SQLIOSim's words may be written in any case, as on Windows, but not its letter") {
    const cli::RunArguments run = run_with({"-CFG", "A.ini", "-Save=B.ini", "-LOG", "C.xml", "-Dir", "/D1", "-SIZE", "256", "-DIR=/d2"});
    CHECK(run.config_path == "A.ini");
    CHECK(run.save_path == "B.ini");
    CHECK(run.log_path == "C.xml");
    CHECK(run.directories == std::vector<std::string>{"/D1", "/d2"});
    CHECK(run.size_mb == 256);
    CHECK_THAT(run_message({"-CFG"}), ContainsSubstring("-cfg: a value is missing"));
    CHECK_THAT(run_message({"-D", "60"}), ContainsSubstring("unknown switch '-D'; did you mean -d?"));
}

TEST_CASE("each switch has a GNU-style twin, with a space or an equals sign before the value") {
    for (const std::string name : {"--config", "--cfg"}) CHECK(run_with({name, "a.ini"}).config_path == "a.ini");
    CHECK(run_with({"--config=a=b.ini"}).config_path == "a=b.ini");
    CHECK(run_with({"--profile", "sql2022-oltp"}).profile == "sql2022-oltp");
    CHECK(run_with({"--save", "b"}).save_path == "b");
    CHECK(run_with({"--log=c"}).log_path == "c");
    CHECK(run_with({"--dir", "/d1", "--dir=/d2", "-dir=/d3"}).directories == std::vector<std::string>{"/d1", "/d2", "/d3"});
    CHECK(run_with({"--duration", "7"}).duration_s == 7);
    CHECK(run_with({"-d7"}).duration_s == 7);
    CHECK(run_with({"--size=64"}).size_mb == 64);
    CHECK(run_with({"-size=64"}).size_mb == 64);
}

TEST_CASE("without switches nothing is set") {
    const cli::RunArguments run = run_with({});
    CHECK(run.config_path.empty());
    CHECK(run.save_path.empty());
    CHECK(run.log_path.empty());
    CHECK(run.directories.empty());
    CHECK_FALSE(run.duration_s.has_value());
    CHECK_FALSE(run.size_mb.has_value());
    CHECK_FALSE(run.seed.has_value());
    CHECK(run.engine == sim::EngineChoice::automatic);
    CHECK_FALSE(run.ephemeral);
    CHECK_FALSE(run.overwrite_foreign_files);
    CHECK_FALSE(run.no_progress);
    CHECK_FALSE(run.quiet);
}

TEST_CASE("a switch without a value turns its option on") {
    CHECK(run_with({"--ephemeral"}).ephemeral);
    CHECK(run_with({"--overwrite-foreign-files"}).overwrite_foreign_files);
    CHECK(run_with({"--no-progress"}).no_progress);
    CHECK(run_with({"--quiet"}).quiet);
    CHECK(run_with({"-q"}).quiet);
    CHECK_THAT(run_message({"--ephemeral=yes"}), ContainsSubstring("--ephemeral: takes no value"));
}

TEST_CASE("the engine is one of three names") {
    CHECK(run_with({"--engine", "uring"}).engine == sim::EngineChoice::uring);
    CHECK(run_with({"--engine", "threads"}).engine == sim::EngineChoice::threads);
    CHECK(run_with({"--engine", "auto"}).engine == sim::EngineChoice::automatic);
    CHECK_THAT(run_message({"--engine", "aio"}), ContainsSubstring("'aio'") && ContainsSubstring("uring, threads or auto"));
}

TEST_CASE("a seed may use all 64 bits") {
    CHECK(run_with({"--seed", "18446744073709551615"}).seed == std::numeric_limits<std::uint64_t>::max());
    CHECK(run_with({"--seed", "0"}).seed == 0);
    CHECK_THAT(run_message({"--seed", "18446744073709551616"}), ContainsSubstring("--seed"));
}

TEST_CASE("an invalid or out-of-range number is reported with its switch and what is allowed") {
    CHECK_THAT(run_message({"-d", "ten"}), ContainsSubstring("-d: 'ten'") && ContainsSubstring("seconds from 1"));
    CHECK_THAT(run_message({"--duration", "0"}), ContainsSubstring("-d: '0'"));
    CHECK_THAT(run_message({"-d", "-5"}), ContainsSubstring("-d: '-5'"));
    CHECK_THAT(run_message({"-d", "5s"}), ContainsSubstring("-d: '5s'"));
    CHECK_THAT(run_message({"-size", "1.5"}), ContainsSubstring("-size: '1.5'") && ContainsSubstring("MB from 1"));
    CHECK_THAT(run_message({"-size", "0"}), ContainsSubstring("-size: '0'"));
    CHECK_THAT(run_message({"-size", "16777216"}), ContainsSubstring("-size: '16777216'") && ContainsSubstring("from 1 to 16777215"));
    CHECK_THAT(run_message({"-d", "31536001"}), ContainsSubstring("-d: '31536001'") && ContainsSubstring("from 1 to 31536000"));
    CHECK_THAT(run_message({"--seed", "-1"}), ContainsSubstring("--seed: '-1'"));
}

TEST_CASE("a missing value is an error, also before another switch") {
    CHECK_THAT(run_message({"-cfg"}), ContainsSubstring("-cfg: a value is missing"));
    CHECK_THAT(run_message({"-cfg", "-d", "5"}), ContainsSubstring("-cfg: a value is missing"));
    CHECK_THAT(run_message({"-dir", ""}), ContainsSubstring("-dir: a value is missing"));
    CHECK_THAT(run_message({"--size="}), ContainsSubstring("--size: a value is missing"));
}

TEST_CASE("only -dir may be given twice") {
    for (const std::string name : {"-cfg", "-save", "-log", "-d", "-size", "--seed", "--engine"}) {
        CHECK_THAT(run_message({name, "1", name, "1"}), ContainsSubstring(name + ": given 2 times"));
    }
}

TEST_CASE("an unknown switch is an error that suggests the likely one") {
    CHECK_THAT(run_message({"-dri", "/x"}), ContainsSubstring("'-dri'") && ContainsSubstring("did you mean -dir?"));
    CHECK_THAT(run_message({"--durations=5"}), ContainsSubstring("'--durations'") && ContainsSubstring("did you mean --duration?"));
    CHECK_THAT(run_message({"--CFG", "x"}), ContainsSubstring("unknown switch '--CFG'"));
    CHECK_THAT(run_message({"--something-else"}), ContainsSubstring("allowed are -cfg, --profile, -save"));
    CHECK_THAT(run_message({"--repair"}), ContainsSubstring("unknown switch '--repair' here; it is one of ioproof verify"));
    CHECK_THAT(run_message({"-x"}), ContainsSubstring("unknown switch '-x'"));
    CHECK_THAT(run_message({"-"}), ContainsSubstring("'-' is not a switch"));
}

TEST_CASE("a switch for groups without a group is told to name one, and a group to name its witness") {
    CHECK_THAT(run_message({"--rank", "0", "--of", "2", "--turns", "1"}), ContainsSubstring("are for a run with --group NAME"));
    CHECK_THAT(run_message({"--group", "g", "--rank", "0", "--of", "2"}), ContainsSubstring("--group: needs --witness"));
}

TEST_CASE("a word that belongs to no switch is an error") {
    CHECK_THAT(run_message({"/mnt/data"}), ContainsSubstring("-dir /mnt/data"));
    CHECK_THAT(run_message({"-d", "5", "6"}), ContainsSubstring("'6' is not a switch"));
}

TEST_CASE("the command that repeats a run contains the seed once, and is quoted for a shell") {
    CHECK(cli::repeat_command({"ioproof", "run", "-dir", "/d 1"}, 5) == "ioproof run -dir '/d 1' --seed 5");
    CHECK(cli::repeat_command({"ioproof", "run", "--seed", "4", "-dir", "/d"}, 5) == "ioproof run -dir /d --seed 5");
    CHECK(cli::repeat_command({"ioproof", "run", "--seed=4", "-dir", "it's"}, 5) == "ioproof run -dir 'it'\\''s' --seed 5");
    // What the console shows by its number would be another name.
    CHECK(cli::repeat_command({"ioproof", "run", "-dir", "a\nb\\ it's"}, 5) == "ioproof run -dir $'a\\nb\\\\ it\\'s' --seed 5");
    CHECK(cli::repeat_command({"ioproof", "run", "-dir", "\0337\377"}, 5) == "ioproof run -dir $'\\0337\\377' --seed 5");
    CHECK(cli::repeat_command({"ioproof", "run", "-dir", "B\303\274cher 1"}, 5) == "ioproof run -dir 'B\303\274cher 1' --seed 5");
}
