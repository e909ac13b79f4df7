#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/preflight/checks.hpp"

namespace sim {

namespace {

constexpr double kBytesPerGb = 1024.0 * 1024 * 1024;

std::string limits_text(const PreflightFacts& facts) {
    if (facts.memory_bytes == 0) return fmt::format("{} CPU{} may be used", facts.cpu_count, facts.cpu_count == 1 ? "" : "s");
    return fmt::format("{} CPU{} and {:.1f} GB may be used", facts.cpu_count, facts.cpu_count == 1 ? "" : "s",
                       static_cast<double>(facts.memory_bytes) / kBytesPerGb);
}

std::string volume_text(const PreflightFacts& facts) {
    const ums::PodVolume& volume = facts.pod_volume;
    if (!volume.plugin.empty()) return fmt::format("the folder is on the volume {} ({})", volume.name, volume.plugin);
    if (facts.mount.root.empty()) return "what volume the folder is on is not known";
    if (facts.mount.point == "/") return "the folder is not on a volume";
    if (facts.mount.root == "/") return "the folder is on a volume with a file system of its own";
    return fmt::format("the folder is on {} of a file system that is mounted on the node, too", facts.mount.root);
}

}  // namespace

void check_container(const PreflightFacts& facts, Lines& lines) {
    if (facts.container == ums::ContainerKind::none) return;
    if (facts.container == ums::ContainerKind::container) {
        return lines.ok(fmt::format("{}; not seen from inside: mounts and processes of the machine, other containers on the same disk",
                                    limits_text(facts)));
    }
    const std::string found = fmt::format("a pod of Kubernetes; {}; {}", limits_text(facts), volume_text(facts));
    if (facts.pod_volume.plugin == "empty-dir") {
        return lines.warn(found, "it is on the node's own disk and disappears with the pod: this tests neither a claim nor a StorageClass",
                          kVolumes, "mount a persistentVolumeClaim there, as deploy/kubernetes/job.yaml does");
    }
    lines.ok(fmt::format("{}; not seen from inside: the StorageClass and its replicas, other pods on the same disk, the node", found));
}

void check_io_limits(const PreflightFacts& facts, Lines& lines) {
    if (facts.layers.empty()) return;
    if (facts.io_limits.empty()) return lines.ok("no control group limits I/O to this device");
    lines.warn(fmt::format("{}", fmt::join(facts.io_limits, ", ")),
               "this process is held back, as SQL Server would be in the same group, so a result says nothing about the device",
               "Linux, Documentation/admin-guide/cgroup-v2.rst",
               "systemctl set-property UNIT IOReadBandwidthMax= IOWriteBandwidthMax= (empty: no limit), or the container's limits");
}

void check_memory(const PreflightFacts& facts, Lines& lines) {
    constexpr std::uint64_t kNeededBytes = 2'000'000'000;
    if (facts.memory_bytes == 0) return;
    const std::string found = fmt::format("{:.1f} GB may be used", static_cast<double>(facts.memory_bytes) / kBytesPerGb);
    if (facts.memory_bytes >= kNeededBytes) return lines.ok(found);
    lines.warn(found, "SQL Server does not start with less than 2 GB", kSetup,
               "raise the container's limit (memory.max, memory.high), or add memory");
}

void check_io_uring(const PreflightFacts& facts, Lines& lines) {
    const std::string locked = facts.locked_memory_bytes == std::numeric_limits<std::uint64_t>::max()
                                   ? "unlimited"
                                   : fmt::format("{} KB", facts.locked_memory_bytes / 1024);
    if (facts.uring_refusal.empty()) return lines.ok(fmt::format("can be used; memory that may be locked: {}", locked));
    lines.warn(fmt::format("cannot be used because {}; memory that may be locked: {}", facts.uring_refusal, locked),
               "ioproof uses a thread pool instead, which costs more CPU time; SQL Server does not need it", "io_uring_setup(2)",
               "sysctl kernel.io_uring_disabled=0; ulimit -l unlimited; in a container: a seccomp profile that allows io_uring");
}

void check_other_users(const PreflightFacts& facts, Lines& lines) {
    if (!facts.processes.empty()) {
        lines.warn(fmt::format("files in this folder are open in {}", fmt::join(facts.processes, ", ")),
                   "their I/O mixes with the test's, and the test's load slows them down",
                   "SQLIOSim: not to be run beside a database in use", "stop them, or choose another folder");
    }
    if (!facts.other_mounts.empty()) {
        lines.warn(fmt::format("the same disk holds {}", fmt::join(facts.other_mounts, ", ")),
                   "I/O there slows down the test's I/O, and vice versa", kBestPractices, "give data and log files disks of their own");
    }
    if (facts.processes.empty() && facts.other_mounts.empty() && !facts.layers.empty()) {
        lines.ok(fmt::format("no other file system on the disk, no other process in the folder (as far as this {} may see)",
                             facts.container == ums::ContainerKind::none ? "user" : "container"));
    }
}

void check_foreign_load(const PreflightFacts& facts, Lines& lines) {
    constexpr double kIdlePerSecond = 100;
    if (!facts.foreign_requests_per_s) return;
    const std::string found = fmt::format("{:.0f} requests/s by others while this process was idle", *facts.foreign_requests_per_s);
    if (*facts.foreign_requests_per_s < kIdlePerSecond) return lines.ok(found);
    lines.warn(found, "latencies of a run now are not those of an idle device", "iostat(1)",
               "find out who it is (iostat -x 1, iotop -o), and wait until they are done");
}

}  // namespace sim
