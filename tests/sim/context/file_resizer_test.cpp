// A shrink while others use the file. In virtual time, on files in memory. For its effect on an entire run see shrink_user_test.cpp.
#include "sim/context/file_resizer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sim/files/file_counters.hpp"
#include "sim/promises/promise_book.hpp"
#include "sim/workers/checkpoint.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using ums::kMb;

namespace {

ums::Task<void> resize_data(WorkerWorld& world, std::uint64_t size_bytes) {
    sim::FileResizer resizer(world.context());
    co_await resizer.resize(world.data(), size_bytes);
}

// The same while the rule decides how requests end.
ums::Task<void> resize_under(WorkerWorld& world, std::uint64_t size_bytes, const FaultyStorage::Rule& rule) {
    world.storage.set_rule(rule);
    co_await resize_data(world, size_bytes);
    world.storage.set_rule(nullptr);
}

// The disk refuses each write of the log.
FaultyStorage::Rule no_log(WorkerWorld& world) {
    return [file = world.data().file.transfer_handle().value](const ums::IoRequest& request) {
        return Fate{.error = request.operation == ums::IoOperation::write && request.file.value != file ? EIO : 0};
    };
}

// Gives these pages a new version, and writes it to the disk.
ums::Task<void> write_changed_pages(WorkerWorld& world, const std::vector<std::uint32_t>& pages) {
    for (const std::uint32_t page : pages) co_await world.change_page(page);
    sim::Checkpoint checkpoint(world.context());
    co_await checkpoint.run_once();
}

// The disk refuses to cut the file, which stays as it is, also in the log.
ums::Task<void> cut_in_vain(WorkerWorld& world) {
    const sim::CheckpointBegin before = co_await world.parts->log->begin_checkpoint();
    const FaultyStorage::Rule no_cut = [](const ums::IoRequest& request) {
        return Fate{.error = request.operation == ums::IoOperation::truncate ? ENOSPC : 0};
    };
    co_await resize_under(world, kMb, no_cut);
    CHECK(world.data().file.size_bytes() == 8 * kMb);
    CHECK(world.data().file.shrunk_count == 0);
    const sim::CheckpointBegin after = co_await world.parts->log->begin_checkpoint();
    const std::uint32_t id = world.data().file.id();
    CHECK(after.sums.file(id).page_count == before.sums.file(id).page_count);
    CHECK(after.sums.file(id).regions == before.sums.file(id).regions);
}

// Uses the file again and again, as users do, and measures the longest wait for it.
ums::Task<void> use_file(WorkerWorld& world, const bool& is_over, std::uint64_t& longest_ns) {
    while (!is_over) {
        const std::uint64_t begin_ns = world.clock.now_ns();
        co_await world.data().file.resize_latch().acquire_shared(ums::WaitType::file_resize);
        longest_ns = std::max(longest_ns, world.clock.now_ns() - begin_ns);
        world.data().file.resize_latch().release_shared();
        co_await world.sleep_ms(1);
    }
}

// Of a file that has changed in the part that is to be cut off.
ums::Task<void> change_and_take(WorkerWorld& world, sim::Snapshot& snapshot) {
    std::vector<std::uint32_t> pages(400);
    std::iota(pages.begin(), pages.end(), 200U);
    co_await write_changed_pages(world, pages);
    co_await snapshot.take();
}

// What was cut off can still be read from it.
ums::Task<void> read_all_and_release(WorkerWorld& world, sim::Snapshot& snapshot) {
    sim::RangeReader reader = world.context().make_reader();
    std::uint32_t pages_read = 0;
    for (std::uint32_t page = 0; page < 1024; page += 64) pages_read += co_await snapshot.read(reader, page, 64);
    CHECK(pages_read == 1024);
    co_await snapshot.release();
}

// As soon as the first pages have been copied.
ums::Task<void> take_another_snapshot(WorkerWorld& world, sim::Snapshot& snapshot) {
    while (world.context().snapshots.pages_updated == 0) co_await world.sleep_ms(1);
    co_await snapshot.take();
}

// What a cut and a growth do, in order: with writes of the log only if these are wanted.
std::string resize_steps(WorkerWorld& world, bool with_log) {
    std::string steps;
    world.run([&steps, with_log](WorkerWorld& w) -> ums::Task<void> {
        const std::int32_t file = w.data().file.transfer_handle().value;
        const std::int32_t log_file = w.parts->log_files.front()->transfer_handle().value;
        const FaultyStorage::Rule note = [file, log_file, with_log, &steps](const ums::IoRequest& request) {
            if (with_log && request.operation == ums::IoOperation::write && request.file.value == log_file) steps += "log ";
            if (request.operation == ums::IoOperation::truncate) steps += "cut ";
            if (request.operation == ums::IoOperation::allocate) steps += "grow ";
            if (request.operation == ums::IoOperation::sync && request.file.value == file) steps += "sync ";
            return Fate{};
        };
        co_await resize_under(w, 4 * kMb, note);
        co_await resize_under(w, 8 * kMb, note);
    });
    return steps;
}

}  // namespace

TEST_CASE("copying pages to the snapshot before a shrink blocks the file for only one piece at a time") {
    constexpr std::uint64_t kRequestMs = 100;
    WorkerWorld world;
    world.add_replica(1);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        co_await change_and_take(w, snapshot);

        w.storage.set_rule([](const ums::IoRequest&) { return Fate{.delay_ns = kRequestMs * ums::kNsPerMs}; });
        bool is_over = false;
        std::uint64_t longest_ns = 0;
        ums::TaskGroup users;
        (*w.schedulers)[0].spawn(users, "User", use_file(w, is_over, longest_ns));
        co_await resize_data(w, kMb);
        is_over = true;
        co_await users.join();
        w.storage.set_rule(nullptr);

        CHECK(w.data().file.size_bytes() == kMb);
        CHECK(w.context().snapshots.pages_updated == 1024 - 128);
        CHECK(longest_ns >= kRequestMs * ums::kNsPerMs);  // a copy is read and written
        CHECK(longest_ns < 4 * kRequestMs * ums::kNsPerMs);
        co_await read_all_and_release(w, snapshot);
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a snapshot that is taken while pages are copied for a shrink has all pages, too") {
    WorkerWorld world;
    world.add_replica(1);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        co_await change_and_take(w, snapshot);
        w.storage.set_rule([](const ums::IoRequest&) { return Fate{.delay_ns = 100 * ums::kNsPerMs}; });
        ums::TaskGroup checks;
        (*w.schedulers)[0].spawn(checks, "Snapshot Check", take_another_snapshot(w, snapshot));
        co_await resize_data(w, kMb);
        co_await checks.join();
        w.storage.set_rule(nullptr);
        CHECK(w.data().file.size_bytes() == kMb);
        CHECK(w.context().snapshots.cycles == 2);
        co_await read_all_and_release(w, snapshot);
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a shrink that cannot be logged cuts nothing") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const std::vector<std::uint32_t> pages{700};
        co_await write_changed_pages(w, pages);
        const FaultyStorage::Rule rule = no_log(w);
        co_await resize_under(w, kMb, rule);
        CHECK(w.data().file.size_bytes() == 8 * kMb);
        CHECK(w.data().file.shrunk_count == 0);
        CHECK(w.data().ledger[700].version == 1);
    });
}

TEST_CASE("a growth that cannot be logged is not taken back: the record may have arrived, and no file is shorter than its log says") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        co_await resize_data(w, 4 * kMb);
        const FaultyStorage::Rule rule = no_log(w);
        co_await resize_under(w, 8 * kMb, rule);
        CHECK(w.data().file.size_bytes() == 8 * kMb);
        CHECK(w.data().file.grown_count == 0);
    });
    CHECK(world.sink.count_of(sim::Severity::warning, "It stays as it is") == 0);
}

TEST_CASE("a change of size is synced immediately, unless the file promises nothing") {
    for (const sim::Durability durability : {sim::Durability::write_through, sim::Durability::forced_flush, sim::Durability::none}) {
        INFO("durability " << static_cast<int>(durability));
        WorkerWorld world;
        world.options.durability = durability;
        CHECK(resize_steps(world, false) == (durability == sim::Durability::none ? "cut grow " : "cut sync grow sync "));
    }
}

TEST_CASE("a run that stops does not wait for the zeros of a growth: the file keeps its size, and nothing is said to have refused it") {
    WorkerWorld world;
    world.options.stamp_files = true;
    std::uint32_t stamps = 0;
    world.run([&stamps](WorkerWorld& w) -> ums::Task<void> {
        co_await resize_data(w, 4 * kMb);
        const FaultyStorage::Rule stop_while_stamping = [file = w.data().file.transfer_handle().value, &stamps,
                                                         &w](const ums::IoRequest& request) {
            const bool is_stamp = request.operation == ums::IoOperation::write && request.file.value == file;
            if (is_stamp && ++stamps == 2) w.state.stop(sim::Outcome::stopped, "somebody pressed Ctrl-C");
            return Fate{};
        };
        co_await resize_under(w, 8 * kMb, stop_while_stamping);
        CHECK(w.data().file.size_bytes() == 4 * kMb);
        CHECK(w.data().file.grown_count == 0);
    });
    CHECK(stamps == 2);
    CHECK(world.sink.count_of(sim::Severity::warning) == 0);
}

TEST_CASE("a page that could not be read or copied for the snapshot is not promised there, while the others are") {
    const auto failing = GENERATE(ums::IoOperation::read, ums::IoOperation::write);
    WorkerWorld world;
    world.add_replica(1);
    world.run([failing](WorkerWorld& w) -> ums::Task<void> {
        const std::vector<std::uint32_t> pages{300, 700};
        co_await write_changed_pages(w, pages);
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        co_await snapshot.take();
        sim::DataFile& replica = *w.parts->data_files.back();
        REQUIRE(replica.file.id() != w.data().file.id());
        const sim::SimFile& of = failing == ums::IoOperation::read ? w.data().file : replica.file;
        w.storage.set_rule([failing, file = of.transfer_handle().value](const ums::IoRequest& request) {
            const bool is_bad =
                request.operation == failing && request.file.value == file && request.offset_bytes == std::uint64_t{300} * sim::kPageBytes;
            return Fate{.error = is_bad ? EIO : 0};
        });
        co_await write_changed_pages(w, pages);
        w.storage.set_rule(nullptr);
        CHECK(w.sink.findings().size() == 1);
        CHECK(replica.ledger[300].unknown == 1);
        CHECK(replica.ledger[700].unknown == 0);
        CHECK(replica.ledger[700].version == 1);
        // Reading them through the snapshot gives no second finding.
        sim::RangeReader reader = w.context().make_reader();
        std::uint32_t pages_read = 0;
        for (const std::uint32_t page : pages) pages_read += co_await snapshot.read(reader, page, 1);
        CHECK(pages_read == 2);
        co_await snapshot.release();
    });
    CHECK(world.sink.findings().size() == 1);
}

TEST_CASE("a cut that fails is taken back in the log, which then has the old size and all pages") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const std::vector<std::uint32_t> pages{700};
        co_await write_changed_pages(w, pages);
        co_await cut_in_vain(w);
        CHECK(w.data().ledger[700].version == 1);
    });
}

TEST_CASE("a cut that fails is taken back in the log with the versions that pages have only in memory so far") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const std::vector<std::uint32_t> pages{100, 700};
        co_await write_changed_pages(w, pages);
        for (const std::uint32_t page : {100U, 700U, 900U}) co_await w.change_page(page);
        co_await cut_in_vain(w);
        CHECK(w.is_dirty(900));
    });
}

TEST_CASE("a cut that fails has its room in the log to be taken back, and the sums are those from before it, which nobody counts again") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const std::vector<std::uint32_t> pages{100, 700};
        co_await write_changed_pages(w, pages);
        sim::LogManager& log = *w.parts->log;
        const std::uint32_t id = w.data().file.id();
        sim::LogReservation reservation = co_await log.space().reserve(2 * sizeof(sim::LogRecordHeader), 2);
        std::uint32_t counted = 0;
        const sim::PageSums::VersionOf version_of = [&counted](std::uint32_t /*page*/) -> std::uint32_t { return ++counted; };
        const sim::PageSums::File before = log.sums_of(id);
        co_await log.append_resize(reservation, id, 128, version_of);
        CHECK(log.sums_of(id).page_count == 128);
        CHECK(static_cast<bool>(reservation));
        const std::uint32_t counted_for_cut = counted;
        co_await log.append_resize(reservation, id, 1024, version_of, &before);
        CHECK(counted == counted_for_cut);
        CHECK_FALSE(static_cast<bool>(reservation));
        CHECK(log.sums_of(id).page_count == 1024);
        CHECK(log.sums_of(id).regions == before.regions);
        CHECK(log.sums_of(id).least_pages == 128);  // the cut stays in the log
    });
}

TEST_CASE("a cut is in the log before it is made, and a growth comes into the log only when it has been made and synced") {
    WorkerWorld world;
    CHECK(resize_steps(world, true) == "log cut sync grow sync log ");
}

TEST_CASE("a cut takes its promises back before the file becomes smaller, and a growth is promised only when it is durable") {
    WorkerWorld world;
    world.has_promises = true;
    std::vector<std::string> steps;
    world.run([&steps](WorkerWorld& w) -> ums::Task<void> {
        // What the keeper would get if it collected just before each of these requests, and afterwards.
        const auto collect = [&steps, &w](std::string step) {
            for (const sim::PromiseControl& control : w.parts->promises->take_batch().controls) {
                if (control.kind == sim::PromiseControlKind::cut) step += " cut to " + std::to_string(control.pages);
                if (control.kind == sim::PromiseControlKind::size) step += " size " + std::to_string(control.pages);
            }
            steps.push_back(std::move(step));
        };
        const FaultyStorage::Rule collect_before = [&collect](const ums::IoRequest& request) {
            if (request.operation == ums::IoOperation::truncate) collect("truncate:");
            if (request.operation == ums::IoOperation::allocate) collect("allocate:");
            if (request.operation == ums::IoOperation::sync) collect("sync:");
            return Fate{};
        };
        co_await resize_under(w, 4 * kMb, collect_before);
        collect("cut:");
        co_await resize_under(w, 8 * kMb, collect_before);
        collect("grown:");
    });
    CHECK(steps == std::vector<std::string>{"truncate: cut to 512 size 512", "sync:", "cut:", "allocate:", "sync:", "grown: size 1024"});
}

TEST_CASE("a page counts as dirty once, from its first change until it is written or cut off") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const sim::FileCountersPerCpu& counters = w.data().file.counters();
        for (const std::uint32_t page : {100U, 700U, 900U, 900U}) co_await w.change_page(page);
        CHECK(sim::dirty_pages_of(counters) == 3);
        co_await resize_data(w, kMb);
        CHECK(sim::dirty_pages_of(counters) == 1);
        sim::Checkpoint checkpoint(w.context());
        co_await checkpoint.run_once();
        CHECK(sim::dirty_pages_of(counters) == 0);
    });
}

TEST_CASE("zeros of a growth that were written only in part are written again, and that is a finding") {
    WorkerWorld world;
    world.options.stamp_files = true;
    std::uint32_t stamps = 0;
    world.run([&stamps](WorkerWorld& w) -> ums::Task<void> {
        co_await resize_data(w, 4 * kMb);
        const FaultyStorage::Rule cut_second_short = [file = w.data().file.transfer_handle().value,
                                                      &stamps](const ums::IoRequest& request) {
            const bool is_stamp = request.operation == ums::IoOperation::write && request.file.value == file;
            return is_stamp && ++stamps == 2 ? Fate{.transferred_bytes = 4096} : Fate{};
        };
        co_await resize_under(w, 8 * kMb, cut_second_short);
        CHECK(w.data().file.size_bytes() == 8 * kMb);
    });
    CHECK(stamps == 4 + 1);
    REQUIRE(world.sink.findings().size() == 1);
    CHECK(world.sink.findings()[0].kind == sim::FindingKind::short_transfer);
    CHECK(world.sink.findings()[0].transient);
    CHECK(world.sink.findings()[0].place.offset_bytes == 5 * kMb);
}
