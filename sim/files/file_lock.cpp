#include "sim/files/file_lock.hpp"

#include <system_error>

#include <fmt/format.h>

#include "sim/errors.hpp"

namespace sim {

void lock_file(ums::Storage& storage, const std::string& path, ums::FileHandle file, bool& is_created) {
    if (const std::error_code error = storage.lock(file)) {
        if (error == std::errc::resource_unavailable_try_again) is_created = false;
        throw EnvironmentError(fmt::format("{}: is in use by another run (or another program holds a lock on it).", path));
    }
    ums::FileStatus opened;
    ums::FileStatus named;
    if (storage.status_of(file, opened) || storage.status(path, named) || !named.is_same_file(opened)) {
        throw EnvironmentError(fmt::format("{}: another file has taken this name while the run was starting, or it is gone.", path));
    }
}

}  // namespace sim
