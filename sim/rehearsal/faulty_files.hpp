// The files of a storage that goes wrong, by name and by open handle. They stay known after they are closed: what was wrong is still wrong
// when they are opened again. Not thread-safe: the injector guards it.
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

    // Adds the file if it is unknown.
    [[nodiscard]] FaultyFile& at(const std::string& path);
    // Null if none of these files is open through the handle.
    [[nodiscard]] FaultyFile* find(ums::FileHandle handle) const;

    void opened(ums::FileHandle handle, FaultyFile& file) { open_[handle.value] = &file; }
    void closed(ums::FileHandle handle) { open_.erase(handle.value); }

    // Data files with at least one written page, in the order of their names.
    [[nodiscard]] std::vector<FaultyFile*> written_data_files() const;

private:
    const std::vector<std::string> log_paths_;
    std::map<std::string, std::unique_ptr<FaultyFile>> files_;
    std::map<std::int32_t, FaultyFile*> open_;
};

}  // namespace sim
