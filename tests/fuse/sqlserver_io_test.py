#!/usr/bin/env python3
"""What SQL Server 2022 and 2025 do to storage, and what the kernel gets from ioproof for it: sizes, order, flags, buffers.

    sqlserver_io_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER [--seed N] [--keep] [-j N] [GROUP...]

Short runs on a file system that writes down every request. Each fact is a line of a group below; docs/sqlserver_io.md has the sources. The kernel splits what is longer than 1 MB on the way to such a file system: how long a request was, in how many buffers it
came and how many were outstanding is read from /proc, while the file system does not answer for a moment.
Exit code 0: so it is, 1: a fact does not hold, 77: FUSE is not to be had here.
"""
import argparse
import concurrent.futures
import os
import signal
import struct
import sys

from faulty_mount import SKIPPED, CannotMount, why_not
from kernel_calls import why_no_calls
from watched_run import WatchedRun

KB, MB, PAGE, EXTENT = 1 << 10, 1 << 20, 8 << 10, 64 << 10
BLOCK_MAX = 60 * KB
GATHER_PAGES = 128
SPLIT = MB  # the kernel's, on the way to FUSE

BACKUP = """[BackupUser]
BackupFolder={{mount}}
RestoreFolder={{mount}}
KeepFiles=TRUE
Readers=1
BufferCount=4
MaxTransferSize={size}
LogInterval={log_interval}
"""
COLUMNSTORE = """[ColumnstoreUser]
UserCount=1
BulkLoadChance=3000
RowGroupSegments=2
Delay=1
"""
TEMPDB = """[TempdbUser]
UserCount=2
FileCount=3
FileSize=8
"""
VERSIONS = """[VersionStoreUser]
UserCount=1
StorePages=1024
RetentionTime=300
"""
SOME_WORK = "SleepAfter=20\nMinIOChainLength=8\nMaxIOChainLength=16"
# From memory: else a page that is read again is written first.
FROM_MEMORY = "CacheHitRatio=10000\n"
MUCH_LOG = "SleepAfter=0\nMinIOChainLength=100\nMaxIOChainLength=100\nMinLogPerBuffer=2048\nMaxLogPerBuffer=8192\nRollbackChance=0"


def expect(truth, *seen):
    if not truth:
        raise AssertionError(", ".join(str(value)[:600] for value in seen))


def places(requests):
    return [(request["offset"], request["size"]) for request in requests]


def expect_in_a_row(requests, begin, size, end=None):
    """One behind the other, of this size, but for the last one."""
    at = begin
    for request in requests:
        expect(request["offset"] == at, f"at {at}", places(requests))
        expect(request["size"] == size or request is requests[-1], f"not {size}", places(requests))
        at += request["size"]
    expect(requests and at == (end or at), "they end at", at, places(requests))


def expect_flags(requests, dsync):
    expect(requests, "no request")
    odd = [request for request in requests if not request["direct"] or request["dsync"] != dsync]
    expect(not odd, f"{len(odd)} of {len(requests)} with other flags", odd[:3])


def most_at_a_time(requests):
    ends = sorted([(request["begin_us"], 1) for request in requests] + [(request["end_us"], -1) for request in requests])
    most = now = 0
    for _, step in ends:
        now += step
        most = max(most, now)
    return most


def long_reads(run, file):
    """Of a backup: users read single pages."""
    return [request for request in run.of_phase("main run", "read", file) if request["size"] > PAGE]


# --- backup and restore: of 24 MB, in transfers of 1 MB; of 4 MB, in transfers of 64 KB ---

def backup_reads(run, size, data):
    reads = long_reads(run, "one.mdx")
    expect_in_a_row(reads, 0, size, data)
    expect_flags(reads, True)


def backup_writes(run, size, data, durable=True):
    writes = run.of_phase("main run", "write", "ioproof_backup_1.bak")
    # BUFFERCOUNT are on their way: one may be overtaken.
    overtaken = sum(one["offset"] > following["offset"] for one, following in zip(writes, writes[1:]))
    expect(overtaken <= len(writes) / 4, "not in order", places(writes))
    expect_in_a_row(sorted(writes, key=lambda request: request["offset"]), PAGE, size, PAGE + data)
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
    # A block that reaches over the end of a read is read again, from its beginning.
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
        "backup: its file is written from front to back, in transfers of MAXTRANSFERSIZE, unbuffered, durable, at most BUFFERCOUNT at a time":
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


# --- tempdb and the version store ---

def tempdb_files(run, operation):
    return [run.of_phase("main run", operation, f"tempdb{number}.mdx") for number in (1, 2, 3)]


def spills(run):
    for writes in tempdb_files(run, "write"):
        spilled = [request for request in writes if request["offset"] >= EXTENT]  # before it: page 0, and which extents are taken
        expect(len(spilled) >= 10, "few spills", len(spilled))
        odd = [request for request in spilled if request["size"] != EXTENT or request["offset"] % EXTENT != 0]
        expect(len(odd) <= 0.02 * len(spilled), places(odd))  # the lazy writer may write a part of one first
        expect(all(size % PAGE == 0 and offset // EXTENT == (offset + size - 1) // EXTENT for offset, size in places(odd)), places(odd))
    for reads in tempdb_files(run, "read"):
        odd = [request for request in reads if request["offset"] >= EXTENT and request["size"] != EXTENT]
        expect(reads and not odd, places(odd))


def spills_go_round(run):
    counts = [len(writes) for writes in tempdb_files(run, "write")]
    expect(max(counts) <= 1.2 * min(counts), counts)


def nothing_is_durable(run):
    for writes in tempdb_files(run, "write"):
        expect_flags(writes, False)
    expect(not any(tempdb_files(run, "fsync")), "a sync in the main run")


def versions_age_out(run):
    writes = run.of_phase("main run", "write", "one.mdx")
    pages = {page for offset, size in places(writes) for page in range(offset // PAGE, (offset + size) // PAGE)}
    written = sum(request["size"] for request in writes) // PAGE
    expect(len(pages) <= 1024, "pages outside of the store", len(pages))
    expect(written > len(pages), "no page was used again", written, len(pages))
    reads = {page for offset, size in places(run.of_phase("main run", "read", "one.mdx"))
             for page in range(offset // PAGE, (offset + size) // PAGE)}
    expect(reads and reads <= pages | set(range(min(pages), min(pages) + 1024)), "reads outside of the store")
    expect_flags(writes, True)


def log_comes_first(run):
    first_log = min(request["end_us"] for request in run.of_phase("main run", "write", "log.ldx"))
    first_page = min(request["begin_us"] for request in run.of_phase("main run", "write", "one.mdx"))
    expect(first_log < first_page, first_log, first_page)


def tempdb_and_versions(arguments):
    run = WatchedRun(arguments, "tempdb", data=16, log=16, config="CheckpointInterval=300", more=TEMPDB + VERSIONS)
    return run, {
        "tempdb: sorts spill in requests of 64 KB, at extents, and read them back so": lambda: spills(run),
        "tempdb: its files are filled alike": lambda: spills_go_round(run),
        "tempdb: nothing is made durable, neither by a flag nor by a sync": lambda: nothing_is_durable(run),
        "version store: pages of its own are written, age out and are used again": lambda: versions_age_out(run),
        "version store: versions are logged before their pages are written": lambda: log_comes_first(run),
    }


# --- the log ---

def blocks_of(run, *phases):
    return [request for phase in phases for request in run.of_phase(phase, "write", "log.ldx") if request["offset"] >= PAGE]


def log_blocks(run):
    blocks = blocks_of(run, "main run")
    odd = [request for request in blocks if request["size"] > BLOCK_MAX or request["size"] % 512 != 0]
    expect(not odd, places(odd))
    expect(max(request["size"] for request in blocks) > BLOCK_MAX - 9 * KB, "no block is nearly full")
    expect_flags(blocks, True)


def log_is_appended(run):
    by_place = {request["offset"]: request["size"] for request in blocks_of(run, "main run")}
    expect(len(by_place) == len(blocks_of(run, "main run")), "a block was written twice")
    ends = {offset + size for offset, size in by_place.items()}
    expect(len(set(by_place) - ends) <= 5, "holes", sorted(set(by_place) - ends)[:10])  # the first one, and where a VLF begins


def vlf_at(run, file, offset):
    """Bytes of the virtual log file of the block that stands there; see docs/log_format.md."""
    header = run.bytes_of(file, offset, 80)
    expect(header[4:8] == b"IOPL", f"no block at {offset} of {file}")
    return struct.unpack_from("<I", header, 76)[0] * 512


def zeros_of(run, file, begin):
    return [request for request in run.of_phase("main run", "write", file)
            if request["offset"] >= begin and request["size"] > BLOCK_MAX]


def small_growth(run):
    expect(run.size_of("log.ldx") == 12 * MB, "the log has not grown", run.size_of("log.ldx"))
    expect(not zeros_of(run, "log.ldx", 4 * MB), "zeros were written")
    expect(vlf_at(run, "log.ldx", 4 * MB) == 8 * MB, "not one VLF", vlf_at(run, "log.ldx", 4 * MB))
    expect(run.of_phase("main run", "fsync", "log.ldx"), "the new size is not synced")


def large_growth(run):
    zeros = zeros_of(run, "more.ldx", 4 * MB)
    expect(sorted(places(zeros)) == [(at * MB, MB) for at in range(4, 76)], "not each MB once", places(zeros))
    parts = [(request["offset"] - 4 * MB) // (9 * MB) for request in zeros[:24]]
    expect(len(set(parts)) == 8, "not all parts at a time", parts)
    expect(vlf_at(run, "more.ldx", 4 * MB) == 9 * MB, "not 8 VLFs", vlf_at(run, "more.ldx", 4 * MB))


def log_growth(arguments):
    more = "[File3]\nFileName={mount}/more.ldx\nInitialSize=4\nMaxSize=76\nIncrement=72\nLogFile=TRUE\n"
    run = WatchedRun(arguments, "growth", data=32, log=4, log_step=8, log_max=12, users=4, random=MUCH_LOG, more=more,
                     config=FROM_MEMORY + "LogInstantGrowth=TRUE\nCheckpointInterval=100000")
    return run, {
        "log: blocks are whole sectors, 60 KB at most, unbuffered, durable": lambda: log_blocks(run),
        "log growth up to 64 MB: no zeros are written, and it becomes one VLF": lambda: small_growth(run),
        "log growth above 64 MB: zeros are written, to all of its 8 VLFs at a time": lambda: large_growth(run),
    }


def appended_log(arguments):
    run = WatchedRun(arguments, "append", seconds=2, data=8, log=64, users=1, random=MUCH_LOG.replace("SleepAfter=0", "SleepAfter=50"))
    return run, {"log: one block behind the other, each written once": lambda: log_is_appended(run)}


def outstanding_blocks(run):
    return [calls for calls in run.calls_of_phase("main run", "write", "log.ldx") if calls]


def log_outstanding(arguments):
    run = WatchedRun(arguments, "outstanding", hangs=["write"], engine="threads", data=16, log=60, users=6, random=MUCH_LOG,
                     config=FROM_MEMORY + "LogFlushesOutstanding=32")
    most = lambda: max(len(calls) for calls in outstanding_blocks(run))
    return run, {
        "log writer: at most 32 writes outstanding (older; LogFlushesOutstanding, 112 at most), and so many if there is work":
            lambda: expect(most() == 32, most()),
        "log writer: one buffer for each block, RWF_DSYNC":
            lambda: expect(all(call.segments == 1 and call.dsync and call.size <= BLOCK_MAX
                               for calls in outstanding_blocks(run) for call in calls), outstanding_blocks(run)),
    }


def log_kb_outstanding(arguments):
    run = WatchedRun(arguments, "kb", hangs=["write"], engine="threads", data=16, log=60, users=6, random=MUCH_LOG,
                     config=FROM_MEMORY + "LogKBOutstanding=1920")
    most = lambda: max(sum(call.size for call in calls) for calls in outstanding_blocks(run))
    return run, {
        "log writer: no more outstanding than its limit (LogKBOutstanding, 3840 KB in SQL Server), and nearly so much if there is work":
            lambda: expect(1920 * KB - BLOCK_MAX < most() <= 1920 * KB, most()),
    }


# --- what is longer than the file system gets in one piece, and the buffers ---

def calls_seen(run, operation, file):
    return [call for calls in run.calls_of_phase("main run", operation, file) for call in calls]


def segment_reads(run):
    reads = [call for call in calls_seen(run, "read", "one.mdx") if call.segments != 1]
    sizes = sorted({call.size // KB for call in reads})
    expect(reads and all(MB <= call.size <= 8 * MB and call.size % EXTENT == 0 for call in reads), sizes)
    expect(all(call.offset % EXTENT == 0 for call in reads), [call.offset for call in reads])
    expect(all(call.segments == call.size // PAGE for call in reads), "not one buffer for each page", reads)
    expect(sizes[-1] * KB > SPLIT, "none is longer than 1 MB", sizes)


def loads(run):
    writes = calls_seen(run, "write", "one.mdx")
    expect(writes and all(call.segments == call.size // PAGE <= GATHER_PAGES for call in writes), writes)
    sizes = {request["size"] for request in run.of_phase("main run", "write", "one.mdx")}
    expect(max(sizes) == GATHER_PAGES * PAGE, "no gather write of 128 pages", sizes)


def columnstore(arguments):
    run = WatchedRun(arguments, "columnstore", hangs=["read", "write *.mdx"], engine="threads", data=64, memory=64, log=16,
                     more=COLUMNSTORE)
    reads = lambda: run.of_phase("main run", "read", "one.mdx")
    return run, {
        "columnstore: a segment of 1 to 8 MB is one read, from an extent on, one buffer for each page": lambda: segment_reads(run),
        "columnstore: segments are read unbuffered": lambda: expect_flags(reads(), True),
        "columnstore: row groups are loaded by gather writes of up to 128 pages, one buffer for each page": lambda: loads(run),
    }


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
            lambda: expect(spilled() and all(call.segments == 8 and call.size == EXTENT and not call.dsync for call in spilled()), spilled()),
    }


# --- indirect checkpoint ---

def writes_by_moment(run):
    """Pages written in each fifth of a second of the main run, but for its first half second."""
    begin, end = run.phases["main run"]
    begin += 5e5
    counts = [0] * int((end - begin) // 2e5)
    for request in run.of_phase("main run", "write", "one.mdx"):
        index = int((request["begin_us"] - begin) // 2e5)
        if 0 <= index < len(counts):
            counts[index] += request["size"] // PAGE
    return counts


def is_steady(run):
    counts = writes_by_moment(run)
    idle = counts.count(0) / len(counts)
    expect(sum(counts) > 100 and idle < 0.3 and max(counts) < 0.25 * sum(counts), counts)


def is_in_bursts(run):
    counts = writes_by_moment(run)
    expect(sum(counts) > 100 and counts.count(0) / len(counts) > 0.5, counts)


CHECKPOINTS = dict(seconds=4, data=16, users=2, random="SleepAfter=10\nMinLogPerBuffer=1024\nMaxLogPerBuffer=1024")


def indirect_checkpoint(arguments):
    run = WatchedRun(arguments, "indirect", log=8, config=FROM_MEMORY + "TargetRecoveryTime=60", **CHECKPOINTS)
    return run, {"indirect checkpoint (since 2016): a steady trickle of writes": lambda: is_steady(run)}


def automatic_checkpoint(arguments):
    run = WatchedRun(arguments, "automatic", log=60, config=FROM_MEMORY + "CheckpointInterval=1300", **CHECKPOINTS)
    return run, {"automatic checkpoint: bursts": lambda: is_in_bursts(run)}


GROUPS = {group.__name__: group for group in (
    backup_of_1_mb, backup_of_64_kb, backup_calls, columnstore, tempdb_and_versions, log_growth, appended_log, log_outstanding,
    log_kb_outstanding, indirect_checkpoint, automatic_checkpoint)}
NEED_CALLS = (backup_calls, columnstore, log_outstanding, log_kb_outstanding)


def check(arguments, name):
    """Lines to print, and how many facts do not hold."""
    try:
        run, facts = GROUPS[name](arguments)
    except (CannotMount, RuntimeError) as error:
        return [f"FAILED {name}: {error}"], 1
    lines, failed = [], 0
    for fact, holds in facts.items():
        try:
            holds()
            lines.append(f"ok     {fact}")
        except (AssertionError, IndexError, KeyError, ValueError) as error:
            failed += 1
            lines.append(f"FAILED {fact}: {type(error).__name__} {error}")
    if failed:
        lines.append(f"       replay: {sys.argv[0]} --program {arguments.program} --fs {arguments.fs} --folder {arguments.folder} "
                     f"--seed {arguments.seed} --keep {name}")
    if failed and arguments.keep:
        lines.append(f"       kept in {run.folder}")
    else:
        run.remove()
    return lines, failed


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--program", "--fs", "--folder"):
        parser.add_argument(name, required=True, type=os.path.realpath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the folders of runs where a fact did not hold")
    parser.add_argument("-j", type=int, default=3, help="runs at a time")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=" ".join(GROUPS))
    arguments = parser.parse_args()
    unknown = [name for name in arguments.groups if name not in GROUPS]
    if unknown:
        parser.error(f"no such group: {' '.join(unknown)}")
    return arguments


def main():
    arguments = parse()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # unwinding unmounts
    os.makedirs(arguments.folder, exist_ok=True)
    names = arguments.groups or list(GROUPS)
    no_calls = why_no_calls()
    if no_calls:
        print(f"without the facts that need /proc: {no_calls}")
        names = [name for name in names if GROUPS[name] not in NEED_CALLS]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        for lines, failed in pool.map(lambda name: check(arguments, name), names):
            print("\n".join(lines), flush=True)
            failures += failed
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
