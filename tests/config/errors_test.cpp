// The messages about mistakes: where, what, and what is allowed.
#include <fmt/format.h>

#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config_test;

namespace {

// The error for one key, on line 2, in a section of an otherwise good file.
std::string error_in(const std::string& section, const std::string& line) {
    return ini_error("[" + section + "]\n" + line + "\n" + kIniFiles);
}

std::vector<std::string> warnings_of(const std::string& text) { return load_ini(text + kIniFiles).warnings; }

// Of a text that has an error.
std::vector<std::string> warnings_beside_error(const std::string& text) {
    try {
        load_ini(text);
    } catch (const config::ConfigError& error) {
        return error.warnings();
    }
    FAIL("no error for:\n" << text);
    return {};
}

}  // namespace

TEST_CASE("a value that is not a number is an error") {
    CHECK(error_in("CONFIG", "CPUCount=two") == "test.ini:2: [CONFIG] CPUCount = two: is not a whole number; allowed: 0 to 64 CPUs");
    CHECK(error_in("CONFIG", "CPUCount=2.5") == "test.ini:2: [CONFIG] CPUCount = 2.5: is not a whole number; allowed: 0 to 64 CPUs");
    CHECK(error_in("CONFIG", "CPUCount=0x2") == "test.ini:2: [CONFIG] CPUCount = 0x2: is not a whole number; allowed: 0 to 64 CPUs");
    CHECK(error_in("CONFIG", "CPUCount=--2") == "test.ini:2: [CONFIG] CPUCount = --2: is not a whole number; allowed: 0 to 64 CPUs");
    CHECK(error_in("CONFIG", "CPUCount=2 ;two") ==
          "test.ini:2: [CONFIG] CPUCount = 2 ;two: is not a whole number (a comment needs a line of its own); allowed: 0 to 64 CPUs");
    CHECK(error_in("CONFIG", "Affinity=0xG") ==
          "test.ini:2: [CONFIG] Affinity = 0xG: is not a whole number; allowed: a mask of 64 bits, decimal or hexadecimal (0x...)");
    CHECK(error_in("CONFIG", "StopOnError=perhaps") ==
          "test.ini:2: [CONFIG] StopOnError = perhaps: is not a boolean; allowed: TRUE or FALSE");
}

TEST_CASE("a value out of range is an error that says what is allowed") {
    CHECK(error_in("CONFIG", "CPUCount=65") == "test.ini:2: [CONFIG] CPUCount = 65: is too large; allowed: 0 to 64 CPUs");
    CHECK(error_in("CONFIG", "CPUCount=-1") == "test.ini:2: [CONFIG] CPUCount = -1: is too small; allowed: 0 to 64 CPUs");
    CHECK(error_in("CONFIG", "TestCycles=99999999999999999999") ==
          "test.ini:2: [CONFIG] TestCycles = 99999999999999999999: is too large; allowed: 0 to 1000000 cycles");
    CHECK(error_in("CONFIG", "TestCycles=-99999999999999999999") ==
          "test.ini:2: [CONFIG] TestCycles = -99999999999999999999: is too small; allowed: 0 to 1000000 cycles");
    CHECK(error_in("CONFIG", "TestCycleDuration=0") ==
          "test.ini:2: [CONFIG] TestCycleDuration = 0: is too small; allowed: 1 to 31536000 s");
    CHECK(error_in("CONFIG", "MaxMemoryMB=7") == "test.ini:2: [CONFIG] MaxMemoryMB = 7: is too small; allowed: 0, or 8 to 16777216 MB");
    CHECK(error_in("CONFIG", "MaxOutstandingIO=140001") ==
          "test.ini:2: [CONFIG] MaxOutstandingIO = 140001: is too large; allowed: 0 to 140000 requests");
    CHECK(error_in("CONFIG", "CheckpointPages=64") ==
          "test.ini:2: [CONFIG] CheckpointPages = 64: is not one of these; allowed: 32 or 128 pages");
    CHECK(error_in("CONFIG", "CheckpointPages=-32") ==
          "test.ini:2: [CONFIG] CheckpointPages = -32: is not one of these; allowed: 32 or 128 pages");
    CHECK(error_in("CONFIG", "LogFlushesOutstanding=113") ==
          "test.ini:2: [CONFIG] LogFlushesOutstanding = 113: is too large; allowed: 1 to 112 flushes");
    CHECK(error_in("RandomUser", "UserCount=-2") == "test.ini:2: [RandomUser] UserCount = -2: is too small; allowed: -1 to 65372 users");
    CHECK(error_in("RandomUser", "MaxLogPerBuffer=64001") ==
          "test.ini:2: [RandomUser] MaxLogPerBuffer = 64001: is too large; allowed: 1 to 64000 bytes");
    CHECK(error_in("ReadAheadUser", "BuffersRAMax=65537") ==
          "test.ini:2: [ReadAheadUser] BuffersRAMax = 65537: is too large; allowed: 0 to 65536 pages");
}

TEST_CASE("signs are allowed if the number is") {
    CHECK(quiet_ini("[CONFIG]\nCPUCount=+2\nTestCycles=-0\nCacheHitRatio=-0\nAffinity=-0x0" + std::string(kIniFiles)).cpu_count == 2);
    CHECK(quiet_toml("[config]\ntest_cycles = -0\ncache_hit_ratio_percent = -0\n" + std::string(kTomlFiles)).test_cycles == 0);
    CHECK(quiet_toml("[config]\ncache_hit_ratio_percent = -0.0\n" + std::string(kTomlFiles)).cache_hit_ratio == 0);
    CHECK_THAT(error_in("CONFIG", "TestCycles=-0\nCPUCount=-0x1"), ContainsSubstring("CPUCount = -0x1: is not a whole number"));
    CHECK_THAT(error_in("CONFIG", "Affinity=-1"), ContainsSubstring("is too small"));
    CHECK_THAT(error_in("CONFIG", "CPUCount=+"), ContainsSubstring("is not a whole number"));
}

TEST_CASE("a ratio above 10000 is an error") {
    const std::string allowed = "is too large; allowed: 0 to 10000 (hundredths of a percent, 10000 = 100 %)";
    CHECK(error_in("CONFIG", "CacheHitRatio=10001") == "test.ini:2: [CONFIG] CacheHitRatio = 10001: " + allowed);
    CHECK(error_in("RandomUser", "RollbackChance=10001") == "test.ini:2: [RandomUser] RollbackChance = 10001: " + allowed);
    CHECK(error_in("RandomUser", "JumpToNewRegionPercentage=10001") ==
          "test.ini:2: [RandomUser] JumpToNewRegionPercentage = 10001: " + allowed);
    CHECK(error_in("RandomUser", "RandomUserReadWriteRatio=10001") ==
          "test.ini:2: [RandomUser] RandomUserReadWriteRatio = 10001: " + allowed);
    CHECK(error_in("RandomUser", "YieldPercentage=10001") == "test.ini:2: [RandomUser] YieldPercentage = 10001: " + allowed);
}

TEST_CASE("CPUs that the process may not use cannot be bound") {
    const config::MachineFacts four_cpus{.cpu_count = 4, .cpus = 0x2d};
    for (const char* key : {"Affinity", "IOAffinity"}) {
        const std::string text = fmt::format("[CONFIG]\n{}=0x{{}}\n{}", key, kIniFiles);
        const auto error = [&](const char* mask) { return ini_error(fmt::format(fmt::runtime(text), mask), {}, four_cpus); };
        CHECK(error("2") == fmt::format("test.ini:2: [CONFIG] {} = 0x2: names CPUs that this process cannot use; allowed: bits of 0x2d, or "
                                        "0 for all",
                                        key));
        CHECK_THAT(error("40"), ContainsSubstring("names CPUs that this process cannot use"));
        CHECK(load_ini(fmt::format(fmt::runtime(text), "2d"), {}, four_cpus).warnings.empty());
        CHECK(load_ini(fmt::format(fmt::runtime(text), "40"), {}, {.cpu_count = 4}).warnings.empty());
    }
}

TEST_CASE("SQLIOSim's minima and maxima of 0 pages are accepted") {
    const std::string text = "[RandomUser]\nMinIOChainLength=0\n[ReadAheadUser]\nBuffersRAMin=0\n[BulkUpdateUser]\nBuffersBUMin=0\n";
    const sim::Options options = load_ini(text + kIniFiles).options;
    CHECK(options.random_user.min_io_chain_pages == 0);
    CHECK(options.read_ahead_user.min_pages == 0);
    CHECK(options.bulk_update_user.min_pages == 0);
    const std::string maxima = "[RandomUser]\nMaxIOChainLength=0\n[ReadAheadUser]\nBuffersRAMax=0\n[BulkUpdateUser]\nBuffersBUMax=0\n";
    const sim::Options none = load_ini(maxima + kIniFiles).options;
    CHECK(none.random_user.max_io_chain_pages == 0);
    CHECK(none.read_ahead_user.max_pages == 0);
    CHECK(none.bulk_update_user.max_pages == 0);
    CHECK(none.random_user.min_io_chain_pages + none.read_ahead_user.min_pages + none.bulk_update_user.min_pages == 0);
}

TEST_CASE("a bulk update and a read-ahead may be longer than a request, as in SQLIOSim") {
    CHECK(load_ini("[ReadAheadUser]\nBuffersRAMax=65536\n" + std::string(kIniFiles)).options.read_ahead_user.max_pages == 65536);
    CHECK(load_ini("[BulkUpdateUser]\nBuffersBUMax=65536\n" + std::string(kIniFiles)).options.bulk_update_user.max_pages == 65536);
    CHECK(error_in("BulkUpdateUser", "BuffersBUMax=65537") ==
          "test.ini:2: [BulkUpdateUser] BuffersBUMax = 65537: is too large; allowed: 0 to 65536 pages");
}

TEST_CASE("a minimum above its maximum is an error in the line that was written") {
    CHECK(error_in("RandomUser", "MinIOChainLength=101") ==
          "test.ini:2: [RandomUser] MinIOChainLength = 101: must not be above MaxIOChainLength = 100 (default)");
    CHECK(error_in("RandomUser", "MinIOChainLength=9\nMaxIOChainLength=8") ==
          "test.ini:2: [RandomUser] MinIOChainLength = 9: must not be above MaxIOChainLength = 8");
    CHECK(error_in("RandomUser", "MinLogPerBuffer=8193") ==
          "test.ini:2: [RandomUser] MinLogPerBuffer = 8193: must not be above MaxLogPerBuffer = 8192 (default)");
    CHECK(error_in("RandomUser", "CPUCyclesMin=1") ==
          "test.ini:2: [RandomUser] CPUCyclesMin = 1: must not be above CPUCyclesMax = 0 (default)");
    CHECK(error_in("ReadAheadUser", "BuffersRAMin=65") ==
          "test.ini:2: [ReadAheadUser] BuffersRAMin = 65: must not be above BuffersRAMax = 64 (default)");
    CHECK(error_in("ShrinkUser", "MinShrinkInterval=601") ==
          "test.ini:2: [ShrinkUser] MinShrinkInterval = 601: must not be above MaxShrinkInterval = 600 (default)");
    CHECK(error_in("ShrinkUser", "MinExtends=21") ==
          "test.ini:2: [ShrinkUser] MinExtends = 21: must not be above MaxExtends = 20 (default)");
    CHECK(toml_error("[bulk_update_user]\nmin_pages = 129\n" + std::string(kTomlFiles)) ==
          "test.toml:2:1: [bulk_update_user] min_pages = 129: must not be above max_pages = 128 (default)");
}

TEST_CASE("a maximum below the default of its minimum lowers the minimum, with a warning") {
    const sim::Options options =
        load_ini("[RandomUser]\nMaxIOChainLength=20\nMaxLogPerBuffer=32\n[BulkUpdateUser]\nBuffersBUMax=63\n" + std::string(kIniFiles))
            .options;
    CHECK(options.random_user.min_io_chain_pages == 20);
    CHECK(options.random_user.max_io_chain_pages == 20);
    CHECK(options.random_user.min_log_per_buffer_bytes == 32);
    CHECK(options.bulk_update_user.min_pages == 63);
    const auto warnings = warnings_of("[RandomUser]\nMaxIOChainLength=20\n");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "test.ini: [RandomUser] MinIOChainLength = 50 (default): lowered to 20, because of MaxIOChainLength = 20");
}

TEST_CASE("MaxLogPerBuffer is a multiple or a divisor of the sector size") {
    const std::string rule = ": allowed: a multiple of the sector size of 512 bytes, or a divisor of it";
    CHECK(error_in("RandomUser", "MaxLogPerBuffer=8000") == "test.ini:2: [RandomUser] MaxLogPerBuffer = 8000" + rule);
    CHECK(error_in("RandomUser", "MinLogPerBuffer=1\nMaxLogPerBuffer=100") == "test.ini:3: [RandomUser] MaxLogPerBuffer = 100" + rule);
    for (const char* good : {"64", "128", "256", "512", "1024", "64000"}) {
        CHECK(load_ini(std::string("[RandomUser]\nMaxLogPerBuffer=") + good + kIniFiles).options.random_user.max_log_per_buffer_bytes ==
              static_cast<std::uint32_t>(std::stoul(good)));
    }
}

TEST_CASE("too many users, in all sections together, for the available CPUs are an error") {
    const std::string all =
        "[RandomUser]\nUserCount=500\n[AuditUser]\nUserCount=200\n[ReadAheadUser]\nUserCount=200\n[BulkUpdateUser]\nUserCount=";
    const config::MachineFacts one_cpu{.cpu_count = 1};
    CHECK(ini_error(all + "24" + kIniFiles, {}, one_cpu) ==
          "test.ini:2: [RandomUser] UserCount = 500: too many users, 924 in all sections together; allowed: CPUCount x 1023 - 100 = 923 "
          "with 1 CPU");
    CHECK(load_ini(all + "23" + kIniFiles, {}, one_cpu).options.bulk_update_user.user_count == 23);
    CHECK(load_ini(all + "24" + kIniFiles, {}, kMachine).options.bulk_update_user.user_count == 24);
    // -1 counts as min(CPUCount * 2, 8).
    CHECK(load_ini("[RandomUser]\nUserCount=917" + std::string(kIniFiles), {}, one_cpu).options.random_user.user_count == 917);
    CHECK_THAT(ini_error("[RandomUser]\nUserCount=918" + std::string(kIniFiles), {}, one_cpu), ContainsSubstring("924 in all"));
    // CPUCount of the file decides, not the machine; a machine with more than 64 CPUs counts as 64.
    CHECK_THAT(ini_error("[CONFIG]\nCPUCount=2\n[RandomUser]\nUserCount=1946" + std::string(kIniFiles)),
               ContainsSubstring("= 1946 with 2 CPUs"));
    CHECK_THAT(ini_error("[RandomUser]\nUserCount=65372" + std::string(kIniFiles), {}, {.cpu_count = 128}),
               ContainsSubstring("= 65372 with 64 CPUs"));
}

TEST_CASE("an unknown section is an error with a suggestion") {
    CHECK(ini_error("[RandomUsers]\nUserCount=1\n") == "test.ini:1: [RandomUsers]: unknown section; did you mean [RandomUser]?");
    CHECK(ini_error("[random_user]\nUserCount=1\n") == "test.ini:1: [random_user]: unknown section; did you mean [RandomUser]?");
    CHECK(ini_error("[File]\n") == "test.ini:1: [File]: unknown section; did you mean [File1]?");
    CHECK(ini_error("[FileOne]\n") ==
          "test.ini:1: [FileOne]: unknown section; sections are [CONFIG], [RandomUser], [AuditUser], [ReadAheadUser], [BulkUpdateUser], "
          "[ShrinkUser], [BackupUser], [ColumnstoreUser], [TempdbUser], [VersionStoreUser], [File1], [File2], ...");
}

TEST_CASE("an unknown key is a warning with a suggestion") {
    const auto only = [](const std::string& text) {
        const auto warnings = warnings_of(text);
        REQUIRE(warnings.size() == 1);
        return warnings[0];
    };
    CHECK(only("[CONFIG]\nTestCycle=1\n") == "test.ini:2: TestCycle: unknown key, ignored; did you mean TestCycles?");
    CHECK(only("[RandomUser]\nSleepsAfter=1\n") == "test.ini:2: SleepsAfter: unknown key, ignored; did you mean SleepAfter?");
    CHECK(only("[RandomUser]\nAuditDelay=1\n") == "test.ini:2: AuditDelay: unknown key, ignored; it belongs to [AuditUser]");
    CHECK(only("[RandomUser]\nFileName=x\n") == "test.ini:2: FileName: unknown key, ignored; it belongs to [File1]");
    CHECK(only("[RandomUser]\nsleep_after_ms=1\n") == "test.ini:2: sleep_after_ms: unknown key, ignored; it is written SleepAfter here");
    CHECK(only("[RandomUser]\nAuditDelays=1\n") ==
          "test.ini:2: AuditDelays: unknown key, ignored; did you mean AuditDelay of [AuditUser]?");
    CHECK(only("[CONFIG]\nEntirelyDifferentThing=1\n") == "test.ini:2: EntirelyDifferentThing: unknown key, ignored");
}

TEST_CASE("an error comes with the warnings, which may tell its cause") {
    const std::string log = "[File2]\nFileName=a.ldx\nInitialSize=16\nMaxSize=16\nLogFile=TRUE\n";
    const auto misspelled = warnings_beside_error("[File1]\nFileNam=a.mdx\nInitialSize=64\nMaxSize=64\n" + log);
    REQUIRE(misspelled.size() == 1);
    CHECK(misspelled[0] == "test.ini:2: FileNam: unknown key, ignored; did you mean FileName?");
    // Not renumbered after it was copied: the log takes the place of the data file, which the error misses.
    const auto same_number = warnings_beside_error("[File2]\nFileName=a.mdx\nInitialSize=64\nMaxSize=64\n" + log);
    REQUIRE(same_number.size() == 4);
    CHECK(same_number[0] == "test.ini:5: [File2] occurs again (first in line 1); both are taken as one file");
    CHECK(same_number[1] == "test.ini:6: [File2] FileName = a.ldx: given again (first at test.ini:2); the last one counts");
}

TEST_CASE("CPUSimulation without cycles to burn gives a warning") {
    const auto warnings = warnings_of("[RandomUser]\nCPUSimulation=TRUE\n");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "test.ini:2: [RandomUser] CPUSimulation = TRUE: has no effect while CPUCyclesMax = 0 (default)");
}

TEST_CASE("NoBuffering=FALSE gives a warning while UseScatterGather implies unbuffered access") {
    const auto warnings = warnings_of("[CONFIG]\nNoBuffering=FALSE\n");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "test.ini:2: [CONFIG] NoBuffering = FALSE: has no effect while UseScatterGather = TRUE (default)");
    CHECK(warnings_of("[CONFIG]\nNoBuffering=FALSE\nUseScatterGather=FALSE\n").empty());
    CHECK(warnings_of("[CONFIG]\nUseScatterGather=FALSE\n").empty());
}

TEST_CASE("a DifferentialInterval that is never reached gives a warning") {
    const std::string backup = "[BackupUser]\nBackupFolder=/backup\nDifferentialInterval=60\n";
    const auto full_first = warnings_of(backup + "FullInterval=60\n");
    REQUIRE(full_first.size() == 1);
    CHECK(full_first[0] ==
          "test.ini:3: [BackupUser] DifferentialInterval = 60: no differential backup will be made, because the next full one comes before "
          "it with FullInterval = 60");
    const auto end_first = load_ini(backup + kIniFiles, {.duration_s = 60}).warnings;
    REQUIRE(end_first.size() == 1);
    CHECK(end_first[0] ==
          "test.ini:3: [BackupUser] DifferentialInterval = 60: no differential backup will be made, because the main run ends before it "
          "with TestCycleDuration = 60");
    CHECK(load_ini(backup + "FullInterval=61\n" + kIniFiles, {.duration_s = 61}).warnings.empty());
}

TEST_CASE("a LogInterval that full backups always come before gives a warning") {
    const std::string backup = "[BackupUser]\nBackupFolder=/backup\nLogInterval=60\n";
    const auto full_first = warnings_of(backup + "FullInterval=60\nVerify=FALSE\n");
    REQUIRE(full_first.size() == 1);
    CHECK(full_first[0] ==
          "test.ini:3: [BackupUser] LogInterval = 60: is never reached, because the next full backup comes before it with FullInterval = "
          "60; log is backed up only when a quarter of it waits, and after the main run");
    CHECK(warnings_of(backup + "FullInterval=61\nVerify=FALSE\n").empty());
    CHECK(warnings_of(backup).empty());
    // One full backup in each main run, and one of the log after it.
    CHECK(load_ini(backup + "FullInterval=60\nVerify=FALSE\n" + kIniFiles, {.duration_s = 60}).warnings.empty());
    // The wait for the next full backup begins when this one has been read back, that for a log backup before.
    CHECK(warnings_of(backup + "FullInterval=60\n").empty());
    const auto sooner = warnings_of(backup + "FullInterval=40\n");
    REQUIRE(sooner.size() == 1);
    CHECK(sooner[0] ==
          "test.ini:3: [BackupUser] LogInterval = 60: is reached only if a backup takes 20 s or longer to be read back, because the next "
          "full backup comes before it with FullInterval = 40; log is backed up only when a quarter of it waits, and after the main run");
}

TEST_CASE("a SnapshotCheckDelay without SnapshotCheck gives a warning") {
    const auto warnings = warnings_of("[AuditUser]\nSnapshotCheckDelay=5\n");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "test.ini:2: [AuditUser] SnapshotCheckDelay = 5: has no effect while SnapshotCheck = FALSE (default)");
    CHECK(warnings_of("[AuditUser]\nSnapshotCheckDelay=0\n").empty());
}

TEST_CASE("all errors are shown at once, in the order of the file, and a long list is cut") {
    CHECK(ini_error("[CONFIG]\nCPUCount=x\nnonsense\nStopOnError=2\n[Foo]\n") ==
          "test.ini:2: [CONFIG] CPUCount = x: is not a whole number; allowed: 0 to 64 CPUs\n"
          "test.ini:3: nonsense: expected Key=Value, a [Section], or a comment that begins with ; or #\n"
          "test.ini:4: [CONFIG] StopOnError = 2: is not a boolean; allowed: TRUE or FALSE\n"
          "test.ini:5: [Foo]: unknown section; sections are [CONFIG], [RandomUser], [AuditUser], [ReadAheadUser], [BulkUpdateUser], "
          "[ShrinkUser], [BackupUser], [ColumnstoreUser], [TempdbUser], [VersionStoreUser], "
          "[File1], [File2], ...");
    std::string text = "[CONFIG]\n";
    for (int i = 0; i < 30; ++i) text += "nonsense\n";
    const std::string message = ini_error(text);
    CHECK_THAT(message, ContainsSubstring("test.ini:21: nonsense"));
    CHECK(message.find("test.ini:22:") == std::string::npos);
    CHECK_THAT(message, ContainsSubstring("\nand 10 more errors"));
}
