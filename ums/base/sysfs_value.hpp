// Values of the kernel's file systems, where each file holds one line: sysfs, cgroups.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace ums {

// Empty if there is no such file, or it may not be read.
inline std::string read_line(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

template <typename T>
T read_number(const std::filesystem::path& file, T otherwise) {
    std::ifstream stream(file);
    T value{};
    return stream >> value ? value : otherwise;
}

}  // namespace ums
