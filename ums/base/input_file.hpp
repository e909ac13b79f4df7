// The only way to read documents that a user names: configurations and results. The name may refer to anything: a FIFO without a writer, an
// endless device, a file that grows while it is read. None of them may block the program or exhaust its memory.
#pragma once

#include <cstddef>
#include <string>

namespace ums {

struct InputFile {
    std::string bytes;
    // Empty if `bytes` is the entire file; otherwise why it is not, as text that follows the name: "cannot be opened: Permission denied",
    // "is a FIFO; only regular files are read", "is larger than 4 MB".
    std::string problem;
    bool is_unfit = false;    // set with `problem` if the file is readable, but is not regular or is too large
    bool is_of_root = false;  // root owns the file and this process is not root's: its group, or everybody, may read it
};

// Reads an entire regular file of at most `bytes_max` bytes (whole megabytes, for the message). Never waits for another process.
InputFile read_input_file(const std::string& path, std::size_t bytes_max);

}  // namespace ums
