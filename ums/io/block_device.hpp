// The block device below a file, as far as Linux reports it: facts from sysfs, counters of the kernel's block layer. Read-only and without
// privileges. A file without a block device of its own (tmpfs, overlay, NFS, 9p) is not an error: its device is just not known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ums {

// Since the machine started; the difference of two readings describes a run. See Documentation/block/stat.rst of Linux. Other users of the
// device are counted, too.
struct BlockDeviceCounters {
    std::uint64_t reads = 0;
    std::uint64_t reads_merged = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t read_time_ms = 0;
    std::uint64_t writes = 0;
    std::uint64_t writes_merged = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t write_time_ms = 0;
    std::uint64_t busy_time_ms = 0;  // at least one request was outstanding; idle = elapsed - busy
    std::uint64_t flushes = 0;       // of the device's cache; 0 before Linux 5.5
};

// Between two readings of one of the other counters; 0 if it counts less, because the disk is gone, or another one has its name.
[[nodiscard]] constexpr std::uint64_t count_between(std::uint64_t before, std::uint64_t after) {
    return after > before ? after - before : 0;
}

// Milliseconds between two readings of one of these times. Linux keeps them in 64 bits and shows 32
// (Documentation/admin-guide/iostats.rst): with 50 requests outstanding, what it shows starts over every day.
[[nodiscard]] constexpr std::uint64_t ms_between(std::uint64_t before_ms, std::uint64_t after_ms) {
    constexpr std::uint64_t kShownMs = std::uint64_t{1} << 32;
    if (after_ms >= before_ms) return after_ms - before_ms;
    return before_ms < kShownMs ? kShownMs - before_ms + after_ms : 0;
}

// The times of one device over many readings: whole, however often what Linux shows of them starts over, as long as none of them does so
// twice between two readings. One thread at a time.
class WholeTimes {
public:
    // The counters of the next reading, `shown`, with whole times. The device must be known.
    [[nodiscard]] BlockDeviceCounters next(const BlockDeviceCounters& shown) {
        BlockDeviceCounters whole = shown;
        for (const auto time :
             {&BlockDeviceCounters::read_time_ms, &BlockDeviceCounters::write_time_ms, &BlockDeviceCounters::busy_time_ms}) {
            whole.*time = whole_.*time + ms_between(shown_.*time, shown.*time);
        }
        shown_ = shown;
        whole_ = whole;
        return whole;
    }

private:
    BlockDeviceCounters shown_;  // the last reading
    BlockDeviceCounters whole_;
};

struct BlockDevice {
    bool known = false;
    std::string name;          // of the whole disk, also for a file on a partition: "sda", "nvme0n1", "dm-3"
    std::uint32_t number = 0;  // minor device number of the whole disk
    std::string driver;        // "sd", "nvme", "virtio_blk", "device-mapper"; may be empty
    std::uint32_t logical_sector_bytes = 512;
    std::uint32_t physical_sector_bytes = 512;
    std::uint64_t size_bytes = 0;
    bool is_rotational = false;
    bool is_removable = false;
    bool has_write_cache = false;  // volatile: a write is durable only after a flush or with FUA
    bool has_fua = false;          // the device can make single writes durable
    BlockDeviceCounters counters;
};

// Where Linux shows its state; tests have trees of their own.
struct BlockDeviceRoots {
    std::string sys = "/sys";
    std::string proc = "/proc";
};

struct DeviceNumber {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
};

// A "dev" file of sysfs: "259:0".
[[nodiscard]] std::optional<DeviceNumber> read_device_number(const std::filesystem::path& file);

// The number of the block device that holds the file or folder `path`, or that `path` names: that of the partition, if there is one. Finds
// devices in /dev even if only sysfs has them (containers). See block_device_of.
[[nodiscard]] std::optional<DeviceNumber> device_number_of(const std::string& path, const BlockDeviceRoots& roots = {});

// Facts and counters of the whole disk with the device number `major`:`minor`, or of the disk that this partition belongs to.
[[nodiscard]] BlockDevice read_block_device(std::uint32_t major, std::uint32_t minor, const BlockDeviceRoots& roots = {});

// The same for the device that holds the file or folder `path`, or that `path` names. File systems with anonymous device numbers (btrfs)
// are looked up by the device they were mounted from; of several disks only that one. If the file does not exist: known = false.
[[nodiscard]] BlockDevice block_device_of(const std::string& path, const BlockDeviceRoots& roots = {});

}  // namespace ums
