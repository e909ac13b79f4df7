#include "sim/files/sim_file.hpp"

#include <cerrno>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "ums/base/units.hpp"
#include "ums/io/forwarding_storage.hpp"

using sim::SimFile;
using sim::testing::Fate;
using sim::testing::Rig;
using sim::testing::VirtualWorld;

namespace {

using ums::kMb;

// A transfer of `pages` pages; in virtual time no data is moved.
ums::Task<sim::TransferResult> transfer(SimFile& file, ums::IoOperation operation, std::uint64_t page, std::uint32_t pages,
                                        std::uint64_t segment_bytes = sim::kPageBytes) {
    const std::vector<ums::IoSegment> segments(pages, {nullptr, segment_bytes});
    co_return co_await file.transfer(operation, page * sim::kPageBytes, segments, ums::WaitType::io_completion);
}

std::uint64_t sum(const SimFile& file, ums::LocalCounter sim::FileCounters::*member) { return sim::sum_of(file.counters(), member); }

}  // namespace

TEST_CASE("dropping cached pages does not take the error of a lost write away from the next sync") {
    // As Linux does, tells each handle once.
    class LossyStorage final : public ums::ForwardingStorage {
    public:
        using ForwardingStorage::ForwardingStorage;
        std::error_code drop_cache(ums::FileHandle file) override {
            told.insert(file.value);
            return {};
        }
        std::set<std::int32_t> told;
    };
    VirtualWorld world;
    LossyStorage lossy(world.storage);
    world.storage.set_rule([&](const ums::IoRequest& request) {
        const bool is_news = request.operation == ums::IoOperation::sync && lossy.told.insert(request.file.value).second;
        return is_news ? Fate{.error = EIO} : Fate{};
    });
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        SimFile::Setup setup = w.setup(1, kMb);
        setup.control.value = 2;
        const sim::FileContext context{lossy, w.outstanding, w.state, w.journal, w.load};
        const auto file = std::make_unique<SimFile>(std::move(setup), context);
        co_await file->drop_cache();
        const std::error_code error = co_await file->sync();
        CHECK(error == std::errc::io_error);
    });
    CHECK(world.sink.findings().size() == 1);
}

TEST_CASE("each call of a file that is no request is watched, under its name") {
    // Lets 20 s pass in each call.
    class TardyStorage final : public ums::ForwardingStorage {
    public:
        TardyStorage(ums::Storage& inner, ums::VirtualClock& clock) : ums::ForwardingStorage(inner), clock_(clock) {}
        std::error_code open(const std::string&, const ums::OpenOptions&, ums::FileHandle&) override { return pause(); }
        std::error_code reopen(ums::FileHandle, const ums::OpenOptions&, ums::FileHandle&) override { return pause(); }
        void close(ums::FileHandle) override { pause(); }
        std::error_code size(ums::FileHandle, std::uint64_t& size_bytes) override {
            size_bytes = kMb;
            return pause();
        }
        std::error_code next_data(ums::FileHandle, std::uint64_t, std::uint64_t&, std::uint64_t&) override { return pause(); }
        std::error_code free_space(const std::string&, std::uint64_t&) override { return pause(); }
        std::error_code drop_cache(ums::FileHandle) override { return pause(); }

    private:
        std::error_code pause() {
            clock_.advance_to(clock_.now_ns() + 20 * ums::kNsPerSecond);
            return {};
        }
        ums::VirtualClock& clock_;
    };
    VirtualWorld world;
    TardyStorage tardy(world.storage, world.clock);
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        const sim::FileContext context{tardy, w.outstanding, w.state, w.journal, w.load};
        SimFile file(w.setup(1, kMb), context);
        ums::FileHandle handle;
        co_await file.drop_cache();
        co_await file.open_again(handle);
        co_await file.close_again(handle);
        co_await file.look_at_size();
        co_await file.next_data_bytes(0);
        co_await file.free_space_text();
        co_await file.open_anew();  // five calls as one
        {
            const SimFile closed(w.setup(2, kMb), context);  // two calls as one
        }
        w.journal.calls().look();
    });
    for (const std::string call :
         {"flush of cached pages", "opening", "closing", "query of the size", "search for holes", "query of the free space"}) {
        INFO(call);
        CHECK(world.sink.count_of(sim::Severity::warning, ": " + call + " of f1.mdx returned after 20000 ms.") == 1);
    }
    CHECK(world.sink.count_of(sim::Severity::warning, ": opening of f1.mdx returned after 100000 ms.") == 1);
    CHECK(world.sink.count_of(sim::Severity::warning, ": closing of f2.mdx returned after 40000 ms.") == 1);
    CHECK(world.sink.events().size() == 8);
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a file that has become larger than page numbers can count ends at the last one") {
    class EndlessStorage final : public ums::ForwardingStorage {
    public:
        using ForwardingStorage::ForwardingStorage;
        std::error_code size(ums::FileHandle, std::uint64_t& size_bytes) override {
            size_bytes = (sim::kFilePagesMax + 1) * sim::kPageBytes;
            return {};
        }
    };
    VirtualWorld world;
    EndlessStorage large(world.storage);
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        const sim::FileContext context{large, w.outstanding, w.state, w.journal, w.load};
        SimFile file(w.setup(1, kMb), context);
        const std::error_code error = co_await file.look_at_size();
        CHECK_FALSE(error);
        CHECK(file.pages() == sim::kFilePagesMax);
    });
}

TEST_CASE("single-page and multi-page requests are counted separately, with bytes and times") {
    VirtualWorld world;
    world.storage.set_rule(
        [](const ums::IoRequest& request) { return Fate{.delay_ns = request.size_bytes / sim::kPageBytes * ums::kNsPerMs}; });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        for (int i = 0; i < 3; ++i) co_await transfer(*file, ums::IoOperation::read, 1, 1);
        for (int i = 0; i < 2; ++i) co_await transfer(*file, ums::IoOperation::read, 1, 64);
        for (int i = 0; i < 4; ++i) co_await transfer(*file, ums::IoOperation::write, 1, 1);
        for (int i = 0; i < 5; ++i) co_await transfer(*file, ums::IoOperation::write, 2, 2);
        CHECK(sum(*file, &sim::FileCounters::reads) == 3);
        CHECK(sum(*file, &sim::FileCounters::scatter_reads) == 2);
        CHECK(sum(*file, &sim::FileCounters::writes) == 4);
        CHECK(sum(*file, &sim::FileCounters::gather_writes) == 5);
        CHECK(sum(*file, &sim::FileCounters::read_bytes) == (3 + 2 * 64) * 8192);
        CHECK(sum(*file, &sim::FileCounters::written_bytes) == (4 + 5 * 2) * 8192);
        CHECK(sim::io_time_ns_of(file->counters()) == (3 + 2 * 64 + 4 + 5 * 2) * ums::kNsPerMs);
        CHECK(sim::latency_of(file->counters(), sim::IoClass::scatter_read).max_ns == 64 * ums::kNsPerMs);
        CHECK(file->governor().blocks() == 1);
    });
}

TEST_CASE("all requests of a log file count as single-page, whatever their length") {
    VirtualWorld world;
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb, true);
        co_await transfer(*file, ums::IoOperation::write, 1, 7);
        co_await transfer(*file, ums::IoOperation::read, 1, 7);
        co_await transfer(*file, ums::IoOperation::write, 1, 1, 512);
        CHECK(sum(*file, &sim::FileCounters::writes) == 2);
        CHECK(sum(*file, &sim::FileCounters::gather_writes) == 0);
        CHECK(sum(*file, &sim::FileCounters::reads) == 1);
        CHECK(sum(*file, &sim::FileCounters::scatter_reads) == 0);
    });
}

TEST_CASE("the time of all requests together has the fractions of a microsecond of each") {
    VirtualWorld world;
    world.set_duration_ns(2'900);
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        for (int i = 0; i < 10; ++i) co_await transfer(*file, ums::IoOperation::read, 1, 1);
        CHECK(sim::io_time_ns_of(file->counters()) == 29'000);
    });
}

TEST_CASE("a transfer that ends early or fails counts the bytes that were transferred, and its time") {
    VirtualWorld world;
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        w.storage.set_rule([](const ums::IoRequest&) { return Fate{.transferred_bytes = 4096, .delay_ns = ums::kNsPerMs}; });
        const sim::TransferResult cut = co_await transfer(*file, ums::IoOperation::read, 0, 2);
        CHECK_FALSE(cut.error);
        CHECK(cut.transferred_bytes == 4096);
        CHECK(cut.duration_us == 1000);
        w.storage.set_rule([](const ums::IoRequest&) { return Fate{.error = EIO, .delay_ns = 2 * ums::kNsPerMs}; });
        const sim::TransferResult failed = co_await transfer(*file, ums::IoOperation::read, 0, 2);
        CHECK(failed.error == std::errc::io_error);
        CHECK(failed.transferred_bytes == 0);
        CHECK(sum(*file, &sim::FileCounters::read_bytes) == 4096);
        CHECK(sum(*file, &sim::FileCounters::scatter_reads) == 2);
        CHECK(sim::io_time_ns_of(file->counters()) == 3 * ums::kNsPerMs);
    });
}

TEST_CASE("a file may have as many requests as TargetIODuration and MaxOutstandingIO allow, from any number of CPUs") {
    sim::Options options;
    options.target_io_duration_ms = 33;
    options.max_outstanding_io = 44;
    options.cpu_count = 3;
    const sim::FileLoad load = sim::load_of(options);
    CHECK(load.target_io_duration_ms == 33);
    CHECK(load.request_blocks_max == 44);
    CHECK(load.cpu_count == 3);
    options.max_outstanding_io = 0;
    CHECK(sim::load_of(options).request_blocks_max == sim::kOutstandingIoMax);
}

TEST_CASE("a request whose turn comes while the run is stopping is not posted, unless it has to be") {
    VirtualWorld world;
    world.set_duration_ns(3 * ums::kNsPerMs);
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        w.load.request_blocks_max = 1;
        const auto file = w.make_file(1, kMb);
        std::vector<sim::TransferResult> results;
        auto read = [&](sim::OnStop on_stop) -> ums::Task<void> {
            const ums::IoSegment segment{nullptr, sim::kPageBytes};
            results.push_back(co_await file->transfer(ums::IoOperation::read, 0, {&segment, 1}, ums::WaitType::io_completion, on_stop));
        };
        const std::uint64_t begin_us = w.now_us();
        ums::TaskGroup reads;
        for (int i = 0; i < 3; ++i) ums::Scheduler::current().fork(reads, read(sim::OnStop::abandon));
        ums::Scheduler::current().fork(reads, read(sim::OnStop::post));
        co_await ums::sleep_until(w.clock.now_ns() + 4 * ums::kNsPerMs);  // the second one is outstanding
        w.state.stop(sim::Outcome::stopped, "");
        co_await reads.join();
        REQUIRE(results.size() == 4);
        for (std::size_t i = 0; i < 4; ++i) CHECK(results[i].is_abandoned == (i == 2));
        CHECK(sum(*file, &sim::FileCounters::reads) == 3);
        CHECK(w.now_us() - begin_us == 9000);
        CHECK(file->governor().average_us() == 3000);
        CHECK(file->governor().busy() == 0);
        CHECK(w.outstanding.available() == sim::kOutstandingIoMax);
    });
}

TEST_CASE("MaxOutstandingIO applies to all files together, and waiting tasks continue in turn") {
    VirtualWorld world(3);
    std::uint32_t outstanding = 0;
    std::uint32_t outstanding_max = 0;
    struct Watch final : sim::testing::FaultyStorage::Observer {
        Watch(std::uint32_t& count, std::uint32_t& count_max) : now(count), most(count_max) {}
        void on_begin(const ums::IoRequest&) override { most = std::max(most, ++now); }
        void on_end(const ums::IoRequest&) override { --now; }
        std::uint32_t& now;
        std::uint32_t& most;
    } watch(outstanding, outstanding_max);
    world.storage.set_observer(&watch);
    world.set_duration_ns(10 * ums::kNsPerMs);
    const std::uint64_t start_us = world.now_us();
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto first = w.make_file(1, kMb);
        const auto second = w.make_file(2, kMb);
        ums::TaskGroup group;
        auto reader = [](SimFile& file) -> ums::Task<void> { co_await transfer(file, ums::IoOperation::read, 0, 1); };
        for (int i = 0; i < 15; ++i) {
            ums::Scheduler::current().fork(group, reader(*first));
            ums::Scheduler::current().fork(group, reader(*second));
        }
        co_await group.join();
        // Time spent waiting for the limit does not count as the storage's.
        CHECK(sim::latency_of(first->counters(), sim::IoClass::read).max_ns == 10 * ums::kNsPerMs);
        CHECK(sim::io_time_ns_of(first->counters()) == 150 * ums::kNsPerMs);
    });
    CHECK(outstanding_max == 3);
    CHECK(world.now_us() - start_us == 100'000);
}

TEST_CASE("a completed request that took 15 seconds gives a warning, a shorter one does not") {
    VirtualWorld world;
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        w.set_duration_ns(14'999 * ums::kNsPerMs);
        co_await transfer(*file, ums::IoOperation::read, 3, 1);
        CHECK(w.sink.events().empty());
        CHECK(sum(*file, &sim::FileCounters::long_ios) == 0);
        w.set_duration_ns(15'000 * ums::kNsPerMs);
        co_await transfer(*file, ums::IoOperation::write, 3, 2);
        CHECK(sum(*file, &sim::FileCounters::long_ios) == 1);
        const auto events = w.sink.events();
        REQUIRE(events.size() == 1);
        CHECK(events[0].severity == sim::Severity::warning);
        CHECK(events[0].description ==
              "I/O request took longer than 15 seconds: write of 16384 bytes at offset 0x6000 of f1.mdx completed after 15000 ms.");
        CHECK(events[0].user == "Main");
    });
}

TEST_CASE("writes are durable if the file was opened for that, reads never are") {
    VirtualWorld world;
    std::vector<bool> durable;
    world.storage.set_rule([&](const ums::IoRequest& request) {
        durable.push_back(request.durable);
        return Fate{};
    });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        SimFile::Setup setup = w.setup(1, kMb);
        setup.durability = sim::Durability::write_through;
        const auto through = w.make_file(setup);
        setup.durability = sim::Durability::forced_flush;
        const auto cached = w.make_file(setup);
        for (SimFile* file : {through.get(), cached.get()}) {
            co_await transfer(*file, ums::IoOperation::read, 0, 1);
            co_await transfer(*file, ums::IoOperation::write, 0, 1);
        }
    });
    CHECK(durable == std::vector<bool>{false, true, false, false});
}

TEST_CASE("no request that is unaligned or beyond the end of the file reaches the storage") {
    const auto attempt = [](std::uint64_t page, std::uint32_t pages, std::uint64_t segment_bytes) {
        return ums::testing::aborts([&] {
            VirtualWorld world;
            world.run([&](VirtualWorld& w) -> ums::Task<void> {
                const auto file = w.make_file(1, kMb);
                co_await transfer(*file, ums::IoOperation::write, page, pages, segment_bytes);
            });
        });
    };
    CHECK_FALSE(attempt(127, 1, sim::kPageBytes));
    CHECK(attempt(128, 1, sim::kPageBytes));
    CHECK(attempt(127, 2, sim::kPageBytes));
    CHECK(attempt(0, 1, 100));
    CHECK(attempt(0, 0, sim::kPageBytes));
}

TEST_CASE("a file grows with allocated zeros, and what is cut off is gone") {
    Rig rig({.data_mb = 1});
    rig.run([](Rig& r) -> ums::Task<void> {
        SimFile& file = r.data().file;
        CHECK(file.pages() == 128);
        const std::error_code error_1 = co_await file.resize(3 * kMb);
        CHECK_FALSE(error_1);
        CHECK(file.pages() == 384);
        CHECK(sim::testing::size_of_file(r.data_path()) == 3 * kMb);
        CHECK(sim::testing::allocated_bytes_of(r.data_path()) >= 3 * kMb);
        sim::testing::poke(r.data_path(), 2 * kMb, std::vector<std::byte>(512, std::byte{1}));
        const std::error_code error_2 = co_await file.resize(kMb);
        CHECK_FALSE(error_2);
        CHECK(sim::testing::size_of_file(r.data_path()) == kMb);
        const std::error_code error_3 = co_await file.resize(3 * kMb);
        CHECK_FALSE(error_3);
        CHECK(sim::testing::peek(r.data_path(), 2 * kMb, 512) == std::vector<std::byte>(512, std::byte{0}));
    });
}

TEST_CASE("a resize that the system refuses leaves the file as it was") {
    Rig rig({.data_mb = 1});
    rig.run([](Rig& r) -> ums::Task<void> {
        SimFile& file = r.data().file;
        r.storage.set_rule(
            [](const ums::IoRequest& request) { return request.operation == ums::IoOperation::allocate ? Fate{.error = ENOSPC} : Fate{}; });
        const std::error_code error_4 = co_await file.resize(2 * kMb);
        CHECK(error_4 == std::errc::no_space_on_device);
        r.storage.set_rule(nullptr);
        CHECK(file.size_bytes() == kMb);
        CHECK(sim::testing::size_of_file(r.data_path()) == kMb);
    });
}

TEST_CASE("a sparse file knows its holes") {
    Rig rig({.data_mb = 1});
    rig.options.files[0].sparse = true;
    rig.run([](Rig& r) -> ums::Task<void> {
        SimFile& file = r.data().file;
        std::uint64_t known_bytes = 0;
        const bool tells_holes = co_await file.is_hole(64 * sim::kPageBytes, 64 * sim::kPageBytes, known_bytes);
        if (!tells_holes) {
            WARN("the file system of the temporary folder does not tell holes");
            co_return;
        }
        CHECK(known_bytes == kMb);
        known_bytes = 0;
        const bool is_hole_1 = co_await file.is_hole(0, sim::kPageBytes, known_bytes);
        CHECK_FALSE(is_hole_1);
        sim::testing::poke(r.data_path(), 100 * sim::kPageBytes, std::vector<std::byte>(512, std::byte{1}));
        known_bytes = 0;
        const bool is_hole_2 = co_await file.is_hole(64 * sim::kPageBytes, 64 * sim::kPageBytes, known_bytes);
        CHECK_FALSE(is_hole_2);
        const bool is_hole_3 = co_await file.is_hole(64 * sim::kPageBytes, 8 * sim::kPageBytes, known_bytes);
        CHECK(is_hole_3);
        CHECK(known_bytes >= 72 * sim::kPageBytes);
        CHECK(known_bytes <= 100 * sim::kPageBytes);
        const std::error_code error_5 = co_await file.resize(2 * kMb);
        CHECK_FALSE(error_5);
        known_bytes = 0;
        const bool is_hole_4 = co_await file.is_hole(128 * sim::kPageBytes, 100 * sim::kPageBytes, known_bytes);
        CHECK(is_hole_4);
        CHECK(known_bytes == 2 * kMb);  // the file system need not be asked about the rest of the hole
    });
}
