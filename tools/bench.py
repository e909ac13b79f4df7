#!/usr/bin/env python3
"""bench.py: ioproof beside fio and beside a bare loop, in turns on the same files. `./dev bench` calls it; docs/performance.md explains it.

Each row is measured several times, the two sides in turns, so that a busy machine troubles both. The table shows the medians, and the median
of the ratios of the single rounds. Above 1 is better for ioproof, whatever the figure. "CPU" is the ratio of the CPU time for the same
amount of data, all threads and the kernel included: where others use the machine, it is what still can be compared."""

import argparse
import json
import mmap
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30


class Failed(Exception):
    pass


def run_program(command, timeout_s=900):
    """The standard output, and the CPU time of the process and its children in microseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, cpu_s * 1e6


class Tools:
    def __init__(self, arguments):
        self.program = arguments.program
        self.bare_loop = arguments.bare_loop
        self.seconds = arguments.seconds
        self.fio_start_us = None

    def ioproof(self, file, *switches, size=None):
        command = [self.program, "bench", file, "--seconds", str(self.seconds), "--json", "-", *switches]
        if size:
            command += ["--size", f"{size // MB}M"]
        result = json.loads(run_program(command)[0])
        if result["findings"] or result["failure"]:
            raise Failed(f"{' '.join(command)}: {result['findings']} findings {result['failure']}")
        return {
            "requests_per_s": result["requests_per_s"],
            "bytes_per_s": result["bytes_per_s"],
            "cpu_ns": result["cpu_ns_per_request"],
            "latency_us": result["latency_mean_us"],
            "pages_verified": result["pages_verified"],
        }

    def fio(self, file, **options):
        settings = {"name": "bench", "ioengine": "io_uring", "direct": "1", "time_based": "1", "runtime": str(self.seconds),
                    "output-format": "json", "group_reporting": "1", "randrepeat": "0", "norandommap": "1", "fallocate": "none",
                    "verify_state_save": "0"}
        if file:
            settings["filename"] = file
        settings.update({name: str(value) for name, value in options.items()})
        command = ["fio"] + [f"--{name}={value}" for name, value in settings.items() if value != ""]
        output, cpu_us = run_program(command)
        cpu_us = max(cpu_us - self.fio_start(), 1)
        job = json.loads(output[output.index("{"):])["jobs"][0]
        side = job["read"] if job["read"]["total_ios"] else job["write"]
        requests = max(side["total_ios"], 1)
        return {
            "requests_per_s": side["iops"],
            "bytes_per_s": side["bw_bytes"],
            "cpu_ns": cpu_us * 1000 / requests,
            "latency_us": side["lat_ns"]["mean"] / 1000,
        }

    def fio_start(self):
        """CPU of an fio that does nothing: our own figure is of the measurement alone."""
        if self.fio_start_us is None:
            command = ["fio", "--name=start", "--ioengine=null", "--rw=read", "--bs=8k", "--size=8k"]
            self.fio_start_us = statistics.median(run_program(command)[1] for _ in range(3))
        return self.fio_start_us

    def bare(self, file, **options):
        command = [self.bare_loop, file, f"seconds={self.seconds}"] + [f"{name}={value}" for name, value in options.items()]
        result = json.loads(run_program(command)[0])
        return {"requests_per_s": result["requests_per_s"], "bytes_per_s": result["bytes_per_s"], "cpu_ns": result["cpu_ns_per_request"]}


class Row:
    """`figure`: what is compared; for figures where less is better the ratio is turned round."""

    def __init__(self, name, text, figure, goal, ours, peer, peer_name):
        self.name, self.text, self.figure, self.goal = name, text, figure, goal
        self.ours, self.peer, self.peer_name = ours, peer, peer_name
        self.rounds = []
        self.error = None

    def less_is_better(self):
        return self.figure in ("cpu_ns", "latency_us", "seconds", "bytes_outside")

    def measure(self):
        ours = self.ours()
        peer = self.peer()
        first, second = ours[self.figure], peer[self.figure]
        ratio = second / first if self.less_is_better() else first / second
        entry = {"ours": ours, "peer": peer, "ratio": ratio}
        if "cpu_ns" in ours and "cpu_ns" in peer:
            # For the same amount of data: log blocks differ in size.
            per_byte = [side["cpu_ns"] * side["requests_per_s"] / side["bytes_per_s"] for side in (ours, peer)]
            entry["cpu_ratio"] = per_byte[1] / per_byte[0]
        self.rounds.append(entry)

    def result(self):
        result = {"row": self.name, "text": self.text, "figure": self.figure, "goal": self.goal, "peer_name": self.peer_name,
                  "rounds": self.rounds}
        if self.error:
            result["error"] = self.error
        if self.rounds:
            result["ours"] = statistics.median(r["ours"][self.figure] for r in self.rounds)
            result["peer"] = statistics.median(r["peer"][self.figure] for r in self.rounds)
            result["ratio"] = statistics.median(r["ratio"] for r in self.rounds)
            result["reached"] = result["ratio"] >= self.goal
            if "cpu_ratio" in self.rounds[0]:
                result["cpu_ratio"] = statistics.median(r["cpu_ratio"] for r in self.rounds)
        return result


# --- rows ---


def path_rows(tools):
    return [Row("path", "path without a device, depth 32", "requests_per_s", 1.0,
                lambda: tools.ioproof("null:", "--verify=off"),
                lambda: tools.fio("", ioengine="null", rw="randread", bs="8k", iodepth=32, size="1g", direct=0), "fio null")]


def ram_rows(tools, file):
    def ours():
        return tools.ioproof(file, "--depth", "32")

    def our_writes():
        return tools.ioproof(file, "--depth", "32", "--op", "write")

    def fio(**options):
        return lambda: tools.fio(file, bs="8k", iodepth=32, **options)

    text = "8 KB random reads, RAM file, depth 32, every page verified"
    rows = [
        Row("ram_read", text, "requests_per_s", 1.0, ours, fio(rw="randread"), "fio io_uring"),
        Row("ram_read_sync", text, "requests_per_s", 1.0, ours, fio(rw="randread", ioengine="psync"), "fio psync"),
        Row("ram_read_bare", text, "requests_per_s", 0.95, ours, lambda: tools.bare(file, depth=32), "bare io_uring loop"),
        Row("ram_read_bare_sync", text, "requests_per_s", 0.95, ours, lambda: tools.bare(file, depth=32, calls="sync"),
            "bare pread loop"),
    ]
    # fio verifies its own pages: in a file of its own, written once before.
    verified = file + ".fio"

    def fio_verified(engine):
        def measure():
            common = {"bs": "8k", "iodepth": 32, "verify": "crc32c", "ioengine": engine, "size": str(os.path.getsize(file))}
            if not os.path.exists(verified):
                tools.fio(verified, rw="write", time_based="0", runtime="", do_verify="0", **common)
            return tools.fio(verified, rw="randread", **common)
        return measure

    def fio_writes(engine):
        return fio(rw="randwrite", verify="crc32c", do_verify="0", ioengine=engine)

    text_write = "8 KB random writes of stamped, checksummed pages, RAM file, depth 32"
    rows += [
        Row("ram_read_verified", text, "requests_per_s", 1.3, ours, fio_verified("io_uring"), "fio verify=crc32c"),
        Row("ram_read_verified_sync", text, "requests_per_s", 1.3, ours, fio_verified("psync"), "fio psync verify=crc32c"),
        Row("ram_write", text_write, "requests_per_s", 1.5, our_writes, fio_writes("io_uring"), "fio verify headers"),
        Row("ram_write_sync", text_write, "requests_per_s", 1.5, our_writes, fio_writes("psync"), "fio psync, verify headers"),
    ]
    # Written over by fio above: reads of ours need pages of ours again.
    rows[-2].peer = lambda peer=rows[-2].peer: remade(tools, file, peer)
    rows[-1].peer = lambda peer=rows[-1].peer: remade(tools, file, peer)
    return rows


def remade(tools, file, measure):
    size = os.path.getsize(file)
    try:
        return measure()
    finally:
        make_file(tools, file, size)


def disk_read_rows(tools, file):
    rows = []
    for depth in (1, 16, 64):
        text = f"8 KB random reads, disk, depth {depth}, every page verified"
        ours = lambda depth=depth: tools.ioproof(file, "--depth", str(depth))
        peer = lambda depth=depth: tools.fio(file, rw="randread", bs="8k", iodepth=depth)
        looking = lambda depth=depth: tools.bare(file, block=8 * KB, depth=depth, look=1)
        rows.append(Row(f"disk_read_{depth}", text, "requests_per_s", 1.0, ours, peer, "fio io_uring"))
        rows.append(Row(f"disk_read_{depth}_looking", text, "requests_per_s", 0.95, ours, looking, "bare loop, reads through each page"))
        if depth == 64:
            rows.append(Row("disk_read_64_cpu", "CPU for one of them (kernel included)", "cpu_ns", 1.25, ours, peer, "fio io_uring"))
    return rows


def scatter_rows(tools, ram, disk):
    rows = []
    for place, file in (("RAM file", ram), ("disk", disk)):
        short = "ram" if file == ram else "disk"
        switches = ("--block", "512K", "--depth", "8")
        text = f"512 KB reads, {place}, depth 8, every page verified"
        scattered = lambda file=file: tools.ioproof(file, *switches, "--scatter")
        plain = lambda file=file: tools.ioproof(file, *switches)
        bare = lambda scatter, file=file, **more: tools.bare(file, block=512 * KB, depth=8, scatter=scatter, **more)
        rows += [
            Row(f"scatter_{short}", text + ", 64 separate frames", "requests_per_s", 0.95, scattered, lambda bare=bare: bare(1),
                "bare readv loop, huge pages"),
            Row(f"side_by_side_{short}", text + ", frames as the pool gives them", "requests_per_s", 0.95, plain, lambda bare=bare: bare(0),
                "bare loop, one buffer"),
        ]
        if short == "ram":
            rows.append(Row("scatter_ram_sync", text + ", 64 separate frames", "requests_per_s", 0.95, scattered,
                            lambda bare=bare: bare(1, calls="sync"), "bare preadv loop, huge pages"))
    return rows


def disk_write_rows(tools, file):
    def fio(block, depth):
        return lambda: remade(tools, file, lambda: tools.fio(file, rw="randwrite", bs=block, iodepth=depth, sync="dsync"))

    def bare_gather():
        return remade(tools, file, lambda: tools.bare(file, op="write", block=MB, depth=8, scatter=1, dsync=1))

    gather = ("--op", "write", "--durable", "--depth", "8", "--block", "1M")
    gather_text = "1 MB gather writes, O_DSYNC, disk, depth 8"

    return [
        Row("disk_write_dsync", "8 KB random writes, O_DSYNC, disk, depth 16", "requests_per_s", 1.0,
            lambda: tools.ioproof(file, "--op", "write", "--durable", "--depth", "16"), fio("8k", 16), "fio io_uring"),
        Row("disk_gather_dsync", gather_text + ", 128 separate frames", "requests_per_s", 1.0,
            lambda: tools.ioproof(file, *gather, "--scatter"), bare_gather, "bare writev loop, huge pages"),
        Row("side_by_side_gather_dsync", gather_text + ", frames as the pool gives them", "requests_per_s", 1.0,
            lambda: tools.ioproof(file, *gather), fio("1m", 8), "fio io_uring, one buffer"),
    ]


def log_rows(tools, folder, size):
    rows = []
    ours_file, peer_file = os.path.join(folder, "log.ldx"), os.path.join(folder, "log.fio")

    def peer(depth):
        if not os.path.exists(peer_file):
            tools.fio(peer_file, rw="write", bs="1m", iodepth=8, size=str(size), time_based="0", runtime="")
        return tools.fio(peer_file, rw="write", bsrange="4k-60k", iodepth=depth, sync="dsync", size=str(size))

    for depth in (1, 8):
        rows.append(Row(f"log_{depth}", f"log writes of 4 to 60 KB, O_DSYNC, disk, depth {depth}: latency", "latency_us", 1.0,
                        lambda depth=depth: tools.ioproof(ours_file, "--op", "write", "--pattern", "sequential", "--block", "4K-60K",
                                                          "--durable", "--depth", str(depth), size=size),
                        lambda depth=depth: peer(depth), "fio io_uring"))
    return rows


# --- whole runs ---


def warm_memory():
    """In a virtual machine the first touch of memory can cost more than all else: the host has to find it. Whoever comes second would
    win. In a process of its own: a child's figures of memory would begin with ours."""
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


# Nothing but what a measurement needs: all else is the default.
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

# A pool that is smaller than the files, whose size is fixed.
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
    """One `ioproof run`: its phases, from the report, and its memory."""

    def __init__(self, program, folder, timeout_s=900, is_default=False, **values):
        settings = {"cpus": 1, "memory_mb": 256, "seconds": 5, "size_mb": 1024, "log_mb": 128, "sparse": "FALSE", "users": "",
                    "folder": folder}
        settings.update(values)
        self.pool_bytes = settings["memory_mb"] * MB
        self.pages = (settings["size_mb"] + settings["log_mb"]) * MB // 8192
        with tempfile.TemporaryDirectory() as scratch:
            config = os.path.join(scratch, "run.cfg.ini")
            with open(config, "w", encoding="utf-8") as file:
                file.write((DEFAULT_CONFIG if is_default else RUN_CONFIG).format(**settings))
            command = [program, "run", "-cfg", config, "-log", os.path.join(scratch, "run.log.xml"), "--no-progress", "--seed", "1"]
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
    """Whole runs. One run gives two rows; they are measured one after the other, so the second takes the first one's."""
    last = {}

    def run(**values):
        last["run"] = Run(tools.program, disk, size_mb=size // MB, seconds=2, **values)
        return {"bytes_per_s": last["run"].phases["initial update"]["written_mb_per_s"] * 1e6}

    def audit():
        return {"bytes_per_s": last["run"].phases["final audit"]["read_mb_per_s"] * 1e6}

    fio_file = os.path.join(disk, "run.fio")

    def fio_write():
        if os.path.exists(fio_file):
            os.remove(fio_file)
        return tools.fio(fio_file, rw="write", bs="1m", iodepth=8, size=str(size), time_based="0", runtime="", fallocate="native")

    def fio_read():
        return tools.fio(fio_file, rw="read", bs="1m", iodepth=8, size=str(size), time_based="0", runtime="")

    # Long enough that the first use of the pool's memory, whose cost is the same with more CPUs, does not count for much.
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

    return [
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


def make_file(tools, file, size):
    if os.path.exists(file):
        os.remove(file)
    seconds, tools.seconds = tools.seconds, 1
    try:
        tools.ioproof(file, size=size)
    finally:
        tools.seconds = seconds


# --- table ---


def shown(figure, value):
    if figure in ("requests_per_s", "pages_per_s"):
        return f"{value / 1000:.1f} k/s" if value >= 1e4 else f"{value:.0f} /s"
    if figure == "bytes_per_s":
        return f"{value / 1e6:.0f} MB/s"
    if figure == "cpu_ns":
        return f"{value / 1000:.2f} us"
    if figure == "latency_us":
        return f"{value:.1f} us"
    if figure == "bytes_outside":
        return f"{value / MB:.0f} MB"
    return f"{value:.2f} s"


def table(results):
    lines = [("", "ioproof", "peer", "ratio", "goal", "", "CPU", "peer is")]
    for result in results:
        if "ratio" not in result:
            lines.append((result["text"], "-", "-", "-", f"{result['goal']:.2f}", "not measured", "-", result.get("error", "")[:60]))
            continue
        lines.append((result["text"], shown(result["figure"], result["ours"]), shown(result["figure"], result["peer"]),
                      f"{result['ratio']:.2f}", f"{result['goal']:.2f}", "reached" if result["reached"] else "MISSED",
                      f"{result['cpu_ratio']:.2f}" if "cpu_ratio" in result else "-", result["peer_name"]))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i in (0, 5, 7) else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def machine():
    facts = {"cpus": os.cpu_count(), "kernel": os.uname().release, "load_average": os.getloadavg()}
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            facts["cpu"] = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        pass
    facts["fio"] = subprocess.run(["fio", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return facts


def measure(rows, rounds):
    for number in range(rounds):
        for row in rows:
            if row.error:
                continue
            try:
                row.measure()
                print(f"bench: round {number + 1}: {row.name}: {row.rounds[-1]['ratio']:.2f}", file=sys.stderr, flush=True)
            except (Failed, OSError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                row.error = str(error)
                print(f"bench: {row.name}: {error}", file=sys.stderr, flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description="ioproof beside fio and a bare loop, in turns on the same files")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--bare-loop", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--disk", default=".", help="folder on the disk to be measured (here)")
    parser.add_argument("--ram", default="/dev/shm", help="folder of a file system in memory (/dev/shm)")
    parser.add_argument("--size", type=int, default=1024, help="MB of each file (1024)")
    parser.add_argument("--seconds", type=int, default=3, help="of each measurement (3)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured (3)")
    parser.add_argument("--rows", default="", help="only rows whose name has this in it; several with commas")
    parser.add_argument("--json", default="bench.json", help="where the figures go (bench.json)")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    tools = Tools(arguments)
    size = arguments.size * MB
    folders = [tempfile.mkdtemp(prefix="ioproof-bench-", dir=folder) for folder in (arguments.ram, arguments.disk)]
    ram, disk = (os.path.join(folder, "bench.mdx") for folder in folders)
    try:
        rows = path_rows(tools) + ram_rows(tools, ram) + disk_read_rows(tools, disk) + scatter_rows(tools, ram, disk)
        rows += disk_write_rows(tools, disk) + log_rows(tools, folders[1], min(size, 256 * MB)) + run_rows(tools, *folders, size)
        wanted = [word for word in arguments.rows.split(",") if word]
        rows = [row for row in rows if not wanted or any(word in row.name for word in wanted)]
        for file in (ram, disk):
            make_file(tools, file, size)
        measure(rows, arguments.rounds)
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    results = [row.result() for row in rows]
    with open(arguments.json, "w", encoding="utf-8") as file:
        json.dump({"machine": machine(), "seconds": arguments.seconds, "rows": results}, file, indent=1)
    print(table(results))
    return 0 if all("ratio" in result for result in results) else 3


if __name__ == "__main__":
    sys.exit(main())
