#include "reports/file_summary.hpp"

#include <fmt/format.h>

#include "ums/base/printable.hpp"

namespace reports {

namespace {

constexpr std::uint32_t kTracksPerCylinder = 255;
constexpr std::uint32_t kSectorsPerTrack = 63;
// Windows' MEDIA_TYPE.
constexpr int kMediaUnknown = 0;
constexpr int kMediaRemovable = 11;
constexpr int kMediaFixed = 12;

const char* yes_no(bool value) { return value ? "Yes" : "No"; }

std::string geometry_line(const sim::DriveFacts& drive) {
    static constexpr auto kForm =
        "DRIVE LEVEL: Sector size = {}, Cylinders = {}, Media type = {}, Sectors per track = {}, Tracks per Cylinders = {}";
    if (!drive.known) return fmt::format(kForm, 0, 0, kMediaUnknown, 0, 0);
    const std::uint64_t cylinder_bytes = std::uint64_t{kTracksPerCylinder} * kSectorsPerTrack * drive.logical_sector_bytes;
    return fmt::format(kForm, drive.logical_sector_bytes, cylinder_bytes == 0 ? 0 : drive.size_bytes / cylinder_bytes,
                       drive.removable ? kMediaRemovable : kMediaFixed, kSectorsPerTrack, kTracksPerCylinder);
}

std::string manager_name(const sim::DriveFacts& drive) {
    if (!drive.known || drive.manager.empty()) return "unknown";
    std::string name = ums::printable(drive.manager);
    for (char& letter : name) {
        if (letter == ' ') letter = '_';
    }
    return name;
}

std::string counters_line(const sim::DriveFacts& facts) {
    const sim::DriveFacts drive = facts.known ? facts : sim::DriveFacts{};
    return fmt::format(
        "DRIVE LEVEL: Read count = {}, Read time = {}, Write count = {}, Write time = {}, Idle time = {}, Bytes read = {}, "
        "Bytes written = {}, Split IO Count = 0, Storage number = {}, Storage manager name = {}",
        drive.reads, drive.read_time_ms, drive.writes, drive.write_time_ms, drive.idle_time_ms, drive.read_bytes, drive.written_bytes,
        drive.number, manager_name(drive));
}

}  // namespace

std::vector<std::string> file_summary(const sim::FileResult& file) {
    return {
        fmt::format("********** Final Summary for file {} **********", ums::printable(file.path)),
        fmt::format("File Attributes: Compression = {}, Encryption = {}, Sparse = {}", yes_no(file.compressed), yes_no(file.encrypted),
                    yes_no(file.sparse)),
        fmt::format("Target IO Duration (ms) = {}, Running Average IO Duration (ms) = {}, Number of times IO throttled = {}, "
                    "IO request blocks = {}",
                    file.target_io_duration_ms, file.average_io_duration_us / 1000, file.throttle_count, file.request_blocks),
        fmt::format("Reads = {}, Scatter Reads = {}, Writes = {}, Gather Writes = {}, Total IO Time (ms) = {}", file.reads,
                    file.scatter_reads, file.writes, file.gather_writes, file.total_io_time_us / 1000),
        geometry_line(file.drive),
        fmt::format("DRIVE LEVEL: Read cache enabled = {}, Write cache enabled = {}", yes_no(file.drive.known && file.drive.read_cache),
                    yes_no(file.drive.known && file.drive.write_cache)),
        counters_line(file.drive),
    };
}

}  // namespace reports
