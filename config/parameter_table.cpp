#include "config/parameter_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/parameters/rows.hpp"
#include "ums/base/assert.hpp"

namespace config {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

const std::vector<Parameter>& parameter_table() {
    static const std::vector<Parameter> kTable = [] {
        std::vector<Parameter> rows;
        for (const auto& part : {run_parameters(), io_parameters(), engine_parameters(), recent_parameters(), random_user_parameters(),
                                 other_user_parameters(), backup_user_parameters(), recent_user_parameters(), file_parameters()}) {
            rows.insert(rows.end(), part.begin(), part.end());
        }
        return rows;
    }();
    return kTable;
}

const std::vector<SectionInfo>& section_table() {
    static const std::vector<SectionInfo> kTable = {
        {.section = Section::config,
         .ini_name = "CONFIG",
         .toml_name = "config",
         .help = "The entire run: CPUs, memory, duration, and how files are opened and loaded.",
         .background = "the settings of the whole server, and how it opens its files."},
        {.section = Section::random_user,
         .ini_name = "RandomUser",
         .toml_name = "random_user",
         .help = "Users that read and update random pages and write log for them.",
         .background = "OLTP: short transactions, single-page reads, log writes at commit."},
        {.section = Section::audit_user,
         .ini_name = "AuditUser",
         .toml_name = "audit_user",
         .help = "Users that read the files from end to end and verify every page.",
         .background = "DBCC CHECKDB."},
        {.section = Section::read_ahead_user,
         .ini_name = "ReadAheadUser",
         .toml_name = "read_ahead_user",
         .help = "Users that read runs of pages in large scatter reads.",
         .background = "Read-ahead of table and index scans."},
        {.section = Section::bulk_update_user,
         .ini_name = "BulkUpdateUser",
         .toml_name = "bulk_update_user",
         .help = "Users that write runs of neighbouring pages.",
         .background = "SELECT INTO, BULK INSERT and index creation."},
        {.section = Section::shrink_user,
         .ini_name = "ShrinkUser",
         .toml_name = "shrink_user",
         .help = "The user that changes the size of the data files during the run.",
         .background = "DBCC SHRINKFILE, DBCC SHRINKDATABASE and automatic growth."},
        {.section = Section::backup_user,
         .ini_name = "BackupUser",
         .toml_name = "backup_user",
         .help = "Backups of the data files while users work, verified and restored; off while BackupFolder is empty.",
         .background = "BACKUP, RESTORE VERIFYONLY and RESTORE."},
        {.section = Section::columnstore_user,
         .ini_name = "ColumnstoreUser",
         .toml_name = "columnstore_user",
         .help = "Users that read segments of 1 to 8 MB and load row groups.",
         .background = "columnstore indexes of a data warehouse."},
        {.section = Section::tempdb_user,
         .ini_name = "TempdbUser",
         .toml_name = "tempdb_user",
         .help = "Users that sort in files of tempdb: they allocate extents, write them, read them back and free them.",
         .background = "tempdb: spills of sorts and hash joins, which do not outlive the server."},
        {.section = Section::version_store_user,
         .ini_name = "VersionStoreUser",
         .toml_name = "version_store_user",
         .help = "Users that keep old row versions in pages of their own for a while.",
         .background = "accelerated database recovery and row versioning."},
        {.section = Section::file,
         .ini_name = "File",
         .toml_name = "file",
         .help = "One section per file: [File1], [File2], ... in INI, one [[file]] each in TOML.",
         .background = "The data and log files of a database."},
    };
    return kTable;
}

const SectionInfo& info_of(Section section) {
    const auto& table = section_table();
    const auto found = std::find_if(table.begin(), table.end(), [&](const SectionInfo& info) { return info.section == section; });
    UMS_ASSERT(found != table.end());
    return *found;
}

std::string_view name_of(Section section, Dialect dialect) {
    const SectionInfo& info = info_of(section);
    return dialect == Dialect::ini ? info.ini_name : info.toml_name;
}

std::string_view name_of(const Parameter& parameter, Dialect dialect) {
    return dialect == Dialect::ini ? parameter.ini_name : parameter.toml_name;
}

std::string qualified_name(const Parameter& parameter, Dialect dialect, std::size_t file_number) {
    const std::string_view section = name_of(parameter.section, dialect);
    const std::string_view key = name_of(parameter, dialect);
    if (parameter.section != Section::file) return fmt::format("[{}] {}", section, key);
    if (dialect == Dialect::toml) return fmt::format("[[{}]] {}", section, key);
    return file_number == 0 ? fmt::format("[{}N] {}", section, key) : fmt::format("[{}{}] {}", section, file_number, key);
}

const Parameter* find_parameter(Section section, std::string_view key, Dialect dialect) {
    for (const Parameter& parameter : parameter_table()) {
        if (parameter.section != section) continue;
        const bool same = dialect == Dialect::toml ? key == parameter.toml_name
                                                   : equal_ignoring_case(key, parameter.ini_name) ||
                                                         (!parameter.ini_alias.empty() && equal_ignoring_case(key, parameter.ini_alias));
        if (same) return &parameter;
    }
    return nullptr;
}

Field field_of(const Parameter& parameter, sim::Options& options, std::size_t file_index) {
    if (const auto* of_options = std::get_if<OptionsField>(&parameter.field)) return (*of_options)(options);
    UMS_ASSERT(file_index < options.files.size());
    return std::get<FileField>(parameter.field)(options.files[file_index]);
}

}  // namespace config
