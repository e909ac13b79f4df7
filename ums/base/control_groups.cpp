#include "ums/base/control_groups.hpp"

#include <fstream>

namespace ums {

std::vector<std::string> control_group_folders(const std::string& root, const std::string& controller) {
    std::ifstream file(root + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {  // "5:cpu,cpuacct:/path", v2 "0::/path"
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        if (controller.empty() ? controllers != ",," : controllers.find("," + controller + ",") == std::string::npos) continue;
        const std::string mount = root + "/sys/fs/cgroup" + (controller.empty() ? "" : "/" + controller);
        std::vector<std::string> folders;
        std::string path = line.substr(second + 1);
        while (path.size() > 1) {
            folders.push_back(mount + path);
            path.resize(path.find_last_of('/'));
        }
        folders.push_back(mount);  // inside a container's namespace this is the container
        return folders;
    }
    return {};
}

}  // namespace ums
