"""tempdb, version store, columnstore and checkpoints, as the kernel sees them; see sqlserver_io_test.py."""
from io_checks import EXTENT, FROM_MEMORY, GATHER_PAGES, KB, MB, PAGE, SPLIT, TEMPDB, calls_seen, expect, expect_flags, places
from watched_run import WatchedRun

COLUMNSTORE = """[ColumnstoreUser]
UserCount=1
BulkLoadChance=3000
RowGroupSegments=2
Delay=1
"""
VERSIONS = """[VersionStoreUser]
UserCount=1
StorePages=1024
RetentionTime=300
"""


# --- tempdb and the version store ---

def tempdb_files(run, operation):
    return [run.of_phase("main run", operation, f"tempdb{number}.mdx") for number in (1, 2, 3)]


def spills(run):
    for writes in tempdb_files(run, "write"):
        spilled = [request for request in writes if request["offset"] >= EXTENT]  # below it: page 0 and the map of used extents
        expect(len(spilled) >= 10, "few spills", len(spilled))
        odd = [request for request in spilled if request["size"] != EXTENT or request["offset"] % EXTENT != 0]
        expect(len(odd) <= 0.02 * len(spilled), places(odd))  # the lazy writer may write part of an extent first
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


# --- columnstore ---

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


# --- indirect checkpoint ---

def writes_by_moment(run):
    """Pages written in each fifth of a second of the main run, without its first half second."""
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
