// On which CPUs the threads of this process may run.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
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

// A new thread has a name before it has its CPUs, and one that has ended may still be on the system's list: looks again, for ten seconds,
// while one of the CPUs is `wrong`.
inline std::vector<std::string> cpus_unless(const std::string& name, const std::function<bool(const std::string&)>& wrong) {
    std::vector<std::string> lists = cpus_of_threads(name);
    for (int i = 0; i < 1000 && std::any_of(lists.begin(), lists.end(), wrong); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        lists = cpus_of_threads(name);
    }
    return lists;
}

}  // namespace ums::testing
