// A measurement: creates or examines the files, keeps a load on them for a while, reads back what it wrote, and reports what was done and
// what it cost. It uses the path of a run: the same scheduler, engine, files, buffer pool, verification and ledger, and the same rule for
// existing files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/bench/bench_load.hpp"
#include "sim/bench/bench_options.hpp"
#include "sim/bench/bench_results.hpp"
#include "sim/errors.hpp"
#include "sim/event.hpp"
#include "sim/files/file_creator.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/process_usage.hpp"
#include "ums/io/storage.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

class Bench {
public:
    // `storage`, `clock` and `sink` must outlive the object. Opens nothing yet.
    Bench(BenchOptions options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink);
    ~Bench();

    // Blocks until the measurement is done. Once per object. Throws RefusedError or EnvironmentError if it could not begin, and then
    // removes the files that it created. Otherwise these files stay.
    BenchResults run();

    // Ends the measurement cleanly. Any thread, any time; does not block.
    void request_stop();

private:
    struct Totals {
        std::uint64_t requests = 0;
        std::uint64_t bytes = 0;
        std::uint64_t io_time_ns = 0;
        std::uint64_t pages_verified = 0;
        ums::ProcessUsage usage;
        std::uint64_t now_ns = 0;
    };

    ums::Task<void> main();
    void check_block_fits() const;
    ums::Task<void> open_files();
    [[nodiscard]] bool should_adopt(const std::string& path) const;
    [[nodiscard]] FileOptions options_of(const std::string& path) const;
    ums::Task<void> make_files(FileCreator& creator, const std::vector<FileOptions>& files);
    void adopt_file(FileCreator& creator, const std::string& path);
    void refuse_log(const std::string& path, ums::FileHandle file) const;
    void add_null_file();
    void add_file(SimFile::Setup setup, std::uint64_t run_id, std::uint64_t used_bytes);
    void check_sectors(const SimFile& file) const;
    void remove_created_files();
    ums::Task<void> prepare(BenchFile& file);
    [[nodiscard]] std::uint32_t task_count() const;
    ums::Task<void> measure();
    ums::Task<void> read_back();
    [[nodiscard]] Options file_options() const;
    [[nodiscard]] Totals totals() const;

    BenchOptions options_;
    ums::Storage& storage_;
    const ums::Clock& clock_;
    Journal journal_;
    RunState run_;
    const std::uint64_t run_id_;
    std::unique_ptr<ums::SchedulerGroup> schedulers_;
    std::unique_ptr<ums::Semaphore> outstanding_;
    std::vector<std::unique_ptr<BenchFile>> files_;
    std::vector<std::unique_ptr<LogStream>> logs_;
    BenchResults results_;
};

}  // namespace sim
