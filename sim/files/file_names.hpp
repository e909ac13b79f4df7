// Names of test files: which are refused without a look at the file, where their symbolic links lead, and which are replicas or files of
// tempdb.
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

// Refuses a missing file in /dev, because it is a mistyped device, and creating it would make a file in memory. Allows /dev/shm. `path`:
// resolved, of a missing file. Throws RefusedError.
void refuse_file_among_devices(std::string_view path);

// Whether two names of files that do not exist yet are one, in the same folder: "./x" and "x". False if a folder cannot be examined.
[[nodiscard]] bool is_same_new_file(const std::string& path, const std::string& other, ums::Storage& storage);

// Sets `file.path` to the name without links, and `file.named_as` to the given one. Throws RefusedError or EnvironmentError if there is no
// such folder.
void resolve_name(FileOptions& file, ums::Storage& storage);

// The same for all files, to show them before a run. A name that cannot be resolved stays as it is: the start will say why. Throws as
// refuse_dangerous_name() does.
void resolve_names(std::vector<FileOptions>& files, bool are_databases_allowed, ums::Storage& storage);

// A replica is a sparse file named "name.mdx:stream", the snapshot of "name.mdx", as in SQLIOSim's configuration. A file has only one: its
// other streams are ordinary sparse files, and so are streams of a stream or of a file of tempdb. Returns the data file whose replica
// `file`, one of `files`, is; null if there is none. Pure.
[[nodiscard]] const FileOptions* source_of_replica(const FileOptions& file, const std::vector<FileOptions>& files);

// Whether the file's contents are of no use once the run is over: a replica, or a file of tempdb. It is recreated each time, its changes
// are not logged, and nothing is promised about it.
[[nodiscard]] bool is_transient(const FileOptions& file, const std::vector<FileOptions>& files);

// Lets each replica become as large as its source.
void fit_replicas(std::vector<FileOptions>& files);

// The files in which TempdbUser works: tempdb1.mdx and so on, in their own folder or beside the first data file. They come last, so that
// the numbers of the others do not depend on them. Adds them to the files of the options if there are such users and they have not been
// added yet.
void add_tempdb_files(Options& options);

// Their folder, relative to the current one.
[[nodiscard]] std::string tempdb_folder(const Options& options);

}  // namespace sim
