// The log in virtual time: who waits for what, and how long.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/log/log_block_check.hpp"
#include "sim/promises/promise_book.hpp"
#include "tests/sim/support/log_tasks.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

namespace {}  // namespace

TEST_CASE("a commit takes exactly as long as its block needs to become durable") {
    VirtualWorld world;
    world.set_duration_ns(7 * ums::kNsPerMs);
    run_virtual_log(world, {}, [](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        const std::uint64_t start_us = w.now_us();
        const std::uint64_t lsn = co_await log.commit(100);
        CHECK(w.now_us() - start_us == 7000);
        CHECK(log.log->is_hardened(lsn));
        CHECK_FALSE(log.log->is_hardened(lsn + 1));
        // Committing what is already durable takes no time.
        const bool is_hard = co_await log.log->harden(lsn);
        CHECK(is_hard);
        CHECK(w.now_us() - start_us == 7000);
    });
}

TEST_CASE("a flush takes as long as the write of its block, and with ForcedFlush as long as that and its sync") {
    for (const sim::Durability durability : {sim::Durability::write_through, sim::Durability::forced_flush, sim::Durability::none}) {
        VirtualWorld world;
        world.storage.set_rule([](const ums::IoRequest& request) {
            return Fate{.delay_ns = (request.operation == ums::IoOperation::sync ? 9 : 2) * ums::kNsPerMs};
        });
        run_virtual_log(world, {.durability = durability}, [&](VirtualWorld&, VirtualLog& log) -> ums::Task<void> {
            for (int i = 0; i < 3; ++i) co_await log.commit(100);
            const sim::SimFile& file = *log.files.front();
            const std::uint64_t flush_ms = durability == sim::Durability::forced_flush ? 11 : 2;
            const sim::LatencyResult flushes = sim::latency_of(file.counters(), sim::IoClass::log_flush);
            CHECK(flushes.count == 3);
            CHECK(flushes.max_ns == flush_ms * ums::kNsPerMs);
            CHECK(sim::sum_of(file.counters(), &sim::FileCounters::writes) == 3);
            CHECK(sim::io_time_ns_of(file.counters()) == 3 * flush_ms * ums::kNsPerMs);
        });
    }
}

TEST_CASE("an append alone writes nothing, and what no task waits for is written at the end") {
    VirtualWorld world;
    std::vector<Write> writes;
    note_writes(world, writes, ums::kNsPerMs);
    run_virtual_log(world, {}, [&](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        sim::LogReservation reservation = co_await log.log->space().reserve(100);
        const std::uint64_t lsn = co_await log.log->append(reservation, {}, 100);
        co_await pause_ms(w, 100);
        CHECK(writes.empty());
        CHECK_FALSE(log.log->is_hardened(lsn));
    });
    CHECK(writes.size() == 1);
}

TEST_CASE("many tasks that commit at the same time share few writes") {
    VirtualWorld world;
    std::vector<Write> writes;
    note_writes(world, writes, 5 * ums::kNsPerMs);
    run_virtual_log(world, {}, [&](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        const std::uint64_t start_us = w.now_us();
        int done = 0;
        ums::TaskGroup group;
        for (int i = 0; i < 500; ++i) ums::Scheduler::current().fork(group, commit_task(log, 100, done));
        co_await group.join();
        CHECK(done == 500);
        CHECK(w.now_us() - start_us < 20'000);
    });
    CHECK(writes.size() < 10);
    std::uint64_t written_bytes = 0;
    for (const Write& each : writes) written_bytes += each.size_bytes;
    CHECK(written_bytes > 50'000);
}

TEST_CASE("log writes are outstanding up to the allowed number of bytes, and no more") {
    for (const std::uint32_t kb_max : {60U, 100U, 0U}) {
        VirtualWorld world;
        hold_writes(world);
        run_virtual_log(world, {.file_mb = {16}, .flushed_kb_max = kb_max}, [&](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
            int done = 0;
            ums::TaskGroup group;
            // Each commit has its own block of 39.5 KB.
            for (int i = 0; i < 10; ++i) ums::Scheduler::current().fork(group, commit_task(log, 40'000, done));
            co_await pause_ms(w, 10);
            CHECK(w.storage.held_count() == (kb_max == 0 ? 10 : kb_max / 40));
            w.storage.set_rule(nullptr);
            w.storage.release_held();
            co_await group.join();
            CHECK(done == 10);
        });
    }
}

TEST_CASE("flushes are outstanding up to the allowed number, and no more") {
    for (const std::uint32_t flushes_max : {1U, 4U, 112U}) {
        VirtualWorld world;
        hold_writes(world);
        run_virtual_log(world, {.file_mb = {16}, .flushes_max = flushes_max}, [&](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
            int done = 0;
            ums::TaskGroup group;
            // No two records fit into one block.
            for (int i = 0; i < 10; ++i) ums::Scheduler::current().fork(group, commit_task(log, 40'000, done));
            co_await pause_ms(w, 10);
            CHECK(w.storage.held_count() == std::min(flushes_max, 10U));
            CHECK(done == 0);
            while (done < 10) {
                w.storage.release_held();
                co_await pause_ms(w, 1);
                CHECK(w.storage.held_count() <= flushes_max);
            }
            co_await group.join();
        });
    }
}

TEST_CASE("with all buffers in flight an append waits for one, and then continues") {
    VirtualWorld world;
    hold_writes(world);
    run_virtual_log(world, {.file_mb = {16}, .flushes_max = 2}, [&](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        int done = 0;
        ums::TaskGroup group;
        for (int i = 0; i < 30; ++i) ums::Scheduler::current().fork(group, commit_task(log, 50'000, done));
        co_await pause_ms(w, 10);
        CHECK(w.storage.held_count() == 2);
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await group.join();
        CHECK(done == 30);
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("records become durable in log order, whatever the order in which the writes complete") {
    VirtualWorld world;
    hold_writes(world);
    run_virtual_log(world, {.file_mb = {16}}, [&](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        std::vector<int> order;
        ums::TaskGroup group;
        for (int i = 0; i < 4; ++i) ums::Scheduler::current().fork(group, commit_and_note(log, 40'000, order, i));
        co_await pause_ms(w, 1);
        REQUIRE(w.storage.held_count() == 4);
        for (int i = 0; i < 3; ++i) {
            CHECK(w.storage.release_last());
            co_await pause_ms(w, 1);
            CHECK(order.empty());
        }
        CHECK(w.storage.release_first());
        co_await group.join();
        CHECK(order == std::vector<int>{0, 1, 2, 3});
    });
}

TEST_CASE("records before a slow write become durable before it completes") {
    VirtualWorld world;
    hold_writes(world);
    run_virtual_log(world, {.file_mb = {16}}, [&](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        std::vector<int> order;
        ums::TaskGroup group;
        for (int i = 0; i < 4; ++i) ums::Scheduler::current().fork(group, commit_and_note(log, 40'000, order, i));
        co_await pause_ms(w, 1);
        CHECK(w.storage.release_first());
        co_await pause_ms(w, 1);
        CHECK(order == std::vector<int>{0});
        CHECK(w.storage.release_last());
        CHECK(w.storage.release_first());
        co_await pause_ms(w, 1);
        CHECK(order == std::vector<int>{0, 1});
        CHECK(w.storage.release_first());
        co_await group.join();
        CHECK(order == std::vector<int>{0, 1, 2, 3});
    });
}

TEST_CASE("no byte of the log is written twice before truncation: partial blocks are not rewritten") {
    for (const std::uint32_t alignment_bytes : {512U, 4096U}) {
        VirtualWorld world;
        std::vector<Write> writes;
        note_writes(world, writes, ums::kNsPerMs);
        run_virtual_log(world, {.alignment_bytes = alignment_bytes}, [&](VirtualWorld&, VirtualLog& log) -> ums::Task<void> {
            for (int i = 0; i < 100; ++i) co_await log.commit(100);
        });
        CHECK(writes.size() == 100);
        for (std::size_t i = 0; i < writes.size(); ++i) {
            CHECK(writes[i].offset_bytes % alignment_bytes == 0);
            CHECK(writes[i].size_bytes == alignment_bytes);
            if (i > 0) CHECK(writes[i].offset_bytes == writes[i - 1].offset_bytes + writes[i - 1].size_bytes);
        }
    }
}

TEST_CASE("blocks are whole sectors, at most 60 KB") {
    for (const std::uint32_t alignment_bytes : {512U, 4096U}) {
        VirtualWorld world;
        std::vector<Write> writes;
        note_writes(world, writes, ums::kNsPerMs);
        run_virtual_log(world, {.file_mb = {8}, .alignment_bytes = alignment_bytes},
                        [&](VirtualWorld&, VirtualLog& log) -> ums::Task<void> {
                            for (std::uint64_t size_bytes = 32; size_bytes < 2 * sim::kLogRecordBytesMax; size_bytes += 4999)
                                co_await log.commit(size_bytes);
                        });
        std::uint64_t largest_bytes = 0;
        for (const Write& write : writes) {
            CHECK(write.offset_bytes % alignment_bytes == 0);
            CHECK(write.size_bytes % alignment_bytes == 0);
            CHECK(write.size_bytes <= 60 * 1024);
            largest_bytes = std::max(largest_bytes, write.size_bytes);
        }
        CHECK(largest_bytes == 60 * 1024);
    }
}

TEST_CASE("a failed log write fails every commit that waits for it or comes later, and wakes all tasks") {
    VirtualWorld world;
    world.set_duration_ns(ums::kNsPerMs);
    run_virtual_log(world, {.flushes_max = 2}, [](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        bool first_hardened = false;
        co_await log.commit(100, &first_hardened);
        CHECK(first_hardened);
        const std::uint64_t good_lsn = log.log->end_lsn() - 1;
        w.storage.set_rule([](const ums::IoRequest& request) {
            return Fate{.error = request.operation == ums::IoOperation::write ? EIO : 0, .delay_ns = 5 * ums::kNsPerMs};
        });
        // More than there are buffers, and more than the log holds: the tasks wait in all three places.
        int ended = 0;
        int hardened_count = 0;
        auto committer = [](VirtualLog& shared, int& count, int& good) -> ums::Task<void> {
            bool hardened = true;
            co_await shared.commit(50'000, &hardened);
            good += hardened ? 1 : 0;
            ++count;
        };
        ums::TaskGroup group;
        for (int i = 0; i < 60; ++i) ums::Scheduler::current().fork(group, committer(log, ended, hardened_count));
        co_await group.join();
        CHECK(ended == 60);
        CHECK(hardened_count == 0);
        bool hardened = true;
        co_await log.commit(100, &hardened);
        CHECK_FALSE(hardened);
        const bool is_hard = co_await log.log->harden(good_lsn);
        CHECK_FALSE(is_hard);
    });
    CHECK(world.state.outcome() == sim::Outcome::failed);
    CHECK(world.state.reason() == "The log f1.ldx cannot be written.");
    CHECK_FALSE(world.sink.findings().empty());
    CHECK(world.sink.findings()[0].request.is_write);
}

TEST_CASE("a log that runs out of space ends the run, without a finding") {
    VirtualWorld world;
    run_virtual_log(world, {}, [](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        w.storage.set_rule([](const ums::IoRequest&) { return Fate{.error = ENOSPC}; });
        bool hardened = true;
        co_await log.commit(100, &hardened);
        CHECK_FALSE(hardened);
    });
    CHECK(world.state.outcome() == sim::Outcome::not_done);
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a commit after a failed write is not durable, although its own write succeeded") {
    VirtualWorld world;
    hold_writes(world);
    run_virtual_log(world, {.file_mb = {16}}, [](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        std::uint32_t posted = 0;
        w.storage.set_rule([&posted](const ums::IoRequest&) { return Fate{.error = ++posted == 1 ? ENOSPC : 0, .hold = true}; });
        bool hardened[2] = {true, true};
        auto committer = [](VirtualLog& shared, bool& result) -> ums::Task<void> { co_await shared.commit(40'000, &result); };
        ums::TaskGroup group;
        for (bool& result : hardened) ums::Scheduler::current().fork(group, committer(log, result));
        co_await pause_ms(w, 1);
        REQUIRE(w.storage.held_count() == 2);
        CHECK(w.storage.release_last());
        co_await pause_ms(w, 1);
        CHECK(w.storage.release_first());
        co_await group.join();
        CHECK_FALSE(hardened[0]);
        CHECK_FALSE(hardened[1]);
    });
}

TEST_CASE("a block says of no block that was still in flight when it was made, nor of one behind such a block, that it is hardened") {
    using Made = std::pair<std::uint64_t, std::uint64_t>;  // a block, and up to which one it calls the log hardened
    VirtualWorld world;
    std::vector<Made> made;
    world.storage.set_rule([&made](const ums::IoRequest& request) {
        if (request.operation != ums::IoOperation::write) return Fate{};
        const sim::LogBlockHeader header = sim::read_block_header(request.segments->data);
        made.emplace_back(header.sequence, header.hardened_sequence);
        return Fate{.hold = true};
    });
    run_virtual_log(world, {}, [&made](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        int done = 0;
        ums::TaskGroup group;
        for (int i = 0; i < 5; ++i) {
            ums::Scheduler::current().fork(group, commit_task(log, 100, done));
            co_await pause_ms(w, 1);
            if (i == 2) w.storage.release_last();   // the third block
            if (i == 3) w.storage.release_first();  // the first one
            co_await pause_ms(w, 1);
        }
        CHECK(made == std::vector<Made>{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 1}});
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await group.join();
        CHECK(done == 5);
    });
}

TEST_CASE("the log is promised up to its last block that became durable, and neither up to a failed one nor beyond it") {
    const std::vector<sim::PromiseBook::BookedFile> booked{{1, true, sim::PromiseBook::Counting::at_once}};
    sim::PromiseBook book(booked);
    VirtualWorld world;
    world.set_duration_ns(ums::kNsPerMs);
    run_virtual_log(world, {.promises = &book}, [&book](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        const std::uint64_t durable_lsn = co_await log.commit(100);
        const sim::PromiseBatch before = book.take_batch();
        CHECK(before.hardened_lsn == durable_lsn);
        w.storage.set_rule([](const ums::IoRequest&) { return Fate{.error = EIO}; });
        bool hardened = true;
        co_await log.commit(100, &hardened);
        CHECK_FALSE(hardened);
        w.storage.set_rule(nullptr);
        CHECK_FALSE(book.has_news());
        CHECK(book.take_batch().hardened_sequence == before.hardened_sequence);
    });
}
