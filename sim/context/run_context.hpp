// The parts of a run, as workers and users see them. Owned by the simulation; outlives every task.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/buffer/buffer_manager.hpp"
#include "sim/buffer/page_writer.hpp"
#include "sim/buffer/range_reader.hpp"
#include "sim/files/data_file.hpp"
#include "sim/group/run_group.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/journal/work_counters.hpp"
#include "sim/log/log_manager.hpp"
#include "sim/options.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

class TempdbSpace;

struct RunContext {
    const Options& options;
    std::uint64_t run_id;
    RunState& run;
    Journal& journal;
    ums::SchedulerGroup& schedulers;
    std::vector<std::unique_ptr<DataFile>>& data_files;
    LogManager& log;
    BufferManager& buffers;
    PromiseBook* promises = nullptr;  // null unless what the storage has acknowledged is also kept outside it
    RunGroup* group = nullptr;        // null unless this run is one of several

    WorkCounters random_user{};
    WorkCounters audit_user{};
    WorkCounters read_ahead_user{};
    WorkCounters bulk_update_user{};
    WorkCounters shrink_user{};
    WorkCounters checkpoint{};
    WorkCounters lazy_writer{};
    WorkCounters snapshots{};
    WorkCounters snapshot_checks{};
    WorkCounters backup{};
    WorkCounters columnstore_user{};
    WorkCounters tempdb_user{};
    WorkCounters version_store_user{};
    TempdbSpace* tempdb = nullptr;  // if there are tempdb users

    [[nodiscard]] PageWriter make_writer(OnStop on_stop = OnStop::abandon) const {
        return PageWriter({run_id, options.checkpoint_pages, options.use_scatter_gather, options.merge_buffers, on_stop, promises},
                          buffers.pool(), &log, run, journal);
    }
    [[nodiscard]] RangeReader make_reader() const {
        return RangeReader(buffers, run, journal, {options.use_scatter_gather, options.merge_buffers});
    }
    // The largest scatter read that leaves enough memory for other tasks.
    [[nodiscard]] std::uint32_t transfer_pages_max() const {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(buffers.pool().slots().count() / 8, kTransferPagesMax));
    }
    [[nodiscard]] std::uint64_t now_ns() const { return journal.clock().now_ns(); }
    // The data file with this id; null for a log file's id.
    [[nodiscard]] DataFile* data_file(std::uint32_t file_id) const {
        for (const auto& data : data_files) {
            if (data->file.id() == file_id) return data.get();
        }
        return nullptr;
    }
};

}  // namespace sim
