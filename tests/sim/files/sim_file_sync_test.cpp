// What a sync promises, whatever other syncs of the same file have learned.
#include <cerrno>
#include <system_error>
#include <vector>

#include "sim/files/sim_file.hpp"
#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using sim::SimFile;
using sim::testing::Fate;
using sim::testing::VirtualWorld;
using ums::kMb;

namespace {

ums::Task<void> sync_and_note(SimFile& file, std::vector<int>& errors) {
    const std::error_code error = co_await file.sync();
    errors.push_back(error.value());
}

}  // namespace

// A diagnosis syncs between two reads, and only a checkpoint ends the run.
TEST_CASE("a sync after one that failed does not call the lost writes durable, and does not ask the system again") {
    const int error_number = GENERATE(EIO, ENOSPC, ENOMEM, ENOBUFS);
    VirtualWorld world;
    int syncs = 0;
    world.storage.set_rule([&](const ums::IoRequest& request) {
        const bool is_first = request.operation == ums::IoOperation::sync && ++syncs == 1;
        return is_first ? Fate{.error = error_number} : Fate{};
    });
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        const std::error_code first = co_await file->sync();
        const std::error_code second = co_await file->sync();
        CHECK(first.value() == error_number);
        CHECK(second.value() == error_number);
    });
    CHECK(syncs == 1);
    CHECK(world.sink.findings().size() == (error_number == EIO ? 1U : 0U));
}

// The one that learns of the loss, and takes it away from the other, may be the one that takes longer.
TEST_CASE("of two syncs that are requested at the same time, none succeeds if one of them fails") {
    VirtualWorld world;
    int syncs = 0;
    world.storage.set_rule([&](const ums::IoRequest& request) {
        const bool is_first = request.operation == ums::IoOperation::sync && ++syncs == 1;
        return is_first ? Fate{.error = EIO, .delay_ns = 10 * ums::kNsPerMs} : Fate{.delay_ns = ums::kNsPerMs};
    });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        std::vector<int> errors;
        ums::TaskGroup tasks;
        for (int i = 0; i < 2; ++i) (*w.schedulers)[0].spawn(tasks, "Sync", sync_and_note(*file, errors));
        co_await tasks.join();
        CHECK(errors == std::vector<int>{EIO, EIO});
    });
    CHECK(syncs == 1);
}

TEST_CASE("syncs of a data file that wait for another one share the next") {
    VirtualWorld world;
    int syncs = 0;
    world.storage.set_rule([&](const ums::IoRequest& request) {
        if (request.operation == ums::IoOperation::sync) ++syncs;
        return Fate{.delay_ns = ums::kNsPerMs};
    });
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        std::vector<int> errors;
        ums::TaskGroup tasks;
        for (int i = 0; i < 9; ++i) (*w.schedulers)[0].spawn(tasks, "Sync", sync_and_note(*file, errors));
        co_await tasks.join();
        CHECK(errors == std::vector<int>(9, 0));
        CHECK(syncs == 2);
        // What is written from now on needs one of its own.
        co_await sync_and_note(*file, errors);
        CHECK(syncs == 3);
    });
}

TEST_CASE("a sync that the machine could not begin says nothing about the next one") {
    VirtualWorld world;
    int syncs = 0;
    world.storage.set_rule([&](const ums::IoRequest& request) {
        const bool is_first = request.operation == ums::IoOperation::sync && ++syncs == 1;
        return is_first ? Fate{.error = ECANCELED} : Fate{};
    });
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        const std::error_code first = co_await file->sync();
        const std::error_code second = co_await file->sync();
        CHECK(first.value() == ECANCELED);
        CHECK(!second);
    });
    CHECK(world.sink.findings().empty());
}
