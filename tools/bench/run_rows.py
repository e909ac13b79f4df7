"""Rows of whole runs: `ioproof run`, from its report and the memory of its process."""

import mmap
import os
import re
import subprocess
import tempfile
import threading
import time

from peers import GB, KB, MB, Failed
from row import Row
from witness import delayed_witness


def warm_memory():
    """Touches memory beforehand: in a virtual machine the first touch can cost more than everything else, because the host has to provide
    the memory, so the second program would win. Uses a separate process, because a child's memory figures would begin with ours."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        available = next(int(line.split()[1]) for line in file if line.startswith("MemAvailable:")) * KB
    size = min(available // 2, 6 * GB) // MB * MB
    process = os.fork()
    if process == 0:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory.madvise(mmap.MADV_HUGEPAGE)
        for offset in range(0, size, 4 * KB):
            memory[offset] = 1
        os._exit(0)
    os.waitpid(process, 0)


# Only what a measurement needs; everything else is the default.
DEFAULT_CONFIG = """[RandomUser]
SleepAfter=0
{users}
[AuditUser]
AuditDelay=0
{users}
[ReadAheadUser]
RADelay=0
{users}
[BulkUpdateUser]
BUDelay=0
{users}
[CONFIG]
CPUCount={cpus}
TestCycles=1
TestCycleDuration={seconds}
DeleteFilesAtStartup=TRUE
DeleteFilesAtShutdown=TRUE
"""

# A pool smaller than the files, whose size is fixed.
RUN_CONFIG = DEFAULT_CONFIG + """MaxMemoryMB={memory_mb}
WriteThrough=FALSE
TargetIODuration=10000
CacheHitRatio=0
[File1]
FileName={folder}/run.mdx
InitialSize={size_mb}
MaxSize={size_mb}
Increment=0
Shrinkable=FALSE
Sparse={sparse}
LogFile=FALSE
[File2]
FileName={folder}/run.ldx
InitialSize={log_mb}
MaxSize={log_mb}
Increment=0
Shrinkable=FALSE
Sparse=FALSE
LogFile=TRUE
"""

# A line of the report's table of phases: name, time, pages read, MB/s, pages written, MB/s, log MB/s, pages verified.
PHASE = re.compile(r"^  (create files|initial update|initial checkpoint|main run|final checkpoint|final audit) +([\d.]+) (us|ms|s|min|h) +(.*)$")
SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}


class Run:
    """One `ioproof run`, with its phases, from the report, and its memory."""

    def __init__(self, program, folder, timeout_s=900, is_default=False, switches=(), **values):
        settings = {"cpus": 1, "memory_mb": 256, "seconds": 5, "size_mb": 1024, "log_mb": 128, "sparse": "FALSE", "users": "",
                    "folder": folder}
        settings.update(values)
        self.pool_bytes = settings["memory_mb"] * MB
        self.pages = (settings["size_mb"] + settings["log_mb"]) * MB // 8192
        with tempfile.TemporaryDirectory() as scratch:
            config = os.path.join(scratch, "run.cfg.ini")
            with open(config, "w", encoding="utf-8") as file:
                file.write((DEFAULT_CONFIG if is_default else RUN_CONFIG).format(**settings))
            command = [program, "run", "-cfg", config, "-log", os.path.join(scratch, "run.log.xml"), "--no-progress", "--seed", "1", *switches]
            if is_default:
                command += ["-dir", folder, "-size", str(settings["size_mb"])]
                warm_memory()
            begin = time.monotonic()
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            killer = threading.Timer(timeout_s, process.kill)
            killer.start()
            self.text = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            killer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = time.monotonic() - begin
        self.resident_max_bytes = usage.ru_maxrss * 1024
        self.cpu_s = usage.ru_utime + usage.ru_stime
        if process.returncode != 0:
            raise Failed(f"ioproof run: exit {process.returncode}: {self.text[-800:]}")
        self.phases = self.read_phases()

    def read_phases(self):
        phases = {}
        for line in self.text.splitlines():
            match = PHASE.match(line)
            if not match:
                continue
            figures = [0.0 if word == "-" else float(word.replace(",", "")) for word in match[4].split()]
            phases[match[1]] = {"seconds": float(match[2]) * SECONDS[match[3]], "read_mb_per_s": figures[1], "written_mb_per_s": figures[3],
                                "pages_verified": figures[5]}
        if "main run" not in phases:
            raise Failed("the report has no table of phases")
        return phases


def run_rows(tools, ram, disk, size):
    """Whole runs. One run serves two rows: they are measured one after the other, so the second uses the run of the first."""
    last = {}

    def run(**values):
        last["run"] = Run(tools.program, disk, size_mb=size // MB, seconds=2, **values)
        return {"bytes_per_s": last["run"].phases["initial update"]["written_mb_per_s"] * MB}

    def audit():
        return {"bytes_per_s": last["run"].phases["final audit"]["read_mb_per_s"] * MB}

    fio_file = os.path.join(disk, "run.fio")

    def fio_write():
        if os.path.exists(fio_file):
            os.remove(fio_file)
        return tools.fio(fio_file, rw="write", bs="1m", iodepth=8, size=str(size), time_based="0", runtime="", fallocate="native")

    def fio_read():
        return tools.fio(fio_file, rw="read", bs="1m", iodepth=8, size=str(size), time_based="0", runtime="")

    # On a shared machine the number of verified pages varies less in longer runs.
    def verified(cpus, users=""):
        result = Run(tools.program, ram, is_default=True, cpus=cpus, seconds=max(tools.seconds, 10), size_mb=1024, users=users)
        phase = result.phases["main run"]
        return {"pages_per_s": phase["pages_verified"] / phase["seconds"], "cpu_s": result.cpu_s}

    def outside():
        result = Run(tools.program, disk, seconds=2, size_mb=4096, sparse="TRUE", memory_mb=64)
        last["allowed"] = 16 * result.pages + 64 * MB
        return {"bytes_outside": max(result.resident_max_bytes - result.pool_bytes, 1)}

    def sparse():
        result = Run(tools.program, disk, seconds=2, size_mb=MB, sparse="TRUE", memory_mb=512)
        return {"seconds": result.seconds - result.phases["main run"]["seconds"], "resident_max_bytes": result.resident_max_bytes}

    # The bytes read and written in the main run, with promises in a ledger in memory and without.
    def moved(*switches):
        result = Run(tools.program, disk, is_default=True, switches=switches, cpus=1, seconds=max(tools.seconds, 10), size_mb=256)
        phase = result.phases["main run"]
        return {"bytes_per_s": (phase["read_mb_per_s"] + phase["written_mb_per_s"]) * MB, "cpu_s": result.cpu_s}

    ledger = os.path.join(ram, "bench.ledger")

    def promised_far():
        with delayed_witness(tools.program, ram) as switches:
            return moved(*switches)

    return [
        Row("ledger", "default configuration without delays, disk: MB/s of the main run, with --ledger in memory", "bytes_per_s", 0.9,
            lambda: moved("--ledger", ledger), moved, "the same without"),
        Row("witness", "the same with --witness, whose disk is memory, behind 0.5 ms each way", "bytes_per_s", 0.9, promised_far, moved,
            "the same without"),
        Row("initial_update", "initial update, disk", "bytes_per_s", 0.95, run, fio_write, "fio 1 MB writes, depth 8"),
        Row("final_audit", "final audit, disk", "bytes_per_s", 0.95, audit, fio_read, "fio 1 MB reads, depth 8"),
        Row("two_cpus", "default configuration without delays, RAM file: pages verified per second, 2 CPUs", "pages_per_s", 1.8,
            lambda: verified(2), lambda: verified(1), "the same with 1 CPU"),
        Row("two_cpus_users", "the same with 4 users of each kind, however many CPUs", "pages_per_s", 1.8,
            lambda: verified(2, "UserCount=4"), lambda: verified(1, "UserCount=4"), "the same with 1 CPU"),
        Row("memory", "resident set outside the buffer pool", "bytes_outside", 1.0, outside,
            lambda: {"bytes_outside": last["allowed"]}, "16 B a page + 64 MB"),
        Row("sparse_1tb", "a run on a sparse file of 1 TB: everything but the main run", "seconds", 1.0, sparse,
            lambda: {"seconds": 5.0}, "5 s"),
    ]
