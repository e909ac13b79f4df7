// What every engine promises about sleeping, waking up and its own threads.
#include <bit>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/thread_cpus.hpp"
#include "tests/ums/io/engine_bench.hpp"
#include "ums/base/os_thread.hpp"

using namespace ums;
using namespace ums::testing;

TEST_CASE("wait starts what was queued and ends when it has finished") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);
    IoRequest sync = make_request(IoOperation::sync, bench.file);
    bench.engine->submit(sync);
    const auto started = std::chrono::steady_clock::now();
    IoRequestList finished;
    while (finished.empty()) {
        bench.engine->wait(10 * kNsPerSecond);
        bench.engine->poll(finished);
    }
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(5));
    finished.pop_front();
}

TEST_CASE("wait ends when its timeout expires") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    const auto engine = variant.make({});
    const auto started = std::chrono::steady_clock::now();
    engine->wait(30 * kNsPerMs);
    const auto waited = std::chrono::steady_clock::now() - started;
    CHECK(waited >= std::chrono::milliseconds(29));
    CHECK(waited < std::chrono::seconds(5));
    engine->wait(0);
}

TEST_CASE("wake ends a wait that is in progress") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    const auto engine = variant.make({});
    for (int round = 0; round < 3; ++round) {
        const auto started = std::chrono::steady_clock::now();
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            engine->wake();
        });
        engine->wait(20 * kNsPerSecond);
        const auto waited = std::chrono::steady_clock::now() - started;
        other.join();
        CHECK(waited >= std::chrono::milliseconds(20));
        CHECK(waited < std::chrono::seconds(10));
    }
}

TEST_CASE("a wake before the wait is not lost, even if finished requests are collected in between") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);
    const auto started = std::chrono::steady_clock::now();
    bench.engine->wait(0);  // creates whatever is created on first use
    for (int round = 0; round < 3; ++round) {
        bench.engine->wake();
        IoRequestList finished;
        bench.engine->poll(finished);
        bench.engine->wait(20 * kNsPerSecond);
    }
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(10));
    // No wake-up is left over: the next wait sleeps.
    const auto quiet = std::chrono::steady_clock::now();
    bench.engine->wait(30 * kNsPerMs);
    CHECK(std::chrono::steady_clock::now() - quiet >= std::chrono::milliseconds(29));
}

TEST_CASE("an engine may be created on one thread and used on another") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);
    IoRequest sync = make_request(IoOperation::sync, bench.file);
    std::thread owner([&] { finish(*bench.engine, sync); });
    owner.join();
    CHECK(!sync.error);
}

namespace {

// Those that fit into a mask.
std::uint64_t own_cpus() {
    std::uint64_t mask = 0;
    for (const std::uint32_t cpu : cpus_of_this_thread()) mask |= cpu < 64 ? std::uint64_t{1} << cpu : 0;
    return mask;
}

}  // namespace

TEST_CASE("the engine's own threads run on the CPUs of io_affinity") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    const std::uint64_t all = own_cpus();
    if (all == 0) return;
    const auto last_cpu = static_cast<unsigned>(63 - std::countl_zero(all));
    EngineOptions options;
    options.io_affinity = std::uint64_t{1} << last_cpu;
    Bench bench(variant, options);
    IoRequest sync = make_request(IoOperation::sync, bench.file);
    finish(*bench.engine, sync);  // needs a thread in every engine
    const std::vector<std::string> lists = cpus_unless(bench.engine->name() == "uring" ? "iou-wrk" : "io ",
                                                       [&](const std::string& list) { return list != std::to_string(last_cpu); });
    CHECK(!lists.empty());
    for (const std::string& list : lists) CHECK(list == std::to_string(last_cpu));
}

TEST_CASE("without io_affinity no thread of an engine's own is bound to the CPU of the thread that uses it") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    const std::vector<std::uint32_t> all = cpus_of_this_thread();
    if (all.size() < 2) {
        WARN("not tried: there is only one CPU");
        return;
    }
    Bench bench(variant);
    std::vector<std::string> lists;
    std::thread owner([&] {
        bind_this_thread({&all.front(), 1});
        std::vector<IoRequest> syncs(50, make_request(IoOperation::sync, bench.file));
        for (IoRequest& sync : syncs) bench.engine->submit(sync);
        collect(*bench.engine, 50);
        // Not io_uring's workers: from Linux 6.2 on, they keep the CPUs of the thread that uses the ring.
        lists = cpus_unless("io ", [&all](const std::string& list) { return list == std::to_string(all.front()); });
    });
    owner.join();
    CHECK(!lists.empty());
    for (const std::string& list : lists) CHECK(list != std::to_string(all.front()));
}

TEST_CASE("the engine's own threads run on the CPUs of thread_cpus, whatever io_affinity says") {
    const std::vector<std::uint32_t> all = cpus_of_this_thread();
    REQUIRE(!all.empty());
    EngineOptions options;
    options.io_affinity = ~std::uint64_t{0};
    options.thread_cpus = {all.back()};
    Bench bench(engine_variants().front(), options);
    std::vector<IoRequest> syncs(50, make_request(IoOperation::sync, bench.file));
    for (IoRequest& sync : syncs) bench.engine->submit(sync);
    collect(*bench.engine, 50);
    const std::vector<std::string> lists =
        cpus_unless("io ", [&all](const std::string& list) { return list != std::to_string(all.back()); });
    CHECK(!lists.empty());
    for (const std::string& list : lists) CHECK(list == std::to_string(all.back()));
}

TEST_CASE("the pool creates threads when they are needed, and at most as many as the queue depth") {
    EngineOptions options;
    options.queue_depth = 3;
    const auto variant = engine_variants().front();
    Bench bench(variant, options);
    // A thread of an earlier engine may have been joined and still be on the system's list.
    for (int i = 0; i < 1000 && cpus_of_threads("io ").size() > 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(cpus_of_threads("io ").size() <= 1);  // the first one is created with the engine
    std::vector<IoRequest> syncs(50, make_request(IoOperation::sync, bench.file));
    // On a busy machine the first thread may have done all of them before a second one is needed.
    for (int i = 0; i < 100 && cpus_of_threads("io ").size() <= 1; ++i) {
        for (IoRequest& sync : syncs) {
            sync.reset();
            bench.engine->submit(sync);
        }
        collect(*bench.engine, 50);
    }
    CHECK(cpus_of_threads("io ").size() > 1);
    CHECK(cpus_of_threads("io ").size() <= 3);
}
