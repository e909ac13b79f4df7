// On which CPUs the threads of this process may run.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ums::testing {

// The CPUs of this process's threads whose names contain `name`, as the kernel writes them.
inline std::vector<std::string> cpus_of_threads(const std::string& name) {
    std::vector<std::string> lists;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream status(task.path() / "status");
        bool is_wanted = false;
        for (std::string line; std::getline(status, line);) {
            if (line.rfind("Name:", 0) == 0) is_wanted = line.find(name) != std::string::npos;
            if (is_wanted && line.rfind("Cpus_allowed_list:", 0) == 0) lists.push_back(line.substr(line.find('\t') + 1));
        }
    }
    return lists;
}

}  // namespace ums::testing
