// The results of a realistic run, for the tests of all reports.
#pragma once

#include "sim/results.hpp"

inline sim::FileResult example_data_file() {
    sim::FileResult file;
    file.path = "/data/sqliosim.mdx";
    file.file_id = 1;
    file.size_bytes = 4ULL << 30;
    file.target_io_duration_ms = 100;
    file.average_io_duration_us = 15'999;
    file.throttle_count = 382;
    file.request_blocks = 108;
    file.reads = 187'508;
    file.scatter_reads = 259'268;
    file.writes = 15'286;
    file.gather_writes = 130'498;
    file.total_io_time_us = 5'460'993'700;
    file.read_bytes = 74'679'347'200;
    file.written_bytes = 74'403'336'192;
    file.max_io_time_us = 248'100;
    file.pages_verified = 9'116'131;
    file.drive.known = true;
    file.drive.name = "sdb";
    file.drive.number = 4;
    file.drive.manager = "virtio_blk";
    file.drive.logical_sector_bytes = 512;
    file.drive.size_bytes = 163'177ULL * 255 * 63 * 512 + 1'000'000;
    file.drive.read_cache = true;
    file.drive.reads = 886'653;
    file.drive.read_time_ms = 3'333'820;
    file.drive.writes = 616'951;
    file.drive.write_time_ms = 6'606'954;
    file.drive.idle_time_ms = 170'616;
    file.drive.read_bytes = 74'679'347'200;
    file.drive.written_bytes = 74'403'336'192;
    file.drive.merged_requests = 19;
    return file;
}

inline sim::FileResult example_log_file() {
    sim::FileResult file = example_data_file();
    file.path = "/log/sqliosim.ldx";
    file.file_id = 2;
    file.is_log = true;
    file.size_bytes = 50 << 20;
    file.average_io_duration_us = 850;
    file.throttle_count = 0;
    file.request_blocks = 8;
    file.reads = file.scatter_reads = file.gather_writes = 0;
    file.writes = 316'141;
    file.total_io_time_us = 1'346'919'000;
    file.max_io_time_us = 31'000;
    file.pages_verified = 0;
    file.drive = {};
    return file;
}

inline sim::Results example_results() {
    sim::Results results;
    results.version = "0.1.0";
    results.seed = 20260101;
    results.run_id = 0x5eed'0000'0000'0001;
    results.start_utc_us = 1'764'000'000'000'000;  // 2025-11-24 16:00:00 UTC
    results.duration_us = 352'700'000;
    results.engine = "uring";
    results.cpu_count = 2;
    results.buffer_pool_bytes = 2ULL << 30;
    results.cycles_completed = 1;
    results.files = {example_data_file(), example_log_file()};
    using sim::Phase;
    results.phases = {
        {Phase::create, 1, 1'210'000, 0, 0, 0, 52'428'800},
        {Phase::initial_update, 1, 13'300'000, 524'288, 524'288, 524'288, 67'108'864},
        {Phase::initial_checkpoint, 1, 740'000, 0, 21'004, 0, 4'096},
        {Phase::main_run, 1, 300'000'000, 8'067'555, 8'536'901, 8'067'555, 9'663'676'416},
        {Phase::final_checkpoint, 1, 1'480'000, 0, 44'091, 0, 8'192},
        {Phase::final_audit, 1, 9'800'000, 524'288, 0, 524'288, 0},
        {Phase::summary, 1, 0, 0, 0, 0, 0},
    };
    results.users = {
        {"RandomUser", 4, 91'204, 6'831'402, 6'148'100, 68'021, 7'516'192'768},
        {"AuditUser", 2, 2'804, 179'456, 0, 0, 0},
        {"ReadAheadUser", 2, 2'911, 139'728, 0, 0, 0},
        {"BulkUpdateUser", 4, 9'551, 916'969, 916'969, 0, 2'147'483'648},
        {"ShrinkUser", 1, 0, 0, 0, 0, 0},
        {"Checkpoint", 1, 291, 0, 7'011'222, 0, 297'984},
        {"LazyWriter", 1, 14'081, 0, 1'525'679, 0, 0},
        {"LogWriter", 1, 316'141, 0, 0, 0, 9'663'676'416},
    };
    results.schedulers = {{0, 12'345'678, 88'123, 12, 71'000'000, 1'204'331}, {1, 11'998'004, 86'004, 9, 88'600'000, 1'199'871}};
    results.waits = {
        {"SLEEP_TASK", 12'345, 900'000'000, 200'100, 12'000},    {"PAGEIOLATCH_SH", 446'776, 5'101'000'000, 248'100, 9'000'000},
        {"WRITELOG", 316'141, 1'346'919'000, 31'400, 4'000'000}, {"PAGELATCH_EX", 9'001, 41'000'000, 18'000, 300'000},
        {"REQUEST_BLOCK", 382, 3'820'000, 41'000, 2'000},        {"LOG_FULL", 0, 0, 0, 0},
    };
    return results;
}

inline sim::Finding example_finding() {
    sim::Finding finding;
    finding.kind = sim::FindingKind::lost_write;
    finding.place.file_id = 1;
    finding.place.path = "/data/sqliosim.mdx";
    finding.place.page_id = 87'366;
    finding.place.offset_bytes = 87'366ULL * 8192;
    finding.comparison = {.first_wrong_byte = 8};
    finding.expected = {.version = 5};
    finding.received = {.version = 3};
    finding.moment.phase = "main run";
    finding.moment.user = "Random User 3";
    finding.reads = 15;
    finding.number = 6;
    finding.moment.tick_ms = 61'250;
    finding.moment.utc_us = 1'764'000'061'250'000;
    finding.description = "Version 5 of the page was acknowledged, version 3 came back 15 times.";
    return finding;
}
