// What is mounted where, from /proc/self/mountinfo (proc(5)).
#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace ums {

struct Mount {
    std::string device;                // "254:0"; "0:41" and the like for file systems without one block device
    std::string point;                 // "/mnt/data"
    std::string type;                  // "ext4", "fuse.sshfs"
    std::string source;                // "/dev/sda2", "server:/export", "tmpfs"
    std::vector<std::string> options;  // of this mount, then of the file system: "rw", "noatime", "sunit=128"
    std::string root{};                // the folder of the file system that is visible there: "/", or what a bind mount shows
};

// Those that this process sees; none if the system does not report them.
[[nodiscard]] std::vector<Mount> mounts_of_this_process();

// All of them, in the table's order: of several at the same point the last one is visible.
[[nodiscard]] std::vector<Mount> read_mounts(std::istream& mountinfo);

// `path`: absolute, without symbolic links. The mount that holds it: the one with the longest mount point, the last of several at the same
// one.
[[nodiscard]] std::optional<Mount> mount_of(const std::string& path, const std::vector<Mount>& mounts);

// The source of the mount that holds `path`; empty if there is none. `mountinfo`: the table's text.
[[nodiscard]] std::string mount_source_of(const std::string& path, std::istream& mountinfo);

}  // namespace ums
