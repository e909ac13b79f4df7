#include "sim/rehearsal/faulty_files.hpp"

#include <algorithm>

namespace sim {

FaultyFile& FaultyFiles::at(const std::string& path) {
    auto& file = files_[path];
    if (!file) {
        const bool is_log = std::find(log_paths_.begin(), log_paths_.end(), path) != log_paths_.end();
        file = std::make_unique<FaultyFile>(path, is_log);
    }
    return *file;
}

FaultyFile* FaultyFiles::find(ums::FileHandle handle) const {
    const auto found = open_.find(handle.value);
    return found == open_.end() ? nullptr : found->second;
}

std::vector<FaultyFile*> FaultyFiles::written_data_files() const {
    std::vector<FaultyFile*> files;
    for (const auto& [path, file] : files_) {
        if (!file->is_log() && file->pages_written() > 0) files.push_back(file.get());
    }
    return files;
}

}  // namespace sim
