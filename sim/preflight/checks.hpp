// The checks of the table in judgement.cpp. Each examines the facts and adds its lines: none if there is nothing to examine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/preflight/preflight_facts.hpp"
#include "sim/preflight_line.hpp"

namespace sim {

// Sources on what SQL Server needs.
inline constexpr std::string_view kBestPractices =
    "Microsoft, Performance best practices and configuration guidelines for SQL Server on Linux "
    "(https://learn.microsoft.com/sql/linux/sql-server-linux-performance-best-practices)";
inline constexpr std::string_view kSetup =
    "Microsoft, Installation guidance for SQL Server on Linux (https://learn.microsoft.com/sql/linux/sql-server-linux-setup)";
inline constexpr std::string_view kForcedUnitAccess =
    "Microsoft, SQL Server on Linux: Forced Unit Access (FUA) internals "
    "(https://learn.microsoft.com/archive/blogs/bobsql/sql-server-on-linux-forced-unit-access-fua-internals)";
inline constexpr std::string_view kSectorSize =
    "Microsoft, Troubleshoot errors related to system disk sector size greater than 4 KB "
    "(https://learn.microsoft.com/troubleshoot/sql/database-engine/database-file-operations/"
    "troubleshoot-os-4kb-disk-sector-size)";
inline constexpr std::string_view kVolumes = "Kubernetes, Volumes (https://kubernetes.io/docs/concepts/storage/volumes/)";
inline constexpr std::string_view kCacheControl = "Linux, Documentation/block/writeback_cache_control.rst";

// The lines of one check; knows its topic.
class Lines {
public:
    Lines(std::vector<PreflightLine>& lines, std::string_view topic, const std::string& folder)
        : lines_(lines), topic_(topic), folder_(folder) {}

    void ok(std::string found) { add({.grade = PreflightGrade::ok, .found = std::move(found)}); }
    void warn(std::string found, std::string reason, std::string_view source, std::string remedy) {
        add({.grade = PreflightGrade::warn,
             .found = std::move(found),
             .reason = std::move(reason),
             .source = std::string(source),
             .remedy = std::move(remedy)});
    }
    void fail(std::string found, std::string reason, std::string_view source, std::string remedy) {
        add({.grade = PreflightGrade::fail,
             .found = std::move(found),
             .reason = std::move(reason),
             .source = std::string(source),
             .remedy = std::move(remedy)});
    }

private:
    void add(PreflightLine line) {
        line.folder = folder_;
        line.topic = topic_;
        lines_.push_back(std::move(line));
    }

    std::vector<PreflightLine>& lines_;
    std::string_view topic_;
    const std::string& folder_;
};

// The value of a mount option: "128" for "sunit=128"; empty for an option without a value.
[[nodiscard]] std::optional<std::string> mount_option(const ums::Mount& mount, std::string_view name);
// The device under the file system, whose queue takes the requests; a partition uses its disk's. Null if unknown.
[[nodiscard]] const ums::BlockLayer* top_of(const PreflightFacts& facts);

void check_file_system(const PreflightFacts& facts, Lines& lines);
void check_mount_options(const PreflightFacts& facts, Lines& lines);
void check_access_times(const PreflightFacts& facts, Lines& lines);
void check_free_space(const PreflightFacts& facts, Lines& lines);
void check_direct_io(const PreflightFacts& facts, Lines& lines);
void check_reservation(const PreflightFacts& facts, Lines& lines);
void check_extents(const PreflightFacts& facts, Lines& lines);

void check_device(const PreflightFacts& facts, Lines& lines);
void check_sector_sizes(const PreflightFacts& facts, Lines& lines);
void check_alignment(const PreflightFacts& facts, Lines& lines);
void check_stripes(const PreflightFacts& facts, Lines& lines);
void check_io_scheduler(const PreflightFacts& facts, Lines& lines);
void check_read_ahead(const PreflightFacts& facts, Lines& lines);

void check_write_cache(const PreflightFacts& facts, Lines& lines);
void check_flushes(const PreflightFacts& facts, Lines& lines);
void check_write_times(const PreflightFacts& facts, Lines& lines);
void check_sql_server_settings(const PreflightFacts& facts, Lines& lines);

void check_container(const PreflightFacts& facts, Lines& lines);
void check_io_limits(const PreflightFacts& facts, Lines& lines);
void check_memory(const PreflightFacts& facts, Lines& lines);
void check_io_uring(const PreflightFacts& facts, Lines& lines);
void check_other_users(const PreflightFacts& facts, Lines& lines);
void check_foreign_load(const PreflightFacts& facts, Lines& lines);

}  // namespace sim
