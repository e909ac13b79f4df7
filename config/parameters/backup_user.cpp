#include "config/parameters/rows.hpp"

namespace config {

using sim::Options;

namespace {

constexpr Section kBackupUser = Section::backup_user;

std::vector<Parameter> place_rows() {
    return {
        {.section = kBackupUser,
         .ini_name = "BackupFolder",
         .toml_name = "backup_folder",
         .kind = Kind::text,
         .may_be_empty = true,
         .field = +[](Options& o) -> Field { return &o.backup_user.folders; },
         .help = "Folders for the backup files, with | between several; empty = no backups.",
         .details =
             "Each folder gets Stripes files ioproof_backup_N.bak over which a backup is striped; the first folder also gets "
             "ioproof_backup.trn, the log and the description of what is where. They are created before the run, as large as a full "
             "backup, and treated with the same care as test files: foreign files are not touched. The folders must exist; choose a file "
             "system other than that of the data files to test both.",
         .background = "BACKUP DATABASE ... TO DISK = ..., DISK = ...: up to 64 files on different paths."},
        {.section = kBackupUser,
         .ini_name = "Stripes",
         .toml_name = "stripes",
         .kind = Kind::count,
         .unit = "files",
         .range = {.min = 1, .max = sim::kBackupStripesMax},
         .field = +[](Options& o) -> Field { return &o.backup_user.stripes_per_folder; },
         .help = "Backup files in each folder.",
         .details = "All folders together: at most 64 files.",
         .background = "Backups are striped over files to get more out of several paths or disks."},
        {.section = kBackupUser,
         .ini_name = "RestoreFolder",
         .toml_name = "restore_folder",
         .kind = Kind::text,
         .may_be_empty = true,
         .field = +[](Options& o) -> Field { return &o.backup_user.restore_folder; },
         .help = "Folder in which backups are restored; empty = no restores.",
         .details =
             "Each data file becomes restored_N_NAME there, of the same size. Every page is then read back and compared with what the "
             "run knows about the end of the backup.",
         .background = "RESTORE DATABASE ... WITH MOVE: only a restore proves a backup."},
        {.section = kBackupUser,
         .ini_name = "KeepFiles",
         .toml_name = "keep_files",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.backup_user.keep_files; },
         .help = "Keep backups and restored files when the run ends.",
         .details = "With FALSE they are removed, unless something was wrong: then they are evidence."},
    };
}

std::vector<Parameter> transfer_rows() {
    return {
        {.section = kBackupUser,
         .ini_name = "Readers",
         .toml_name = "readers",
         .kind = Kind::count,
         .unit = "tasks",
         .range = {.min = 1, .max = sim::kBackupReadersMax},
         .field = +[](Options& o) -> Field { return &o.backup_user.reader_count; },
         .help = "Tasks that read the data files for a backup, or the backup for a restore.",
         .details = "They share the files' blocks among them, in ascending order.",
         .background = "BACKUP has one reader for each volume."},
        {.section = kBackupUser,
         .ini_name = "MaxTransferSize",
         .toml_name = "max_transfer_kb",
         .kind = Kind::count,
         .unit = "KB",
         .range = {.min = sim::kBackupTransferKbMin, .max = sim::kBackupTransferKbMax},
         .field = +[](Options& o) -> Field { return &o.backup_user.max_transfer_kb; },
         .help = "Size of a read or write of a backup; a multiple of 64.",
         .details = "The last request of a file, and those of a differential backup, are smaller.",
         .background = "MAXTRANSFERSIZE: 64 KB to 4 MB, 1 MB by default."},
        {.section = kBackupUser,
         .ini_name = "BufferCount",
         .toml_name = "buffer_count",
         .kind = Kind::count,
         .unit = "buffers",
         .range = {.min = 1, .max = sim::kBackupBuffersMax},
         .field = +[](Options& o) -> Field { return &o.backup_user.buffer_count; },
         .help = "Buffers of MaxTransferSize in flight at the same time.",
         .details = "The run takes BufferCount x MaxTransferSize of memory in addition to MaxMemoryMB.",
         .background = "BUFFERCOUNT, which SQL Server calculates by itself from the number of files."},
        {.section = kBackupUser,
         .ini_name = "Verify",
         .toml_name = "verify",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.backup_user.verify; },
         .help = "Read every backup back and verify each page of it.",
         .details = "With FALSE only the restore, if there is one, finds a fault in the backup.",
         .background = "RESTORE VERIFYONLY with checksums."},
    };
}

std::vector<Parameter> schedule_rows() {
    const Range intervals{.min = 0, .max = kDurationSMax};
    return {
        {.section = kBackupUser,
         .ini_name = "FullInterval",
         .toml_name = "full_interval_s",
         .kind = Kind::count,
         .unit = "s",
         .range = intervals,
         .field = +[](Options& o) -> Field { return &o.backup_user.full_interval_s; },
         .help = "Time from the end of a full backup to the next one; 0 = one in each main run.",
         .details = "The first one begins with the main run. A backup that is under way when the main run ends is completed after it. The "
                    "previous backups are restored first, then the new one replaces them."},
        {.section = kBackupUser,
         .ini_name = "DifferentialInterval",
         .toml_name = "differential_interval_s",
         .kind = Kind::count,
         .unit = "s",
         .range = intervals,
         .field = +[](Options& o) -> Field { return &o.backup_user.differential_interval_s; },
         .help = "Time between two differential backups; 0 = none.",
         .details =
             "A differential backup holds the extents in which a page has changed since the full backup. The backup files are made twice "
             "as large, and the run takes 24 more bytes for each page. None is made if FullInterval or TestCycleDuration is not longer; a "
             "warning says so.",
         .background = "BACKUP DATABASE ... WITH DIFFERENTIAL."},
        {.section = kBackupUser,
         .ini_name = "LogInterval",
         .toml_name = "log_interval_s",
         .kind = Kind::count,
         .unit = "s",
         .range = intervals,
         .field = +[](Options& o) -> Field { return &o.backup_user.log_interval_s; },
         .help = "Time between two log backups; 0 = none.",
         .details = "Log that is not backed up is not reused, as far as there is room: when a quarter of the log waits for a backup, it is "
                    "backed up early.",
         .background = "BACKUP LOG, in the full recovery model."},
    };
}

}  // namespace

std::vector<Parameter> backup_user_parameters() {
    std::vector<Parameter> rows;
    for (const auto& part : {place_rows(), transfer_rows(), schedule_rows()}) rows.insert(rows.end(), part.begin(), part.end());
    return rows;
}

}  // namespace config
