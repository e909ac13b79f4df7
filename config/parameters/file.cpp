#include "config/parameters/rows.hpp"

namespace config {

using sim::FileOptions;

std::vector<Parameter> file_parameters() {
    constexpr Section kSection = Section::file;
    return {
        {.section = kSection,
         .ini_name = "FileName",
         .toml_name = "path",
         .kind = Kind::text,
         .required = true,
         .field = +[](FileOptions& f) -> Field { return &f.path; },
         .help = "Name of the file.",
         .details =
             "A relative name starts at the current directory. NAME.mdx:STREAM, an NTFS stream on Windows, is simply another file on "
             "Linux. Never name a database file: ioproof refuses files that it did not create.",
         .background = "Databases consist of .mdf, .ndf and .ldf files; .mdx and .ldx cannot be mistaken for them."},
        {.section = kSection,
         .ini_name = "InitialSize",
         .toml_name = "initial_size_mb",
         .kind = Kind::count,
         .unit = "MB",
         .range = {.min = 1, .max = kFileMbMax},
         .required = true,
         .field = +[](FileOptions& f) -> Field { return &f.initial_size_mb; },
         .help = "Size at the start.",
         .details = "A larger existing file is not shrunk; a smaller one is extended. The switch -size overrides this."},
        {.section = kSection,
         .ini_name = "MaxSize",
         .toml_name = "max_size_mb",
         .kind = Kind::count,
         .unit = "MB",
         .range = {.min = 1, .max = kFileMbMax},
         .required = true,
         .field = +[](FileOptions& f) -> Field { return &f.max_size_mb; },
         .help = "Size to which the file may grow, not below InitialSize.",
         .details = "Data files grow only with Shrinkable=TRUE; a log file grows by its Increment when the log is full, as long as a "
                    "whole Increment fits."},
        {.section = kSection,
         .ini_name = "Increment",
         .toml_name = "increment_mb",
         .kind = Kind::count,
         .unit = "MB",
         .range = {.min = 0, .max = kFileMbMax},
         .field = +[](FileOptions& f) -> Field { return &f.increment_mb; },
         .help = "Step by which the file grows and shrinks; 0 = it does neither.",
         .details =
             "Reduced at the start, with a warning, so that Increment x MaxExtends < MaxMemoryMB / number of data files; if even 1 MB "
             "does not fit that often, MaxExtends is reduced. If MaxMemoryMB is 0, half of the free memory counts instead, even if the "
             "pool is smaller.",
         .background = "FILEGROWTH of a database file."},
        {.section = kSection,
         .ini_name = "Shrinkable",
         .toml_name = "shrinkable",
         .kind = Kind::flag,
         .field = +[](FileOptions& f) -> Field { return &f.shrinkable; },
         .help = "The shrink user may shrink and grow the file.",
         .details =
             "Data files only. The size stays between InitialSize and MaxSize; if these are equal, or Increment is 0, the file keeps its "
             "size.",
         .background = "DBCC SHRINKFILE and automatic growth."},
        {.section = kSection,
         .ini_name = "LogFile",
         .toml_name = "log_file",
         .kind = Kind::flag,
         .field = +[](FileOptions& f) -> Field { return &f.is_log; },
         .help = "A log file; FALSE = a data file.",
         .details = "At least one log file and one data file are needed."},
        {.section = kSection,
         .ini_name = "Sparse",
         .toml_name = "sparse",
         .kind = Kind::flag,
         .field = +[](FileOptions& f) -> Field { return &f.sparse; },
         .help = "Make a sparse file: space is allocated when it is first written.",
         .details =
             "The disk may then become full in the middle of the run. A sparse data file that is named as a stream of another one "
             "(sqliosim.mdx:replica) is that file's snapshot: at the start of each main run it is emptied, each page of the file is "
             "copied into it before the page's first change, and the audit users read through it: copied pages from the snapshot, the "
             "others from the file. Its sizes follow those of the file. Only the first such stream is a snapshot; others are data files "
             "like any other.",
         .background =
             "Database snapshots, including the hidden ones of DBCC CHECKDB, are sparse files to which pages are copied before their "
             "first change."},
        {.section = kSection,
         .ini_name = "Durability",
         .toml_name = "durability",
         .kind = Kind::choice,
         .choices = durability_words(),
         .field = +[](FileOptions& f) -> Field { return &f.durability; },
         .help = "How writes of this file become durable; Default = as [CONFIG] says.",
         .details = "See [CONFIG] Durability. The log must be as durable as the data files, or changes in them may outlive their log."},
    };
}

}  // namespace config
