// What exists under the name of a file that is to be written, and how it is opened. Users choose the names, which may refer to anything:
// nothing here waits for another process or changes what is there. The caller decides what may be replaced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "ums/base/output_handle.hpp"

namespace ums {

struct OutputStatus {
    enum class Type : std::uint8_t { regular, folder, pipe, device, other };  // device: a character device

    Type type = Type::other;
    std::uint64_t size_bytes = 0;
    int standard_descriptor = -1;     // 1 or 2 if the standard output or error output of this process goes there
    bool is_harmless_device = false;  // only accepts or displays what is written. Opening others may have an effect (a watchdog)

    [[nodiscard]] bool is_standard_output() const { return standard_descriptor >= 0; }
};

// Links are followed. ENOENT if nothing is there, or a dangling link.
std::error_code read_output_status(const std::string& path, OutputStatus& status);
std::error_code read_output_status(const OutputHandle& output, OutputStatus& status);
// Also true for a dangling link.
[[nodiscard]] bool is_name_taken(const std::string& path);
// The path without symbolic links. Nothing if the system does not say.
[[nodiscard]] std::optional<std::string> real_path(const std::string& path);
// The same text for the same file; empty for a character device, which may be written to under two names. Nothing if there is no file.
[[nodiscard]] std::optional<std::string> output_identity(const std::string& path);
// Whether files may be created in the folder of `path`.
std::error_code check_output_folder(const std::string& path);

enum class OutputAccess : std::uint8_t {
    everyone,   // as the process creates files (umask)
    this_user,  // nobody else, until copy_permissions()
};

// Creates a file, for reading and writing; EEXIST if anything is there, including a link.
std::error_code create_output(const std::string& path, OutputAccess access, OutputHandle& output);
// Opens an existing file, for reading and writing. ELOOP if it is a link.
std::error_code open_existing_output(const std::string& path, OutputHandle& output);
// The same for reading only. Links are followed.
std::error_code open_for_reading(const std::string& path, OutputHandle& output);
// Opens a pipe, a device or our standard output, for writing. `status`: what was found under the name; EEXIST, and nothing is open, if
// something of another kind has taken it since. ENXIO if nobody reads the pipe.
std::error_code open_output_stream(const std::string& path, const OutputStatus& status, OutputHandle& output);

// Renames `from` to `to`, which it replaces atomically.
std::error_code replace_output(const std::string& from, const std::string& to);
void remove_output(const std::string& path);
// Makes the name `path` durable, as sync() does the file itself. No error if the file system has no such call for folders.
std::error_code sync_folder_of(const std::string& path);
// The same for all names in a folder that is open for reading.
std::error_code sync_open_folder(int folder);
// Whether the loss of one file means the loss of the other: they are on one file system, or one is the device below the other. The files
// need not exist, their folders must. False if this cannot be determined.
[[nodiscard]] bool are_on_one_file_system(const std::string& a, const std::string& b);

// A name beside `path` that nobody else uses or has used, and that nobody can foresee. Another one at each call.
[[nodiscard]] std::string temporary_name_beside(const std::string& path);

}  // namespace ums
