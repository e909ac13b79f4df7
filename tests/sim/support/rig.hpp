// The parts of a run over real files in a folder of their own, put together for a test: files, log, buffer pool. The storage can be made to
// fail (FaultyStorage). Everything is closed again after the test's coroutine.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/buffer/buffer_manager.hpp"
#include "sim/buffer/page_writer.hpp"
#include "sim/buffer/range_reader.hpp"
#include "sim/log/log_manager.hpp"
#include "sim/options.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/sim/support/faulty_storage.hpp"
#include "tests/support/process.hpp"
#include "ums/io/posix_storage.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim::testing {

struct RigOptions {
    std::uint32_t cpu_count = 1;
    std::uint32_t data_files = 1;
    std::uint64_t data_mb = 2;
    std::uint64_t log_mb = 2;
    std::uint64_t pool_bytes = 4 << 20;
    std::uint32_t cache_hit_ratio = 10000;
    std::uint32_t log_flushes_max = 112;
    std::uint32_t log_alignment_bytes = 512;
    std::uint64_t shuffle_seed = 0;
    bool repairs = false;  // persistently wrong pages are rewritten
};

class Rig {
public:
    static constexpr std::uint64_t kRunId = 0x1234'5678'9abc'def0;

    explicit Rig(const RigOptions& rig_options = {});

    // Runs `body(rig)`, a coroutine that returns Task<void>, with all parts in place. The log writer runs concurrently.
    template <typename Body>
    void run(Body&& body) {
        run_main([&]() -> ums::Task<void> { return body(*this); });
    }

    // What the test manipulates and examines.
    test::TempFolder folder;
    ums::RealClock clock;
    ums::PosixStorage posix;
    FaultyStorage storage{posix, clock};
    CollectingSink sink;
    Journal journal{clock, sink};
    RunState state;
    Options options;
    const RigOptions settings;

    // Only within run().
    ums::SchedulerGroup* schedulers = nullptr;
    std::vector<std::unique_ptr<DataFile>> data_files;
    std::vector<std::unique_ptr<SimFile>> log_files;
    std::unique_ptr<LogManager> log;
    std::unique_ptr<BufferPool> pool;
    std::unique_ptr<PageDiagnosis> diagnosis;
    std::unique_ptr<PageChecker> checker;
    std::unique_ptr<BufferManager> buffers;

    [[nodiscard]] DataFile& data(std::size_t index = 0) { return *data_files[index]; }
    [[nodiscard]] SimFile& log_file(std::size_t index = 0) { return *log_files[index]; }
    [[nodiscard]] std::string data_path(std::size_t index = 0) const { return folder / ("d" + std::to_string(index) + ".mdx"); }
    [[nodiscard]] std::string log_path() const { return folder / "l.ldx"; }
    [[nodiscard]] RangeReader make_reader(bool use_scatter = true, bool merge_buffers = true) {
        return RangeReader(*buffers, state, journal, {use_scatter, merge_buffers});
    }
    [[nodiscard]] PageWriter make_writer(std::uint32_t gather_pages_max = 128, bool use_gather = true, bool merge_buffers = true) {
        return PageWriter({kRunId, gather_pages_max, use_gather, merge_buffers}, *pool, log.get(), state, journal);
    }

    // Gives the page a new version, as a user does. Returns the LSN of the change, or 0 if the page was not available.
    ums::Task<std::uint64_t> change_page(DataFile& file, std::uint32_t page, FixIntent intent = FixIntent::overwrite);
    // Gives pages [first, first + count) a new version each and writes all of them out.
    ums::Task<void> write_pages(DataFile& file, std::uint32_t first, std::uint32_t count);
    // Takes the pages out of memory; they must be clean and unused.
    void forget_pages(DataFile& file, std::uint32_t first, std::uint32_t count);

private:
    template <typename Start>
    void run_main(Start start) {
        ums::SchedulerGroupOptions group_options;
        group_options.cpu_count = settings.cpu_count;
        group_options.shuffle_seed = settings.shuffle_seed;
        ums::SchedulerGroup group(group_options, storage, clock);
        schedulers = &group;
        auto main = [](Rig& rig, Start& body) -> ums::Task<void> {
            co_await rig.open();
            std::exception_ptr failure;
            try {
                co_await body();
            } catch (...) {
                failure = std::current_exception();
            }
            co_await rig.close();
            if (failure) std::rethrow_exception(failure);
        };
        group.run(main(*this, start));
        schedulers = nullptr;
    }

    ums::Task<void> open();
    ums::Task<void> close();

    ums::Semaphore outstanding_{kOutstandingIoMax};
    ums::TaskGroup log_writer_;
};

}  // namespace sim::testing
