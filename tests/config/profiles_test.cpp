#include "config/profiles.hpp"

#include <string>

#include "config/config.hpp"
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config_test;

namespace {

const config::MachineFacts kLargeMachine{.cpu_count = 4, .default_pool_mb = 1024, .memory_mb = 2048};

config::Configuration load_profile(const std::string& name, const std::optional<std::string>& path = std::nullopt,
                                   config::CommandLineOverrides overrides = {}) {
    overrides.profile = name;
    return config::load_file(path, overrides, kLargeMachine);
}

}  // namespace

TEST_CASE("a profile is its sample file") {
    CHECK(config::profile_names() == "sql2005, sql2022-oltp, sql2022-warehouse, sql2022-mixed");
    for (const config::Profile& profile : config::profiles()) {
        INFO(profile.name);
        const std::string path = (source_root() / "samples" / (std::string(profile.name) + ".toml")).string();
        CHECK(profile.text == read_whole(path));
        const config::Configuration loaded = load_profile(std::string(profile.name));
        check_quiet(loaded);
        CHECK(loaded.options == config::load_file(path, {}, kLargeMachine).options);
    }
}

TEST_CASE("a profile means the same with -dir as its sample file does") {
    const config::CommandLineOverrides folder{.directories = {"d"}, .size_mb = 1024};
    for (const config::Profile& profile : config::profiles()) {
        INFO(profile.name);
        const std::string path = (source_root() / "samples" / (std::string(profile.name) + ".toml")).string();
        CHECK(load_profile(std::string(profile.name), std::nullopt, folder).options ==
              config::load_file(path, folder, kLargeMachine).options);
    }
}

TEST_CASE("sql2005 is the default of a run without a profile") {
    const config::CommandLineOverrides folder{.directories = {"d"}};
    CHECK(load_profile("sql2005", std::nullopt, folder).options == config::load_file(std::nullopt, folder, kLargeMachine).options);
}

TEST_CASE("profiles of SQL Server 2022 have indirect checkpoints, its growth of the log, and their own users") {
    for (const char* name : {"sql2022-oltp", "sql2022-warehouse", "sql2022-mixed"}) {
        INFO(name);
        const sim::Options o = load_profile(name, std::nullopt, {.directories = {"d"}, .size_mb = 1024}).options;
        CHECK(o.recent.target_recovery_time_s == 60);
        CHECK(o.recent.checkpoint_slow_write_ms == 50);
        CHECK(o.recent.log_instant_growth);
        CHECK(o.recent.log_kb_outstanding == 3840);
        REQUIRE(o.files.size() == 2);
        CHECK(o.files[1].path == "d/sqliosim.ldx");
        CHECK(o.files[1].initial_size_mb == 50);
        CHECK(o.files[1].max_size_mb == 1024);
        CHECK(o.files[1].increment_mb == 64);
        CHECK(o.tempdb_user.user_count > 0);
    }
    CHECK(load_profile("sql2022-oltp").options.version_store_user.user_count > 0);
    CHECK(load_profile("sql2022-oltp").options.columnstore_user.user_count == 0);
    CHECK(load_profile("sql2022-warehouse").options.columnstore_user.user_count > 0);
}

TEST_CASE("a configuration file overrides the profile, and switches override both") {
    const TemporaryDirectory folder;
    const std::string path = folder.write("a.ini", "[CONFIG]\nTargetRecoveryTime=30\nTestCycleDuration=20\n[TempdbUser]\nUserCount=0\n");
    const config::Configuration loaded = load_profile("sql2022-oltp", path, {.directories = {"d"}, .duration_s = 10});
    check_quiet(loaded);
    CHECK(loaded.options.recent.target_recovery_time_s == 30);
    CHECK(loaded.options.tempdb_user.user_count == 0);
    CHECK(loaded.options.test_cycle_duration_s == 10);
    CHECK(loaded.options.recent.checkpoint_slow_write_ms == 50);
}

TEST_CASE("files of a configuration replace those of the profile") {
    const TemporaryDirectory folder;
    const sim::Options ini = load_profile("sql2022-oltp", folder.write("a.ini", std::string(kIniFiles))).options;
    const sim::Options toml = load_profile("sql2022-oltp", folder.write("a.toml", std::string(kTomlFiles))).options;
    for (const sim::Options& options : {ini, toml}) {
        REQUIRE(options.files.size() == 2);
        CHECK(options.files[0].path == "a.mdx");
        CHECK(options.files[1].increment_mb == 0);
    }
}

TEST_CASE("an empty file section of a configuration replaces no files of the profile") {
    const TemporaryDirectory folder;
    const std::string path = folder.write("a.ini", "[CONFIG]\nTestCycles=1\n[File3]\nFileName=\nInitialSize=\n");
    CHECK(load_profile("sql2022-oltp", path).options == load_profile("sql2022-oltp").options);
    const config::CommandLineOverrides overrides{.directories = {"d"}};
    CHECK(load_profile("sql2022-oltp", path, overrides).options == load_profile("sql2022-oltp", std::nullopt, overrides).options);
}

TEST_CASE("an unknown profile, and a value that conflicts with the profile, are explained") {
    CHECK_THROWS_WITH(load_profile("sql2019"), ContainsSubstring("--profile sql2019") && ContainsSubstring("sql2022-mixed"));
    const TemporaryDirectory folder;
    const std::string path = folder.write("a.ini", "[TempdbUser]\nMinSpillKB=65536\n");
    CHECK_THROWS_WITH(load_profile("sql2022-warehouse", path), ContainsSubstring("MaxSpillKB = 32768 (profile sql2022-warehouse)"));
}
