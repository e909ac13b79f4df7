// Where the log that a crash cut off continues: after its end, in a virtual log file that recovery does not need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/log/log_position.hpp"
#include "sim/verify/log_extent.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class LogEnd {
public:
    // All references must outlive the object. `contents` and `extent`: the result of the analysis of the log; there must be a log.
    // `checkpoint_bytes`: how much the first checkpoint logs at most.
    LogEnd(const std::vector<SimFile*>& log_files, const LogContents& contents, const LogExtent& extent, std::uint32_t alignment_bytes,
           std::uint64_t checkpoint_bytes, RunState& run, Journal& journal);

    // Syncs the files, determines how they are divided, completes growths that were cut off, and extends one of the files if recovery
    // leaves no room for a checkpoint. If there is no position afterwards, the run is stopping, and knows why.
    ums::Task<void> find();
    [[nodiscard]] const LogPosition& position() const { return position_; }

private:
    ums::Task<bool> make_durable();
    ums::Task<bool> restore_sizes();
    [[nodiscard]] bool find_shapes();
    [[nodiscard]] std::optional<LogFileShape> shape_of(SimFile& file, std::uint64_t prepared_bytes) const;
    [[nodiscard]] bool lie_in(const std::vector<VlfPlace>& places, SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes) const;
    void find_used();
    ums::Task<void> complete_growths();
    [[nodiscard]] bool has_room_for_checkpoint() const;
    ums::Task<bool> grow();

    const std::vector<SimFile*> log_files_;
    const LogContents& contents_;
    const LogExtent& extent_;
    const std::uint32_t alignment_bytes_;
    const std::uint64_t checkpoint_bytes_;
    RunState& run_;
    Journal& journal_;
    std::vector<LogFileShape> shapes_;
    LogPosition position_;
};

}  // namespace sim
