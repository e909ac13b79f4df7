#include "ums/io/block_device.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/ums/io/device_tree.hpp"

using namespace ums;
namespace fs = std::filesystem;

namespace {

// A made-up /sys and /proc with one SCSI disk (8:16, two partitions), one NVMe namespace and one logical volume.
class Tree : public testing::DeviceTree {
public:
    Tree() {
        write("sys/devices/pci/host0/block/sdb/dev", "8:16");
        write("sys/devices/pci/host0/block/sdb/size", "2097152");
        write("sys/devices/pci/host0/block/sdb/removable", "1");
        write("sys/devices/pci/host0/block/sdb/queue/logical_block_size", "512");
        write("sys/devices/pci/host0/block/sdb/queue/physical_block_size", "4096");
        write("sys/devices/pci/host0/block/sdb/queue/rotational", "1");
        write("sys/devices/pci/host0/block/sdb/queue/write_cache", "write back");
        write("sys/devices/pci/host0/block/sdb/queue/fua", "1");
        write("sys/devices/pci/host0/block/sdb/stat", "  11 12 13 14 15 16 17 18 19 20 21 1 2 3 4 5 6");
        write("sys/devices/pci/host0/block/sdb/sdb2/dev", "8:18");
        write("sys/devices/pci/host0/block/sdb/sdb2/partition", "2");
        write("sys/devices/pci/host0/block/sdb/sdb2/size", "1000");
        link("../../../../../bus/scsi/drivers/sd", "sys/devices/pci/host0/block/sdb/device/driver");
        link("../../devices/pci/host0/block/sdb", "sys/dev/block/8:16");
        link("../../devices/pci/host0/block/sdb/sdb2", "sys/dev/block/8:18");

        write("sys/devices/pci/nvme/nvme0/nvme0n1/dev", "259:3");
        write("sys/devices/pci/nvme/nvme0/nvme0n1/queue/write_cache", "write through");
        write("sys/devices/pci/nvme/nvme0/nvme0n1/queue/logical_block_size", "4096");
        link("../../../../bus/pci/drivers/nvme", "sys/devices/pci/nvme/nvme0/nvme0n1/device/device/driver");
        link("../../devices/pci/nvme/nvme0/nvme0n1", "sys/dev/block/259:3");

        write("sys/devices/virtual/block/dm-3/dev", "253:3");
        link("../../devices/virtual/block/dm-3", "sys/dev/block/253:3");
        write("sys/class/block/made-up-volume/dev", "253:3");
        write("proc/devices", "Character devices:\n  1 mem\n253 not this\n\nBlock devices:\n  8 sd\n253 device-mapper\n");
    }
};

}  // namespace

TEST_CASE("a disk's facts come from sysfs") {
    const Tree tree;
    const BlockDevice disk = read_block_device(8, 16, tree.roots());
    CHECK(disk.known);
    CHECK(disk.name == "sdb");
    CHECK(disk.number == 16);
    CHECK(disk.driver == "sd");
    CHECK(disk.logical_sector_bytes == 512);
    CHECK(disk.physical_sector_bytes == 4096);
    CHECK(disk.size_bytes == std::uint64_t{2097152} * 512);
    CHECK(disk.is_rotational);
    CHECK(disk.is_removable);
    CHECK(disk.has_write_cache);
    CHECK(disk.has_fua);
}

TEST_CASE("a disk's counters are in the right units") {
    const Tree tree;
    const BlockDeviceCounters counters = read_block_device(8, 16, tree.roots()).counters;
    CHECK(counters.reads == 11);
    CHECK(counters.reads_merged == 12);
    CHECK(counters.read_bytes == 13 * 512);
    CHECK(counters.read_time_ms == 14);
    CHECK(counters.writes == 15);
    CHECK(counters.writes_merged == 16);
    CHECK(counters.written_bytes == 17 * 512);
    CHECK(counters.write_time_ms == 18);
    CHECK(counters.busy_time_ms == 20);
}

TEST_CASE("the times of a disk are right even if what the kernel shows of them has started over in between") {
    constexpr std::uint64_t kShownMs = std::uint64_t{1} << 32;
    CHECK(ms_between(1000, 4000) == 3000);
    CHECK(ms_between(7, 7) == 0);
    CHECK(ms_between(kShownMs - 300, 200) == 500);
    CHECK(ms_between(kShownMs + 5, 3) == 0);  // of another device
}

TEST_CASE("the times of many readings are whole however often what the kernel shows of them starts over") {
    constexpr std::uint64_t kShownMs = std::uint64_t{1} << 32;
    constexpr std::uint64_t kStepMs = 3'000'000'000;
    WholeTimes times;
    for (std::uint64_t step = 1; step <= 5; ++step) {
        BlockDeviceCounters shown;
        shown.reads = step;
        shown.read_time_ms = step * kStepMs % kShownMs;
        shown.write_time_ms = step * 7;
        shown.busy_time_ms = (kShownMs - 3 + step) % kShownMs;
        const BlockDeviceCounters whole = times.next(shown);
        CHECK(whole.reads == step);
        CHECK(whole.read_time_ms == step * kStepMs);
        CHECK(whole.write_time_ms == step * 7);
        CHECK(whole.busy_time_ms == kShownMs - 3 + step);
    }
}

TEST_CASE("a partition leads to its disk") {
    const Tree tree;
    const BlockDevice disk = read_block_device(8, 18, tree.roots());
    CHECK(disk.name == "sdb");
    CHECK(disk.number == 16);
    CHECK(disk.size_bytes == std::uint64_t{2097152} * 512);
    CHECK(disk.counters.reads == 11);
}

TEST_CASE("an NVMe namespace's driver is found above its controller, and missing facts have defaults") {
    const Tree tree;
    const BlockDevice disk = read_block_device(259, 3, tree.roots());
    CHECK(disk.name == "nvme0n1");
    CHECK(disk.driver == "nvme");
    CHECK(disk.logical_sector_bytes == 4096);
    CHECK(disk.physical_sector_bytes == 4096);
    CHECK_FALSE(disk.has_write_cache);
    CHECK_FALSE(disk.has_fua);
    CHECK_FALSE(disk.is_rotational);
    CHECK(disk.counters.reads == 0);
}

TEST_CASE("a device without a driver link is named by its major number") {
    const Tree tree;
    CHECK(read_block_device(253, 3, tree.roots()).driver == "device-mapper");
}

TEST_CASE("a device that sysfs does not know is not known") {
    const Tree tree;
    CHECK_FALSE(read_block_device(1, 2, tree.roots()).known);
    CHECK_FALSE(read_block_device(8, 16, {"/does/not/exist", "/does/not/exist"}).known);
}

TEST_CASE("a file is looked up by its device number, or by the device that its file system was mounted from") {
    const Tree tree;
    const testing::TempFolder folder;
    std::ofstream(folder.file("x")) << "x";
    struct stat facts {};
    REQUIRE(stat(folder.file("x").c_str(), &facts) == 0);
    const auto source_line = [](const std::string& source) { return "22 1 0:21 / / rw - btrfs " + source + " rw"; };
    if (major(facts.st_dev) != 0) {
        tree.write("sys/class/block/own-volume/dev", "253:3");
        tree.link("../../devices/virtual/block/dm-3",
                  "sys/dev/block/" + std::to_string(major(facts.st_dev)) + ":" + std::to_string(minor(facts.st_dev)));
        CHECK(block_device_of(folder.file("x"), tree.roots()).name == "dm-3");
    }
    // /proc has no device of its own, like btrfs; the made-up table says where it comes from.
    tree.write("proc/self/mountinfo", source_line("/dev/does-not-exist/made-up-volume"));
    CHECK(block_device_of("/proc/self/status", tree.roots()).name == "dm-3");
    for (const char* source : {"tmpfs", "overlay", "server:/export", "/dev/does-not-exist", "pool/volume"}) {
        tree.write("proc/self/mountinfo", source_line(source));
        CHECK_FALSE(block_device_of("/proc/self/status", tree.roots()).known);
    }
}

TEST_CASE("a counter that went back has counted nothing, not 2^64 less some") {
    CHECK(count_between(3, 5) == 2);
    CHECK(count_between(5, 3) == 0);
}

TEST_CASE("a file that does not exist has no known device") { CHECK_FALSE(block_device_of("/does/not/exist").known); }

TEST_CASE("the real system answers without errors, and consistently if it knows the device") {
    const testing::TempFolder folder;
    const BlockDevice device = block_device_of(folder.path());
    if (!device.known) {
        WARN("the temporary folder has no block device of its own");
        return;
    }
    CHECK(!device.name.empty());
    CHECK(device.size_bytes > 0);
    CHECK(device.logical_sector_bytes >= 512);
    CHECK(device.physical_sector_bytes >= device.logical_sector_bytes);
    const std::string node = "/dev/" + device.name;  // containers lack it
    if (fs::exists(node)) CHECK(block_device_of(node).number == device.number);
}
