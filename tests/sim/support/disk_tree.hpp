// A made-up /sys and /proc with one disk, whose counters the test sets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "tests/support/process.hpp"
#include "ums/io/block_device.hpp"

namespace sim::testing {

class DiskTree {
public:
    DiskTree() {
        write("sys/devices/virtual/block/dm-3/dev", "253:3");
        write("sys/class/block/made-up-volume/dev", "253:3");
        std::filesystem::create_directories(folder_.path() / "sys/dev/block");
        std::filesystem::create_symlink("../../devices/virtual/block/dm-3", folder_.path() / "sys/dev/block/253:3");
        write("proc/self/mountinfo", "22 1 0:21 / / rw - btrfs /dev/does-not-exist/made-up-volume rw");
        set(0, 0, 0);
    }

    // A file that lies on the disk: /proc has no device of its own, so the made-up table of mounts says where it comes from.
    static constexpr const char* kFile = "/proc/self/status";

    // The disk has completed `reads` requests, for which it took `read_ms` together, and was busy for `busy_ms`.
    void set(std::uint64_t reads, std::uint64_t read_ms, std::uint64_t busy_ms) const {
        write("sys/devices/virtual/block/dm-3/stat", fmt::format("{} 0 0 {} 0 0 0 0 0 {} 0", reads, read_ms, busy_ms));
    }

    [[nodiscard]] ums::BlockDeviceRoots roots() const { return {(folder_.path() / "sys").string(), (folder_.path() / "proc").string()}; }

private:
    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = folder_.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text << '\n';
    }

    test::TempFolder folder_;
};

}  // namespace sim::testing
