// The files of a storage that goes wrong: by name, and by the handles through which they are open. They stay known when they are closed:
// what was written wrong is wrong when they are opened again. Not thread-safe: the injector guards it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/rehearsal/faulty_file.hpp"
#include "ums/io/file_handle.hpp"

namespace sim {

class FaultyFiles {
public:
    explicit FaultyFiles(std::vector<std::string> log_paths) : log_paths_(std::move(log_paths)) {}

    // Becomes known if it is not.
    [[nodiscard]] FaultyFile& at(const std::string& path);
    // Null if nothing of ours is open through the handle.
    [[nodiscard]] FaultyFile* find(ums::FileHandle handle) const;

    void opened(ums::FileHandle handle, FaultyFile& file) { open_[handle.value] = &file; }
    void closed(ums::FileHandle handle) { open_.erase(handle.value); }

    // Data files with at least one page that was written, in the order of their names.
    [[nodiscard]] std::vector<FaultyFile*> written_data_files() const;

private:
    const std::vector<std::string> log_paths_;
    std::map<std::string, std::unique_ptr<FaultyFile>> files_;
    std::map<std::int32_t, FaultyFile*> open_;
};

}  // namespace sim
