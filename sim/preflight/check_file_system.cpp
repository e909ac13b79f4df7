#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/preflight/checks.hpp"

namespace sim {

namespace {

constexpr std::string_view kMove = "put the database files on XFS or ext4: mkfs.xfs DEVICE; mount -o noatime DEVICE FOLDER";

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// "4.2" -> 42, "3" -> 30.
int nfs_version(const ums::Mount& mount) {
    const std::string text = mount_option(mount, "vers").value_or("");
    if (text.empty()) return 0;
    const int major_part = text[0] - '0';
    return major_part * 10 + (text.size() > 2 ? text[2] - '0' : 0);
}

void check_nfs(const PreflightFacts& facts, Lines& lines) {
    const std::string found = fmt::format("NFS {} from {}", mount_option(facts.mount, "vers").value_or("?"), facts.mount.source);
    if (nfs_version(facts.mount) < 42) {
        lines.fail(found, "SQL Server needs NFS 4.2: older versions have neither fallocate nor sparse files", kSetup,
                   fmt::format("umount {0}; mount -o vers=4.2,nolock {1} {0}", facts.mount.point, facts.mount.source));
        return;
    }
    const bool has_nolock = mount_option(facts.mount, "nolock") || mount_option(facts.mount, "local_lock").value_or("none") != "none";
    lines.warn(found,
               fmt::format("the server decides what is durable, and its caches cannot be seen from here{}",
                           has_nolock ? "" : "; SQL Server wants it mounted with nolock"),
               kSetup, has_nolock ? "ask the vendor for SQL Server's support statement" : "mount with -o vers=4.2,nolock");
}

}  // namespace

std::optional<std::string> mount_option(const ums::Mount& mount, std::string_view name) {
    for (const std::string& option : mount.options) {
        if (option == name) return std::string();
        if (option.size() > name.size() && option.starts_with(name) && option[name.size()] == '=') return option.substr(name.size() + 1);
    }
    return std::nullopt;
}

void check_file_system(const PreflightFacts& facts, Lines& lines) {
    const std::string& type = facts.mount.type;
    const std::string found = fmt::format("{} on {}, mounted at {}", type, facts.mount.source, facts.mount.point);
    if (type.empty()) {
        lines.warn("not known: the table of mounts (/proc/self/mountinfo) does not show it", "SQL Server is supported on XFS and ext4 only",
                   kSetup, "findmnt -T FOLDER; in a chroot: mount -t proc proc /proc");
    } else if (is_one_of(type, {"xfs", "ext4"})) {
        lines.ok(found);
    } else if (is_one_of(type, {"nfs", "nfs4"})) {
        check_nfs(facts, lines);
    } else if (type == "tmpfs" && facts.is_for_tempdb) {
        lines.ok(fmt::format("{}: right for tempdb from SQL Server 2025 on, and for nothing else", found));
    } else if (is_one_of(type, {"tmpfs", "ramfs"})) {
        lines.fail(found, "it is in memory: everything is gone when the machine stops", kSetup, std::string(kMove));
    } else if (is_one_of(type, {"overlay", "aufs"})) {
        lines.fail(found, "this is a container's own file system: the files go with the container, and SQL Server is not supported on it",
                   kSetup, "give the container a volume that is on XFS or ext4: -v /mnt/data:/var/opt/mssql");
    } else if (is_one_of(type, {"cifs", "smb3", "smbfs", "9p", "virtiofs"}) || type.starts_with("fuse")) {
        lines.fail(found, "SQL Server on Linux is not supported on it, and what the other side does with a write cannot be seen from here",
                   kSetup, std::string(kMove));
    } else {
        lines.fail(found, "SQL Server on Linux is supported on XFS and ext4 (and NFS 4.2) only", kSetup, std::string(kMove));
    }
}

void check_mount_options(const PreflightFacts& facts, Lines& lines) {
    if (facts.mount.type.empty()) return;
    const auto remount = [&](std::string_view option) { return fmt::format("mount -o remount,{} {}", option, facts.mount.point); };
    std::size_t bad = 0;
    const bool has_no_barrier = mount_option(facts.mount, "nobarrier") || mount_option(facts.mount, "barrier").value_or("1") == "0";
    if (has_no_barrier && !facts.is_for_tempdb) {
        ++bad;
        lines.fail("nobarrier", "the file system never flushes the device's cache: acknowledged writes are lost in a power cut",
                   kForcedUnitAccess, fmt::format("{}, and take nobarrier out of /etc/fstab", remount("barrier")));
    }
    if (mount_option(facts.mount, "data").value_or("") == "journal") {
        ++bad;
        lines.warn("data=journal", "all data is written twice, and O_DIRECT does not bypass the cache", "Linux, ext4(5)",
                   "take data=journal out of /etc/fstab, umount and mount");
    }
    if (mount_option(facts.mount, "sync")) {
        ++bad;
        lines.warn("sync", "every write waits for the device, even those that SQL Server need not wait for", "mount(8)", remount("async"));
    }
    if (mount_option(facts.mount, "dax").value_or("never") != "never") {
        ++bad;
        lines.warn("dax", "writes of a sector are not atomic there: keep log files elsewhere",
                   "Microsoft, Configure persistent memory (PMEM) for SQL Server on Linux "
                   "(https://learn.microsoft.com/sql/linux/sql-server-linux-configure-pmem)",
                   "put log files on a device in sector mode: ndctl create-namespace --mode=sector");
    }
    if (bad == 0) lines.ok(fmt::format("{}", fmt::join(facts.mount.options, ",")));
}

void check_access_times(const PreflightFacts& facts, Lines& lines) {
    if (facts.mount.type.empty()) return;
    if (mount_option(facts.mount, "noatime")) return lines.ok("noatime");
    lines.warn(mount_option(facts.mount, "relatime") ? "relatime" : "access times are kept",
               "reading a file may write its access time; Microsoft asks for noatime", kBestPractices,
               fmt::format("mount -o remount,noatime {}, and add noatime in /etc/fstab", facts.mount.point));
}

void check_free_space(const PreflightFacts& facts, Lines& lines) {
    if (facts.size_bytes == 0) return;
    const double gb = 1024.0 * 1024 * 1024;
    const double share = static_cast<double>(facts.free_bytes) / static_cast<double>(facts.size_bytes);
    const std::string found = fmt::format("{:.1f} GB of {:.1f} GB are free ({:.0f} %)", static_cast<double>(facts.free_bytes) / gb,
                                          static_cast<double>(facts.size_bytes) / gb, share * 100);
    if (share >= 0.1) return lines.ok(found);
    lines.warn(found, "files that cannot grow stop the database; file systems and flash devices that are almost full are slower",
               "Linux, mkfs.ext4(8) on reserved blocks; xfs(5)", fmt::format("free space below {}, or enlarge it", facts.mount.point));
}

void check_direct_io(const PreflightFacts& facts, Lines& lines) {
    if (!facts.was_probed) return;
    if (!facts.direct_error) return lines.ok("O_DIRECT works");
    if (facts.is_for_tempdb && facts.mount.type == "tmpfs") {
        return lines.ok("O_DIRECT is refused, as tmpfs does before Linux 6.6: there is nothing below that it could bypass");
    }
    lines.fail(fmt::format("O_DIRECT is refused ({})", facts.direct_error.message()),
               "SQL Server opens its files with O_DIRECT: everything would go through the system's cache, or not work at all",
               kForcedUnitAccess, std::string(kMove));
}

void check_reservation(const PreflightFacts& facts, Lines& lines) {
    if (!facts.was_probed) return;
    if (!facts.reserve_error) return lines.ok("space can be reserved in advance");
    lines.fail(fmt::format("fallocate() does not work ({})", facts.reserve_error.message()),
               "SQL Server needs it to reserve the space of its files, and so does a run, which cannot make its files without it", kSetup,
               std::string(kMove));
}

void check_extents(const PreflightFacts& facts, Lines& lines) {
    if (!facts.was_probed) return;
    if (!facts.extent_count) {
        return lines.warn("the file system does not report where a file is on the device (no FIEMAP)",
                          "a finding cannot be traced to a place on the device", "Linux, Documentation/filesystems/fiemap.rst",
                          "use XFS or ext4 if the vendor of the device may have to trace a fault");
    }
    const std::uint64_t mb = facts.probe_bytes >> 20;
    const std::string found =
        fmt::format("a new file of {} MB is in {} piece{}", mb, *facts.extent_count, *facts.extent_count == 1 ? "" : "s");
    if (*facts.extent_count <= 4 + mb / 2) return lines.ok(found);
    lines.warn(found, "free space is in small pieces: sequential requests are cut into many", "xfs_fsr(8), e4defrag(8)",
               "create files at their full size in advance, free some space, or run xfs_fsr / e4defrag");
}

}  // namespace sim
