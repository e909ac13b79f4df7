// The log in virtual time: its space, from reservation to truncation.
#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/sim/support/log_tasks.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using namespace sim::testing;

namespace {}  // namespace

TEST_CASE("the ring uses all virtual log files of all files, one after another, again and again") {
    VirtualWorld world;
    std::vector<Write> writes;
    note_writes(world, writes, ums::kNsPerMs);
    run_virtual_log(world, {.file_mb = {1, 1}}, [&](VirtualWorld&, VirtualLog& log) -> ums::Task<void> {
        for (int i = 0; i < 150; ++i) {
            co_await log.commit(40'000);
            log.log->truncate(log.log->end_lsn());
        }
    });
    // 150 blocks of 40 KB are three laps of a log of 2 MB.
    for (const std::int32_t file : {1, 2}) {
        std::uint64_t last_bytes = 0;
        int wraps = 0;
        for (const Write& write : writes) {
            if (write.file != file) continue;
            wraps += write.offset_bytes < last_bytes ? 1 : 0;
            last_bytes = write.offset_bytes;
        }
        CHECK(wraps >= 2);
        CHECK(wraps <= 3);
    }
}

TEST_CASE("a full log admits no task until it is truncated, and then the waiting ones in turn") {
    VirtualWorld world;
    world.set_duration_ns(ums::kNsPerMs);
    run_virtual_log(world, {}, [](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        std::vector<int> order;
        ums::TaskGroup group;
        for (int i = 0; i < 30; ++i) ums::Scheduler::current().fork(group, commit_and_note(log, 40'000, order, i));
        co_await pause_ms(w, 500);
        const std::size_t fitted = order.size();
        CHECK(fitted > 4);
        CHECK(fitted < 26);
        // A small reservation does not overtake waiting ones.
        int small_done = 0;
        ums::Scheduler::current().fork(group, commit_task(log, 100, small_done));
        co_await pause_ms(w, 500);
        CHECK(order.size() == fitted);
        CHECK(small_done == 0);
        while (order.size() < 30) {
            log.log->truncate(log.log->end_lsn());
            co_await pause_ms(w, 10);
        }
        co_await group.join();
        CHECK(std::is_sorted(order.begin(), order.end()));
        CHECK(small_done == 1);
    });
}

TEST_CASE("a checkpoint is requested when less than two fifths of the log are free, and at the latest when a task waits") {
    VirtualWorld world;
    run_virtual_log(world, {.file_mb = {4}}, [](VirtualWorld&, VirtualLog& log) -> ums::Task<void> {
        std::uint64_t committed_bytes = 0;
        while (!log.log->space().checkpoint_wanted().is_set()) {
            co_await log.commit(40'000);
            committed_bytes += 40'000;
        }
        CHECK(committed_bytes > (4 << 20) * 50 / 100);
        CHECK(committed_bytes < (4 << 20) * 65 / 100);
        log.log->space().checkpoint_wanted().reset();
        log.log->truncate(log.log->end_lsn());
        co_await log.commit(40'000);
        CHECK_FALSE(log.log->space().checkpoint_wanted().is_set());
    });
}

TEST_CASE("a full log still has room for the records of a checkpoint") {
    VirtualWorld world;
    world.set_duration_ns(ums::kNsPerMs);
    run_virtual_log(world, {}, [](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        int done = 0;
        ums::TaskGroup group;
        for (int i = 0; i < 30; ++i) ums::Scheduler::current().fork(group, commit_task(log, 30'000, done));
        co_await pause_ms(w, 500);
        REQUIRE(done < 30);
        const std::uint64_t begin_lsn = log.log->end_lsn();
        for (int i = 0; i < 2; ++i) {
            sim::LogReservation reservation = log.log->space().reserve_for_system();
            sim::LogChange mark;
            mark.kind = sim::LogRecordKind::checkpoint_begin;
            const std::uint64_t lsn = co_await log.log->append(reservation, mark, sizeof(sim::LogRecordHeader));
            CHECK(lsn >= begin_lsn);
            const bool is_hard = co_await log.log->harden(lsn);
            CHECK(is_hard);
        }
        while (done < 30) {
            log.log->truncate(log.log->end_lsn());
            co_await pause_ms(w, 10);
        }
        co_await group.join();
    });
}

TEST_CASE("a truncation that leaves a task waiting for room requests the next checkpoint, one that gives it room requests none") {
    VirtualWorld world;
    run_virtual_log(world, {.file_mb = {4}}, [](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        const std::uint64_t first_lsn = co_await log.commit(40'000);
        co_await commit_up_to_vlf(log, 3);
        ums::Event& wanted = log.log->space().checkpoint_wanted();
        bool has_room = false;
        ums::TaskGroup waiting;
        ums::Scheduler::current().fork(waiting, reserve_and_note(log, 2'000'000, has_room));
        co_await pause_ms(w, 10);
        REQUIRE_FALSE(has_room);
        wanted.reset();
        log.log->truncate(first_lsn);
        CHECK(wanted.is_set());
        wanted.reset();
        log.log->truncate(log.log->end_lsn());
        co_await waiting.join();
        CHECK(has_room);
        CHECK_FALSE(wanted.is_set());
    });
}

TEST_CASE("unused reserved space is given back") {
    VirtualWorld world;
    run_virtual_log(world, {}, [](VirtualWorld&, VirtualLog& log) -> ums::Task<void> {
        for (int i = 0; i < 1000; ++i) {
            sim::LogReservation reservation = co_await log.log->space().reserve(200'000, 10);
            co_await log.log->append(reservation, {}, 64);
        }
        CHECK_FALSE(log.log->space().checkpoint_wanted().is_set());
    });
    CHECK(world.now_us() < 1000);
}

TEST_CASE("space that a task gives back goes to the one that waits for it, without a truncation") {
    VirtualWorld world;
    run_virtual_log(world, {.file_mb = {4}}, [](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        bool has_room = false;
        ums::TaskGroup waiting;
        {
            const sim::LogReservation unused = co_await log.log->space().reserve(2'000'000);
            REQUIRE(static_cast<bool>(unused));
            ums::Scheduler::current().fork(waiting, reserve_and_note(log, 2'000'000, has_room));
            co_await pause_ms(w, 10);
            CHECK_FALSE(has_room);
        }
        co_await pause_ms(w, 10);
        CHECK(has_room);
        log.log->space().refuse();  // ends the wait of a task that was forgotten
        co_await waiting.join();
    });
}

TEST_CASE("every reservation fits, whatever its size, with a checkpoint that truncates now and then") {
    const std::uint64_t seed = ums::testing::test_seed("whatever is reserved fits");
    ums::Prng rounds(seed);
    for (int round = 0; round < 12; ++round) {
        const std::uint64_t round_seed = rounds.next();
        VirtualLogOptions options;
        options.file_mb.assign(1 + rounds.below(2), 1 + rounds.below(3));
        options.alignment_bytes = rounds.below(2) == 0 ? 512 : 4096;
        options.flushes_max = static_cast<std::uint32_t>(rounds.between(1, 20));
        VirtualWorld world(sim::kOutstandingIoMax, 2);
        ums::Prng delays(round_seed);
        world.storage.set_rule([&](const ums::IoRequest&) { return Fate{.delay_ns = delays.below(3 * ums::kNsPerMs)}; });
        std::uint64_t records = 0;
        run_virtual_log(world, options, [&](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
            bool stop = false;
            // Truncates as a checkpoint does.
            auto checkpoint = [](VirtualWorld& wd, VirtualLog& lg, const bool& end) -> ums::Task<void> {
                while (!end) {
                    co_await lg.log->space().checkpoint_wanted().wait(ums::WaitType::checkpoint_queue,
                                                                      wd.clock.now_ns() + 50 * ums::kNsPerMs);
                    lg.log->space().checkpoint_wanted().reset();
                    const std::uint64_t begin_lsn = lg.log->end_lsn();
                    for (int i = 0; i < 2; ++i) {
                        sim::LogReservation reservation = lg.log->space().reserve_for_system();
                        const std::uint64_t lsn = co_await lg.log->append(reservation, {}, sizeof(sim::LogRecordHeader));
                        co_await pause_ms(wd, 2);
                        if (i != 1) continue;
                        const bool is_hard = co_await lg.log->harden(lsn);
                        CHECK(is_hard);
                    }
                    lg.log->truncate(begin_lsn);
                }
            };
            auto user = [](VirtualLog& lg, std::uint64_t user_seed, std::uint64_t& count) -> ums::Task<void> {
                ums::Prng prng(user_seed);
                std::uint64_t last_lsn = 0;
                for (int i = 0; i < 60; ++i) {
                    const auto record_count = static_cast<std::uint32_t>(prng.between(1, 8));
                    std::vector<std::uint64_t> sizes;
                    std::uint64_t sum_bytes = 0;
                    const std::uint64_t most_bytes = prng.chance(1000) ? 2 * sim::kLogRecordBytesMax : 3000;
                    for (std::uint32_t k = 0; k < record_count && sum_bytes < 150'000; ++k) {
                        sizes.push_back(prng.below(most_bytes));
                        sum_bytes += std::max<std::uint64_t>(sizes.back(), sizeof(sim::LogRecordHeader));
                    }
                    sim::LogReservation reservation = co_await lg.log->space().reserve(sum_bytes, static_cast<std::uint32_t>(sizes.size()));
                    for (const std::uint64_t size_bytes : sizes) {
                        const std::uint64_t lsn = co_await lg.log->append(reservation, {}, size_bytes);
                        if (lsn <= last_lsn) FAIL("LSNs must grow");
                        last_lsn = lsn;
                        ++count;
                        if (prng.chance(2000)) co_await ums::Scheduler::current().yield();
                    }
                    if (!prng.chance(5000)) continue;
                    const bool is_hard = co_await lg.log->harden(last_lsn);
                    if (!is_hard) FAIL("the log must not fail");
                }
            };
            ums::TaskGroup checkpoints;
            (*w.schedulers)[1].spawn(checkpoints, "Checkpoint", checkpoint(w, log, stop));
            ums::TaskGroup users;
            for (std::uint32_t i = 0; i < 10; ++i) (*w.schedulers)[i % 2].spawn(users, "User", user(log, round_seed + i, records));
            co_await users.join();
            stop = true;
            log.log->space().checkpoint_wanted().set();
            co_await checkpoints.join();
        });
        CHECK(records > 600);
        CHECK(world.sink.findings().empty());
        CHECK_FALSE(world.state.is_stopping());
    }
}

TEST_CASE("of a large virtual log file, what has been copied does not wait for another copy before the log has left it") {
    VirtualWorld world;
    run_virtual_log(world, {}, [](VirtualWorld&, VirtualLog& log) -> ums::Task<void> {
        sim::SimFile& file = *log.files.front();
        const std::error_code error = co_await file.resize(4 << 20);
        REQUIRE_FALSE(error);
        log.log->space().add(file, 1 << 20, 4 << 20);
        constexpr std::uint32_t kGrown = 5;  // after the four of the first megabyte
        std::uint64_t lsn = 0;
        while (sim::vlf_of_lsn(lsn) < kGrown) lsn = co_await log.commit(40'000);
        for (int i = 0; i < 40; ++i) co_await log.commit(40'000);
        const sim::LogMark mark = log.log->mark();
        CHECK(mark.vlf_sequence == kGrown);
        CHECK(log.log->share_since(mark) == 0);
        for (int i = 0; i < 10; ++i) co_await log.commit(40'000);
        CHECK(log.log->share_since(mark) > 0.09);
        CHECK(log.log->share_since(mark) < 0.11);
        log.log->truncate(log.log->end_lsn());
        while (sim::vlf_of_lsn(lsn) == kGrown) lsn = co_await log.commit(40'000);
        CHECK(log.log->share_since(mark) > 0.7);
    });
}

TEST_CASE("a run ends cleanly before the numbers of its virtual log files are used up") {
    VirtualWorld world;
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        constexpr std::uint64_t kLogBytes = 1 << 20;
        const auto file = w.make_file(1, kLogBytes, true);
        const std::vector<sim::LogFileShape> shapes{{file.get(), kLogBytes, 0}};
        sim::LogPosition position;
        position.last_vlf = sim::kVlfSequenceEnd - 2;
        position.places = sim::divide_log(shapes, sim::kSectorBytes);
        position.used = {{file.get(), position.places.front().offset_bytes, 1}};
        sim::LogSetup setup{{file.get()}, 99, 4};
        setup.position = std::move(position);
        sim::LogManager log(std::move(setup), w.state, w.journal);
        ums::TaskGroup services;
        (*w.schedulers)[0].spawn(services, "Log Writer", log.run_writer());
        std::uint32_t blocks_before = 0;
        for (int i = 0; i < 8; ++i) {
            sim::LogReservation reservation = co_await log.space().reserve(40'000);
            const std::uint64_t lsn = co_await log.append(reservation, {.kind = sim::LogRecordKind::page_update}, 40'000);
            co_await log.harden(lsn);
            CHECK(w.state.is_stopping() == (sim::vlf_of_lsn(lsn) >= sim::kVlfSequenceEnd));
            blocks_before += w.state.is_stopping() ? 0 : 1;
        }
        CHECK(blocks_before == 6);
        log.stop();
        co_await services.join();
    });
    CHECK(world.state.outcome() == sim::Outcome::not_done);
}
