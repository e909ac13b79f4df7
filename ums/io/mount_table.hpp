// Which source a file's file system was mounted from, by /proc/self/mountinfo (proc(5)).
#pragma once

#include <istream>
#include <string>

namespace ums {

// `mountinfo`: the table's text. `path`: absolute, without symbolic links. The source ("/dev/sda2", "server:/export", "tmpfs") of the
// mount that holds `path`: the one with the longest mount point, the last of several at the same one. Empty if there is none.
[[nodiscard]] std::string mount_source_of(const std::string& path, std::istream& mountinfo);

}  // namespace ums
