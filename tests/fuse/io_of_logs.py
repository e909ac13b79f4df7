"""The log and its growth, as the kernel sees them; see sqlserver_io_test.py."""
import struct

from io_checks import BLOCK_MAX, FROM_MEMORY, KB, MB, PAGE, expect, expect_flags, places
from watched_run import WatchedRun

MUCH_LOG = "SleepAfter=0\nMinIOChainLength=100\nMaxIOChainLength=100\nMinLogPerBuffer=2048\nMaxLogPerBuffer=8192\nRollbackChance=0"


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
    expect(len(set(by_place) - ends) <= 5, "holes", sorted(set(by_place) - ends)[:10])  # the first block, and those at which a VLF begins


def vlf_at(run, file, offset):
    """The size in bytes of the virtual log file that this block belongs to; see docs/log_format.md."""
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
