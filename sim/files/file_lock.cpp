#include "sim/files/file_lock.hpp"

#include <cstddef>
#include <system_error>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/limits.hpp"
#include "ums/base/error_text.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

namespace {

// SMB says permission_denied, which is no error of a lock otherwise.
bool is_held_by_another(const std::error_code& error) {
    return error == std::errc::resource_unavailable_try_again || error == std::errc::permission_denied;
}

}  // namespace

void lock_file(ums::Storage& storage, const std::string& path, ums::FileHandle file, bool& is_created) {
    if (const std::error_code error = storage.lock(file)) {
        if (!is_held_by_another(error)) {
            throw EnvironmentError(
                fmt::format("{}: cannot be locked: {}. The file system must support locks (flock), which keep a second run away.", path,
                            ums::error_text(error)));
        }
        is_created = false;
        throw EnvironmentError(fmt::format("{}: is in use by another run (or another program holds a lock on it).", path));
    }
    ums::FileStatus opened;
    ums::FileStatus named;
    if (storage.status_of(file, opened) || storage.status(path, named) || !named.is_same_file(opened)) {
        throw EnvironmentError(fmt::format("{}: another file has taken this name while the run was starting, or it is gone.", path));
    }
}

void lock_file_for_verification(ums::Storage& storage, const std::string& path, ums::FileHandle file) {
    if (!is_held_by_another(storage.lock_shared(file))) return;
    throw EnvironmentError(
        fmt::format("{}: is in use by another run (or another program holds a lock on it), and what it writes meanwhile cannot be verified "
                    "here. Wait until it has ended, or measure without verification.",
                    path));
}

void check_passage(ums::Storage& storage, const std::string& path, ums::FileHandle file) {
    const ums::MemoryRegion page(kPageBytes, ums::MemoryKind::plain);
    std::size_t transferred = 0;
    if (storage.read(file, 0, page.data(), kPageBytes, transferred) != std::errc::permission_denied) return;
    throw EnvironmentError(
        fmt::format("{}: reads are refused although it could be opened. On SMB, locks stop even the process that holds them, unless the "
                    "file system is mounted with nobrl.",
                    path));
}

}  // namespace sim
