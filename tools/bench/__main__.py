"""ioproof beside fio and beside a bare loop, in turns on the same files. `./dev bench` calls it; docs/performance.md explains it.

Each row is measured several times, alternating between the two sides, so that a busy machine slows both. The table shows the medians, and
the median of the ratios of the rounds; above 1 is better for ioproof, whatever the figure. "CPU" is the ratio of the CPU time for the same
amount of data, including all threads and the kernel: the figure that remains comparable while others use the machine."""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

import pinned_rows
from group_rows import group_rows
from peers import MB, Failed, Tools
from request_rows import disk_read_rows, disk_write_rows, log_rows, path_rows, ram_rows, scatter_rows
from row import table
from run_rows import run_rows
from zram import Zram


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
    parser.add_argument("--group-load", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--disk", default=".", help="folder on the disk to be measured (here)")
    parser.add_argument("--ram", default="/dev/shm", help="folder of a file system in memory (/dev/shm)")
    fast = parser.add_mutually_exclusive_group()
    fast.add_argument("--fast-folder", metavar="DIR", help="folder on a device that answers at once, for rows fast_... and log60_fast_...")
    fast.add_argument("--zram", action="store_true", help="the same, on a free zram device that is set up and reset; needs root")
    parser.add_argument("--size", type=int, default=1024, help="MB of each file (1024)")
    parser.add_argument("--seconds", type=int, default=3, help="of each measurement (3)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured (3)")
    parser.add_argument("--rows", default="", help="only rows whose name has this in it; several with commas")
    parser.add_argument("--json", default="bench.json", help="where the figures go (bench.json)")
    return parser.parse_args()


# Files on the fast device, which is memory.
FAST_FILE_BYTES, FAST_LOG_BYTES = 512 * MB, 128 * MB
# Twice the size of the files, because xfs frees the space of a removed file later. Only what is written takes memory.
ZRAM_BYTES = 2 * FAST_FILE_BYTES + 4 * FAST_LOG_BYTES


def fast_folder(arguments, stack):
    """Creates a private folder on the fast device; None if there is no such device."""
    if not arguments.zram and not arguments.fast_folder:
        return None
    parent = stack.enter_context(Zram(ZRAM_BYTES)) if arguments.zram else arguments.fast_folder
    return own_folder(parent, stack)


def own_folder(parent, stack):
    folder = tempfile.mkdtemp(prefix="ioproof-bench-", dir=parent)
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


def measure_all(arguments, tools, stack):
    pinned = tools.pinned()
    size = arguments.size * MB
    folders = [own_folder(parent, stack) for parent in (arguments.ram, arguments.disk)]
    fast = fast_folder(arguments, stack)
    ram, disk = (os.path.join(folder, "bench.mdx") for folder in folders)
    files = {ram: size, disk: size}
    rows = path_rows(tools) + ram_rows(tools, ram) + disk_read_rows(tools, disk) + scatter_rows(tools, ram, disk)
    rows += disk_write_rows(tools, disk) + log_rows(tools, folders[1], min(size, 256 * MB)) + run_rows(tools, *folders, size)
    rows += group_rows(tools, folders[0])
    rows += pinned_rows.ram_rows(pinned, ram) + pinned_rows.log_rows(pinned, folders[1], "disk", min(size, FAST_LOG_BYTES))
    if fast:
        fast_file = os.path.join(fast, "bench.mdx")
        files[fast_file] = min(size, FAST_FILE_BYTES)
        rows += pinned_rows.read_rows(pinned, fast_file) + pinned_rows.write_rows(pinned, fast_file)
        rows += pinned_rows.log_rows(pinned, fast, "fast", min(size, FAST_LOG_BYTES))
    wanted = [word for word in arguments.rows.split(",") if word]
    rows = [row for row in rows if not wanted or any(word in row.name for word in wanted)]
    for file, file_size in files.items():
        tools.make_file(file, file_size)
    measure(rows, arguments.rounds)
    return rows


def main():
    arguments = parse_arguments()
    with contextlib.ExitStack() as stack:
        try:
            rows = measure_all(arguments, Tools(arguments), stack)
        except Failed as error:
            print(f"bench: {error}", file=sys.stderr)
            return 3
    results = [row.result() for row in rows]
    with open(arguments.json, "w", encoding="utf-8") as file:
        json.dump({"machine": machine(), "seconds": arguments.seconds, "rows": results}, file, indent=1)
    print(table(results))
    return 0 if all("ratio" in result and "error" not in result for result in results) else 3


if __name__ == "__main__":
    sys.exit(main())
