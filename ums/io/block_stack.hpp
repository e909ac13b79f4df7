// The block devices below a folder, from the one that the file system is on (a partition, a logical volume, a RAID) down to the disks, with
// the settings of their queues. Read-only and without privileges, from sysfs (Documentation/ABI/stable/sysfs-block of Linux).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ums/io/block_device.hpp"

namespace ums {

enum class BlockLayerKind : std::uint8_t { disk, partition, mapped, raid, cached, loop, memory };  // cached: bcache

struct BlockLayer {
    std::string name;  // "sda1", "dm-3", "md0"
    std::optional<DeviceNumber> number{};
    BlockLayerKind kind = BlockLayerKind::disk;
    std::string detail;             // mapped: what created it ("LVM", "CRYPT", "mpath"); raid: its level; loop: its file
    std::uint64_t start_bytes = 0;  // partition: where it begins on its disk
    std::uint32_t alignment_offset_bytes = 0;

    // Settings of the queue; a partition has those of its disk.
    bool has_queue = false;  // requests queue there; otherwise the device only passes them on
    std::uint32_t logical_sector_bytes = 512;
    std::uint32_t physical_sector_bytes = 512;
    std::uint64_t minimum_io_bytes = 0;  // the chunk of a striped device
    std::uint64_t optimal_io_bytes = 0;  // the full stripe of a striped device; 0 = not reported
    std::uint64_t read_ahead_kb = 0;
    std::string scheduler;  // the chosen one; empty if there is no choice
    bool is_rotational = false;
    bool has_write_cache = false;
    bool has_fua = false;
};

// Top first; every layer is followed by those below it. Empty if sysfs does not know the number.
[[nodiscard]] std::vector<BlockLayer> read_block_stack(DeviceNumber number, const BlockDeviceRoots& roots = {});

// The numbers ("8:0") of all but the partitions, each once. Only such devices can have limits: a limit on a disk holds for its partitions.
[[nodiscard]] std::vector<std::string> whole_devices(const std::vector<BlockLayer>& layers);

// How many flushes have reached the devices of the stack since the machine started (Linux 5.5). Nothing if none of them counts flushes:
// Linux does so only where requests queue, not in device mapper, RAID and the multipath of NVMe, which pass them on.
[[nodiscard]] std::optional<std::uint64_t> count_flushes(const std::vector<BlockLayer>& layers, const BlockDeviceRoots& roots = {});

// Sleeps for `watch_ms` and returns how many reads and writes of all processes the busiest of these devices completed meanwhile: a volume
// counts only its own, and the disk below it those of all volumes. 0 if there are none, or they disappear meanwhile.
[[nodiscard]] std::uint64_t requests_within(const std::vector<BlockLayer>& layers, std::uint64_t watch_ms,
                                            const BlockDeviceRoots& roots = {});

}  // namespace ums
