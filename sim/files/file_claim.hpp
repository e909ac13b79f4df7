// A test file that was claimed at startup. If the start fails, it is returned as it was: closed, and removed if the start created it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "sim/files/sim_file.hpp"
#include "sim/journal/journal.hpp"
#include "sim/options.hpp"
#include "ums/io/storage.hpp"

namespace sim {

struct FileClaim {
    FileClaim(ums::Storage& where, std::uint32_t number, FileOptions wanted) : storage(where), id(number), file(std::move(wanted)) {}
    FileClaim(const FileClaim&) = delete;
    FileClaim& operator=(const FileClaim&) = delete;
    ~FileClaim() {
        if (!control.is_open()) return;
        // If this fails, whatever has its name is not ours to touch.
        if (is_created) static_cast<void>(storage.remove(control));
        storage.close(control);
    }

    [[nodiscard]] bool is_missing() const { return found.kind == ums::FileKind::missing; }
    [[nodiscard]] bool is_device() const { return found.kind == ums::FileKind::block_device; }
    // Passes the file as it is to a new owner.
    ums::FileHandle hand_over() { return std::exchange(control, {}); }

    ums::Storage& storage;
    const std::uint32_t id;
    FileOptions file;          // under its resolved name; options that it does not support are removed
    ums::FileStatus found;     // what was under the name
    ums::FileHandle control;   // locked; not open if there is no file yet
    bool is_replaced = false;  // the existing file is from an earlier run, and will be deleted
    bool is_created = false;
    std::uint64_t size_bytes = 0;                       // that it will have
    std::optional<std::uint32_t> signature_checksum{};  // of page 0, once this run has written it
};

// Deletes the file, which stays open. Another file that has taken its name is left alone; a warning says so, or why the file cannot be
// deleted. Blocks.
void remove_file(const SimFile& file, ums::Storage& storage, Journal& journal);

}  // namespace sim
