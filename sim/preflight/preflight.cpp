#include "sim/preflight/preflight.hpp"

#include <filesystem>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/preflight/judgement.hpp"
#include "sim/preflight/preflight_facts.hpp"
#include "ums/base/error_text.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/units.hpp"
#include "ums/io/disk_users.hpp"
#include "ums/io/file_system_space.hpp"
#include "ums/io/uring_probe.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

using ums::kMb;

// How much is tried for each of three kinds of writes.
struct Extent {
    std::uint64_t file_bytes;
    std::uint64_t limit_ns;
    std::uint64_t count_max;
    std::uint64_t watch_ms;  // how long others are watched
};

constexpr Extent kQuick{.file_bytes = 2 * kMb, .limit_ns = 30 * ums::kNsPerMs, .count_max = 100, .watch_ms = 50};
constexpr Extent kThorough{.file_bytes = 32 * kMb, .limit_ns = ums::kNsPerSecond, .count_max = 5000, .watch_ms = 500};

void check_folder(const std::string& folder) {
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (status.type() == fs::file_type::not_found)
        throw EnvironmentError(fmt::format("{}: the folder does not exist; name the one that the database files will be in", folder));
    if (error) throw EnvironmentError(fmt::format("{}: {}", folder, error.message()));
    if (status.type() != fs::file_type::directory) {
        throw EnvironmentError(fmt::format("{}: is not a folder; name the folder that the database files will be in", folder));
    }
}

void read_space(PreflightFacts& facts) {
    ums::FileSystemSpace space;
    if (ums::read_file_system_space(facts.folder, space)) return;
    facts.size_bytes = space.size_bytes;
    facts.free_bytes = space.free_bytes;
}

// Of the devices that hold the folder: a RAID has several, of which each may hold something else, too.
std::vector<std::string> disk_names_of(const PreflightFacts& facts) {
    std::vector<std::string> names{facts.disk.name};
    for (const ums::BlockLayer& layer : facts.layers) {
        if (layer.kind != ums::BlockLayerKind::partition) names.push_back(layer.name);
    }
    return names;
}

void read_devices(PreflightFacts& facts, const std::string& canonical, const std::vector<ums::Mount>& mounts) {
    facts.disk = ums::block_device_of(facts.folder);
    const auto number = ums::device_number_of(facts.folder);
    if (!number || !facts.disk.known) return;
    facts.layers = ums::read_block_stack(*number);
    facts.counts_flushes = facts.kernel >= ums::KernelVersion{5, 5} && ums::count_flushes(facts.layers).has_value();
    facts.other_mounts = ums::other_users_of_disks(disk_names_of(facts), facts.mount, mounts, {});
    for (const std::string& device : ums::whole_devices(facts.layers)) {
        const std::vector<std::string> limits = ums::io_limits_of(device, "");
        facts.io_limits.insert(facts.io_limits.end(), limits.begin(), limits.end());
    }
    facts.processes = ums::processes_below(canonical);
}

void watch_others(PreflightFacts& facts, std::uint64_t watch_ms) {
    if (!facts.disk.known) return;
    const std::uint64_t requests = ums::requests_within(facts.layers, watch_ms);
    facts.foreign_requests_per_s = static_cast<double>(requests) * 1000.0 / static_cast<double>(watch_ms);
}

void try_writes(PreflightFacts& facts, const Extent& extent, const ums::Clock& clock) {
    ums::WriteProbe probe(facts.folder, extent.file_bytes, clock);
    watch_others(facts, extent.watch_ms);
    facts.probe_bytes = extent.file_bytes;
    facts.direct_error = probe.direct_error();
    facts.reserve_error = probe.reserve_error();
    facts.extent_count = probe.extent_count();
    const std::uint64_t before = ums::count_flushes(facts.layers).value_or(0);
    facts.dsync_writes.times = probe.dsync_writes(extent.limit_ns, extent.count_max);
    const std::uint64_t between = ums::count_flushes(facts.layers).value_or(0);
    facts.synced_writes.times = probe.synced_writes(extent.limit_ns, extent.count_max);
    const std::uint64_t after = ums::count_flushes(facts.layers).value_or(0);
    facts.plain_writes = probe.plain_writes(extent.limit_ns, extent.count_max);
    facts.dsync_writes.flushes = ums::count_between(before, between);
    facts.synced_writes.flushes = ums::count_between(between, after);
    facts.was_probed = true;
}

void read_process_limits(PreflightFacts& facts) {
    const ums::Machine machine = ums::this_machine();
    facts.memory_bytes = machine.memory_bytes;
    facts.cpu_count = machine.cpu_count;
    facts.locked_memory_bytes = ums::read_uring_environment().locked_memory_bytes;
    const ums::UringSupport uring = ums::probe_uring();
    if (!uring.is_usable()) facts.uring_refusal = uring.reason;
}

PreflightFacts gather_preflight_facts(const std::string& folder, PreflightEffort effort, const ums::Clock& clock) {
    check_folder(folder);
    PreflightFacts facts;
    facts.folder = folder;
    facts.kernel = ums::kernel_version();
    std::error_code error;
    const fs::path canonical = fs::canonical(folder, error);
    const std::vector<ums::Mount> mounts = ums::mounts_of_this_process();
    if (const auto mount = ums::mount_of(canonical.string(), mounts)) facts.mount = *mount;
    facts.container = ums::container_kind_of(mounts);
    facts.pod_volume = ums::pod_volume_of(facts.mount);
    read_space(facts);
    read_devices(facts, canonical.string(), mounts);
    read_process_limits(facts);
    // Before a run, nothing is written where another program answers: it may count the writes that the run is about to make.
    if (effort == PreflightEffort::quick && facts.mount.type.starts_with("fuse")) return facts;
    try {
        try_writes(facts, effort == PreflightEffort::quick ? kQuick : kThorough, clock);
    } catch (const std::system_error& failure) {
        throw EnvironmentError(ums::error_text(failure));
    }
    return facts;
}

}  // namespace

std::vector<PreflightLine> preflight(const std::vector<std::string>& folders, PreflightEffort effort, const ums::Clock& clock,
                                     PreflightUse use) {
    std::vector<PreflightLine> lines;
    for (const std::string& folder : folders) {
        PreflightFacts facts = gather_preflight_facts(folder, effort, clock);
        facts.is_for_tempdb = use == PreflightUse::tempdb;
        std::vector<PreflightLine> judged = evaluate_preflight(facts);
        lines.insert(lines.end(), std::make_move_iterator(judged.begin()), std::make_move_iterator(judged.end()));
    }
    return lines;
}

}  // namespace sim
