// What a file system does with a file's bytes behind the caller's back, for the summary of a run.
#pragma once

#include <string>
#include <system_error>

namespace ums {

struct FileAttributes {
    bool is_compressed = false;
    bool is_encrypted = false;  // by the file system; encryption below it (dm-crypt) does not show
    bool is_sparse = false;     // clearly less space is allocated than the size says
};

// A file system that reports nothing about compression or encryption has neither. Fails if the file cannot be examined.
std::error_code read_file_attributes(const std::string& path, FileAttributes& attributes);

}  // namespace ums
