#include "ums/io/block_device.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "ums/base/sysfs_value.hpp"
#include "ums/base/units.hpp"
#include "ums/io/mount_table.hpp"

namespace ums {

namespace {

namespace fs = std::filesystem;

// The name that /proc/devices has for the major number of drivers that show no link: "device-mapper", "loop", "md".
std::string driver_by_major(std::uint32_t major, const BlockDeviceRoots& roots) {
    std::ifstream devices(roots.proc + "/devices");
    std::string line;
    while (std::getline(devices, line) && line != "Block devices:") {
    }
    std::uint32_t number = 0;
    for (std::string name; devices >> number >> name;) {
        if (number == major) return name;
    }
    return {};
}

std::string driver_of(const fs::path& disk, std::uint32_t major, const BlockDeviceRoots& roots) {
    // An NVMe namespace's parent is the controller, whose parent is what the driver drives.
    for (const char* link : {"device/driver", "device/device/driver"}) {
        std::error_code error;
        const fs::path target = fs::read_symlink(disk / link, error);
        if (!error) return target.filename().string();
    }
    return driver_by_major(major, roots);
}

BlockDeviceCounters read_counters(const fs::path& disk) {
    std::ifstream stream(disk / "stat");
    std::array<std::uint64_t, 16> fields{};
    for (std::uint64_t& field : fields) {
        if (!(stream >> field)) break;
    }
    BlockDeviceCounters counters;
    counters.reads = fields[0];
    counters.reads_merged = fields[1];
    counters.read_bytes = fields[2] * kStatBlockBytes;
    counters.read_time_ms = fields[3];
    counters.writes = fields[4];
    counters.writes_merged = fields[5];
    counters.written_bytes = fields[6] * kStatBlockBytes;
    counters.write_time_ms = fields[7];
    counters.busy_time_ms = fields[9];
    counters.flushes = fields[15];
    return counters;
}

// By the file in /dev or, if there is none (in containers), by its name in sysfs.
std::optional<DeviceNumber> device_of_source(const std::string& source, const BlockDeviceRoots& roots) {
    if (source.compare(0, 5, "/dev/") != 0) return std::nullopt;
    struct stat facts {};
    if (::stat(source.c_str(), &facts) == 0 && S_ISBLK(facts.st_mode)) return DeviceNumber{major(facts.st_rdev), minor(facts.st_rdev)};
    const std::string name = fs::path(source).filename().string();
    return read_device_number(fs::path(roots.sys) / "class/block" / name / "dev");
}

}  // namespace

std::optional<DeviceNumber> read_device_number(const fs::path& file) {
    std::ifstream stream(file);
    DeviceNumber number{};
    char colon = 0;
    if (stream >> number.major >> colon >> number.minor && colon == ':') return number;
    return std::nullopt;
}

std::optional<DeviceNumber> device_number_of(const std::string& path, const BlockDeviceRoots& roots) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) < 0) return device_of_source(path, roots);
    if (S_ISBLK(facts.st_mode)) return DeviceNumber{major(facts.st_rdev), minor(facts.st_rdev)};
    if (major(facts.st_dev) != 0) return DeviceNumber{major(facts.st_dev), minor(facts.st_dev)};
    std::error_code error;
    const fs::path canonical = fs::canonical(path, error);
    if (error) return std::nullopt;
    std::ifstream mountinfo(roots.proc + "/self/mountinfo");
    return device_of_source(mount_source_of(canonical.string(), mountinfo), roots);
}

BlockDevice read_block_device(std::uint32_t major_number, std::uint32_t minor_number, const BlockDeviceRoots& roots) {
    BlockDevice device;
    std::error_code error;
    fs::path disk = fs::canonical(fs::path(roots.sys) / fmt::format("dev/block/{}:{}", major_number, minor_number), error);
    if (error) return device;
    if (fs::exists(disk / "partition", error)) disk = disk.parent_path();
    const std::optional<DeviceNumber> number = read_device_number(disk / "dev");
    if (!number) return device;

    device.known = true;
    device.name = disk.filename().string();
    device.number = number->minor;
    device.driver = driver_of(disk, number->major, roots);
    device.logical_sector_bytes = read_number<std::uint32_t>(disk / "queue/logical_block_size", 512);
    device.physical_sector_bytes = read_number<std::uint32_t>(disk / "queue/physical_block_size", device.logical_sector_bytes);
    device.size_bytes = read_number<std::uint64_t>(disk / "size", 0) * kStatBlockBytes;
    device.is_rotational = read_number(disk / "queue/rotational", 0) != 0;
    device.is_removable = read_number(disk / "removable", 0) != 0;
    device.has_write_cache = read_line(disk / "queue/write_cache") == "write back";
    device.has_fua = read_number(disk / "queue/fua", 0) != 0;
    device.counters = read_counters(disk);
    return device;
}

BlockDevice block_device_of(const std::string& path, const BlockDeviceRoots& roots) {
    const std::optional<DeviceNumber> number = device_number_of(path, roots);
    return number ? read_block_device(number->major, number->minor, roots) : BlockDevice{};
}

}  // namespace ums
