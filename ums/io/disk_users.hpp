// Who else uses a disk, and what control groups allow on it. Found by reading /proc and /sys; what cannot be read counts as nothing.
#pragma once

#include <string>
#include <vector>

#include "ums/io/block_device.hpp"
#include "ums/io/mount_table.hpp"

namespace ums {

// Mounts of other file systems on one of these disks ("sda"), each once: "/boot (ext4)"; swap space, too.
[[nodiscard]] std::vector<std::string> other_users_of_disks(const std::vector<std::string>& disk_names, const Mount& own,
                                                            const std::vector<Mount>& mounts, const BlockDeviceRoots& roots);

// Other processes with files open below `folder` (absolute, without symbolic links): "sqlservr (1234)". The files to which this process
// writes its standard output and error output do not count. Without privileges only processes of the same user are seen.
[[nodiscard]] std::vector<std::string> processes_below(const std::string& folder, const std::string& proc = "/proc");

// Limits on I/O to the device `number` ("8:0", no partition) that the control groups of this process set: io.max of v2, blkio.throttle.* of
// v1. `root` as in control_group_folders.
[[nodiscard]] std::vector<std::string> io_limits_of(const std::string& number, const std::string& root);

}  // namespace ums
