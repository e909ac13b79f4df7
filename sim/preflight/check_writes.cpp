#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "sim/preflight/checks.hpp"
#include "ums/io/transfer_progress.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kNsPerUs = 1000;

std::string time_text(std::uint64_t duration_ns) {
    const double us = static_cast<double>(duration_ns) / 1000;
    return us < 1000 ? fmt::format("{:.0f} us", us) : fmt::format("{:.1f} ms", us / 1000);
}

bool passes_on(const ums::BlockLayer& layer) {
    return layer.kind == ums::BlockLayerKind::partition || layer.kind == ums::BlockLayerKind::raid ||
           layer.kind == ums::BlockLayerKind::mapped || layer.kind == ums::BlockLayerKind::cached;
}

// RAID and device mapper hold nothing themselves, nor does bcache, whose cache is one of the devices below it. md and bcache say "write
// back" even if no device below them has a volatile cache.
bool any_device_has_cache(const PreflightFacts& facts) {
    const auto& layers = facts.layers;
    const bool are_devices_seen = !std::all_of(layers.begin(), layers.end(), passes_on);
    return std::any_of(layers.begin(), layers.end(), [are_devices_seen](const ums::BlockLayer& layer) {
        return layer.has_write_cache && !(are_devices_seen && passes_on(layer));
    });
}

// A device without a cache gets no flushes, so it counts none.
bool any_cache_counts_flushes(const PreflightFacts& facts) {
    return std::any_of(facts.layers.begin(), facts.layers.end(),
                       [](const ums::BlockLayer& layer) { return layer.has_queue && layer.has_write_cache; });
}

// Single writes with FUA instead of a flush of the whole cache: both the device and the file system must support them.
bool can_use_fua(const PreflightFacts& facts) {
    const ums::BlockLayer* top = top_of(facts);
    if (top == nullptr || !top->has_fua) return false;
    return (facts.mount.type == "xfs" && facts.kernel >= ums::KernelVersion{4, 18}) ||
           (facts.mount.type == "ext4" && facts.kernel >= ums::KernelVersion{5, 6});
}

// No such device can make a write durable in less time.
constexpr std::uint64_t kRotatingNs = 1'000'000;
constexpr std::uint64_t kFlashNs = 8 * kNsPerUs;

// What is suspicious of durable writes that take so long; empty: nothing.
std::string suspicion_of(const PreflightFacts& facts, std::uint64_t duration_ns) {
    const ums::BlockLayer* top = top_of(facts);
    if (top == nullptr || duration_ns >= (top->is_rotational ? kRotatingNs : kFlashNs)) return {};
    // virtio_blk, which alone names disks so, calls them rotational whatever the host keeps them on.
    const bool is_virtio =
        std::any_of(facts.layers.begin(), facts.layers.end(), [](const ums::BlockLayer& layer) { return layer.name.starts_with("vd"); });
    if (is_virtio && duration_ns >= kFlashNs) {
        return "virtio shows every disk as a rotating one, for which this is too fast: it is flash, or a cache of the hypervisor "
               "acknowledges the writes, and may not be protected against a power cut";
    }
    return fmt::format("suspiciously fast for {}: a cache probably acknowledges the writes, and may not be protected against a power cut",
                       top->is_rotational && !is_virtio ? "a rotating disk" : "flash");
}

}  // namespace

void check_write_cache(const PreflightFacts& facts, Lines& lines) {
    const ums::BlockLayer* top = top_of(facts);
    if (top == nullptr) return;
    if (!any_device_has_cache(facts)) {
        return lines.ok("write through: the device says that a completed write is durable, and gets no flushes");
    }
    if (!top->has_write_cache) {
        if (facts.is_for_tempdb) return;
        return lines.fail(fmt::format("{} says write through, but a device below it has a volatile cache", top->name),
                          "no flush reaches the cache below: acknowledged writes are lost in a power cut", kCacheControl,
                          fmt::format("echo 'write back' > /sys/block/{}/queue/write_cache", top->name));
    }
    lines.ok(
        fmt::format("volatile (write back), {}", top->has_fua ? "single writes can be made durable (FUA)" : "durable by flushes, no FUA"));
}

void check_flushes(const PreflightFacts& facts, Lines& lines) {
    if (facts.is_for_tempdb) return;  // nothing there needs them
    const ums::BlockLayer* top = top_of(facts);
    if (!facts.was_probed || !facts.counts_flushes || top == nullptr || !top->has_write_cache || facts.synced_writes.times.count == 0)
        return;
    if (!any_cache_counts_flushes(facts)) return;
    const DurableWrites& synced = facts.synced_writes;
    if (synced.flushes > 0) {
        return lines.ok(fmt::format("{} flushes reached the device for {} calls of fdatasync(), {} for {} O_DSYNC writes", synced.flushes,
                                    synced.times.count, facts.dsync_writes.flushes, facts.dsync_writes.times.count));
    }
    lines.fail(fmt::format("no flush reached the device for {} calls of fdatasync()", synced.times.count),
               "something on the path drops them: what the device holds in its cache is lost in a power cut", kCacheControl,
               "look for nobarrier, and for the layer that drops flushes (mount, dmsetup table, the hypervisor's cache mode)");
}

void check_write_times(const PreflightFacts& facts, Lines& lines) {
    if (!facts.was_probed) return;
    const ums::WriteTimes& dsync = facts.dsync_writes.times;
    const ums::WriteTimes& synced = facts.synced_writes.times;
    if (synced.count == 0 || (dsync.count == 0 && !ums::is_durable_write_refused(dsync.error))) {
        return lines.fail(fmt::format("{} does not work", synced.count == 0 ? "fdatasync()" : "O_DSYNC (RWF_DSYNC)"),
                          "without it no transaction can be made durable", kForcedUnitAccess, "use XFS or ext4");
    }
    if (dsync.count == 0) {
        return lines.warn(
            fmt::format(
                "single durable writes (RWF_DSYNC) are refused; a write of 4 KB takes {} with fdatasync, {} if it is not made durable",
                time_text(synced.mean_ns), time_text(facts.plain_writes.mean_ns)),
            "writes are made durable by a flush after each, as ioproof run does here, too; what O_DSYNC alone takes is not known",
            kForcedUnitAccess, "use XFS or ext4; in a container, a runtime that lets pwritev2() with RWF_DSYNC reach the kernel");
    }
    const std::string found =
        fmt::format("a write of 4 KB takes {} with O_DSYNC (at best {}), {} with fdatasync, {} if it is not made durable",
                    time_text(dsync.mean_ns), time_text(dsync.min_ns), time_text(synced.mean_ns), time_text(facts.plain_writes.mean_ns));
    if (facts.is_for_tempdb) return lines.ok(found + "; nothing of tempdb waits for that");
    const std::string suspicion = suspicion_of(facts, std::min(dsync.mean_ns, synced.mean_ns));
    if (!suspicion.empty()) {
        return lines.warn(
            found, suspicion, kCacheControl,
            "ask for the controller's battery or capacitor, or the hypervisor's cache mode (cache=none, not writeback or unsafe); a disk "
            "whose 'rotational' flag is wrong: cat /sys/block/*/queue/rotational");
    }
    constexpr std::uint64_t kGoodNs = 2'000'000;  // what people who tune SQL Server expect of a log
    constexpr std::uint64_t kPoorNs = 15'000'000;
    if (dsync.mean_ns > kPoorNs) {
        return lines.warn(found, "every commit waits at least this long: over 15 ms is poor for a log file, up to 2 ms is good",
                          kBestPractices, "put the log on a device with a protected write cache or on NVMe");
    }
    lines.ok(dsync.mean_ns <= kGoodNs ? found : found + "; slower than the 2 ms that are good for a log");
}

void check_sql_server_settings(const PreflightFacts& facts, Lines& lines) {
    if (facts.layers.empty() || (facts.mount.type != "xfs" && facts.mount.type != "ext4")) return;
    if (can_use_fua(facts)) {
        return lines.ok("FUA: mssql-conf traceflag 3979 on; mssql-conf set control.writethrough 1; control.alternatewritethrough 0");
    }
    lines.ok("no FUA, so forced flush: mssql-conf traceflag 3982 on, 3979 off; control.writethrough 1; control.alternatewritethrough 1");
}

}  // namespace sim
