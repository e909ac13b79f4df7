// What stands under the name of a file that shall be written, and how it is opened. Names are of people and may stand for anything: nothing
// here waits for another process, and nothing that is there is changed. What may be replaced is the caller's to decide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "ums/base/output_handle.hpp"

namespace ums {

struct OutputStatus {
    enum class Type : std::uint8_t { regular, folder, pipe, device, other };  // device: of characters

    Type type = Type::other;
    std::uint64_t size_bytes = 0;
    int standard_descriptor = -1;     // 1 or 2 if the standard output or error output of this process goes there
    bool is_harmless_device = false;  // only takes or shows what is written. Opening others may do something: a watchdog begins to count

    [[nodiscard]] bool is_standard_output() const { return standard_descriptor >= 0; }
};

// Links are followed. ENOENT if nothing stands there, or a link that leads to nothing.
std::error_code read_output_status(const std::string& path, OutputStatus& status);
std::error_code read_output_status(const OutputHandle& output, OutputStatus& status);
// True for a link that leads to nothing, too.
[[nodiscard]] bool is_name_taken(const std::string& path);
// Without links. Nothing if the system does not say.
[[nodiscard]] std::optional<std::string> real_path(const std::string& path);
// The same text for the same file; empty for a device of characters, which may be written to under two names. Nothing if none is there.
[[nodiscard]] std::optional<std::string> output_identity(const std::string& path);
// Whether files may be made in the folder of `path`.
std::error_code check_output_folder(const std::string& path);

enum class OutputAccess : std::uint8_t {
    everyone,   // as the process is told to make files (umask)
    this_user,  // nobody else, until copy_permissions()
};

// Makes a file, for reading and writing; EEXIST if anything stands there, a link included.
std::error_code create_output(const std::string& path, OutputAccess access, OutputHandle& output);
// Opens one, for reading and writing. ELOOP if it is a link.
std::error_code open_existing_output(const std::string& path, OutputHandle& output);
// The same for reading alone. Links are followed.
std::error_code open_for_reading(const std::string& path, OutputHandle& output);
// Opens a pipe, a device or our standard output, for writing. ENXIO if nobody reads the pipe.
std::error_code open_output_stream(const std::string& path, const OutputStatus& status, OutputHandle& output);

// `from` takes the name and the place of `to`, in one step.
std::error_code replace_output(const std::string& from, const std::string& to);
void remove_output(const std::string& path);
// That `path` stands where it stands: on stable storage, like the file itself after sync().
std::error_code sync_folder_of(const std::string& path);
// Whether what takes the one file takes the other, too: they lie on one file system, or one is the device of the other. Files need not be
// there, their folders must. False if nobody can tell.
[[nodiscard]] bool are_on_one_file_system(const std::string& a, const std::string& b);

// A name beside `path` that no other process uses meanwhile.
[[nodiscard]] std::string temporary_name_beside(const std::string& path);

}  // namespace ums
