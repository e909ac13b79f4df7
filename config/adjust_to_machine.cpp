// Step 4 of load_options: what SQLIOSim changes instead of refusing it, each with a warning.
#include <algorithm>

#include <fmt/format.h>

#include "config/load_options.hpp"
#include "config/parameter_table.hpp"

namespace config {

namespace {

void cap_memory(Draft& draft, const MachineFacts& machine) {
    std::uint64_t& pool_mb = draft.options.max_memory_mb;
    if (machine.memory_mb == 0 || pool_mb <= machine.memory_mb) return;
    draft.problems.warning(fmt::format("{}: made {}, all the memory there is", draft.describe(&pool_mb), machine.memory_mb));
    pool_mb = machine.memory_mb;
}

void fix_log_size(Draft& draft, sim::FileOptions& file) {
    if (!file.is_log || !file.shrinkable) return;
    draft.problems.warning(fmt::format("{}: ignored, a log file keeps its size", draft.describe(&file.shrinkable)));
    file.shrinkable = false;
}

// Increment x MaxExtends < MaxMemoryMB / number of data files: what a change of size touches fits into the file's share of the pool.
void limit_increment(Draft& draft, sim::FileOptions& file, std::uint64_t pool_mb, std::uint64_t data_files) {
    const std::uint64_t largest = (pool_mb - 1) / (data_files * draft.options.shrink_user.max_extends);
    if (!file.shrinkable || file.increment_mb <= largest) return;
    std::string message =
        fmt::format("{}: made {}, so that times {} it is less than the pool of {} MB / {} data file{}", draft.describe(&file.increment_mb),
                    largest, draft.refer_to(&draft.options.shrink_user.max_extends), pool_mb, data_files, data_files == 1 ? "" : "s");
    file.increment_mb = largest;
    if (largest == 0) {
        message += "; so the file is not shrinkable";
        file.shrinkable = false;
    }
    draft.problems.warning(message);
}

}  // namespace

void adjust_to_machine(Draft& draft, const MachineFacts& machine) {
    cap_memory(draft, machine);
    auto& files = draft.options.files;
    const auto data_files =
        static_cast<std::uint64_t>(std::count_if(files.begin(), files.end(), [](const sim::FileOptions& file) { return !file.is_log; }));
    const std::uint64_t pool_mb = draft.options.max_memory_mb != 0 ? draft.options.max_memory_mb : machine.default_pool_mb;
    for (sim::FileOptions& file : files) {
        fix_log_size(draft, file);
        if (pool_mb != 0 && data_files != 0) limit_increment(draft, file, pool_mb, data_files);
    }
}

}  // namespace config
