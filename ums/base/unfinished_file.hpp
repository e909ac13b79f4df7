// Files that are not complete yet. A process that is ended by a signal removes them at the last moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ums {

// Lives as long as the file is incomplete. Any thread, also while another one removes the files.
class UnfinishedFile {
public:
    // A file that already has its final name, and that others may therefore have begun to use, is removed only while it is empty.
    enum class Kind : std::uint8_t { placeholder, temporary };

    UnfinishedFile(std::string path, Kind kind);
    ~UnfinishedFile();
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    // Removes the file now, as would happen at the last moment.
    void remove();

private:
    const std::string path_;
    const Kind kind_;
    std::optional<std::size_t> place_;  // among those that are to be removed
};

// Removes all of them. Does only what a signal handler may do.
void remove_unfinished_files();

}  // namespace ums
