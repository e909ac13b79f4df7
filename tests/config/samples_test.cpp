// The samples of ioproof: they must be read without a warning, even on a small machine, and do what they promise.
#include <filesystem>
#include <set>

#include "config/config.hpp"
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config_test;

namespace {

// 2 GB of memory, half of it for the pool.
constexpr config::MachineFacts kSmallMachine{.cpu_count = 2, .default_pool_mb = 1024, .memory_mb = 2048};

config::Configuration sample(const std::string& name, const config::CommandLineOverrides& overrides = {}) {
    return config::load_file((source_root() / "samples" / name).string(), overrides, kSmallMachine);
}

}  // namespace

TEST_CASE("every sample is read without a warning, as it is and with -dir") {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(source_root() / "samples")) names.insert(entry.path().filename().string());
    CHECK(names == std::set<std::string>{"quick.ini", "default.ini", "default.toml", "nvme.toml", "soak.toml", "sql2005.toml",
                                         "sql2022-oltp.toml", "sql2022-warehouse.toml", "sql2022-mixed.toml"});
    for (const std::string& name : names) {
        INFO(name);
        check_quiet(sample(name));
        check_quiet(sample(name, {.directories = {"d"}, .duration_s = 5, .size_mb = 64}));
        for (const sim::FileOptions& file : sample(name).options.files) CHECK(std::filesystem::path(file.path).is_relative());
    }
}

TEST_CASE("the default samples contain the defaults, and the files of -dir") {
    const sim::Options expected = config::load_file(std::nullopt, {.directories = {"d"}}, kSmallMachine).options;
    for (const char* name : {"default.ini", "default.toml", "sql2005.toml"}) {
        INFO(name);
        sim::Options options = sample(name).options;
        REQUIRE(options.files.size() == 2);
        CHECK(options.files[0].path == "sqliosim.mdx");
        CHECK(options.files[1].path == "sqliosim.ldx");
        for (sim::FileOptions& file : options.files) file.path = "d/" + file.path;
        CHECK(options == expected);
    }
}

TEST_CASE("the soak test works until it is stopped or something is wrong") {
    const sim::Options o = sample("soak.toml").options;
    CHECK(o.test_cycles == 0);
    CHECK(o.test_cycle_duration_s == 3600);
    CHECK(o.stop_on_error);
}

TEST_CASE("the quick start is small and short, and all users work in it") {
    const sim::Options o = sample("quick.ini").options;
    CHECK(o.test_cycles == 1);
    CHECK(o.test_cycle_duration_s <= 25);
    REQUIRE(o.files.size() == 2);
    CHECK(o.files[0].initial_size_mb == 64);
    CHECK(o.files[0].shrinkable);
    CHECK(o.files[0].max_size_mb > o.files[0].initial_size_mb);
    CHECK(o.files[1].initial_size_mb == 16);
    CHECK(o.random_user.user_count > 0);
    CHECK(o.audit_user.user_count > 0);
    CHECK(o.read_ahead_user.user_count > 0);
    CHECK(o.bulk_update_user.user_count > 0);
    CHECK(std::uint64_t{o.shrink_user.max_interval_s} * 4 <= o.test_cycle_duration_s);
    // The pool is smaller than the data, so pages are read again.
    CHECK(o.max_memory_mb < o.files[0].initial_size_mb);
}
