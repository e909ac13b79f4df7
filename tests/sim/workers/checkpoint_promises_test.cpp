// What a checkpoint promises: in the log, and to a ledger outside the storage. In virtual time, on files in memory.
#include <cerrno>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/context/file_resizer.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/workers/checkpoint.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using sim::Checkpoint;

namespace {

// What checkpoints log about exceptions and cuts, and where files were cut.
struct LoggedPromises {
    std::uint32_t unknown_records = 0;
    // According to the last end record.
    std::uint32_t unknown_count = 0;
    // Of each file_cuts: the smallest size, and the LSN of the last cut.
    std::vector<std::pair<std::uint32_t, std::uint64_t>> cuts;
    std::uint64_t last_cut_lsn = 0;

    void take(const sim::LogRecordHeader& record, std::span<const std::byte> body) {
        const auto kind = static_cast<sim::LogRecordKind>(record.kind);
        sim::CheckpointEnd end{};
        sim::FileCuts file_cuts{};
        if (kind == sim::LogRecordKind::page_unknown) ++unknown_records;
        if (kind == sim::LogRecordKind::checkpoint_end && sim::read_body(body, end)) unknown_count = end.unknown_count;
        if (kind == sim::LogRecordKind::file_cuts && sim::read_body(body, file_cuts)) cuts.emplace_back(record.page_id, file_cuts.last_lsn);
        if (kind == sim::LogRecordKind::file_resize && is_cut(record)) last_cut_lsn = record.lsn;
    }
};

// Looks at each block of the log that is written.
void look_at_log(WorkerWorld& world, LoggedPromises& logged) {
    const std::int32_t log_file = world.parts->log_files.front()->transfer_handle().value;
    world.storage.set_rule([log_file, &logged](const ums::IoRequest& request) {
        if (request.operation != ums::IoOperation::write || request.file.value != log_file) return Fate{};
        const auto take = [&logged](const sim::LogRecordHeader& record, std::span<const std::byte> body) { logged.take(record, body); };
        CHECK(sim::for_each_record(request.segments->data, take));
        return Fate{};
    });
}

// A write of each of the first pages of the file has failed for good.
void fail_writes(sim::DataFile& data, std::uint32_t count) {
    for (std::uint32_t page = 1; page <= count; ++page) {
        data.ledger.mark_unknown(page, 1);
        data.unwritten.add(page);
    }
}

std::vector<std::uint32_t> pages_promised(WorkerWorld& world) {
    const sim::PromiseBatch batch = world.parts->promises->take_batch();
    std::vector<std::uint32_t> pages;
    for (const sim::PromisedPage& page : batch.pages) pages.push_back(page.page_id);
    return pages;
}

}  // namespace

TEST_CASE("a checkpoint lists the pages that could not be written, and promises nothing if all files together have more than 256") {
    struct Case {
        std::uint32_t in_first;
        std::uint32_t in_second;
        std::uint32_t listed;
        std::uint32_t told;
    };
    const auto failed = GENERATE(Case{200, 56, 256, 256}, Case{200, 57, 0, sim::kTooManyUnknown}, Case{257, 0, 0, sim::kTooManyUnknown});
    CAPTURE(failed.in_first, failed.in_second);
    WorkerWorld world;
    world.options.files.push_back({.path = "/memory/second.mdx", .initial_size_mb = 1, .max_size_mb = 1});
    LoggedPromises logged;
    world.run([&failed, &logged](WorkerWorld& w) -> ums::Task<void> {
        fail_writes(w.data(), failed.in_first);
        fail_writes(*w.parts->data_files.back(), failed.in_second);
        look_at_log(w, logged);
        Checkpoint checkpoint(w.context());
        co_await checkpoint.run_once();
        w.storage.set_rule(nullptr);
    });
    CHECK(logged.unknown_records == failed.listed);
    CHECK(logged.unknown_count == failed.told);
}

TEST_CASE("what is written while a checkpoint syncs its file is not promised to a ledger by that sync, but by the next one") {
    constexpr std::uint32_t kBefore = 7;
    constexpr std::uint32_t kMeanwhile = 90;
    WorkerWorld world;
    world.has_promises = true;
    world.options.write_through = false;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const std::int32_t file = w.data().file.transfer_handle().value;
        w.storage.set_rule([file](const ums::IoRequest& request) {
            return Fate{.hold = request.operation == ums::IoOperation::sync && request.file.value == file};
        });
        co_await w.change_page(kBefore);
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.run_once());
        co_await wait_for_held(w.storage, w.clock);
        co_await w.change_page(kMeanwhile);
        sim::PageWriter writer = w.context().make_writer();
        co_await writer.write_around(w.data(), kMeanwhile, true);
        CHECK(w.data().ledger[kMeanwhile].version == 1);
        CHECK(pages_promised(w).empty());
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await tasks.join();
        CHECK(pages_promised(w) == std::vector<std::uint32_t>{kBefore});
        co_await checkpoint.run_once();
        CHECK(pages_promised(w) == std::vector<std::uint32_t>{kMeanwhile});
    });
}

TEST_CASE("a ledger is not told of a checkpoint whose end cannot be hardened") {
    WorkerWorld world;
    world.has_promises = true;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        Checkpoint checkpoint(w.context());
        co_await checkpoint.run_once();
        const std::uint64_t told_lsn = w.parts->promises->take_batch().checkpoint_lsn;
        CHECK(told_lsn != 0);
        co_await w.change_page(1);
        const bool is_hardened = co_await w.context().log.flush();
        REQUIRE(is_hardened);
        const std::int32_t file = w.data().file.transfer_handle().value;
        w.storage.set_rule([file](const ums::IoRequest& request) {
            return Fate{.error = request.operation == ums::IoOperation::write && request.file.value != file ? EIO : 0};
        });
        co_await checkpoint.run_once();
        w.storage.set_rule(nullptr);
        CHECK(w.data().ledger[1].version == 1);
        CHECK(w.parts->promises->take_batch().checkpoint_lsn == told_lsn);
    });
}

TEST_CASE("a checkpoint logs how small a file has been since the run began, and where it was cut last") {
    WorkerWorld world;
    LoggedPromises logged;
    world.run([&logged](WorkerWorld& w) -> ums::Task<void> {
        look_at_log(w, logged);
        Checkpoint checkpoint(w.context());
        co_await checkpoint.run_once();
        CHECK(logged.cuts.empty());
        sim::FileResizer resizer(w.context());
        for (const std::uint64_t size_mb : {2U, 8U, 4U, 6U}) co_await resizer.resize(w.data(), size_mb * ums::kMb);
        co_await checkpoint.run_once();
        w.storage.set_rule(nullptr);
    });
    REQUIRE(logged.cuts.size() == 1);
    CHECK(logged.cuts[0].first == 2 * ums::kMb / sim::kPageBytes);
    CHECK(logged.last_cut_lsn != 0);
    CHECK(logged.cuts[0].second == logged.last_cut_lsn);
}
