// An open file of a Storage. Cheap to copy; whoever opened it closes it.
#pragma once

#include <cstdint>

namespace ums {

struct FileHandle {
    std::int32_t value = -1;
    // The file system keeps its files in memory: a transfer is a copy and never waits for a device.
    bool is_in_memory = false;

    [[nodiscard]] bool is_open() const { return value >= 0; }
    friend bool operator==(FileHandle, FileHandle) = default;
};

}  // namespace ums
