// How the writes of a run become durable. In virtual time, on a disk in memory.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Durability;
using sim::Options;
using sim::Results;

namespace {

// Only random users that write.
Options committing_writers() {
    Options options = quiet_options(VirtualRun::kFolder);
    options.random_user.user_count = 4;
    options.random_user.read_write_ratio = 10000;
    options.random_user.rollback_chance = 0;
    options.random_user.max_log_per_buffer_bytes = 512;
    options.checkpoint_interval_ms = 100;
    return options;
}

// What was requested of the storage for one kind of files.
struct Asked {
    Asked(const VirtualRun& run, bool is_log) {
        const auto is_of_kind = [is_log](const Recorded& request) { return request.path.ends_with(".ldx") == is_log; };
        writes = run.storage.select([&](const Recorded& request) { return is_of_kind(request) && is_write(request) && request.of_load; });
        syncs =
            run.storage.select([&](const Recorded& request) { return is_of_kind(request) && request.operation == ums::IoOperation::sync; });
    }
    [[nodiscard]] bool all_durable() const {
        return std::all_of(writes.begin(), writes.end(), [](const Recorded& request) { return request.durable; });
    }
    [[nodiscard]] bool none_durable() const {
        return std::none_of(writes.begin(), writes.end(), [](const Recorded& request) { return request.durable; });
    }
    std::vector<Recorded> writes;
    std::vector<Recorded> syncs;
};

struct Mode {
    Durability durability;
    bool write_through;
    Durability meaning;
};

}  // namespace

TEST_CASE("WriteThrough and Durability determine whether writes are durable, flushed before they count, or neither") {
    const auto mode =
        GENERATE(Mode{Durability::inherited, true, Durability::write_through}, Mode{Durability::inherited, false, Durability::forced_flush},
                 Mode{Durability::write_through, false, Durability::write_through},
                 Mode{Durability::forced_flush, true, Durability::forced_flush}, Mode{Durability::none, true, Durability::none});
    VirtualRun run;
    Options options = committing_writers();
    options.durability = mode.durability;
    options.write_through = mode.write_through;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    const std::uint64_t checkpoints = user(results, "Checkpoint").cycles;
    CHECK(checkpoints > 5);
    const Asked data(run, false);
    const Asked log(run, true);
    const bool is_flushed = mode.meaning == Durability::forced_flush;
    CHECK(data.syncs.size() == (is_flushed ? checkpoints : 0));
    CHECK(log.syncs.size() == (is_flushed ? log.writes.size() : 0));
    if (mode.meaning == Durability::write_through) {
        CHECK(data.all_durable());
        CHECK(log.all_durable());
    } else {
        CHECK(data.none_durable());
        CHECK(log.none_durable());
    }
}

TEST_CASE("a file can have its own setting for how its writes become durable") {
    VirtualRun run;
    Options options = committing_writers();
    options.files[0].durability = Durability::forced_flush;  // the data file
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    const Asked data(run, false);
    const Asked log(run, true);
    CHECK(data.none_durable());
    CHECK(data.syncs.size() == user(results, "Checkpoint").cycles);
    CHECK(log.all_durable());
    CHECK(log.syncs.empty());
}
