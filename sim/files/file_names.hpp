// Names of test files: which ones are refused whatever is under them, where the symbolic links in them lead, and which files they make
// replicas or files of tempdb.
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

// A replica, "name.mdx:stream", sparse, is the snapshot of "name.mdx", as in SQLIOSim's configuration.
// The data file of which `file` is the replica, or null. Pure.
[[nodiscard]] const FileOptions* source_of_replica(const FileOptions& file, const std::vector<FileOptions>& files);

// The file's contents are of no use once the run is over: a replica, or a file of tempdb. It is recreated each time, its changes are not
// logged, and nothing is promised for it.
[[nodiscard]] bool is_transient(const FileOptions& file, const std::vector<FileOptions>& files);

// A replica may become as large as its source.
void fit_replicas(std::vector<FileOptions>& files);

// The files that TempdbUser works in: tempdb1.mdx and so on, in a folder of their own or beside the first data file. They come last, so
// that the numbers of the others do not depend on them.
// Adds them to the files of the options if there are such users and they have not been added yet.
void add_tempdb_files(Options& options);

// Where they are, seen from the current folder.
[[nodiscard]] std::string tempdb_folder(const Options& options);

}  // namespace sim
