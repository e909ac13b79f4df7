// Sections of users that SQLIOSim does not have: columnstore, tempdb, version store. None of them works unless configured.
#include "config/parameters/rows.hpp"

namespace config {

using sim::Options;

namespace {

constexpr std::uint64_t kSegmentKbMax = std::uint64_t{sim::kTransferPagesMax} * (sim::kPageBytes >> 10);
constexpr std::uint64_t kExtentKb = std::uint64_t{sim::kExtentPages} * (sim::kPageBytes >> 10);
constexpr std::uint64_t kManyMax = 1'000'000;

Range segments_kb() { return {.min = kExtentKb, .max = kSegmentKbMax}; }

std::vector<Parameter> columnstore_rows() {
    constexpr Section kSection = Section::columnstore_user;
    return {
        user_count_row(kSection, [](Options& o) -> Field { return &o.columnstore_user.user_count; },
                       {.help = "Number of columnstore users; -1 = twice CPUCount, at most 8; 0 = none.",
                        .details = "Each stands for a thread of a parallel scan, or of a load.",
                        .background = "Scans of columnstore indexes, which read entire segments."}),
        {.section = kSection,
         .ini_name = "MinSegmentKB",
         .toml_name = "min_segment_kb",
         .kind = Kind::count,
         .unit = "KB",
         .range = segments_kb(),
         .field = +[](Options& o) -> Field { return &o.columnstore_user.min_segment_kb; },
         .help = "Smallest segment, read with one request.",
         .details = "The size is drawn between this and MaxSegmentKB, in extents of 64 KB, and clamped to the file. A segment begins at an "
                    "extent boundary.",
         .background = "A segment is one column of up to 1,048,576 rows, compressed: usually 1 to 8 MB."},
        {.section = kSection,
         .ini_name = "MaxSegmentKB",
         .toml_name = "max_segment_kb",
         .kind = Kind::count,
         .unit = "KB",
         .range = segments_kb(),
         .field = +[](Options& o) -> Field { return &o.columnstore_user.max_segment_kb; },
         .help = "Largest segment, at least MinSegmentKB.",
         .details = "Reduced if the buffer pool is small: a request holds at most an eighth of it."},
        {.section = kSection,
         .ini_name = "BulkLoadChance",
         .toml_name = "bulk_load_chance_percent",
         .kind = Kind::ratio,
         .range = ratios(),
         .field = +[](Options& o) -> Field { return &o.columnstore_user.bulk_load_chance; },
         .help = "Chance that a step loads a row group instead of reading a segment.",
         .details = "0 = nothing is loaded.",
         .background = "BULK INSERT of 102,400 rows or more makes compressed row groups immediately."},
        {.section = kSection,
         .ini_name = "RowGroupSegments",
         .toml_name = "row_group_segments",
         .kind = Kind::count,
         .unit = "segments",
         .range = {.min = 1, .max = 1024},
         .field = +[](Options& o) -> Field { return &o.columnstore_user.row_group_segments; },
         .help = "Segments of a row group that is loaded: one for each column.",
         .details = "They are adjacent in the file, and are written one after the other, with gather writes of CheckpointPages."},
        delay_after_cycles_row(kSection, [](Options& o) -> Field { return &o.columnstore_user.delay_after_cycles; },
                               {.help = "Steps between two pauses of Delay; 0 = never pause.",
                                .details = "A step is one segment read, or one row group loaded."}),
        delay_row(kSection, "Delay", [](Options& o) -> Field { return &o.columnstore_user.delay_ms; }),
    };
}

std::vector<Parameter> tempdb_rows() {
    constexpr Section kSection = Section::tempdb_user;
    return {
        user_count_row(
            kSection, [](Options& o) -> Field { return &o.tempdb_user.user_count; },
            {.help = "Number of tempdb users; -1 = twice CPUCount, at most 8; 0 = none, and no files of tempdb.",
             .details = "Each sorts: it allocates extents from all files in turn, writes them with requests of 64 KB, reads them "
                        "back, and frees them.",
             .background = "Sorts, hash joins and work tables that do not fit into memory spill to tempdb."}),
        {.section = kSection,
         .ini_name = "Folder",
         .toml_name = "folder",
         .kind = Kind::text,
         .field = +[](Options& o) -> Field { return &o.tempdb_user.folder; },
         .help = "Folder of tempdb's files, which are named tempdb1.mdx, tempdb2.mdx, ...",
         .details =
             "A relative name starts at the folder of the first data file. Each run recreates the files; they are opened without "
             "write-through, and nothing in them is logged. They may be on tmpfs; where that refuses O_DIRECT they are opened without it.",
         .background = "tempdb is recreated at each start. tmpfs is supported since SQL Server 2025, and only for tempdb."},
        {.section = kSection,
         .ini_name = "FileCount",
         .toml_name = "file_count",
         .kind = Kind::count,
         .unit = "files",
         .range = {.min = 1, .max = 64},
         .field = +[](Options& o) -> Field { return &o.tempdb_user.file_count; },
         .help = "Number of files.",
         .details = "Extents are allocated from the files in turn, so that all carry the same load.",
         .background = "One for each CPU, at most eight: what setup has proposed since SQL Server 2016."},
        {.section = kSection,
         .ini_name = "FileSize",
         .toml_name = "file_size_mb",
         .kind = Kind::count,
         .unit = "MB",
         .range = {.min = 1, .max = kFileMbMax},
         .field = +[](Options& o) -> Field { return &o.tempdb_user.file_size_mb; },
         .help = "Size of each file.",
         .details = "A user that finds too little room sorts less at a time."},
        {.section = kSection,
         .ini_name = "MinSpillKB",
         .toml_name = "min_spill_kb",
         .kind = Kind::count,
         .unit = "KB",
         .range = {.min = kExtentKb, .max = kManyMax},
         .field = +[](Options& o) -> Field { return &o.tempdb_user.min_spill_kb; },
         .help = "Minimum that a sort spills.",
         .details = "The amount is drawn between this and MaxSpillKB, in extents of 64 KB."},
        {.section = kSection,
         .ini_name = "MaxSpillKB",
         .toml_name = "max_spill_kb",
         .kind = Kind::count,
         .unit = "KB",
         .range = {.min = kExtentKb, .max = kManyMax},
         .field = +[](Options& o) -> Field { return &o.tempdb_user.max_spill_kb; },
         .help = "Maximum that a sort spills.",
         .details = "See MinSpillKB."},
        delay_after_cycles_row(kSection, [](Options& o) -> Field { return &o.tempdb_user.delay_after_cycles; },
                               {.help = "Steps between two pauses of Delay; 0 = never pause.", .details = "A step is one sort."}),
        delay_row(kSection, "Delay", [](Options& o) -> Field { return &o.tempdb_user.delay_ms; }),
    };
}

std::vector<Parameter> version_store_rows() {
    constexpr Section kSection = Section::version_store_user;
    return {
        user_count_row(
            kSection, [](Options& o) -> Field { return &o.version_store_user.user_count; },
            {.help = "Number of version store users; -1 = twice CPUCount, at most 8; 0 = none.",
             .details = "Each user has a store of pages in a data file, which it fills with versions; versions that have aged out "
                        "are replaced.",
             .background = "The persistent version store of accelerated database recovery is in the database's own files."}),
        {.section = kSection,
         .ini_name = "MinPages",
         .toml_name = "min_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = transfer_pages(),
         .field = +[](Options& o) -> Field { return &o.version_store_user.min_pages; },
         .help = "Fewest pages of versions that a transaction leaves.",
         .details = "The number is drawn between this and MaxPages."},
        {.section = kSection,
         .ini_name = "MaxPages",
         .toml_name = "max_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = transfer_pages(),
         .field = +[](Options& o) -> Field { return &o.version_store_user.max_pages; },
         .help = "Most pages of versions that a transaction leaves.",
         .details = "See MinPages."},
        {.section = kSection,
         .ini_name = "StorePages",
         .toml_name = "store_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = {.min = sim::kTransferPagesMax, .max = kManyMax},
         .field = +[](Options& o) -> Field { return &o.version_store_user.store_pages; },
         .help = "Pages of a user's store.",
         .details = "Clamped to the file. A transaction that finds no free page waits until the oldest versions have aged out."},
        {.section = kSection,
         .ini_name = "RetentionTime",
         .toml_name = "retention_ms",
         .kind = Kind::count,
         .unit = "ms",
         .range = pauses_ms(),
         .field = +[](Options& o) -> Field { return &o.version_store_user.retention_ms; },
         .help = "How long a transaction may need a version.",
         .details =
             "Until then, versions are read at random; the cleaner then reads and verifies each one a last time and frees its pages.",
         .background = "The cleaner frees versions that no open transaction needs any more."},
        delay_after_cycles_row(kSection, [](Options& o) -> Field { return &o.version_store_user.delay_after_cycles; },
                               {.help = "Steps between two pauses of Delay; 0 = never pause.", .details = "A step is one transaction."}),
        delay_row(kSection, "Delay", [](Options& o) -> Field { return &o.version_store_user.delay_ms; }),
    };
}

}  // namespace

std::vector<Parameter> recent_user_parameters() {
    std::vector<Parameter> rows;
    for (const auto& part : {columnstore_rows(), tempdb_rows(), version_store_rows()}) rows.insert(rows.end(), part.begin(), part.end());
    return rows;
}

}  // namespace config
