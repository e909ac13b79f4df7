"""Backup, log backup and restore, as the kernel sees them; see sqlserver_io_test.py."""
from io_checks import BLOCK_MAX, EXTENT, KB, MB, PAGE, TEMPDB, calls_seen, expect, expect_flags, expect_in_a_row, most_at_a_time, places
from watched_run import WatchedRun

BACKUP = """[BackupUser]
BackupFolder={{mount}}
RestoreFolder={{mount}}
KeepFiles=TRUE
Readers=1
BufferCount=4
MaxTransferSize={size}
LogInterval={log_interval}
"""
SOME_WORK = "SleepAfter=20\nMinIOChainLength=8\nMaxIOChainLength=16"


def long_reads(run, file):
    """The reads of a backup: users read single pages."""
    return [request for request in run.of_phase("main run", "read", file) if request["size"] > PAGE]


# --- backup and restore: 24 MB in transfers of 1 MB, and 4 MB in transfers of 64 KB ---

def backup_reads(run, size, data):
    reads = long_reads(run, "one.mdx")
    expect_in_a_row(reads, 0, size, data)
    expect_flags(reads, True)


def backup_writes(run, size, data, durable=True):
    writes = run.of_phase("main run", "write", "ioproof_backup_1.bak")
    # BUFFERCOUNT writes are in flight, so each may be overtaken by a few others, more of them on a busy machine.
    in_order = sorted(writes, key=lambda request: request["offset"])
    moved = max((abs(place - in_order.index(request)) for place, request in enumerate(writes)), default=0)
    expect(moved <= len(writes) / 4, "not from front to back", places(writes))
    expect_in_a_row(in_order, PAGE, size, PAGE + data)
    expect_flags(writes, durable)
    expect(most_at_a_time(writes) <= 4, "BufferCount is 4", most_at_a_time(writes))


def backup_read_back(run, size, data):
    reads = run.of_phase("main run", "read", "ioproof_backup_1.bak")
    expect_in_a_row(reads, PAGE, size, PAGE + data)
    expect_flags(reads, True)


def log_backup_reads(run):
    reads = run.of_phase("main run", "read", "log.ldx")
    expect_flags(reads, True)
    expect(all(request["size"] <= MB for request in reads), places(reads))
    # A block that crosses the end of a read is read again, from its beginning.
    for one, next_one in zip(reads, reads[1:]):
        behind = next_one["offset"] - one["offset"] - one["size"]
        expect(-BLOCK_MAX < behind, "the log is read backwards", places(reads))
    expect(len(reads) >= 3, "a full backup and two log backups", len(reads))


def log_backup_writes(run):
    writes = [request for request in run.requests
              if (request["operation"], request["file"]) == ("write", "ioproof_backup.trn") and request["offset"] >= PAGE]
    expect_flags(writes, True)
    at = PAGE
    for request in writes:
        expect(request["offset"] == at and request["size"] % (4 * KB) == 0 and request["size"] <= MB, f"at {at}", places(writes))
        at += request["size"]


def restore_writes(run, size, data):
    writes = run.of_phase("backup", "write", "restored_1_one.mdx")
    copied = writes[:data // size]
    expect_in_a_row(copied, 0, size, data)
    redone = writes[len(copied):]
    expect(all(request["size"] <= size and request["size"] % PAGE == 0 for request in redone), places(redone))
    expect_flags(writes, True)
    reads = run.of_phase("backup", "read", "restored_1_one.mdx")
    expect_in_a_row(reads, 0, size, data)


def backup_is_synced(run):
    for file in ("ioproof_backup_1.bak", "ioproof_backup.trn"):
        writes = run.of_phase("main run", "write", file)
        syncs = run.of_phase("main run", "fsync", file)
        expect(writes and syncs, file, len(writes), len(syncs))
        first_of_next = [request["number"] for request in writes if request["number"] > syncs[0]["number"]]
        expect(file.endswith(".trn") or not first_of_next, "a write of the full backup behind its sync", file)
    expect(run.of_phase("backup", "fsync", "restored_1_one.mdx"), "the restored file is not synced")


def backup_of_1_mb(arguments):
    data = 24 * MB
    run = WatchedRun(arguments, "backup", data=24, log=32, users=1, random=SOME_WORK, more=BACKUP.format(size=1024, log_interval=1))
    return run, {
        "backup: each data file is read from front to back, in transfers of MAXTRANSFERSIZE (1 MB), unbuffered":
            lambda: backup_reads(run, MB, data),
        "backup: its file is written from front to back, in transfers of MAXTRANSFERSIZE, unbuffered, durable, BUFFERCOUNT at a time":
            lambda: backup_writes(run, MB, data),
        "restore verifyonly: the backup is read from front to back, in transfers of MAXTRANSFERSIZE, unbuffered":
            lambda: backup_read_back(run, MB, data),
        "log backup: the log is read in the order in which it was written, unbuffered":
            lambda: log_backup_reads(run),
        "log backup: it is appended to the backup in multiples of 4 KB up to MAXTRANSFERSIZE, unbuffered, durable":
            lambda: log_backup_writes(run),
        "restore: pages are written back from front to back in transfers of MAXTRANSFERSIZE, unbuffered, durable; then comes redo":
            lambda: restore_writes(run, MB, data),
    }


def backup_of_64_kb(arguments):
    data = 4 * MB
    run = WatchedRun(arguments, "backup64", seconds=2, data=4, log=8, config="WriteThrough=FALSE",
                     more=BACKUP.format(size=64, log_interval=0))
    return run, {
        "backup: MAXTRANSFERSIZE is 64 KB at least, for reads":
            lambda: expect_in_a_row(long_reads(run, "one.mdx"), 0, 64 * KB, data),
        "backup without write-through: writes are not durable one by one":
            lambda: backup_writes(run, 64 * KB, data, durable=False),
        "backup without write-through: each file is synced before the backup, or the restore, is complete":
            lambda: backup_is_synced(run),
    }


# --- transfers of 4 MB, with concurrent spills: system calls ---

def whole_transfers(calls, size):
    return bool(calls) and all(call.segments == 1 and call.size == size for call in calls)


def backup_calls(arguments):
    run = WatchedRun(arguments, "backup4", hangs=["read", "write"], engine="threads", data=64, log=8, pace_us=3000,
                     more=BACKUP.format(size=4096, log_interval=0) + TEMPDB)
    bak = lambda: calls_seen(run, "write", "ioproof_backup_1.bak")
    spilled = lambda: [call for number in (1, 2, 3) for call in calls_seen(run, "write", f"tempdb{number}.mdx") if call.offset >= EXTENT]
    return run, {
        "backup: MAXTRANSFERSIZE is 4 MB at most, in one buffer, for reads":
            lambda: expect(whole_transfers(calls_seen(run, "read", "one.mdx"), 4 * MB), calls_seen(run, "read", "one.mdx")),
        "backup: and for writes, with RWF_DSYNC":
            lambda: expect(whole_transfers(bak(), 4 * MB) and all(call.dsync for call in bak()), bak()),
        "tempdb: a spill is a gather write of 8 pages, without RWF_DSYNC":
            lambda: expect(spilled() and all((call.segments, call.size, call.dsync) == (8, EXTENT, 0) for call in spilled()), spilled()),
    }
