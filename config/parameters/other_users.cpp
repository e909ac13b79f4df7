#include "config/parameters/rows.hpp"

namespace config {

using sim::Options;

namespace {

// SQLIOSim accepts 0, too: some cycles then transfer nothing.
Range region_pages() { return {.min = 0, .max = kUserRegionPagesMax}; }

std::vector<Parameter> audit_rows() {
    constexpr Section kSection = Section::audit_user;
    return {
        user_count_row(kSection, [](Options& o) -> Field { return &o.audit_user.user_count; },
                       {.help = "Number of audit users; -1 = twice CPUCount, at most 8; 0 = none.",
                        .details = "The audit of every page at the end of a cycle happens even with 0."}),
        {.section = kSection,
         .ini_name = "BuffersValidated",
         .toml_name = "buffers_validated_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = transfer_pages(),
         .field = +[](Options& o) -> Field { return &o.audit_user.buffers_validated_pages; },
         .help = "Pages that are read and verified in a step.",
         .details = "A step is one scatter read, if UseScatterGather allows it, and at most an eighth of the buffer pool."},
        delay_after_cycles_row(kSection, [](Options& o) -> Field { return &o.audit_user.delay_after_cycles; },
                               {.help = "Steps between two pauses of AuditDelay; 0 = never pause.",
                                .details = "Together with AuditDelay it sets how much of the path the audit takes from the other users."}),
        delay_row(kSection, "AuditDelay", [](Options& o) -> Field { return &o.audit_user.delay_ms; }),
        {.section = kSection,
         .ini_name = "SnapshotCheck",
         .toml_name = "snapshot_check",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.audit_user.checks_snapshot; },
         .help = "Check complete files through their snapshots while users work, again and again.",
         .details =
             "Each check takes a new snapshot of a file that has a replica (a sparse file with its name, a colon and any word), reads "
             "every page of it, and compares it with what the file held at that moment. No effect without a replica.",
         .background = "DBCC CHECKDB reads a snapshot of its own, a sparse file to which each page is copied before its first change."},
        {.section = kSection,
         .ini_name = "SnapshotCheckDelay",
         .toml_name = "snapshot_check_delay_s",
         .kind = Kind::count,
         .unit = "s",
         .range = {.min = 0, .max = kDurationSMax},
         .field = +[](Options& o) -> Field { return &o.audit_user.snapshot_check_delay_s; },
         .help = "Pause between two checks of SnapshotCheck.",
         .details = "0 = no pause."},
    };
}

std::vector<Parameter> read_ahead_rows() {
    constexpr Section kSection = Section::read_ahead_user;
    return {
        user_count_row(kSection, [](Options& o) -> Field { return &o.read_ahead_user.user_count; },
                       {.help = "Number of read-ahead users; -1 = twice CPUCount, at most 8; 0 = none.",
                        .details = "Each stands for a table scan with prefetching."}),
        {.section = kSection,
         .ini_name = "BuffersRAMin",
         .toml_name = "min_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = region_pages(),
         .field = +[](Options& o) -> Field { return &o.read_ahead_user.min_pages; },
         .help = "Fewest pages of a read-ahead.",
         .details = "The length is drawn between this and BuffersRAMax, and is clamped to the file. With 0 some cycles read nothing."},
        {.section = kSection,
         .ini_name = "BuffersRAMax",
         .toml_name = "max_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = region_pages(),
         .field = +[](Options& o) -> Field { return &o.read_ahead_user.max_pages; },
         .help = "Most pages of a read-ahead; 0 = the users do nothing.",
         .details = "64 pages make reads of 512 KB. A request has at most 1024 pages, and at most an eighth of the buffer pool: longer "
                    "read-aheads are cut to that.",
         .background = "SQL Server reads ahead up to 64 pages at a time, the Enterprise edition up to 1024."},
        delay_after_cycles_row(kSection, [](Options& o) -> Field { return &o.read_ahead_user.delay_after_cycles; },
                               {.help = "Steps between two pauses of RADelay; 0 = never pause.", .details = "A step is one read-ahead."}),
        delay_row(kSection, "RADelay", [](Options& o) -> Field { return &o.read_ahead_user.delay_ms; }),
    };
}

std::vector<Parameter> bulk_update_rows() {
    constexpr Section kSection = Section::bulk_update_user;
    return {
        user_count_row(kSection, [](Options& o) -> Field { return &o.bulk_update_user.user_count; },
                       {.help = "Number of bulk users; -1 = twice CPUCount, at most 8; 0 = none.",
                        .details = "Each stands for a bulk load into a table."}),
        {.section = kSection,
         .ini_name = "BuffersBUMin",
         .toml_name = "min_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = region_pages(),
         .field = +[](Options& o) -> Field { return &o.bulk_update_user.min_pages; },
         .help = "Fewest neighbouring pages of a bulk update.",
         .details = "The length is drawn between this and BuffersBUMax, and is clamped to the file. With 0 some cycles write nothing."},
        {.section = kSection,
         .ini_name = "BuffersBUMax",
         .toml_name = "max_pages",
         .kind = Kind::count,
         .unit = "pages",
         .range = region_pages(),
         .field = +[](Options& o) -> Field { return &o.bulk_update_user.max_pages; },
         .help = "Most neighbouring pages of a bulk update; 0 = the users do nothing.",
         .details = "The larger the value, the longer the sequential writes."},
        delay_after_cycles_row(kSection, [](Options& o) -> Field { return &o.bulk_update_user.delay_after_cycles; },
                               {.help = "Steps between two pauses of BUDelay; 0 = never pause.", .details = "A step is one bulk update."}),
        delay_row(kSection, "BUDelay", [](Options& o) -> Field { return &o.bulk_update_user.delay_ms; }),
    };
}

std::vector<Parameter> shrink_rows() {
    constexpr Section kSection = Section::shrink_user;
    const Range intervals{.min = 1, .max = kDurationSMax};
    const Range extends{.min = 1, .max = 1'000'000};
    return {
        {.section = kSection,
         .ini_name = "MinShrinkInterval",
         .toml_name = "min_interval_s",
         .kind = Kind::count,
         .unit = "s",
         .range = intervals,
         .field = +[](Options& o) -> Field { return &o.shrink_user.min_interval_s; },
         .help = "Shortest time between two changes of size.",
         .details =
             "The time is drawn between this and MaxShrinkInterval. Even so, the first change comes within the first half of the main "
             "run, so that a short run sees one."},
        {.section = kSection,
         .ini_name = "MaxShrinkInterval",
         .toml_name = "max_interval_s",
         .kind = Kind::count,
         .unit = "s",
         .range = intervals,
         .field = +[](Options& o) -> Field { return &o.shrink_user.max_interval_s; },
         .help = "Longest time between two changes of size.",
         .details = "See MinShrinkInterval."},
        {.section = kSection,
         .ini_name = "MinExtends",
         .toml_name = "min_extends",
         .kind = Kind::count,
         .unit = "increments",
         .range = extends,
         .field = +[](Options& o) -> Field { return &o.shrink_user.min_extends; },
         .help = "Smallest change of size, in increments of the file.",
         .details = "The number of increments is drawn between this and MaxExtends; the size stays at or below MaxSize."},
        {.section = kSection,
         .ini_name = "MaxExtends",
         .toml_name = "max_extends",
         .kind = Kind::count,
         .unit = "increments",
         .range = extends,
         .field = +[](Options& o) -> Field { return &o.shrink_user.max_extends; },
         .help = "Largest change of size, in increments of the file.",
         .details = "Increment is reduced to keep Increment x MaxExtends below MaxMemoryMB / number of data files."},
    };
}

}  // namespace

std::vector<Parameter> other_user_parameters() {
    std::vector<Parameter> rows;
    for (const auto& part : {audit_rows(), read_ahead_rows(), bulk_update_rows(), shrink_rows()}) {
        rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
}

}  // namespace config
