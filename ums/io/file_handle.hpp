// An open file of a Storage. Cheap to copy; the code that opened it closes it.
#pragma once

#include <cstdint>

namespace ums {

class FileMapping;

struct FileHandle {
    std::int32_t value = -1;
    // The file system keeps its files in memory: a transfer is a copy and never waits for a device.
    bool is_in_memory = false;
    // Opened with a FileView: transfers are copies that the calling thread makes, and may wait for a device. Owned by the storage.
    FileMapping* mapping = nullptr;

    [[nodiscard]] bool is_open() const { return value >= 0; }
    // A transfer is a copy, which is made immediately.
    [[nodiscard]] bool is_copied() const { return is_in_memory || mapping != nullptr; }
    friend bool operator==(FileHandle, FileHandle) = default;
};

}  // namespace ums
