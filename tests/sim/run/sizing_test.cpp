#include "sim/run/sizing.hpp"

#include "sim/limits.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

namespace {

using ums::kMb;

sim::Options options_with(std::uint64_t max_memory_mb, std::uint64_t data_mb) {
    sim::Options options;
    options.max_memory_mb = max_memory_mb;
    options.files = {{.path = "a.mdx", .initial_size_mb = data_mb / 2, .max_size_mb = data_mb},
                     {.path = "a.ldx", .initial_size_mb = 5000, .max_size_mb = 5000, .is_log = true}};
    return options;
}

const ums::Machine kMachine{.cpu_count = 4, .memory_bytes = 1000 * kMb, .available_bytes = 600 * kMb};

}  // namespace

TEST_CASE("by default the pool is a quarter of the data, so that the lazy writer has work") {
    CHECK(sim::pool_mb_for(options_with(0, 1600), kMachine) == 200);  // the files begin at half of the size to which they may grow
}

TEST_CASE("by default the pool is at most half of the available memory") {
    CHECK(sim::pool_mb_for(options_with(0, 4000), kMachine) == 300);
    CHECK(sim::default_pool_mb(kMachine) == 300);
}

TEST_CASE("MaxMemoryMB is obeyed, but never beyond the memory of the machine") {
    CHECK(sim::pool_mb_for(options_with(500, 4000), kMachine) == 500);
    CHECK(sim::pool_mb_for(options_with(2000, 4000), kMachine) == 1000 - 62 - 3);  // room for the program, and for the ledger
    CHECK(sim::pool_mb_max({.memory_bytes = 40 * kMb}) == 24);
    CHECK(sim::pool_mb_max({.memory_bytes = 10 * kMb}) == 0);
    CHECK(sim::pool_mb_for(options_with(2000, 4000), {}) == 2000);
}

TEST_CASE("backups take their buffers and their ledgers from the memory, and differential ones also a word for each page") {
    sim::Options options = options_with(2000, 4096);
    options.backup_user.buffer_count = 100;
    options.backup_user.max_transfer_kb = 4096;
    options.backup_user.differential_interval_s = 1;
    CHECK(sim::backup_mb(options) == 0);
    options.backup_user.folders = "/backups";
    CHECK(sim::backup_mb(options) == 400 + 2 * 4 + 4);
    CHECK(sim::pool_mb_for(options, kMachine) == 1000 - 62 - 4 - 412);
    options.backup_user.restore_folder = "/restored";
    CHECK(sim::backup_mb(options) == 400 + 3 * 4 + 4);
    options.backup_user.differential_interval_s = 0;
    CHECK(sim::backup_mb(options) == 400 + 2 * 4);
    options.backup_user.buffer_count = 1024;
    CHECK(sim::pool_mb_for(options, kMachine) == sim::kBufferPoolMbMin);
}

TEST_CASE("the pool is not larger than the data files at their largest, not counting logs") {
    CHECK(sim::pool_mb_for(options_with(500, 128), kMachine) == 128);
}

TEST_CASE("the pool has room for the largest requests, whatever size is requested") {
    CHECK(sim::pool_mb_for(options_with(1, 4000), kMachine) == sim::kBufferPoolMbMin);
    CHECK(sim::pool_mb_for(options_with(0, 2), kMachine) == sim::kBufferPoolMbMin);
    CHECK(sim::pool_mb_for(options_with(0, 4000), {}) == sim::kBufferPoolMbMin);
}

TEST_CASE("CPUCount is obeyed even beyond the machine's CPUs, 0 means all of them, 64 is the limit") {
    sim::Options options;
    CHECK(sim::cpu_count_for(options, kMachine) == 4);
    options.cpu_count = 8;
    CHECK(sim::cpu_count_for(options, kMachine) == 8);
    options.cpu_count = 0;
    CHECK(sim::cpu_count_for(options, {.cpu_count = 128}) == 64);
}

TEST_CASE("a UserCount of -1 is two users per CPU, at most 8, any other count is taken as it is") {
    CHECK(sim::user_count_for(-1, 1) == 2);
    CHECK(sim::user_count_for(-1, 3) == 6);
    CHECK(sim::user_count_for(-1, 5) == 8);
    CHECK(sim::user_count_for(0, 5) == 0);
    CHECK(sim::user_count_for(500, 1) == 500);
}
