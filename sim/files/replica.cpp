#include "sim/files/replica.hpp"

#include <algorithm>

namespace sim {

const FileOptions* source_of_replica(const FileOptions& file, const std::vector<FileOptions>& files) {
    if (!file.sparse || file.is_log) return nullptr;
    const std::size_t colon = file.path.rfind(':');
    if (colon == std::string::npos) return nullptr;
    const auto found = std::find_if(files.begin(), files.end(), [&](const FileOptions& source) {
        return !source.is_log && source.path.size() == colon && file.path.compare(0, colon, source.path) == 0;
    });
    return found == files.end() ? nullptr : &*found;
}

bool is_transient(const FileOptions& file, const std::vector<FileOptions>& files) {
    return file.is_tempdb || source_of_replica(file, files) != nullptr;
}

void fit_replicas(std::vector<FileOptions>& files) {
    for (FileOptions& file : files) {
        const FileOptions* const source = source_of_replica(file, files);
        if (source != nullptr) file.max_size_mb = std::max(file.max_size_mb, std::max(source->initial_size_mb, source->max_size_mb));
    }
}

}  // namespace sim
