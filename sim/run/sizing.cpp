#include "sim/run/sizing.hpp"

#include <algorithm>

#include "sim/limits.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kBytesPerMb = 1024ULL * 1024;

std::uint64_t data_files_mb(const Options& options) {
    std::uint64_t sum_mb = 0;
    for (const FileOptions& file : options.files) {
        if (!file.is_log) sum_mb += std::max(file.initial_size_mb, file.max_size_mb);
    }
    return sum_mb;
}

}  // namespace

std::uint32_t cpu_count_for(const Options& options, const ums::Machine& machine) {
    return std::min(options.cpu_count > 0 ? options.cpu_count : machine.cpu_count, kCpusMax);
}

std::uint64_t default_pool_mb(const ums::Machine& machine) { return machine.available_bytes / 2 / kBytesPerMb; }

std::uint64_t pool_mb_for(const Options& options, const ums::Machine& machine) {
    std::uint64_t pool_mb = options.max_memory_mb > 0 ? options.max_memory_mb : default_pool_mb(machine);
    if (machine.memory_bytes > 0) pool_mb = std::min(pool_mb, machine.memory_bytes / kBytesPerMb);
    return std::max(std::min(pool_mb, data_files_mb(options)), kBufferPoolMbMin);
}

}  // namespace sim
