// Whether there is room for all files of a run, before the first of them is created.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <system_error>

#include "sim/files/file_claim.hpp"
#include "sim/journal/journal.hpp"
#include "ums/io/storage.hpp"

namespace sim {

// For messages about missing space: which file system it is, and how much is free there, as in "The file system /mnt/data (ext4) has 0 MB
// free." Less if less is known. Asks the system; any thread.
[[nodiscard]] std::string free_space_text(ums::Storage& storage, const std::string& path);

// For messages about a file that could not be given its size: " The file system cannot reserve space ...", with what can, if `error` says
// so, otherwise empty.
[[nodiscard]] std::string reservation_text(const std::error_code& error);

// Checks the files of each file system together; files that will be replaced make room first. Sparse data files and devices need none.
// Throws an EnvironmentError that says what is needed and what is free.
void check_space(std::span<const std::unique_ptr<FileClaim>> claims, ums::Storage& storage, Journal& journal);

}  // namespace sim
