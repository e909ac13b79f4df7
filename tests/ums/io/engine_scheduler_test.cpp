// The engines below real schedulers: tasks that read and write real files.
#include <atomic>

#include "tests/support/catch.hpp"
#include "tests/ums/io/engines.hpp"
#include "tests/ums/io/memory.hpp"
#include "tests/ums/io/temp_folder.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/posix_storage.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler_group.hpp"

using namespace ums;
using namespace ums::testing;

namespace {

constexpr std::uint64_t kTaskPageBytes = 8192;
constexpr std::uint32_t kPagesPerTask = 40;

struct Shared {
    FileHandle file;
    std::atomic<std::uint32_t> good_pages{0};
};

void fill_page(const Memory& memory, std::uint64_t page) { memory.fill(1000 + page); }

// Writes and reads back pages that only this task uses.
Task<void> write_and_check(Shared& shared, std::uint64_t first_page) {
    const Memory written(kTaskPageBytes);
    const Memory read(kTaskPageBytes);
    const std::vector<IoSegment> sources{{written.data(), 4096}, {written.data() + 4096, 4096}};
    const std::vector<IoSegment> targets{{read.data(), kTaskPageBytes}};
    for (std::uint64_t page = first_page; page < first_page + kPagesPerTask; ++page) {
        fill_page(written, page);
        IoRequest write = make_request(IoOperation::write, shared.file, page * kTaskPageBytes, sources);
        write.durable = page % 16 == 0;
        co_await Scheduler::current().io(write);
        IoRequest back = make_request(IoOperation::read, shared.file, page * kTaskPageBytes, targets);
        co_await Scheduler::current().io(back);
        if (write.is_complete_transfer() && back.is_complete_transfer() && read.equals(written)) ++shared.good_pages;
    }
}

Task<void> run_tasks(SchedulerGroup& group, Shared& shared, std::uint32_t count) {
    TaskGroup tasks;
    for (std::uint32_t i = 0; i < count; ++i) {
        group[i % group.size()].spawn(tasks, "Writer", write_and_check(shared, std::uint64_t{i} * kPagesPerTask));
    }
    co_await tasks.join();
}

std::vector<EngineKind> engine_kinds() {
    std::vector<EngineKind> kinds{EngineKind::threads};
    if (has_uring()) kinds.push_back(EngineKind::uring);
    return kinds;
}

}  // namespace

TEST_CASE("tasks on several schedulers write pages and read them back") {
    const EngineKind kind = GENERATE(from_range(engine_kinds()));
    const std::uint32_t cpu_count = GENERATE(1U, 3U);
    const std::uint32_t queue_depth = GENERATE(4U, 1024U);
    CAPTURE(kind, cpu_count, queue_depth);
    TempFolder folder;
    PosixStorage storage;
    const RealClock clock;
    SchedulerGroupOptions options;
    options.cpu_count = cpu_count;
    options.engine.kind = kind;
    options.engine.queue_depth = queue_depth;
    SchedulerGroup group(options, storage, clock);
    Shared shared;
    OpenOptions open_options;
    open_options.create_new = true;
    open_options.direct = folder.has_direct_io();
    REQUIRE(!storage.open(folder.file("data.mdx"), open_options, shared.file));
    constexpr std::uint32_t kTasks = 20;
    group.run(run_tasks(group, shared, kTasks));
    CHECK(shared.good_pages == kTasks * kPagesPerTask);
    storage.close(shared.file);
}

namespace {

// Two tasks that wake each other up in turn, each through the other scheduler's engine.
Task<void> ping(Event& mine, Event& other, std::uint32_t rounds, std::uint32_t& count) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
        co_await mine.wait(WaitType::sleep_task);
        mine.reset();
        ++count;
        other.set();
    }
}

Task<void> run_ping(SchedulerGroup& group, std::uint32_t rounds, std::uint32_t& first, std::uint32_t& second) {
    Event first_turn;
    Event second_turn;
    TaskGroup tasks;
    group[0].spawn(tasks, "First", ping(first_turn, second_turn, rounds, first));
    group[1].spawn(tasks, "Second", ping(second_turn, first_turn, rounds, second));
    first_turn.set();
    co_await tasks.join();
}

}  // namespace

TEST_CASE("schedulers that sleep in their engines wake each other without waiting for a timeout") {
    const EngineKind kind = GENERATE(from_range(engine_kinds()));
    CAPTURE(kind);
    PosixStorage storage;
    const RealClock clock;
    SchedulerGroupOptions options;
    options.cpu_count = 2;
    options.engine.kind = kind;
    SchedulerGroup group(options, storage, clock);
    constexpr std::uint32_t kRounds = 2000;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    const std::uint64_t started = clock.now_ns();
    group.run(run_ping(group, kRounds, first, second));
    CHECK(first == kRounds);
    CHECK(second == kRounds);
    // A lost wake-up costs a second.
    CHECK(clock.now_ns() - started < 15 * kNsPerSecond);
    CHECK(group[0].statistics().wakeups_from_others > 0);
}
