#include "ums/io/block_stack.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/ums/io/device_tree.hpp"

using namespace ums;

namespace {

// Names are those below /sys.
class SysTree {
public:
    void write(const std::string& name, const std::string& text) const { tree_.write("sys/" + name, text); }
    void link(const std::string& target, const std::string& name) const { tree_.link(target, "sys/" + name); }
    [[nodiscard]] BlockDeviceRoots roots() const { return tree_.roots(); }

private:
    testing::DeviceTree tree_;
};

}  // namespace

TEST_CASE("a partition is followed by its disk, whose queue it shares") {
    const SysTree tree;
    tree.write("devices/sda/dev", "8:0");
    tree.write("devices/sda/queue/scheduler", "none mq-deadline [bfq]");
    tree.write("devices/sda/queue/read_ahead_kb", "128");
    tree.write("devices/sda/queue/physical_block_size", "4096");
    tree.write("devices/sda/queue/minimum_io_size", "65536");
    tree.write("devices/sda/queue/optimal_io_size", "262144");
    tree.write("devices/sda/queue/write_cache", "write back");
    tree.write("devices/sda/queue/fua", "1");
    tree.write("devices/sda/sda1/partition", "1");
    tree.write("devices/sda/sda1/start", "63");
    tree.write("devices/sda/sda1/alignment_offset", "512");
    tree.link("../../devices/sda/sda1", "dev/block/8:1");
    const std::vector<BlockLayer> layers = read_block_stack({8, 1}, tree.roots());
    REQUIRE(layers.size() == 2);
    CHECK(layers[0].name == "sda1");
    CHECK(layers[0].kind == BlockLayerKind::partition);
    CHECK(layers[0].start_bytes == 63 * 512);
    CHECK(layers[0].alignment_offset_bytes == 512);
    CHECK(layers[0].scheduler == "bfq");
    CHECK(layers[1].name == "sda");
    CHECK(layers[1].kind == BlockLayerKind::disk);
    CHECK(layers[1].read_ahead_kb == 128);
    CHECK(layers[1].physical_sector_bytes == 4096);
    CHECK(layers[1].minimum_io_bytes == 65536);
    CHECK(layers[1].optimal_io_bytes == 262144);
    CHECK(layers[1].has_write_cache);
    CHECK(layers[1].has_fua);
}

TEST_CASE("a logical volume on a RAID of two partitions shows all devices, the volume first") {
    const SysTree tree;
    for (const char* disk : {"sda", "sdb"}) {
        const std::string name = std::string("devices/") + disk;
        tree.write(name + "/dev", "8:0");
        tree.write(name + "/" + disk + "1/partition", "1");
    }
    tree.write("devices/md0/md/level", "raid10");
    tree.link("../../sda/sda1", "devices/md0/slaves/sda1");
    tree.link("../../sdb/sdb1", "devices/md0/slaves/sdb1");
    tree.write("devices/dm-3/dm/uuid", "LVM-abcdef");
    tree.link("../../md0", "devices/dm-3/slaves/md0");
    tree.link("../../devices/dm-3", "dev/block/253:3");
    const std::vector<BlockLayer> layers = read_block_stack({253, 3}, tree.roots());
    std::string names;
    for (const BlockLayer& layer : layers) names += layer.name + " ";
    CHECK(names == "dm-3 md0 sda1 sda sdb1 sdb ");
    CHECK(layers[0].kind == BlockLayerKind::mapped);
    CHECK(layers[0].detail == "LVM");
    CHECK(layers[1].kind == BlockLayerKind::raid);
    CHECK(layers[1].detail == "raid10");
}

TEST_CASE("flushes are counted at the disks below a logical volume, which counts none itself, each disk once") {
    const SysTree tree;
    const auto stat_with = [](int flushes) { return "1 0 8 1 1 0 8 1 0 1 2 0 0 0 0 " + std::to_string(flushes) + " 9"; };
    tree.write("devices/sda/dev", "8:0");
    tree.write("devices/sda/mq/0/cpu_list", "0");
    tree.write("devices/sda/stat", stat_with(40));
    tree.write("devices/sda/sda1/partition", "1");
    tree.write("devices/sda/sda1/dev", "8:1");
    tree.write("devices/sda/sda2/partition", "2");
    tree.write("devices/sda/sda2/dev", "8:2");
    tree.write("devices/sdb/dev", "8:16");
    tree.write("devices/sdb/mq/0/cpu_list", "0");
    tree.write("devices/sdb/stat", stat_with(2));
    tree.write("devices/dm-3/dev", "253:3");
    tree.write("devices/dm-3/dm/uuid", "LVM-abcdef");
    tree.write("devices/dm-3/stat", stat_with(0));
    tree.link("../../sda/sda1", "devices/dm-3/slaves/sda1");
    tree.link("../../sda/sda2", "devices/dm-3/slaves/sda2");
    tree.link("../../sdb", "devices/dm-3/slaves/sdb");
    for (const auto& [name, number] : {std::pair{"sda", "8:0"}, std::pair{"sdb", "8:16"}, std::pair{"dm-3", "253:3"}}) {
        tree.link(std::string("../../devices/") + name, std::string("dev/block/") + number);
    }
    CHECK(count_flushes(read_block_stack({253, 3}, tree.roots()), tree.roots()) == 42);
    CHECK(count_flushes(read_block_stack({8, 16}, tree.roots()), tree.roots()) == 2);
}

TEST_CASE("limits on I/O are looked for at the volume and at the disks below it, not at partitions") {
    const SysTree tree;
    tree.write("devices/sda/dev", "8:0");
    tree.write("devices/sda/sda1/partition", "1");
    tree.write("devices/sda/sda1/dev", "8:1");
    tree.write("devices/sda/sda2/partition", "2");
    tree.write("devices/sda/sda2/dev", "8:2");
    tree.write("devices/dm-3/dev", "253:3");
    tree.link("../../sda/sda1", "devices/dm-3/slaves/sda1");
    tree.link("../../sda/sda2", "devices/dm-3/slaves/sda2");
    tree.link("../../devices/dm-3", "dev/block/253:3");
    tree.link("../../devices/sda/sda1", "dev/block/8:1");
    CHECK(whole_devices(read_block_stack({8, 1}, tree.roots())) == std::vector<std::string>{"8:0"});
    CHECK(whole_devices(read_block_stack({253, 3}, tree.roots())) == std::vector<std::string>{"253:3", "8:0"});
}

TEST_CASE("a device that only passes requests on does not say how many flushes there were") {
    const SysTree tree;
    tree.write("devices/nvme0n1/dev", "259:0");
    tree.write("devices/nvme0n1/stat", "1 0 8 1 1 0 8 1 0 1 2 0 0 0 0 0 0");
    tree.link("../../devices/nvme0n1", "dev/block/259:0");
    CHECK_FALSE(count_flushes(read_block_stack({259, 0}, tree.roots()), tree.roots()).has_value());
    CHECK_FALSE(count_flushes({}, tree.roots()).has_value());
}

TEST_CASE("requests of others are counted at the disk below a volume, too, and a disk that disappears has none") {
    const SysTree tree;
    const auto stat_with = [](int reads) { return std::to_string(reads) + " 0 8 1 1 0 8 1 0 1 2"; };
    tree.write("devices/sda/dev", "8:0");
    tree.write("devices/sda/stat", stat_with(10));
    tree.write("devices/dm-3/dev", "253:3");
    tree.write("devices/dm-3/stat", stat_with(5));
    tree.link("../../sda", "devices/dm-3/slaves/sda");
    tree.link("../../devices/dm-3", "dev/block/253:3");
    tree.link("../../devices/sda", "dev/block/8:0");
    const std::vector<BlockLayer> layers = read_block_stack({253, 3}, tree.roots());
    const auto requests_if_disk_says = [&](int reads) {
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            tree.write("devices/sda/stat", stat_with(reads));
        });
        const std::uint64_t requests = requests_within(layers, 500, tree.roots());
        other.join();
        return requests;
    };
    CHECK(requests_if_disk_says(17) == 7);
    CHECK(requests_if_disk_says(0) == 0);
    CHECK(requests_within({}, 1, tree.roots()) == 0);
}

TEST_CASE("bcache is no disk: it passes on what it gets to the devices below it") {
    const SysTree tree;
    tree.write("devices/sda/dev", "8:0");
    tree.write("devices/nvme0n1/dev", "259:0");
    tree.write("devices/bcache0/queue/write_cache", "write back");
    tree.link("../../sda", "devices/bcache0/slaves/sda");
    tree.link("../../nvme0n1", "devices/bcache0/slaves/nvme0n1");
    tree.link("../../devices/bcache0", "dev/block/252:0");
    const std::vector<BlockLayer> layers = read_block_stack({252, 0}, tree.roots());
    REQUIRE(layers.size() == 3);
    CHECK(layers[0].kind == BlockLayerKind::cached);
    CHECK(layers[1].kind == BlockLayerKind::disk);
}

TEST_CASE("loop devices and memory disks are told apart, and an unknown number has no layers") {
    const SysTree tree;
    tree.write("devices/loop0/loop/backing_file", "/srv/disk.img");
    tree.link("../../devices/loop0", "dev/block/7:0");
    tree.write("devices/zram0/dev", "252:0");
    tree.link("../../devices/zram0", "dev/block/252:0");
    CHECK(read_block_stack({7, 0}, tree.roots()).at(0).kind == BlockLayerKind::loop);
    CHECK(read_block_stack({7, 0}, tree.roots()).at(0).detail == "/srv/disk.img");
    CHECK(read_block_stack({252, 0}, tree.roots()).at(0).kind == BlockLayerKind::memory);
    CHECK(read_block_stack({1, 99}, tree.roots()).empty());
}
