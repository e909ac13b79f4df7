// The one door through which people's documents come in: configurations and results. Such a name may stand for anything: a FIFO that nobody
// writes to, a device without an end, a file that grows while it is read. None of them may hold up the program or fill its memory.
#pragma once

#include <cstddef>
#include <string>

namespace ums {

struct InputFile {
    std::string bytes;
    // Empty if `bytes` is the entire file; otherwise the obstacle, as text to follow the name: "cannot be opened: Permission denied", "is a
    // FIFO; only regular files are read", "is larger than 4 MB".
    std::string problem;
    bool is_unfit = false;    // with a problem: the system would read it, but it is not a regular file, or too large
    bool is_of_root = false;  // it belongs to root and this process does not: it reads the file through its group, or as anybody may
};

// Reads an entire regular file of at most `bytes_max` bytes (whole megabytes, for the message). Never waits for another process.
InputFile read_input_file(const std::string& path, std::size_t bytes_max);

}  // namespace ums
