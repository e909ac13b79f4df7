// Switches override the file.
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config_test;

namespace {

sim::FileOptions data(const std::string& path, std::uint64_t size_mb) {
    return {.path = path, .initial_size_mb = size_mb, .max_size_mb = 2 * size_mb, .increment_mb = 10, .shrinkable = true};
}

sim::FileOptions log(const std::string& path, std::uint64_t size_mb) {
    return {.path = path, .initial_size_mb = size_mb, .max_size_mb = size_mb, .is_log = true};
}

}  // namespace

TEST_CASE("the switch -dir creates a data file and a log file there") {
    const auto loaded = config::load_file(std::nullopt, {.directories = {"/data"}}, kMachine);
    CHECK(loaded.warnings.empty());
    CHECK(loaded.options.files == std::vector<sim::FileOptions>{data("/data/sqliosim.mdx", 4096), log("/data/sqliosim.ldx", 50)});
    sim::Options without_files = loaded.options;
    without_files.files.clear();
    CHECK(without_files == sim::Options{});
}

TEST_CASE("the switch -dir may be repeated, with -size, and slashes at the end do not matter") {
    const auto loaded = config::load_file(std::nullopt, {.directories = {"d1/", "."}, .size_mb = 64}, kMachine);
    CHECK(loaded.options.files == std::vector<sim::FileOptions>{data("d1/sqliosim.mdx", 64), log("d1/sqliosim.ldx", 32),
                                                                data("./sqliosim.mdx", 64), log("./sqliosim.ldx", 32)});
}

TEST_CASE("the log file is half of the data file, at most 50 MB and at least 4 MB") {
    const auto log_mb = [](std::uint64_t size_mb) {
        return config::load_file(std::nullopt, {.directories = {"d"}, .size_mb = size_mb}, kMachine).options.files.at(1).initial_size_mb;
    };
    CHECK(log_mb(1) == 4);
    CHECK(log_mb(8) == 4);
    CHECK(log_mb(10) == 5);
    CHECK(log_mb(99) == 49);
    CHECK(log_mb(100) == 50);
    CHECK(log_mb(100000) == 50);
}

TEST_CASE("with -dir, names and sizes of the configuration's files are not even checked") {
    const auto loaded =
        load_ini("[CONFIG]\nCPUCount=2\n[File1]\nFileName=f:\\x.mdx\nInitialSize=many\nIncrement=10\nShrinkable=TRUE\n[File2]\nMaxSize=1\n",
                 {.directories = {"d"}, .size_mb = 8});
    CHECK(loaded.warnings.empty());
    CHECK(loaded.options.cpu_count == 2);
    CHECK(loaded.options.files == std::vector<sim::FileOptions>{data("d/sqliosim.mdx", 8), log("d/sqliosim.ldx", 4)});
}

TEST_CASE("with -dir, files take all else from those of the configuration, in every folder") {
    const auto loaded = load_ini(
        "[File1]\nFileName=f:\\sqliosim.mdx\nInitialSize=4096\nMaxSize=8192\nIncrement=3\nShrinkable=TRUE\nSparse=TRUE\n"
        "[File2]\nFileName=f:\\sqliosim.ldx\nInitialSize=50\nMaxSize=50\nLogFile=TRUE\n"
        "[File3]\nFileName=g:\\second.mdx\nInitialSize=1\nMaxSize=1\n",
        {.directories = {"a", "b"}, .size_mb = 8});
    const auto expected = [](const std::string& path) {
        return sim::FileOptions{
            .path = path, .initial_size_mb = 8, .max_size_mb = 16, .increment_mb = 3, .shrinkable = true, .sparse = true};
    };
    CHECK(loaded.options.files == std::vector<sim::FileOptions>{expected("a/sqliosim.mdx"), log("a/sqliosim.ldx", 4),
                                                                expected("b/sqliosim.mdx"), log("b/sqliosim.ldx", 4)});
}

TEST_CASE("with -dir, a stream of the data file, SQLIOSim's replica, is created beside it") {
    const auto loaded = load_ini(
        "[File1]\nFileName=sqliosim.mdx\nInitialSize=1000\nMaxSize=1000\nIncrement=10\n"
        "[File2]\nFileName=sqliosim.ldx\nInitialSize=50\nMaxSize=50\nLogFile=TRUE\n"
        "[File3]\nFileName=sqliosim.mdx:replica\nInitialSize=1000\nMaxSize=1000\nIncrement=10\nSparse=TRUE\n",
        {.directories = {"d"}, .size_mb = 8});
    CHECK(loaded.warnings.empty());
    const sim::FileOptions fixed{.path = "d/sqliosim.mdx", .initial_size_mb = 8, .max_size_mb = 16, .increment_mb = 10};
    sim::FileOptions replica = fixed;
    replica.path = "d/sqliosim.mdx:replica";
    replica.sparse = true;
    CHECK(loaded.options.files == std::vector<sim::FileOptions>{fixed, log("d/sqliosim.ldx", 4), replica});
}

TEST_CASE("with -dir, a replica that is listed before its data file is created beside it, and does not make it sparse") {
    const auto loaded = load_ini(
        "[File1]\nFileName=x.mdx:replica\nInitialSize=64\nMaxSize=64\nSparse=TRUE\n"
        "[File2]\nFileName=x.mdx\nInitialSize=64\nMaxSize=64\nIncrement=10\n"
        "[File3]\nFileName=x.ldx\nInitialSize=16\nMaxSize=16\nLogFile=TRUE\n",
        {.directories = {"d"}, .size_mb = 8});
    REQUIRE(loaded.options.files.size() == 3);
    CHECK(loaded.options.files[0].path == "d/sqliosim.mdx");
    CHECK_FALSE(loaded.options.files[0].sparse);
    CHECK(loaded.options.files[0].increment_mb == 10);
    CHECK(loaded.options.files[2].path == "d/sqliosim.mdx:replica");
    CHECK(loaded.options.files[2].sparse);
}

TEST_CASE("with -dir, a stream of the data file is found although its name is in another case, as Windows allows") {
    const auto loaded = load_ini(
        "[File1]\nFileName=E:\\Data\\x.mdx\nInitialSize=64\nMaxSize=64\n"
        "[File2]\nFileName=E:\\Data\\x.ldx\nInitialSize=16\nMaxSize=16\nLogFile=TRUE\n"
        "[File3]\nFileName=e:\\data\\X.mdx:Replica\nInitialSize=64\nMaxSize=64\nSparse=TRUE\n",
        {.directories = {"d"}, .size_mb = 8});
    REQUIRE(loaded.options.files.size() == 3);
    CHECK(loaded.options.files[2].path == "d/sqliosim.mdx:Replica");
    CHECK(loaded.options.files[2].sparse);
}

TEST_CASE("the switch -size without -dir sets the sizes of the configuration's files") {
    const auto loaded = load_ini(
        "[File1]\nFileName=a.mdx\nInitialSize=1\nMaxSize=1\nIncrement=3\nSparse=TRUE\n"
        "[File2]\nFileName=a.ldx\nInitialSize=999\nMaxSize=999\nLogFile=TRUE\n"
        "[File3]\nFileName=b.mdx\nInitialSize=500\nMaxSize=600\n",
        {.size_mb = 30});
    const auto& files = loaded.options.files;
    REQUIRE(files.size() == 3);
    CHECK(files[0] == sim::FileOptions{.path = "a.mdx", .initial_size_mb = 30, .max_size_mb = 60, .increment_mb = 3, .sparse = true});
    CHECK(files[1] == log("a.ldx", 15));
    CHECK(files[2] == sim::FileOptions{.path = "b.mdx", .initial_size_mb = 30, .max_size_mb = 60});
}

TEST_CASE("with -size a log that is to grow as in SQL Server 2022 keeps its MaxSize, and another one does not grow") {
    const std::string files =
        "[File1]\nFileName=a.mdx\nInitialSize=1\nMaxSize=1\n"
        "[File2]\nFileName=a.ldx\nInitialSize=100\nMaxSize=999\nIncrement=64\nLogFile=TRUE\n";
    const config::CommandLineOverrides overrides{.size_mb = 30};
    const auto growing = load_ini("[CONFIG]\nLogInstantGrowth=TRUE\n" + files, overrides);
    REQUIRE(growing.options.files.size() == 2);
    CHECK(growing.options.files[1].initial_size_mb == 15);
    CHECK(growing.options.files[1].max_size_mb == 999);
    const auto fixed = load_ini(files, overrides);
    REQUIRE(fixed.options.files.size() == 2);
    CHECK(fixed.options.files[1].max_size_mb == 15);
}

TEST_CASE("with -dir a log that is to grow as in SQL Server 2022 keeps its MaxSize, in INI and TOML as in a profile") {
    const config::CommandLineOverrides overrides{.directories = {"d"}, .size_mb = 30};
    const std::string file = "[File1]\nFileName=a.ldx\nInitialSize=none\nMaxSize=999\nIncrement=64\nLogFile=TRUE\n";
    const auto ini = load_ini("[CONFIG]\nLogInstantGrowth=TRUE\n" + file, overrides);
    const auto toml = load_toml(
        "[config]\nlog_instant_growth = true\n"
        "[[file]]\npath = \"a.ldx\"\nmax_size_mb = 999\nincrement_mb = 64\nlog_file = true\n",
        overrides);
    for (const config::Configuration& loaded : {ini, toml}) {
        REQUIRE(loaded.options.files.size() == 2);
        CHECK(loaded.options.files[1].initial_size_mb == 15);
        CHECK(loaded.options.files[1].max_size_mb == 999);
    }
    CHECK(load_ini(file, overrides).options.files.at(1).max_size_mb == 15);
}

TEST_CASE("the switches -d, -log, --ephemeral and those without a counterpart in a file are applied") {
    const auto loaded =
        load_ini("[CONFIG]\nTestCycleDuration=9\nErrorFile=c:\\x.xml\nDeleteFilesAtShutdown=FALSE\n" + std::string(kIniFiles),
                 {.error_log = "mine.xml",
                  .duration_s = 5,
                  .delete_files_at_shutdown = true,
                  .overwrite_foreign_files = true,
                  .seed = 77,
                  .engine = sim::EngineChoice::threads});
    CHECK(loaded.options.test_cycle_duration_s == 5);
    CHECK(loaded.options.error_file == "mine.xml");
    CHECK(loaded.options.delete_files_at_shutdown);
    CHECK(loaded.options.overwrite_foreign_files);
    CHECK(loaded.options.seed == 77);
    CHECK(loaded.options.engine == sim::EngineChoice::threads);
    // Absent switches leave the file's values.
    const sim::Options plain = quiet_ini("[CONFIG]\nTestCycleDuration=9\nDeleteFilesAtShutdown=TRUE\n" + std::string(kIniFiles));
    CHECK(plain.test_cycle_duration_s == 9);
    CHECK(plain.delete_files_at_shutdown);
}

TEST_CASE("switches with invalid values are errors, all shown at once") {
    CHECK(ini_error(kIniFiles, {.error_log = "", .directories = {""}, .duration_s = 0, .size_mb = 0}) ==
          "-size 0: allowed: 1 to 16777215 MB\n-dir: is empty; allowed: an existing directory\n-d 0: allowed: 1 to 31536000 s\n"
          "-log: is empty; allowed: the name of a file");
    CHECK(ini_error(kIniFiles, {.size_mb = 16777216}) == "-size 16777216: allowed: 1 to 16777215 MB");
    CHECK(ini_error(kIniFiles, {.duration_s = 31536001}) == "-d 31536001: allowed: 1 to 31536000 s");
    CHECK(ini_error(kIniFiles, {.directories = {"d", "./d"}}) ==
          "-dir ./d: [File3] FileName = ./d/sqliosim.mdx: the same file as -dir d: [File1] FileName = d/sqliosim.mdx\n"
          "-dir ./d: [File4] FileName = ./d/sqliosim.ldx: the same file as -dir d: [File2] FileName = d/sqliosim.ldx");
    CHECK_THAT(ini_error(kIniFiles, {.error_log = "a.mdx"}), ContainsSubstring("the same file as -log: [CONFIG] ErrorFile = a.mdx"));
#ifndef _WIN32
    CHECK_THAT(ini_error(kIniFiles, {.directories = {"f:\\x"}}), ContainsSubstring("-dir f:\\x: [File1] FileName = f:\\x/sqliosim.mdx"));
#endif
}
