#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/preflight/checks.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

using ums::kMb;

std::string_view kind_of(ums::BlockLayerKind kind) {
    switch (kind) {
        case ums::BlockLayerKind::disk: return "disk";
        case ums::BlockLayerKind::partition: return "partition";
        case ums::BlockLayerKind::mapped: return "device mapper";
        case ums::BlockLayerKind::raid: return "RAID";
        case ums::BlockLayerKind::cached: return "cache";
        case ums::BlockLayerKind::loop: return "loop";
        case ums::BlockLayerKind::memory: break;
    }
    return "memory";
}

std::string layer_text(const ums::BlockLayer& layer) {
    std::string text = fmt::format("{} ({}", layer.name, kind_of(layer.kind));
    if (!layer.detail.empty()) text += " " + layer.detail;
    return text + ")";
}

// For commands: the name of a device that has a queue.
std::string queue_name(const PreflightFacts& facts) {
    for (const ums::BlockLayer& layer : facts.layers) {
        if (layer.kind != ums::BlockLayerKind::partition) return layer.name;
    }
    return facts.disk.name;
}

// The devices that order requests. RAID and volumes pass them on to the disks below; the multipath of device mapper orders them itself, and
// its paths then take them as they come.
std::vector<const ums::BlockLayer*> ordering_layers(const PreflightFacts& facts) {
    std::vector<const ums::BlockLayer*> ordering;
    bool is_ordered_above = false;
    for (const ums::BlockLayer& layer : facts.layers) {
        if (layer.kind == ums::BlockLayerKind::partition) continue;
        if (layer.kind == ums::BlockLayerKind::mapped || layer.kind == ums::BlockLayerKind::raid) is_ordered_above = false;
        // Two partitions of a disk lead to the same disk.
        const bool is_seen =
            std::any_of(ordering.begin(), ordering.end(), [&layer](const auto* other) { return other->name == layer.name; });
        if (layer.has_queue && !is_ordered_above && !is_seen) ordering.push_back(&layer);
        if (layer.kind == ums::BlockLayerKind::mapped && layer.has_queue) is_ordered_above = true;
    }
    if (ordering.empty() && !facts.layers.empty()) ordering.push_back(&facts.layers.front());
    return ordering;
}

// What XFS and ext4 were told about stripes when they were created, in bytes; 0: nothing.
std::uint64_t file_system_stripe_bytes(const ums::Mount& mount) {
    const auto number = [&](std::string_view name) {
        std::uint64_t value = 0;
        for (const char c : mount_option(mount, name).value_or("")) value = value * 10 + static_cast<std::uint64_t>(c - '0');
        return value;
    };
    return mount.type == "xfs" ? number("swidth") * 512 : number("stripe") * 4096;
}

}  // namespace

const ums::BlockLayer* top_of(const PreflightFacts& facts) { return facts.layers.empty() ? nullptr : &facts.layers.front(); }

void check_device(const PreflightFacts& facts, Lines& lines) {
    if (facts.layers.empty()) return;
    std::vector<std::string> names;
    for (const ums::BlockLayer& layer : facts.layers) names.push_back(layer_text(layer));
    const std::string found = fmt::format("{}; driver {}", fmt::join(names, " on "), facts.disk.driver.empty() ? "?" : facts.disk.driver);
    const auto has = [&](ums::BlockLayerKind kind) {
        return std::any_of(facts.layers.begin(), facts.layers.end(), [&](const ums::BlockLayer& layer) { return layer.kind == kind; });
    };
    if (has(ums::BlockLayerKind::memory) && facts.is_for_tempdb) {
        lines.ok(found + ": in memory, right for tempdb, and for nothing else");
    } else if (has(ums::BlockLayerKind::memory)) {
        lines.fail(found, "it is in memory: everything is gone when the machine stops", "Linux, Documentation/admin-guide/blockdev",
                   "use a disk");
    } else if (has(ums::BlockLayerKind::loop)) {
        lines.warn(found, "every write passes through a second file system, whose cache and bugs are tested, too", "loop(4)",
                   "for a result about a device, use the device");
    } else {
        lines.ok(found);
    }
}

void check_sector_sizes(const PreflightFacts& facts, Lines& lines) {
    const ums::BlockLayer* top = top_of(facts);
    if (top == nullptr) return;
    const std::string found = fmt::format("{} bytes logical, {} bytes physical", top->logical_sector_bytes, top->physical_sector_bytes);
    if (top->logical_sector_bytes > 4096) {
        lines.fail(found, "SQL Server can only use sectors of 512 bytes and 4 KB", kSectorSize,
                   "format the device with sectors of 4 KB or less (nvme format --lbaf, or the array's volume settings)");
    } else if (top->physical_sector_bytes > 4096) {
        lines.warn(found,
                   "SQL Server knows sectors of 512 bytes and 4 KB; smaller log writes make the device read, modify and write a sector",
                   kSectorSize, "choose another sector size (nvme id-ns -H, nvme format --lbaf), or trace flag 1800");
    } else {
        lines.ok(found);
    }
}

void check_alignment(const PreflightFacts& facts, Lines& lines) {
    bool has_partition = false;
    bool is_aligned = true;
    for (const ums::BlockLayer& layer : facts.layers) {
        const std::uint64_t unit = std::max<std::uint64_t>(layer.physical_sector_bytes, 4096);
        const bool is_partition = layer.kind == ums::BlockLayerKind::partition;
        has_partition = has_partition || is_partition;
        if (layer.alignment_offset_bytes == 0 && (!is_partition || layer.start_bytes % unit == 0)) continue;
        is_aligned = false;
        lines.warn(
            fmt::format("{} begins {} bytes into its disk, {} bytes off the boundary of a physical sector", layer.name, layer.start_bytes,
                        layer.alignment_offset_bytes != 0 ? layer.alignment_offset_bytes : layer.start_bytes % unit),
            "a page of SQL Server touches one physical sector more than it needs to, on every read and write", kBestPractices,
            "recreate the partition, beginning at 1 MiB: parted -a optimal DEVICE mkpart data 1MiB 100%");
    }
    if (!is_aligned || facts.layers.empty()) return;
    for (const ums::BlockLayer& layer : facts.layers) {
        if (layer.kind == ums::BlockLayerKind::partition)
            lines.ok(fmt::format("{} begins at {} bytes{}", layer.name, layer.start_bytes,
                                 layer.start_bytes % kMb == 0 ? ", a multiple of 1 MiB" : ""));
    }
    if (!has_partition) lines.ok("no partition below the file system");
}

void check_stripes(const PreflightFacts& facts, Lines& lines) {
    const ums::BlockLayer* top = top_of(facts);
    if (top == nullptr) return;
    const bool is_striped = top->optimal_io_bytes > top->minimum_io_bytes && top->minimum_io_bytes > 4096;
    if (!is_striped) return lines.ok("the device reports no stripes");
    const std::uint64_t known = file_system_stripe_bytes(facts.mount);
    const std::uint64_t chunk_kb = top->minimum_io_bytes / 1024;
    const std::uint64_t disks = top->optimal_io_bytes / top->minimum_io_bytes;
    const std::string found = fmt::format("chunks of {} KB on {} data disks; the file system {}", chunk_kb, disks,
                                          known == 0 ? "was not told" : fmt::format("assumes {} KB", known / 1024));
    if (known == top->optimal_io_bytes) {
        lines.ok(found);
    } else {
        lines.warn(found, "large requests do not begin where a stripe begins, and touch one disk more than they need to", kBestPractices,
                   facts.mount.type == "xfs"
                       ? fmt::format("recreate the file system: mkfs.xfs -d su={}k,sw={} DEVICE", chunk_kb, disks)
                       : fmt::format("tune2fs -E stride={},stripe-width={} DEVICE", chunk_kb / 4, chunk_kb / 4 * disks));
    }
    const ums::BlockLayer& partition = facts.layers.front();
    if (partition.kind == ums::BlockLayerKind::partition && partition.start_bytes % top->minimum_io_bytes != 0) {
        lines.warn(fmt::format("{} begins at {} bytes, inside a chunk", partition.name, partition.start_bytes),
                   "pages and extents of SQL Server straddle two disks", kBestPractices,
                   "recreate the partition, beginning at a multiple of the stripe");
    }
}

void check_io_scheduler(const PreflightFacts& facts, Lines& lines) {
    std::string good;
    bool is_any_bad = false;
    for (const ums::BlockLayer* const layer : ordering_layers(facts)) {
        const std::string& name = layer->scheduler;
        if (name.empty()) continue;
        if (name == "none" || name == "mq-deadline" || name == "noop" || name == "deadline") {
            if (good.empty()) good = name;
            continue;
        }
        is_any_bad = true;
        const std::string device = layer->kind == ums::BlockLayerKind::partition ? queue_name(facts) : layer->name;
        lines.warn(
            fmt::format("{} for {}", name, device),
            "it holds requests back to share the disk fairly among programs; a database wants them passed on at once",
            "Linux, Documentation/block/bfq-iosched.rst, kyber-iosched.rst; Red Hat, Setting the disk scheduler",
            fmt::format("echo {} > /sys/block/{}/queue/scheduler, and a udev rule", layer->is_rotational ? "mq-deadline" : "none", device));
    }
    if (!is_any_bad && !good.empty()) lines.ok(good);
}

void check_read_ahead(const PreflightFacts& facts, Lines& lines) {
    constexpr std::uint64_t kAdvisedKb = 2048;  // 4096 sectors of 512 bytes
    const ums::BlockLayer* top = top_of(facts);
    if (top == nullptr) return;
    const std::string found = fmt::format("{} KB", top->read_ahead_kb);
    if (top->read_ahead_kb >= kAdvisedKb) return lines.ok(found);
    lines.warn(found, "Microsoft asks for 4096 sectors (2048 KB). SQL Server's own reads do not use it, but copies and backups of files do",
               kBestPractices, fmt::format("blockdev --setra 4096 /dev/{}", queue_name(facts)));
}

}  // namespace sim
