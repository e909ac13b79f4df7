// Files that are not yet what they shall become. A process that is ended at once removes them in its last moment.
#pragma once

#include <cstdint>
#include <string>

namespace ums {

// Lives as long as the file is half made. On the main thread, where the signals arrive.
class UnfinishedFile {
public:
    // A file that others could take for theirs after a while (it has its final name) is removed only while it is empty.
    enum class Kind : std::uint8_t { placeholder, temporary };

    UnfinishedFile(std::string path, Kind kind);
    ~UnfinishedFile();
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    // Now, as it would be done in the last moment.
    void remove();

private:
    const std::string path_;
    const Kind kind_;
};

// All that there are. Does what a signal handler may do, nothing else.
void remove_unfinished_files();

}  // namespace ums
