#include "sim/log/log_growth.hpp"

#include <cerrno>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/log/virtual_log_files.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/promises/promise_book.hpp"
#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using sim::GrowthPlan;
using sim::plan_growth;
using sim::VlfPlace;
using ums::kMb;

namespace {

using Logs = std::vector<std::unique_ptr<sim::SimFile>>;

// Files of 1 MB that grow in steps of 1 MB.
Logs make_growing_files(VirtualWorld& world, std::uint32_t file_count, std::uint32_t max_size_mb = 16) {
    Logs files;
    for (std::uint32_t id = 1; id <= file_count; ++id) {
        sim::SimFile::Setup setup = world.setup(id, kMb, true);
        setup.options.increment_mb = 1;
        setup.options.max_size_mb = max_size_mb;
        files.push_back(world.make_file(std::move(setup)));
    }
    return files;
}

sim::LogSetup setup_of_log(const Logs& files) {
    std::vector<sim::SimFile*> pointers;
    for (const auto& file : files) pointers.push_back(file.get());
    return {std::move(pointers), 99, 4};
}

ums::Task<void> log_some(sim::LogManager& log, int count) {
    constexpr std::uint64_t kRecordBytes = 40'000;
    for (int i = 0; i < count; ++i) {
        sim::LogReservation reservation = co_await log.space().reserve(kRecordBytes);
        if (!reservation) co_return;
        const std::uint64_t lsn = co_await log.append(reservation, {.kind = sim::LogRecordKind::page_update}, kRecordBytes);
        co_await log.harden(lsn);
    }
}

// A log in such files, with the services that write it and let it grow. Await end() before it goes.
struct GrowingLog {
    explicit GrowingLog(VirtualWorld& w, std::uint32_t file_count = 1, sim::PromiseBook* promises = nullptr)
        : GrowingLog(w, make_growing_files(w, file_count), promises) {}
    GrowingLog(VirtualWorld& w, Logs logs, sim::PromiseBook* promises = nullptr)
        : world(w),
          files(std::move(logs)),
          log(setup_of_log(files), w.state, w.journal),
          growth(log, files, false, w.state, w.journal, promises) {
        spawn(services, "Log Writer", log.run_writer());
        spawn(services, "Log Growth", growth.serve());
    }

    void spawn(ums::TaskGroup& group, const char* name, ums::Task<void> task) {
        (*world.schedulers)[0].spawn(group, name, std::move(task));
    }
    // Two that write this many records each.
    void start_users(int records) {
        for (int i = 0; i < 2; ++i) spawn(users, "User", log_some(log, records));
    }
    ums::Task<void> refuse_room_later(std::uint64_t delay_ns) {
        co_await ums::sleep_until(world.clock.now_ns() + delay_ns);
        log.space().refuse();
    }
    ums::Task<void> end() {
        growth.stop();
        log.stop();
        co_await services.join();
    }

    VirtualWorld& world;
    const Logs files;
    sim::LogManager log;
    sim::LogGrowth growth;
    ums::TaskGroup services;
    ums::TaskGroup users;
};

}  // namespace

TEST_CASE("the log grows as since SQL Server 2022 only if requested") {
    for (const std::uint64_t growth_mb : {1U, 64U, 65U, 2000U}) CHECK(plan_growth(false, growth_mb * kMb, 10 * kMb) == GrowthPlan{true, 1});
}

TEST_CASE("growth by up to 64 MB is not zeroed and makes one virtual log file") {
    for (const std::uint64_t growth_mb : {1U, 64U}) {
        for (const std::uint64_t log_mb : {1U, 10'000U}) CHECK(plan_growth(true, growth_mb * kMb, log_mb * kMb) == GrowthPlan{false, 1});
    }
}

TEST_CASE("growth by more than 64 MB is zeroed, and makes 8 or 16 virtual log files, or one if it is under an eighth of the log") {
    CHECK(plan_growth(true, 65 * kMb, 100 * kMb) == GrowthPlan{true, 8});
    CHECK(plan_growth(true, 1024 * kMb, 100 * kMb) == GrowthPlan{true, 8});
    CHECK(plan_growth(true, 1025 * kMb, 100 * kMb) == GrowthPlan{true, 16});
    CHECK(plan_growth(true, 100 * kMb, 800 * kMb) == GrowthPlan{true, 8});
    CHECK(plan_growth(true, 100 * kMb, 808 * kMb) == GrowthPlan{true, 1});
}

TEST_CASE("a growth is divided without gaps, at whole megabytes, into the requested number of parts") {
    VirtualWorld world;
    const auto file = world.make_file(1, 4 * kMb, true);
    for (const std::uint32_t vlfs : {1U, 8U, 16U}) {
        for (const std::uint64_t growth_mb : {1U, 65U, 100U, 1027U, 10'000U}) {
            const std::vector<VlfPlace> places = sim::divide_growth(*file, 4 * kMb, growth_mb * kMb, vlfs);
            std::uint64_t next_bytes = 4 * kMb;
            for (const VlfPlace& place : places) {
                CHECK(place.offset_bytes == next_bytes);
                CHECK(place.offset_bytes % kMb == 0);
                CHECK(place.size_bytes <= sim::kVlfBytesMax);
                next_bytes += place.size_bytes;
            }
            CHECK(next_bytes == (4 + growth_mb) * kMb);
            if (growth_mb >= vlfs && growth_mb * kMb <= vlfs * sim::kVlfBytesMax && growth_mb < 5000) CHECK(places.size() == vlfs);
        }
    }
}

TEST_CASE("the log grows by one step if that is enough for all tasks that waited for room") {
    VirtualWorld world;
    world.storage.set_rule([](const ums::IoRequest& request) {
        return Fate{.delay_ns = (request.operation == ums::IoOperation::allocate ? 20 : 1) * ums::kNsPerMs};
    });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const sim::PromiseBook::BookedFile booked{.id = 1, .is_log = true};
        sim::PromiseBook promises(std::span<const sim::PromiseBook::BookedFile>(&booked, 1));
        GrowingLog growing(w, 1, &promises);
        growing.start_users(12);
        co_await growing.users.join();
        co_await ums::sleep_until(w.clock.now_ns() + ums::kNsPerSecond);
        CHECK(growing.files.front()->grown_count == 1);
        CHECK(growing.files.front()->size_bytes() == 2 * kMb);
        const std::vector<sim::PromiseControl> told{{sim::PromiseControlKind::size, 1, 2 * kMb / sim::kPageBytes, 0}};
        const bool is_told = promises.take_batch().controls == told;
        CHECK(is_told);
        co_await growing.end();
    });
}

TEST_CASE("the zeros of a growth are neither flushes nor log, but writes of its file") {
    VirtualWorld world;
    world.storage.set_rule(
        [](const ums::IoRequest& request) { return Fate{.delay_ns = (request.size_bytes == kMb ? 20 : 1) * ums::kNsPerMs}; });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        GrowingLog growing(w);
        growing.start_users(12);
        co_await growing.users.join();
        co_await ums::sleep_until(w.clock.now_ns() + ums::kNsPerSecond);
        const sim::FileCountersPerCpu& counters = growing.files.front()->counters();
        CHECK(growing.files.front()->grown_count == 1);
        const sim::LatencyResult zeros = sim::latency_of(counters, sim::IoClass::gather_write);
        CHECK(zeros.count == 1);
        CHECK(zeros.max_ns == 20 * ums::kNsPerMs);
        const sim::LatencyResult flushes = sim::latency_of(counters, sim::IoClass::log_flush);
        CHECK(flushes.count + 1 == sim::sum_of(counters, &sim::FileCounters::writes));
        CHECK(flushes.max_ns < 20 * ums::kNsPerMs);
        CHECK(sim::sum_of(counters, &sim::FileCounters::log_bytes) + kMb == sim::sum_of(counters, &sim::FileCounters::written_bytes));
        co_await growing.end();
    });
}

TEST_CASE("a log grows up to its MaxSize, and no further") {
    VirtualWorld world;
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        GrowingLog growing(w, make_growing_files(w, 1, 3));
        growing.start_users(100);
        co_await growing.refuse_room_later(5 * ums::kNsPerSecond);
        co_await growing.users.join();
        CHECK(growing.files.front()->size_bytes() == 3 * kMb);
        CHECK(growing.files.front()->grown_count == 2);
        co_await growing.end();
    });
}

TEST_CASE("a log that finds no space to grow tries again while tasks wait for room, and warns once") {
    VirtualWorld world;
    std::uint32_t refusals = 0;
    world.storage.set_rule([&refusals](const ums::IoRequest& request) {
        const bool is_refused = request.operation == ums::IoOperation::allocate && refusals < 3;
        if (is_refused) ++refusals;
        return Fate{.error = is_refused ? ENOSPC : 0, .delay_ns = ums::kNsPerMs};
    });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        GrowingLog growing(w);
        growing.spawn(growing.services, "End", growing.refuse_room_later(10 * ums::kNsPerSecond));
        growing.start_users(12);
        co_await growing.users.join();
        CHECK(growing.files.front()->grown_count == 1);
        co_await growing.end();
    });
    CHECK(refusals == 3);
    CHECK(world.sink.count_of(sim::Severity::warning, "cannot grow to 2 MB") == 1);
}

TEST_CASE("a log whose first file lies on a full disk grows by its second file at once") {
    VirtualWorld world;
    world.storage.set_rule([](const ums::IoRequest& request) {
        const bool is_refused = request.operation == ums::IoOperation::allocate && request.file.value == 1;
        return Fate{.error = is_refused ? ENOSPC : 0, .delay_ns = ums::kNsPerMs};
    });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        GrowingLog growing(w, 2);
        growing.spawn(growing.services, "End", growing.refuse_room_later(10 * ums::kNsPerSecond));
        const std::uint64_t begin_us = w.now_us();
        growing.start_users(48);
        co_await growing.users.join();
        CHECK(w.now_us() - begin_us < 1'000'000);
        CHECK(growing.files[0]->size_bytes() == kMb);
        CHECK(growing.files[1]->size_bytes() >= 3 * kMb);
        co_await growing.end();
    });
    CHECK(world.sink.count_of(sim::Severity::warning, "f1.ldx: the log is full and cannot grow to 2 MB") == 1);
}

TEST_CASE("of a log whose files lie on full disks, each file is tried again, and each has one warning") {
    VirtualWorld world;
    std::vector<int> refusals(3);  // by file
    world.storage.set_rule([&refusals](const ums::IoRequest& request) {
        const bool is_growth = request.operation == ums::IoOperation::allocate;
        const bool is_refused = is_growth && (request.file.value == 1 || refusals[2] < 3);
        if (is_refused) ++refusals[static_cast<std::size_t>(request.file.value)];
        return Fate{.error = is_refused ? ENOSPC : 0, .delay_ns = ums::kNsPerMs};
    });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        GrowingLog growing(w, 2);
        growing.spawn(growing.services, "End", growing.refuse_room_later(20 * ums::kNsPerSecond));
        growing.start_users(30);
        co_await growing.users.join();
        CHECK(growing.files[1]->grown_count >= 1);
        co_await growing.end();
    });
    CHECK(refusals[1] == 4);
    CHECK(refusals[2] == 3);
    CHECK(world.sink.count_of(sim::Severity::warning, "f1.ldx: the log is full") == 1);
    CHECK(world.sink.count_of(sim::Severity::warning, "f2.ldx: the log is full") == 1);
}

TEST_CASE("a log that finds no space to grow ends at once, whatever pause it makes") {
    VirtualWorld world;
    std::uint32_t refusals = 0;
    world.storage.set_rule([&refusals](const ums::IoRequest& request) {
        const bool is_refused = request.operation == ums::IoOperation::allocate;
        if (is_refused) ++refusals;
        return Fate{.error = is_refused ? ENOSPC : 0, .delay_ns = ums::kNsPerMs};
    });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        GrowingLog growing(w);
        growing.start_users(12);
        co_await growing.refuse_room_later(2'500 * ums::kNsPerMs);
        co_await growing.users.join();
        const std::uint64_t begin_us = w.now_us();
        co_await growing.end();
        CHECK(w.now_us() - begin_us < 100'000);
        CHECK(growing.files.front()->size_bytes() == kMb);
    });
    CHECK(refusals >= 2);
    CHECK(refusals <= 4);
}

TEST_CASE("a log file with a part of a growth that was cut off does not grow, because its next step would not begin where one does") {
    VirtualWorld world;
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        GrowingLog growing(w);
        growing.files.front()->has_part_of_growth = true;
        growing.start_users(12);
        co_await growing.refuse_room_later(5 * ums::kNsPerSecond);
        co_await growing.users.join();
        co_await growing.end();
        CHECK(growing.files.front()->size_bytes() == kMb);
    });
}

TEST_CASE("a log whose storage fails when it grows does not try again") {
    VirtualWorld world;
    world.storage.set_rule(
        [](const ums::IoRequest& request) { return Fate{.error = request.operation == ums::IoOperation::allocate ? EIO : 0}; });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        GrowingLog growing(w);
        growing.start_users(12);
        co_await growing.refuse_room_later(5 * ums::kNsPerSecond);
        co_await growing.users.join();
        co_await growing.end();
    });
    CHECK(world.sink.findings().size() == 1);
}

TEST_CASE("a log file that cannot be synced after its growth ends the run, whatever StopOnError says") {
    VirtualWorld world;
    world.storage.set_rule(
        [](const ums::IoRequest& request) { return Fate{.error = request.operation == ums::IoOperation::sync ? EIO : 0}; });
    const bool is_zeroed = GENERATE(false, true);
    world.run([is_zeroed](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, 4 * kMb, true);
        const std::error_code error = co_await sim::lengthen_log(*file, 8 * kMb, {.is_zeroed = is_zeroed, .vlfs = 1}, w.state, w.journal);
        CHECK(error == std::errc::io_error);
        CHECK(file->size_bytes() == 4 * kMb);
    });
    CHECK(world.state.outcome() == sim::Outcome::failed);
    CHECK(world.sink.findings().size() == 1);
}

TEST_CASE("a part of a growth that was allocated before the space ran out is given back") {
    VirtualWorld world;
    std::vector<std::uint64_t> cuts;
    world.storage.set_rule([&cuts](const ums::IoRequest& request) {
        if (request.operation == ums::IoOperation::truncate) cuts.push_back(request.offset_bytes);
        return Fate{.error = request.operation == ums::IoOperation::allocate ? ENOSPC : 0};
    });
    const bool is_sparse = GENERATE(false, true);  // a log never has holes
    world.run([is_sparse](VirtualWorld& w) -> ums::Task<void> {
        sim::SimFile::Setup setup = w.setup(1, 4 * kMb, true);
        setup.options.sparse = is_sparse;
        const auto file = w.make_file(std::move(setup));
        const std::error_code error = co_await sim::lengthen_log(*file, 8 * kMb, GrowthPlan{}, w.state, w.journal);
        CHECK(error == std::errc::no_space_on_device);
        CHECK(file->size_bytes() == 4 * kMb);
    });
    CHECK(cuts == std::vector<std::uint64_t>{4 * kMb});
    CHECK_FALSE(world.state.is_stopping());
}

TEST_CASE("a run that stops does not wait for the zeros of a growth of its log, which keeps its size") {
    VirtualWorld world;
    std::uint32_t stamps = 0;
    world.storage.set_rule([&world, &stamps](const ums::IoRequest& request) {
        if (request.operation == ums::IoOperation::write && ++stamps == 2) world.state.stop(sim::Outcome::stopped, "");
        return Fate{};
    });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, 4 * kMb, true);
        const std::error_code error = co_await sim::lengthen_log(*file, 100 * kMb, GrowthPlan{}, w.state, w.journal);
        CHECK(error == std::errc::operation_canceled);
        CHECK(file->size_bytes() == 4 * kMb);
    });
    CHECK(stamps == 2);
}
