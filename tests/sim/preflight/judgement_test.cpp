#include "sim/preflight/judgement.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"
#include "ums/io/errno_error.hpp"

using namespace sim;

namespace {

constexpr std::uint64_t kGb = 1 << 30;

ums::WriteTimes times(std::uint64_t mean_us) {
    return {.count = 100, .mean_ns = mean_us * ums::kNsPerUs, .min_ns = mean_us * ums::kNsPerUs / 2, .max_ns = mean_us * ums::kNsPerUs * 3};
}

// XFS on the second partition of an NVMe disk with a volatile cache and FUA: everything as it should be.
PreflightFacts sound() {
    PreflightFacts facts;
    facts.folder = "/data";
    facts.kernel = {.major = 6, .minor = 1};
    facts.mount = {.device = "259:2", .point = "/data", .type = "xfs", .source = "/dev/nvme0n1p2", .options = {"rw", "noatime", "noquota"}};
    facts.size_bytes = 100 * kGb;
    facts.free_bytes = 50 * kGb;
    facts.disk.known = true;
    facts.disk.name = "nvme0n1";
    facts.disk.driver = "nvme";
    ums::BlockLayer disk;
    disk.name = "nvme0n1";
    disk.read_ahead_kb = 2048;
    disk.scheduler = "none";
    disk.has_queue = true;
    disk.has_write_cache = true;
    disk.has_fua = true;
    ums::BlockLayer partition = disk;
    partition.name = "nvme0n1p2";
    partition.kind = ums::BlockLayerKind::partition;
    partition.start_bytes = 1 << 20;
    facts.layers = {partition, disk};
    facts.counts_flushes = true;
    facts.was_probed = true;
    facts.extent_count = 1;
    facts.probe_bytes = 32 << 20;
    facts.plain_writes = times(20);
    facts.dsync_writes = {times(40), 0};
    facts.synced_writes = {times(60), 100};
    facts.foreign_requests_per_s = 3;
    facts.memory_bytes = 16 * kGb;
    facts.locked_memory_bytes = 8 << 20;
    return facts;
}

using Change = std::function<void(PreflightFacts&)>;

std::vector<PreflightLine> judged(const Change& change) {
    PreflightFacts facts = sound();
    change(facts);
    return evaluate_preflight(facts);
}

// The lines that are not OK, as "FAIL file system; WARN …".
std::string complaints(const Change& change) {
    std::string text;
    for (const PreflightLine& line : judged(change)) {
        if (line.grade == PreflightGrade::ok) continue;
        text += (text.empty() ? "" : "; ") + std::string(name_of(line.grade)) + " " + line.topic;
    }
    return text;
}

void all_layers(PreflightFacts& facts, const std::function<void(ums::BlockLayer&)>& change) {
    for (ums::BlockLayer& layer : facts.layers) change(layer);
}

}  // namespace

TEST_CASE("if everything is right, every line is OK and none has a fix") {
    const std::vector<PreflightLine> lines = judged([](PreflightFacts&) {});
    CHECK(lines.size() >= 18);
    for (const PreflightLine& line : lines) {
        INFO(line.topic << ": " << line.found);
        CHECK(line.grade == PreflightGrade::ok);
        CHECK(line.folder == "/data");
        CHECK(!line.found.empty());
        CHECK(line.remedy.empty());
    }
}

TEST_CASE("file systems: XFS and ext4 are supported, NFS from 4.2 on, nothing else") {
    const auto on = [](const std::string& type, const std::vector<std::string>& more = {}) {
        return complaints([&](PreflightFacts& facts) {
            facts.mount.type = type;
            facts.mount.options.insert(facts.mount.options.end(), more.begin(), more.end());
        });
    };
    CHECK(on("ext4").empty());
    for (const char* type : {"tmpfs", "overlay", "btrfs", "cifs", "fuse.sshfs", "fuseblk", "9p", "ext3", "zfs"}) {
        INFO(type);
        CHECK(on(type) == "FAIL file system");
    }
    CHECK(on("") == "WARN file system");
    CHECK(on("nfs", {"vers=3"}) == "FAIL file system");
    CHECK(on("nfs4", {"vers=4.1"}) == "FAIL file system");
    CHECK(on("nfs4", {"vers=4.2"}) == "WARN file system");
}

TEST_CASE("tempdb may be on tmpfs, even without O_DIRECT, but not on any other unsupported file system") {
    const auto on = [](const std::string& type, bool is_for_tempdb) {
        return complaints([&](PreflightFacts& facts) {
            facts.mount.type = type;
            facts.is_for_tempdb = is_for_tempdb;
            facts.was_probed = true;
            facts.direct_error = std::make_error_code(std::errc::invalid_argument);
        });
    };
    CHECK(on("tmpfs", true).empty());
    CHECK(on("tmpfs", false) == "FAIL file system; FAIL direct I/O");
    CHECK(on("ramfs", true) == "FAIL file system; FAIL direct I/O");
    CHECK(on("ext4", true) == "FAIL direct I/O");
}

TEST_CASE("what only endangers or delays durable writes is right for tempdb, of which nothing need be durable") {
    const auto with = [](bool is_for_tempdb, const Change& change) {
        return complaints([&](PreflightFacts& facts) {
            facts.is_for_tempdb = is_for_tempdb;
            change(facts);
        });
    };
    const std::vector<std::pair<std::string, Change>> dangers{
        {"FAIL mount options", [](PreflightFacts& facts) { facts.mount.options.push_back("nobarrier"); }},
        {"FAIL device", [](PreflightFacts& facts) { facts.layers[1].kind = ums::BlockLayerKind::memory; }},
        {"FAIL write cache", [](PreflightFacts& facts) { facts.layers[0].has_write_cache = false; }},
        {"FAIL flushes", [](PreflightFacts& facts) { facts.synced_writes.flushes = 0; }},
        {"WARN durable writes", [](PreflightFacts& facts) { facts.dsync_writes.times = facts.synced_writes.times = times(7); }},
        {"WARN durable writes", [](PreflightFacts& facts) { facts.dsync_writes.times = facts.synced_writes.times = times(16000); }}};
    for (const auto& [complaint, change] : dangers) {
        CHECK(with(false, change) == complaint);
        CHECK(with(true, change).empty());
    }
}

TEST_CASE("mount options that endanger or slow down a database are reported one by one") {
    const auto with = [](const std::string& option) {
        return complaints([&](PreflightFacts& facts) { facts.mount.options.push_back(option); });
    };
    CHECK(with("nobarrier") == "FAIL mount options");
    CHECK(with("barrier=0") == "FAIL mount options");
    CHECK(with("barrier=1").empty());
    CHECK(with("data=journal") == "WARN mount options");
    CHECK(with("data=ordered").empty());
    CHECK(with("sync") == "WARN mount options");
    CHECK(with("dax") == "WARN mount options");
    CHECK(with("dax=always") == "WARN mount options");
    CHECK(with("dax=never").empty());
    CHECK(complaints([](PreflightFacts& facts) { facts.mount.options = {"rw", "relatime"}; }) == "WARN access times");
}

TEST_CASE("results of the tests in the folder: direct I/O, fallocate, extents, space") {
    CHECK(complaints([](PreflightFacts& facts) { facts.direct_error = ums::errno_error(EINVAL); }) == "FAIL direct I/O");
    CHECK(complaints([](PreflightFacts& facts) { facts.reserve_error = ums::errno_error(EOPNOTSUPP); }) == "FAIL fallocate");
    CHECK(complaints([](PreflightFacts& facts) { facts.extent_count = std::nullopt; }) == "WARN extents");
    CHECK(complaints([](PreflightFacts& facts) { facts.extent_count = 21; }) == "WARN extents");
    CHECK(complaints([](PreflightFacts& facts) { facts.extent_count = 20; }).empty());
    CHECK(complaints([](PreflightFacts& facts) { facts.free_bytes = 9 * kGb; }) == "WARN free space");
}

TEST_CASE("a cache that ignores flushes fails, a device without a cache needs no flushes") {
    CHECK(complaints([](PreflightFacts& facts) { facts.synced_writes.flushes = 0; }) == "FAIL flushes");
    CHECK(complaints([](PreflightFacts& facts) {
              facts.synced_writes.flushes = 0;
              all_layers(facts, [](ums::BlockLayer& layer) { layer.has_write_cache = false; });
          }).empty());
    CHECK(complaints([](PreflightFacts& facts) {
              facts.synced_writes.flushes = 0;
              facts.counts_flushes = false;
          }).empty());
    CHECK(complaints([](PreflightFacts& facts) { facts.layers[0].has_write_cache = false; }) == "FAIL write cache");
}

TEST_CASE("a RAID or bcache that speaks of a cache has none if its disks have none, and then needs no flushes") {
    const auto kind = GENERATE(ums::BlockLayerKind::raid, ums::BlockLayerKind::cached);
    const auto on_raid = [kind](bool have_disks_cache) {
        return [kind, have_disks_cache](PreflightFacts& facts) {
            ums::BlockLayer raid = facts.layers[1];
            raid.name = "top0";
            raid.kind = kind;
            raid.has_queue = false;
            facts.layers[1].has_write_cache = have_disks_cache;
            facts.layers = {raid, facts.layers[1]};
            facts.synced_writes.flushes = 0;
        };
    };
    const auto cache = [](const Change& change) {
        for (const PreflightLine& line : judged(change)) {
            if (line.topic == "write cache") return line.found;
        }
        return std::string();
    };
    CHECK(complaints(on_raid(true)) == "FAIL flushes");
    CHECK_THAT(cache(on_raid(true)), ContainsSubstring("volatile (write back)"));
    CHECK(complaints(on_raid(false)).empty());
    CHECK_THAT(cache(on_raid(false)), ContainsSubstring("write through"));
}

TEST_CASE("durable writes that are impossibly fast, slow, or not possible at all") {
    const auto taking = [](std::uint64_t mean_us, bool is_rotational) {
        return complaints([&](PreflightFacts& facts) {
            facts.dsync_writes.times = times(mean_us);
            facts.synced_writes.times = times(mean_us);
            all_layers(facts, [&](ums::BlockLayer& layer) { layer.is_rotational = is_rotational; });
        });
    };
    CHECK(taking(7, false) == "WARN durable writes");
    CHECK(taking(9, false).empty());
    CHECK(taking(900, true) == "WARN durable writes");
    CHECK(taking(8000, true).empty());
    CHECK(taking(16000, true) == "WARN durable writes");
    CHECK(complaints([](PreflightFacts& facts) { facts.synced_writes.times.count = 0; }) == "FAIL durable writes");
    const auto failing = [](int number, bool are_syncs_failing) {
        return complaints([&](PreflightFacts& facts) {
            facts.dsync_writes.times = {};
            facts.dsync_writes.times.error = ums::errno_error(number);
            if (are_syncs_failing) facts.synced_writes.times = facts.dsync_writes.times;
        });
    };
    // What is refused can still be made durable by a sync, as a run does.
    for (const int refusal : {EOPNOTSUPP, EPERM}) CHECK(failing(refusal, false) == "WARN durable writes");
    CHECK(failing(EIO, false) == "FAIL durable writes");
    CHECK(failing(EOPNOTSUPP, true) == "FAIL durable writes");
}

TEST_CASE("the settings of SQL Server depend on FUA, the file system and the kernel") {
    const auto settings = [](const Change& change) {
        for (const PreflightLine& line : judged(change)) {
            if (line.topic == "SQL Server settings") return line.found;
        }
        return std::string();
    };
    CHECK_THAT(settings([](PreflightFacts&) {}), ContainsSubstring("traceflag 3979 on"));
    CHECK_THAT(settings([](PreflightFacts& facts) { facts.layers[0].has_fua = false; }), ContainsSubstring("traceflag 3982"));
    CHECK_THAT(settings([](PreflightFacts& facts) {
                   facts.mount.type = "ext4";
                   facts.kernel = {.major = 5, .minor = 5};
               }),
               ContainsSubstring("traceflag 3982"));
    CHECK(settings([](PreflightFacts& facts) { facts.mount.type = "btrfs"; }).empty());
}

TEST_CASE("geometry: sectors, alignment, stripes") {
    CHECK(complaints([](PreflightFacts& facts) {
              all_layers(facts, [](ums::BlockLayer& layer) { layer.logical_sector_bytes = layer.physical_sector_bytes = 8192; });
          }) == "FAIL sector sizes");
    CHECK(complaints([](PreflightFacts& facts) {
              all_layers(facts, [](ums::BlockLayer& layer) { layer.physical_sector_bytes = 16384; });
          }) == "WARN sector sizes");
    CHECK(complaints([](PreflightFacts& facts) { facts.layers[0].start_bytes = 63 * 512; }) == "WARN alignment");
    CHECK(complaints([](PreflightFacts& facts) { facts.layers[1].alignment_offset_bytes = 512; }) == "WARN alignment");
    const auto striped = [](const std::string& option) {
        return complaints([&](PreflightFacts& facts) {
            facts.mount.options.push_back(option);
            all_layers(facts, [](ums::BlockLayer& layer) {
                layer.minimum_io_bytes = 64 << 10;
                layer.optimal_io_bytes = 256 << 10;
            });
        });
    };
    CHECK(striped("inode64") == "WARN stripes");
    CHECK(striped("swidth=512").empty());
}

TEST_CASE("queue settings, limits, other users of the disk") {
    const auto scheduled = [](const std::string& name) {
        return complaints([&](PreflightFacts& facts) { all_layers(facts, [&](ums::BlockLayer& layer) { layer.scheduler = name; }); });
    };
    CHECK(scheduled("bfq") == "WARN I/O scheduler");
    CHECK(scheduled("mq-deadline").empty());
    CHECK(complaints([](PreflightFacts& facts) { facts.layers[0].read_ahead_kb = 128; }) == "WARN read-ahead");
    CHECK(complaints([](PreflightFacts& facts) { facts.io_limits = {"wbps=1048576 in io.max"}; }) == "WARN I/O limits");
    CHECK(complaints([](PreflightFacts& facts) { facts.memory_bytes = kGb; }) == "WARN memory");
    CHECK(complaints([](PreflightFacts& facts) { facts.uring_refusal = "it is switched off"; }) == "WARN io_uring");
    CHECK(complaints([](PreflightFacts& facts) { facts.other_mounts = {"/ (ext4)"}; }) == "WARN other users");
    CHECK(complaints([](PreflightFacts& facts) { facts.processes = {"sqlservr (7)"}; }) == "WARN other users");
    CHECK(complaints([](PreflightFacts& facts) { facts.foreign_requests_per_s = 500; }) == "WARN foreign load");
    CHECK(complaints([](PreflightFacts& facts) { facts.layers[1].kind = ums::BlockLayerKind::loop; }) == "WARN device");
    CHECK(complaints([](PreflightFacts& facts) { facts.layers[1].kind = ums::BlockLayerKind::memory; }) == "FAIL device");
}

TEST_CASE("the I/O scheduler that counts is that of the disks below a volume, or of their multipath") {
    const auto below = [](ums::BlockLayerKind kind, bool has_queue) {
        return [kind, has_queue](PreflightFacts& facts) {
            ums::BlockLayer above = facts.layers[1];
            above.name = "dm-3";
            above.kind = kind;
            above.has_queue = has_queue;
            facts.layers[1].scheduler = "bfq";
            facts.layers = {above, facts.layers[1]};
        };
    };
    CHECK(complaints(below(ums::BlockLayerKind::mapped, false)) == "WARN I/O scheduler");
    CHECK(complaints(below(ums::BlockLayerKind::raid, false)) == "WARN I/O scheduler");
    CHECK(complaints(below(ums::BlockLayerKind::mapped, true)).empty());
    const auto on_two_partitions = [&below](PreflightFacts& facts) {
        const ums::BlockLayer partition = facts.layers[0];
        below(ums::BlockLayerKind::mapped, false)(facts);
        facts.layers = {facts.layers[0], partition, facts.layers[1], partition, facts.layers[1]};
    };
    CHECK(complaints(on_two_partitions) == "WARN I/O scheduler");
    for (const PreflightLine& line : judged(below(ums::BlockLayerKind::mapped, false))) {
        if (line.topic != "I/O scheduler") continue;
        CHECK(line.found == "bfq for nvme0n1");
        CHECK_THAT(line.remedy, ContainsSubstring("/sys/block/nvme0n1/queue/scheduler"));
    }
}

TEST_CASE("in a pod, preflight reports what the folder is on, what may be used, and what is not visible from inside") {
    const auto found = [](const Change& change) {
        std::string text = "nothing";
        for (const PreflightLine& line : judged(change)) {
            if (line.topic == "container") text = line.found;
        }
        return text;
    };
    const auto in_pod = [](PreflightFacts& facts) {
        facts.container = ums::ContainerKind::pod;
        facts.cpu_count = 2;
        facts.mount.root = "/";
    };
    CHECK(found([](PreflightFacts&) {}) == "nothing");
    CHECK(found(in_pod) ==
          "a pod of Kubernetes; 2 CPUs and 16.0 GB may be used; the folder is on a volume with a file system of its own; not seen from "
          "inside: the StorageClass and its replicas, other pods on the same disk, the node");
    CHECK(complaints(in_pod).empty());
    const auto on_node = [&](PreflightFacts& facts) {
        in_pod(facts);
        facts.mount.root = "/opt/provisioner/pvc-1";
    };
    CHECK(found(on_node).find("the folder is on /opt/provisioner/pvc-1 of a file system that is mounted on the node, too") !=
          std::string::npos);
    CHECK(complaints(on_node).empty());
    const auto on_empty_dir = [&](PreflightFacts& facts) {
        in_pod(facts);
        facts.pod_volume = {.plugin = "empty-dir", .name = "scratch"};
    };
    CHECK(found(on_empty_dir) == "a pod of Kubernetes; 2 CPUs and 16.0 GB may be used; the folder is on the volume scratch (empty-dir)");
    CHECK(complaints(on_empty_dir) == "WARN container");
    CHECK(found([](PreflightFacts& facts) {
              facts.container = ums::ContainerKind::container;
              facts.cpu_count = 1;
              facts.memory_bytes = 0;
          }) == "1 CPU may be used; not seen from inside: mounts and processes of the machine, other containers on the same disk");
}

TEST_CASE("every complaint gives the reason, the source, and the fix") {
    const std::vector<PreflightLine> lines = judged([](PreflightFacts& facts) {
        facts.mount.type = "btrfs";
        facts.mount.options = {"nobarrier", "sync"};
        facts.free_bytes = 0;
        facts.direct_error = facts.reserve_error = ums::errno_error(EINVAL);
        facts.extent_count.reset();
        facts.dsync_writes.times = times(1);
        facts.synced_writes.flushes = 0;
        facts.io_limits = {"riops=1"};
        facts.memory_bytes = 1;
        facts.uring_refusal = "no";
        facts.processes = {"a (1)"};
        facts.other_mounts = {"/ (ext4)"};
        facts.foreign_requests_per_s = 1e6;
        facts.layers[0].start_bytes = 512;
        facts.layers[1].scheduler = "bfq";
        facts.layers[0].read_ahead_kb = 0;
    });
    CHECK(std::count_if(lines.begin(), lines.end(), [](const PreflightLine& line) { return line.grade != PreflightGrade::ok; }) >= 15);
    for (const PreflightLine& line : lines) {
        INFO(line.topic);
        CHECK((line.grade == PreflightGrade::ok) == line.reason.empty());
        CHECK(line.reason.empty() == line.source.empty());
        CHECK(line.reason.empty() == line.remedy.empty());
        const bool ends_a_sentence = line.reason.ends_with('.') || line.reason.ends_with('?');  // logs continue it
        CHECK_FALSE(ends_a_sentence);
    }
}

TEST_CASE("on a folder without a block device only what is known is judged") {
    const std::string text = complaints([](PreflightFacts& facts) {
        facts.layers.clear();
        facts.disk = {};
        facts.mount = {.device = "0:5", .point = "/data", .type = "nfs4", .source = "server:/x", .options = {"vers=4.2", "noatime"}};
        facts.foreign_requests_per_s.reset();
    });
    CHECK(text == "WARN file system");
}
