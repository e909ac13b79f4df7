// Checks of the files before anything is touched.
#include <filesystem>

#include <fmt/format.h>

#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config_test;

namespace {

std::string data_file(const std::string& lines) {
    return "[File1]\nFileName=a.mdx\n" + lines + "\n[File2]\nFileName=a.ldx\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\n";
}

// A data and a log file with these names; FileName is on lines 2 and 6.
std::string named(const std::string& data, const std::string& log) {
    return "[File1]\nFileName=" + data + "\nInitialSize=4\nMaxSize=4\n[File2]\nFileName=" + log +
           "\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\n";
}

}  // namespace

TEST_CASE("no file at all is an error that says how to name one") {
    CHECK(ini_error("[CONFIG]\n") ==
          "test.ini: no file is named; give -dir DIR, or a [File1] section with FileName, InitialSize and MaxSize");
    CHECK(toml_error("[config]\n") ==
          "test.toml: no file is named; give -dir DIR, or a [[file]] table with path, initial_size_mb and max_size_mb");
    CHECK(ini_error("") == "test.ini: no file is named; give -dir DIR, or a [File1] section with FileName, InitialSize and MaxSize");
}

TEST_CASE("at least one log file and one data file are needed") {
    CHECK(ini_error("[File1]\nFileName=a.mdx\nInitialSize=4\nMaxSize=4\n") ==
          "test.ini: no log file is named; at least one file needs LogFile=TRUE");
    CHECK(ini_error("[File1]\nFileName=a.ldx\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\n") ==
          "test.ini: no data file is named; at least one file needs LogFile=FALSE");
    CHECK(toml_error("[[file]]\npath = \"a.mdx\"\ninitial_size_mb = 4\nmax_size_mb = 4\n") ==
          "test.toml: no log file is named; at least one file needs log_file = true");
}

TEST_CASE("a file without a name or sizes is an error, because they have no defaults") {
    CHECK(ini_error(data_file("")) ==
          "test.ini:1: [File1] InitialSize is missing; it has no default; allowed: 1 to 33554431 MB\n"
          "test.ini:1: [File1] MaxSize is missing; it has no default; allowed: 1 to 33554431 MB");
    CHECK(ini_error("[File1]\nFileName=\nInitialSize=4\nMaxSize=4\n") ==
          "test.ini:1: [File1] FileName is missing; it has no default; allowed: a text");
    CHECK(ini_error(data_file("InitialSize=4\nMaxSize=")) ==
          "test.ini:1: [File1] MaxSize is missing; it has no default; allowed: 1 to 33554431 MB");
    CHECK(toml_error("\n[[file]]\npath = \"a.mdx\"\nmax_size_mb = 4\n") ==
          "test.toml:2:1: [[file]] initial_size_mb is missing; it has no default; allowed: 1 to 33554431 MB");
    // A wrong size is not also reported as missing.
    CHECK(ini_error(data_file("InitialSize=x\nMaxSize=4")) ==
          "test.ini:3: [File1] InitialSize = x: is not a whole number; allowed: 1 to 33554431 MB");
}

TEST_CASE("sizes must be consistent and fit SQL Server's page numbers") {
    CHECK(ini_error(data_file("InitialSize=5\nMaxSize=4")) == "test.ini:4: [File1] MaxSize = 4: must not be below InitialSize = 5");
    CHECK(ini_error(data_file("InitialSize=0\nMaxSize=4")) ==
          "test.ini:3: [File1] InitialSize = 0: is too small; allowed: 1 to 33554431 MB");
    CHECK(ini_error(data_file("InitialSize=4\nMaxSize=33554432")) ==
          "test.ini:4: [File1] MaxSize = 33554432: is too large; allowed: 1 to 33554431 MB");
}

TEST_CASE("a file without an increment, or room to grow, keeps its size, with a warning if it was meant to grow") {
    const std::string no_room = "MaxSize = InitialSize, below which nothing is cut,";
    const auto same = load_ini(data_file("InitialSize=4\nMaxSize=4\nShrinkable=TRUE\nIncrement=1"));
    CHECK_FALSE(same.options.files[0].shrinkable);
    REQUIRE(same.warnings.size() == 1);
    CHECK(same.warnings[0] == fmt::format("test.ini:5: [File1] Shrinkable = TRUE: ignored, a file with {} keeps its size", no_room));
    for (const auto& [increment, said] : {std::pair{"\nIncrement=0", "Increment = 0"}, std::pair{"", "Increment = 0 (default)"}}) {
        const auto loaded = load_ini(data_file(std::string("InitialSize=4\nMaxSize=8\nShrinkable=TRUE") + increment));
        CHECK_FALSE(loaded.options.files[0].shrinkable);
        REQUIRE(loaded.warnings.size() == 1);
        CHECK(loaded.warnings[0] == fmt::format("test.ini:5: [File1] Shrinkable = TRUE: ignored, a file with {} keeps its size", said));
    }
}

TEST_CASE("a log whose Increment does not fit below MaxSize will not grow, and a warning says so") {
    const auto said_of_log = [](const std::string& log) {
        return load_ini("[File1]\nFileName=a.mdx\nInitialSize=4\nMaxSize=4\n[File2]\nFileName=a.ldx\nLogFile=TRUE\n" + log).warnings;
    };
    const auto warnings = said_of_log("InitialSize=50\nMaxSize=100\nIncrement=51\n");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] ==
          "test.ini:10: [File2] Increment = 51: the log will not grow, because no increment fits between InitialSize = 50 and "
          "MaxSize = 100");
    CHECK(said_of_log("InitialSize=50\nMaxSize=100\nIncrement=50\n").empty());
    CHECK(said_of_log("InitialSize=50\nMaxSize=50\nIncrement=64\n").empty());  // one that is not to grow
    const auto of_folder = load_ini("[CONFIG]\nLogInstantGrowth=TRUE\n[File1]\nFileName=a.ldx\nMaxSize=60\nIncrement=64\nLogFile=TRUE\n",
                                    {.directories = {"d"}})
                               .warnings;
    REQUIRE(of_folder.size() == 1);
    CHECK(of_folder[0] ==
          "-dir d: [File2] Increment = 64: the log will not grow, because no increment fits between InitialSize = 50 and "
          "MaxSize = 60");
}

TEST_CASE("SnapshotCheck without a replica has no effect, and a warning says so") {
    const auto said = [](const std::string& replica, const config::CommandLineOverrides& overrides = {}) {
        return load_ini("[AuditUser]\nSnapshotCheck=TRUE\n" + std::string(kIniFiles) + replica, overrides).warnings;
    };
    const std::string sizes = "InitialSize=64\nMaxSize=128\n";
    const auto warnings = said("");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] ==
          "test.ini:2: [AuditUser] SnapshotCheck = TRUE: has no effect, because no data file has a replica: a sparse file with its name, a "
          "colon and any word");
    for (const char* no_replica : {"FileName=a.mdx:x\n", "FileName=b.mdx:x\nSparse=TRUE\n", "FileName=a.ldx:x\nSparse=TRUE\n"}) {
        CHECK(said("[File3]\n" + (no_replica + sizes)).size() == 1);
    }
    CHECK(said("[File3]\nFileName=a.mdx:x\nSparse=TRUE\n" + sizes).empty());
    CHECK(said("[File3]\nFileName=./a.mdx:x\nSparse=TRUE\n" + sizes).empty());  // a link may lead there
    CHECK(said("", {.directories = {"d"}}).size() == 1);
    CHECK(said("[File3]\nFileName=a.mdx:x\nSparse=TRUE\n" + sizes, {.directories = {"d"}}).empty());
    CHECK(load_ini("[AuditUser]\nSnapshotCheck=TRUE\n", {.allow_missing_files = true}).warnings.empty());
    CHECK(load_ini("[AuditUser]\nSnapshotCheck=FALSE\n" + std::string(kIniFiles)).warnings.empty());
}

TEST_CASE("LogInstantGrowth without a log that may grow has no effect, and a warning says so") {
    const auto said_of_log = [](const std::string& log) {
        return load_ini(
                   "[CONFIG]\nLogInstantGrowth=TRUE\n[File1]\nFileName=a.mdx\nInitialSize=4\nMaxSize=4\n"
                   "[File2]\nFileName=a.ldx\nLogFile=TRUE\n" +
                   log)
            .warnings;
    };
    for (const char* log : {"InitialSize=50\nMaxSize=50\nIncrement=64\n", "InitialSize=50\nMaxSize=100\n"}) {
        const auto warnings = said_of_log(log);
        REQUIRE(warnings.size() == 1);
        CHECK(warnings[0] ==
              "test.ini:2: [CONFIG] LogInstantGrowth = TRUE: has no effect, because no log file may grow: that takes an increment, and a "
              "maximum above the initial size");
    }
    CHECK(said_of_log("InitialSize=50\nMaxSize=100\nIncrement=50\n").empty());
    CHECK(load_ini("[CONFIG]\nLogInstantGrowth=TRUE\n", {.directories = {"d"}}).warnings.size() == 1);
    CHECK(load_ini("[CONFIG]\nLogInstantGrowth=TRUE\n", {.allow_missing_files = true}).warnings.empty());
}

TEST_CASE("two sections that name the same file, however spelled, are an error") {
    CHECK(ini_error(named("a.mdx", "a.mdx")) ==
          "test.ini:6: [File2] FileName = a.mdx: the same file as test.ini:2: [File1] FileName = a.mdx");
    CHECK_THAT(ini_error(named("a.mdx", "./x/../a.mdx")), ContainsSubstring("the same file as test.ini:2: [File1] FileName = a.mdx"));
    CHECK_THAT(ini_error(named("a.mdx", (std::filesystem::current_path() / "a.mdx").string())), ContainsSubstring("the same file as"));
    CHECK_THAT(ini_error("[CONFIG]\nErrorFile=x/../a.mdx\n" + named("a.mdx", "a.ldx")),
               ContainsSubstring("test.ini:4: [File1] FileName = a.mdx: the same file as test.ini:2: [CONFIG] ErrorFile = x/../a.mdx"));
    CHECK(load_ini(named("a.mdx", "A.mdx")).options.files.size() == 2);
    CHECK(load_ini(named("a.mdx", "a.mdx:replica")).options.files.size() == 2);
}

#ifndef _WIN32
TEST_CASE("a Windows path is an error that suggests -dir") {
    const std::string rule =
        ": a Windows path, which this system does not have; name a file here, or give -dir DIR, which replaces all files of the "
        "configuration";
    CHECK(ini_error(named("f:\\sqliosim.mdx", "a.ldx")) == "test.ini:2: [File1] FileName = f:\\sqliosim.mdx" + rule);
    CHECK(ini_error(named("F:/sqliosim.mdx", "a.ldx")) == "test.ini:2: [File1] FileName = F:/sqliosim.mdx" + rule);
    CHECK(ini_error(named("f:a.mdx", "a.ldx")) == "test.ini:2: [File1] FileName = f:a.mdx" + rule);
    CHECK(ini_error(named("\\\\server\\share\\a.mdx", "a.ldx")) == "test.ini:2: [File1] FileName = \\\\server\\share\\a.mdx" + rule);
    CHECK(ini_error(named("a.mdx", "logs\\a.ldx")) == "test.ini:6: [File2] FileName = logs\\a.ldx" + rule);
    CHECK(ini_error("[CONFIG]\nErrorFile=c:\\temp\\x.xml\n" + std::string(kIniFiles)) ==
          "test.ini:2: [CONFIG] ErrorFile = c:\\temp\\x.xml: a Windows path, which this system does not have; name a file here, or give "
          "-log FILE");
}
#endif

TEST_CASE("Increment is limited so that Increment x MaxExtends < pool / number of data files") {
    const std::string text =
        "[CONFIG]\nMaxMemoryMB=32\n[ShrinkUser]\nMaxExtends=6\n" + data_file("InitialSize=64\nMaxSize=128\nIncrement=10\nShrinkable=TRUE");
    const auto loaded = load_ini(text);
    CHECK(loaded.options.files[0].increment_mb == 5);  // 5 * 6 = 30 < 32
    CHECK(loaded.options.files[0].shrinkable);
    REQUIRE(loaded.warnings.size() == 1);
    CHECK(loaded.warnings[0] ==
          "test.ini:9: [File1] Increment = 10: reduced to 5, so that Increment times MaxExtends is less than the pool of 32 MB / 1 data "
          "file");
    // Exactly equal is not less.
    const auto equal = load_ini("[CONFIG]\nMaxMemoryMB=30\n[ShrinkUser]\nMaxExtends=6\n" +
                                data_file("InitialSize=64\nMaxSize=128\nIncrement=5\nShrinkable=TRUE"));
    CHECK(equal.options.files[0].increment_mb == 4);
    // A value that is small enough stays as it is.
    CHECK(quiet_ini("[CONFIG]\nMaxMemoryMB=31\n[ShrinkUser]\nMaxExtends=6\n" +
                    data_file("InitialSize=64\nMaxSize=128\nIncrement=5\nShrinkable=TRUE"))
              .files[0]
              .increment_mb == 5);
}

TEST_CASE("Increment is limited by half of the free memory when MaxMemoryMB is 0, and the warning says so") {
    const std::string text = data_file("InitialSize=64\nMaxSize=128\nIncrement=10\nShrinkable=TRUE");
    const auto limited = load_ini(text, {}, {.cpu_count = 1, .default_pool_mb = 101});
    CHECK(limited.options.files[0].increment_mb == 5);
    REQUIRE(limited.warnings.size() == 1);
    CHECK_THAT(limited.warnings[0],
               ContainsSubstring("reduced to 5, so that Increment times MaxExtends is less than half of the free memory "
                                 "of 202 MB / 1 data file"));
    CHECK(load_ini(text, {}, {.cpu_count = 1, .default_pool_mb = 201}).options.files[0].increment_mb == 10);
    CHECK(load_ini(text, {}, {.cpu_count = 1, .default_pool_mb = 0}).options.files[0].increment_mb == 10);
}

TEST_CASE("if not even 1 MB fits MaxExtends times into the pool, MaxExtends is lowered") {
    const auto loaded = load_ini("[CONFIG]\nMaxMemoryMB=20\n" + data_file("InitialSize=64\nMaxSize=128\nIncrement=10\nShrinkable=TRUE"));
    CHECK(loaded.options.files[0].increment_mb == 1);
    CHECK(loaded.options.files[0].shrinkable);
    CHECK(loaded.options.shrink_user.max_extends == 19);  // 19 * 1 < 20
    REQUIRE(loaded.warnings.size() == 2);
    CHECK_THAT(loaded.warnings[0], ContainsSubstring("Increment = 10: reduced to 1"));
    CHECK_THAT(loaded.warnings[1], ContainsSubstring("MaxExtends = 20") && ContainsSubstring("reduced to 19"));
}

TEST_CASE("a MinExtends above the lowered MaxExtends is lowered, too, with its own warning") {
    const auto loaded = load_ini("[CONFIG]\nMaxMemoryMB=20\n[ShrinkUser]\nMinExtends=20\nMaxExtends=25\n" +
                                 data_file("InitialSize=64\nMaxSize=128\nIncrement=1\nShrinkable=TRUE"));
    CHECK(loaded.options.shrink_user.min_extends == 19);
    CHECK(loaded.options.shrink_user.max_extends == 19);
    REQUIRE(loaded.warnings.size() == 2);
    CHECK_THAT(loaded.warnings[0], ContainsSubstring("test.ini:5: [ShrinkUser] MaxExtends = 25: reduced to 19"));
    CHECK_THAT(loaded.warnings[1], ContainsSubstring("test.ini:4: [ShrinkUser] MinExtends = 20: reduced to 19"));
}

TEST_CASE("the data files share the pool") {
    const std::string second = "[File3]\nFileName=b.mdx\nInitialSize=64\nMaxSize=128\nIncrement=10\nShrinkable=FALSE\n";
    const auto loaded =
        load_ini("[CONFIG]\nMaxMemoryMB=201\n" + data_file("InitialSize=64\nMaxSize=128\nIncrement=10\nShrinkable=TRUE") + second);
    CHECK(loaded.options.files[0].increment_mb == 5);
    CHECK(loaded.options.files[2].increment_mb == 10);  // irrelevant, because the file is not shrinkable
    CHECK(loaded.warnings.size() == 1);
}

TEST_CASE("a log file is never shrunk, with a warning if it was meant to be") {
    const auto loaded = load_ini(
        "[File1]\nFileName=a.mdx\nInitialSize=4\nMaxSize=4\n"
        "[File2]\nFileName=a.ldx\nInitialSize=4\nMaxSize=8\nIncrement=1\nLogFile=TRUE\nShrinkable=TRUE\n");
    CHECK_FALSE(loaded.options.files[1].shrinkable);
    REQUIRE(loaded.warnings.size() == 1);
    CHECK(loaded.warnings[0] == "test.ini:11: [File2] Shrinkable = TRUE: ignored, a log file is never shrunk");
}

TEST_CASE("MaxMemoryMB above the memory of the machine is capped with a warning") {
    const std::string text = "[CONFIG]\nMaxMemoryMB=5000" + std::string(kIniFiles);
    const auto loaded = load_ini(text, {}, {.cpu_count = 1, .default_pool_mb = 1000, .memory_mb = 4000});
    CHECK(loaded.options.max_memory_mb == 4000);
    REQUIRE(loaded.warnings.size() == 1);
    CHECK(loaded.warnings[0] == "test.ini:2: [CONFIG] MaxMemoryMB = 5000: reduced to 4000, because more does not fit into memory");
    CHECK(load_ini(text, {}, {.cpu_count = 1, .memory_mb = 5000}).options.max_memory_mb == 5000);
}

TEST_CASE("values that depend on the machine stay 0 in the options") {
    const sim::Options options = load_ini(kIniFiles, {}, {.cpu_count = 16, .default_pool_mb = 1000, .memory_mb = 2000}).options;
    CHECK(options.cpu_count == 0);
    CHECK(options.max_memory_mb == 0);
    CHECK(options.random_user.user_count == sim::kAutomaticUserCount);
}
