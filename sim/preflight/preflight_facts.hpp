// The facts about a folder, as they were found; judgement.hpp says what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "ums/io/block_device.hpp"
#include "ums/io/block_stack.hpp"
#include "ums/io/container_place.hpp"
#include "ums/io/kernel_version.hpp"
#include "ums/io/mount_table.hpp"
#include "ums/io/write_probe.hpp"

namespace sim {

// Writes that must survive a power cut: what they cost, and how often the device's cache was flushed meanwhile (by anyone).
struct DurableWrites {
    ums::WriteTimes times;
    std::uint64_t flushes = 0;
};

struct PreflightFacts {
    std::string folder;
    bool is_for_tempdb = false;  // of a database server: nothing in it outlives the server
    ums::KernelVersion kernel;

    ums::Mount mount;
    std::uint64_t size_bytes = 0;
    std::uint64_t free_bytes = 0;  // for ordinary users

    ums::BlockDevice disk;                // known = false: no block device of its own
    std::vector<ums::BlockLayer> layers;  // top first
    bool counts_flushes = false;          // the kernel does (Linux 5.5), of one of the layers

    bool was_probed = false;  // the fields up to synced_writes are set
    std::error_code direct_error;
    std::error_code reserve_error;
    std::optional<std::uint64_t> extent_count;
    std::uint64_t probe_bytes = 0;
    ums::WriteTimes plain_writes;
    DurableWrites dsync_writes;
    DurableWrites synced_writes;

    std::optional<double> foreign_requests_per_s;  // by others, while nothing was done here
    std::vector<std::string> other_mounts;         // of the same disk: "/boot (ext4)"
    std::vector<std::string> processes;            // with files open in the folder: "sqlservr (1234)"
    std::vector<std::string> io_limits;            // of control groups, for the disk: "wbps=1048576 in /sys/fs/cgroup/…/io.max"
    std::uint64_t memory_bytes = 0;                // what this process's control groups allow; 0 = not known
    std::uint32_t cpu_count = 0;                   // likewise
    ums::ContainerKind container = ums::ContainerKind::none;
    ums::PodVolume pod_volume;              // in a pod: the volume that holds the folder
    std::string uring_refusal;              // the rest of a sentence that begins with "io_uring cannot be used because"
    std::uint64_t locked_memory_bytes = 0;  // RLIMIT_MEMLOCK; all ones = no limit
};

}  // namespace sim
