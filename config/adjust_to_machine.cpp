// Step 4 of load_options: values that SQLIOSim changes instead of refusing them, each with a warning.
#include <algorithm>

#include <fmt/format.h>

#include "config/load_options.hpp"
#include "config/parameter_table.hpp"

namespace config {

namespace {

void cap_memory(Draft& draft, const MachineFacts& machine) {
    std::uint64_t& pool_mb = draft.options.max_memory_mb;
    if (machine.memory_mb == 0 || pool_mb <= machine.memory_mb) return;
    draft.problems.warning(
        fmt::format("{}: reduced to {}, because more does not fit into memory", draft.describe(&pool_mb), machine.memory_mb));
    pool_mb = machine.memory_mb;
}

// A file that keeps its size for another reason is not Shrinkable.
void fix_shrinkable(Draft& draft, sim::FileOptions& file) {
    if (!file.shrinkable || (!file.is_log && file.increment_mb > 0 && file.max_size_mb > file.initial_size_mb)) return;
    const std::string reason = file.is_log ? "a log file is never shrunk"
                                           : fmt::format("a file with {} keeps its size",
                                                         file.increment_mb == 0 ? draft.refer_to(&file.increment_mb)
                                                                                : "MaxSize = InitialSize, below which nothing is cut,");
    draft.problems.warning(fmt::format("{}: ignored, {}", draft.describe(&file.shrinkable), reason));
    file.shrinkable = false;
}

// Increment x MaxExtends < MaxMemoryMB / number of data files, as in SQLIOSim, where the default of MaxMemoryMB is the free memory: with
// the smaller default of ioproof, files of usual sizes would hardly change. If that is impossible even with 1 MB, reduces MaxExtends
// instead.
void limit_increment(Draft& draft, sim::FileOptions& file, std::uint64_t memory_mb, std::uint64_t data_files) {
    sim::ShrinkUserOptions& shrink = draft.options.shrink_user;
    const std::uint64_t share_mb = (memory_mb - 1) / data_files;
    if (!file.shrinkable || file.increment_mb * shrink.max_extends <= share_mb) return;
    const bool is_given = draft.options.max_memory_mb != 0;
    const std::string rule = fmt::format("so that Increment times MaxExtends is less than {} of {} MB / {} data file{}",
                                         is_given ? "the pool" : "half of the free memory", is_given ? memory_mb : 2 * memory_mb,
                                         data_files, data_files == 1 ? "" : "s");
    const std::uint64_t increment_mb = std::max<std::uint64_t>(share_mb / shrink.max_extends, 1);
    if (increment_mb < file.increment_mb) {
        draft.problems.warning(fmt::format("{}: reduced to {}, {}", draft.describe(&file.increment_mb), increment_mb, rule));
        file.increment_mb = increment_mb;
    }
    if (file.increment_mb * shrink.max_extends <= share_mb) return;
    const auto extends = static_cast<std::uint32_t>(std::max<std::uint64_t>(share_mb / file.increment_mb, 1));
    draft.problems.warning(fmt::format("{}: reduced to {}, {}", draft.describe(&shrink.max_extends), extends, rule));
    shrink.max_extends = extends;
    if (shrink.min_extends <= extends) return;
    draft.problems.warning(fmt::format("{}: reduced to {}, {}", draft.describe(&shrink.min_extends), extends, rule));
    shrink.min_extends = extends;
}

}  // namespace

void adjust_to_machine(Draft& draft, const MachineFacts& machine) {
    cap_memory(draft, machine);
    auto& files = draft.options.files;
    const auto data_files =
        static_cast<std::uint64_t>(std::count_if(files.begin(), files.end(), [](const sim::FileOptions& file) { return !file.is_log; }));
    const std::uint64_t memory_mb = draft.options.max_memory_mb != 0 ? draft.options.max_memory_mb : machine.default_pool_mb;
    for (sim::FileOptions& file : files) {
        fix_shrinkable(draft, file);
        if (memory_mb != 0 && data_files != 0) limit_increment(draft, file, memory_mb, data_files);
    }
}

}  // namespace config
