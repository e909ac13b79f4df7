// Names of test files: which ones are refused whatever is under them, and where the symbolic links in them lead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/options.hpp"
#include "ums/io/storage.hpp"

namespace sim {

[[nodiscard]] std::string folder_of(const std::string& path);

// Throws RefusedError for names of real databases, unless they are allowed.
void refuse_dangerous_name(std::string_view path, bool are_databases_allowed);

// A mistyped device is a missing file in /dev, and would become one there, of memory. `path`: resolved, of a missing file. Throws
// RefusedError; /dev/shm is allowed.
void refuse_file_among_devices(std::string_view path);

// Puts the name without links into `file.path`, and the one that was given into `file.named_as`. Throws RefusedError or EnvironmentError if
// there is no such folder.
void resolve_name(FileOptions& file, ums::Storage& storage);

// The same for all files, to be shown before a run. A name that cannot be resolved stays as it is: the start will say why. Throws as
// refuse_dangerous_name() does.
void resolve_names(std::vector<FileOptions>& files, bool are_databases_allowed, ums::Storage& storage);

}  // namespace sim
