// The mapping of keys to fields, repeated by hand and independent of the table.
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config_test;

namespace {

constexpr const char* kIni = R"(
[CONFIG]
ErrorFile=my.xml
CPUCount=3
Affinity=0x7
IOAffinity=8
MaxMemoryMB=4097
StopOnError=FALSE
TestCycles=7
TestCycleDuration=301
CacheHitRatio=1001
NoBuffering=FALSE
WriteThrough=FALSE
MaxOutstandingIO=99
TargetIODuration=101
AllowIOBursts=FALSE
UseScatterGather=FALSE
ForceReadAhead=FALSE
DeleteFilesAtStartup=FALSE
DeleteFilesAtShutdown=TRUE
StampFiles=TRUE
CheckpointPages=32
CheckpointInterval=1001
LogFlushesOutstanding=31
TargetRecoveryTime=61
CheckpointSlowWrite=51
LogInstantGrowth=TRUE
LogKBOutstanding=3840
[RandomUser]
UserCount=5
JumpToNewRegionPercentage=501
MinIOChainLength=51
MaxIOChainLength=102
RandomUserReadWriteRatio=9001
MinLogPerBuffer=65
MaxLogPerBuffer=4096
RollbackChance=103
SleepAfter=6
YieldPercentage=7
CPUSimulation=TRUE
CPUCyclesMin=1000
CPUCyclesMax=20000000000
[AuditUser]
UserCount=0
BuffersValidated=66
DelayAfterCycles=3
AuditDelay=201
SnapshotCheck=TRUE
SnapshotCheckDelay=3
[ReadAheadUser]
UserCount=4
BuffersRAMin=33
BuffersRAMax=1024
DelayAfterCycles=4
RADelay=202
[BulkUpdateUser]
UserCount=6
BuffersBUMin=67
BuffersBUMax=129
DelayAfterCycles=0
BUDelay=11
[ShrinkUser]
MinShrinkInterval=121
MaxShrinkInterval=601
MinExtends=2
MaxExtends=21
[BackupUser]
BackupFolder=/backup/a|/backup/b
Stripes=2
RestoreFolder=/restore
KeepFiles=TRUE
Readers=3
MaxTransferSize=4096
BufferCount=9
Verify=FALSE
FullInterval=600
DifferentialInterval=60
LogInterval=10
[ColumnstoreUser]
UserCount=7
MinSegmentKB=1025
MaxSegmentKB=4096
BulkLoadChance=1004
RowGroupSegments=5
DelayAfterCycles=6
Delay=12
[TempdbUser]
UserCount=8
Folder=/dev/shm
FileCount=7
FileSize=65
MinSpillKB=513
MaxSpillKB=8193
DelayAfterCycles=2
Delay=21
[VersionStoreUser]
UserCount=9
MinPages=10
MaxPages=65
StorePages=2049
RetentionTime=5001
DelayAfterCycles=3
Delay=13
[File1]
FileName=/data/one.mdx
InitialSize=100
MaxSize=200
Increment=9
Shrinkable=TRUE
LogFile=FALSE
Sparse=TRUE
[File2]
FileName=log.ldx
InitialSize=50
MaxSize=51
Increment=1
LogFile=TRUE
[File3]
FileName=/data/one.mdx:replica
InitialSize=100
MaxSize=200
Sparse=TRUE
)";

constexpr const char* kToml = R"(
[config]
error_file = "my.xml"
cpu_count = 3
affinity = 0x7
io_affinity = "0x8"
max_memory_mb = 4097
stop_on_error = false
test_cycles = 7
test_cycle_duration_s = 301
cache_hit_ratio_percent = 10.01
no_buffering = false
write_through = false
max_outstanding_io = 99
target_io_duration_ms = 101
allow_io_bursts = false
use_scatter_gather = false
force_read_ahead = false
delete_files_at_startup = false
delete_files_at_shutdown = true
stamp_files = true
checkpoint_pages = 32
checkpoint_interval_ms = 1_001
log_flushes_outstanding = 31
target_recovery_time_s = 61
checkpoint_slow_write_ms = 51
log_instant_growth = true
log_outstanding_kb = 3840

[random_user]
user_count = 5
jump_to_new_region_percent = 5.01
min_io_chain_pages = 51
max_io_chain_pages = 102
read_write_ratio_percent = 90.01
min_log_per_buffer_bytes = 65
max_log_per_buffer_bytes = 4096
rollback_chance_percent = 1.03
sleep_after_ms = 6
yield_chance_percent = 0.07
cpu_simulation = true
cpu_cycles_min = 1000
cpu_cycles_max = 20_000_000_000

[audit_user]
user_count = 0
buffers_validated_pages = 66
delay_after_cycles = 3
delay_ms = 201
snapshot_check = true
snapshot_check_delay_s = 3

[read_ahead_user]
user_count = 4
min_pages = 33
max_pages = 1024
delay_after_cycles = 4
delay_ms = 202

[bulk_update_user]
user_count = 6
min_pages = 67
max_pages = 129
delay_after_cycles = 0
delay_ms = 11

[shrink_user]
min_interval_s = 121
max_interval_s = 601
min_extends = 2
max_extends = 21

[backup_user]
backup_folder = "/backup/a|/backup/b"
stripes = 2
restore_folder = "/restore"
keep_files = true
readers = 3
max_transfer_kb = 4096
buffer_count = 9
verify = false
full_interval_s = 600
differential_interval_s = 60
log_interval_s = 10

[columnstore_user]
user_count = 7
min_segment_kb = 1025
max_segment_kb = 4096
bulk_load_chance_percent = 10.04
row_group_segments = 5
delay_after_cycles = 6
delay_ms = 12

[tempdb_user]
user_count = 8
folder = "/dev/shm"
file_count = 7
file_size_mb = 65
min_spill_kb = 513
max_spill_kb = 8193
delay_after_cycles = 2
delay_ms = 21

[version_store_user]
user_count = 9
min_pages = 10
max_pages = 65
store_pages = 2049
retention_ms = 5001
delay_after_cycles = 3
delay_ms = 13

[[file]]
path = "/data/one.mdx"
initial_size_mb = 100
max_size_mb = 200
increment_mb = 9
shrinkable = true
log_file = false
sparse = true

[[file]]
path = "log.ldx"
initial_size_mb = 50
max_size_mb = 51
increment_mb = 1
log_file = true

[[file]]
path = "/data/one.mdx:replica"
initial_size_mb = 100
max_size_mb = 200
sparse = true
)";

sim::Options expected() {
    sim::Options o;
    o.error_file = "my.xml";
    o.cpu_count = 3;
    o.affinity = 7;
    o.io_affinity = 8;
    o.max_memory_mb = 4097;
    o.stop_on_error = false;
    o.test_cycles = 7;
    o.test_cycle_duration_s = 301;
    o.cache_hit_ratio = 1001;
    o.no_buffering = false;
    o.write_through = false;
    o.max_outstanding_io = 99;
    o.target_io_duration_ms = 101;
    o.allow_io_bursts = false;
    o.use_scatter_gather = false;
    o.force_read_ahead = false;
    o.delete_files_at_startup = false;
    o.delete_files_at_shutdown = true;
    o.stamp_files = true;
    o.checkpoint_pages = 32;
    o.checkpoint_interval_ms = 1001;
    o.log_flushes_outstanding = 31;
    o.random_user = {.user_count = 5,
                     .jump_to_new_region_chance = 501,
                     .min_io_chain_pages = 51,
                     .max_io_chain_pages = 102,
                     .read_write_ratio = 9001,
                     .min_log_per_buffer_bytes = 65,
                     .max_log_per_buffer_bytes = 4096,
                     .rollback_chance = 103,
                     .sleep_after_ms = 6,
                     .yield_chance = 7,
                     .cpu_simulation = true,
                     .cpu_cycles_min = 1000,
                     .cpu_cycles_max = 20'000'000'000};
    o.audit_user = {.user_count = 0,
                    .buffers_validated_pages = 66,
                    .delay_after_cycles = 3,
                    .delay_ms = 201,
                    .checks_snapshot = true,
                    .snapshot_check_delay_s = 3};
    o.backup_user = {.folders = "/backup/a|/backup/b",
                     .stripes_per_folder = 2,
                     .reader_count = 3,
                     .max_transfer_kb = 4096,
                     .buffer_count = 9,
                     .full_interval_s = 600,
                     .differential_interval_s = 60,
                     .log_interval_s = 10,
                     .verify = false,
                     .restore_folder = "/restore",
                     .keep_files = true};
    o.read_ahead_user = {.user_count = 4, .min_pages = 33, .max_pages = 1024, .delay_after_cycles = 4, .delay_ms = 202};
    o.bulk_update_user = {.user_count = 6, .min_pages = 67, .max_pages = 129, .delay_after_cycles = 0, .delay_ms = 11};
    o.shrink_user = {.min_interval_s = 121, .max_interval_s = 601, .min_extends = 2, .max_extends = 21};
    o.recent = {.target_recovery_time_s = 61, .checkpoint_slow_write_ms = 51, .log_instant_growth = true, .log_kb_outstanding = 3840};
    o.columnstore_user = {.user_count = 7,
                          .min_segment_kb = 1025,
                          .max_segment_kb = 4096,
                          .bulk_load_chance = 1004,
                          .row_group_segments = 5,
                          .delay_after_cycles = 6,
                          .delay_ms = 12};
    o.tempdb_user = {.user_count = 8,
                     .folder = "/dev/shm",
                     .file_count = 7,
                     .file_size_mb = 65,
                     .min_spill_kb = 513,
                     .max_spill_kb = 8193,
                     .delay_after_cycles = 2,
                     .delay_ms = 21};
    o.version_store_user = {.user_count = 9,
                            .min_pages = 10,
                            .max_pages = 65,
                            .store_pages = 2049,
                            .retention_ms = 5001,
                            .delay_after_cycles = 3,
                            .delay_ms = 13};
    o.files.push_back({.path = "/data/one.mdx",
                       .initial_size_mb = 100,
                       .max_size_mb = 200,
                       .increment_mb = 9,
                       .shrinkable = true,
                       .sparse = true,
                       .is_log = false});
    o.files.push_back({.path = "log.ldx",
                       .initial_size_mb = 50,
                       .max_size_mb = 51,
                       .increment_mb = 1,
                       .shrinkable = false,
                       .sparse = false,
                       .is_log = true});
    o.files.push_back({.path = "/data/one.mdx:replica", .initial_size_mb = 100, .max_size_mb = 200, .sparse = true});
    return o;
}

}  // namespace

TEST_CASE("a file with every key set fills every field, INI and TOML alike") {
    CHECK(quiet_ini(kIni) == expected());
    CHECK(quiet_toml(kToml) == expected());
}

TEST_CASE("a configuration that only names files leaves everything else at its default") {
    sim::Options o;
    o.files.push_back({.path = "a.mdx", .initial_size_mb = 64, .max_size_mb = 128});
    o.files.push_back({.path = "a.ldx", .initial_size_mb = 16, .max_size_mb = 16, .is_log = true});
    CHECK(quiet_ini(kIniFiles) == o);
    CHECK(quiet_toml(kTomlFiles) == o);
}
