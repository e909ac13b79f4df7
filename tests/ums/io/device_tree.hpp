// A made-up /sys and /proc, in a folder of its own.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/ums/io/temp_folder.hpp"
#include "ums/io/block_device.hpp"

namespace ums::testing {

class DeviceTree {
public:
    // Names begin with "sys/" or "proc/". Folders are made as needed.
    void write(const std::string& name, const std::string& text) const { std::ofstream(place_of(name)) << text << '\n'; }
    void link(const std::string& target, const std::string& name) const { std::filesystem::create_symlink(target, place_of(name)); }
    [[nodiscard]] BlockDeviceRoots roots() const { return {folder_.file("sys"), folder_.file("proc")}; }

private:
    [[nodiscard]] std::filesystem::path place_of(const std::string& name) const {
        const std::filesystem::path path = folder_.file(name);
        std::filesystem::create_directories(path.parent_path());
        return path;
    }

    TempFolder folder_;
};

}  // namespace ums::testing
