// Where Linux keeps the limits of this process's control groups (cgroups(7); Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/*.rst).
#pragma once

#include <string>
#include <vector>

namespace ums {

// The folders of this process's group and of all groups above it, this process's own first: for one v1 controller ("memory", "blkio"), or
// for v2 with an empty name. `root` is the folder that holds proc and sys ("" = the machine's). Empty if the process is in no such group.
// Any thread; never fails.
[[nodiscard]] std::vector<std::string> control_group_folders(const std::string& root, const std::string& controller);

}  // namespace ums
