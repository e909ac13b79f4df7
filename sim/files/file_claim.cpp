#include "sim/files/file_claim.hpp"

#include <system_error>

#include <fmt/format.h>

namespace sim {

void remove_file(const SimFile& file, ums::Storage& storage, Journal& journal) {
    std::error_code error;
    {
        const WatchedCall watched(journal, "deletion", file.path());
        error = storage.remove(file.control_handle());
    }
    if (!error) return;
    if (error == std::errc::no_such_file_or_directory) {
        journal.warning(fmt::format("{}: not deleted: the name is gone, or belongs to another file by now.", file.path()));
    } else {
        journal.warning(fmt::format("{}: cannot be deleted: {}.", file.path(), error.message()));
    }
}

}  // namespace sim
