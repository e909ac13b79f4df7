#!/usr/bin/env python3
"""Prints a Markdown table of which of the faults that test ioproof are found by fio's verification on the same faulty file system.

    peer_fio.py --fs FAULTY_FS --folder FOLDER [--program IOPROOF] [CLASS...]

fio writes a file of 16 MB in random order, writes it again, reads it back and verifies it with crc32c (8 KiB blocks, O_DIRECT, 16 requests
at a time). With --program, ioproof runs with the same faults: two cycles without users, so that it also writes all pages twice.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from faulty_mount import SKIPPED, FaultyMount, why_not
from ioproof_run import Run
from judge import episodes_of, judge

FAULTS = [
    ("stale read", "stale_read:nth=300,count=3"), ("lost write", "lost_write:nth=300,count=3"),
    ("reverted page", "reverted_page:nth=300,count=3"),
    ("torn page, 512 bytes", "torn_page:op=write,nth=300,count=3"), ("torn page, 4096 bytes", "torn_page:op=write,unit=4096,nth=300,count=3"),
    ("misdirected write, next page", "misdirected_write:nth=300,count=3"), ("misdirected write, far", "misdirected_write:to=far,nth=300,count=3"),
    ("misdirected read", "misdirected_read:to=far,nth=300,count=3"),
    ("misdirected read, other file", "misdirected_read:to=other,nth=300,count=3"), ("zeroed page", "zeroed_page:op=write,nth=300,count=3"),
    ("bit corruption, 1 bit", "bit_corruption:op=write,nth=300,count=3"), ("bit corruption, a read only", "bit_corruption:nth=300,count=3"),
    ("foreign page", "foreign_page:op=write,nth=300,count=3"), ("short transfer, read", "short_transfer:nth=300,count=3,bytes=4096"),
    ("I/O error, read once", "io_error:nth=300,count=3"), ("I/O error, write once", "io_error:op=write,nth=12,min_writes=0"),
]
FIO = ["fio", "--name=peer", "--size=16m", "--bs=8k", "--rw=randwrite", "--direct=1", "--ioengine=io_uring", "--iodepth=16", "--verify=crc32c",
       "--verify_fatal=0", "--continue_on_error=verify", "--randrepeat=0"]
MESSAGE = re.compile(r"^(?:fio: (?P<error>.*)|(?P<verify>(?:verify|crc32c): .*))$", re.MULTILINE)
OFFSET = re.compile(r".*offset[ =](\d+)")  # the last offset is that of the read


def plain(message):
    """Strips numbers and names from a message."""
    message = re.sub(r"(file |at file )?\S*/peer\.dat", "FILE", message)
    return re.sub(r"\b(0x)?[0-9a-f]*\d[0-9a-f]*\b|\bacca\b", "N", message).split(" at FILE")[0].split(" FILE")[0].strip(" ,")


def run_fio(arguments, fault):
    folder = tempfile.mkdtemp(prefix="fio-", dir=arguments.folder)
    with FaultyMount(arguments.fs, folder, []) as mount:
        for name in ("other", "peer"):
            command = FIO + [f"--filename={mount.path}/{name}.dat"]
            subprocess.run(command + ["--do_verify=0"], cwd=folder, capture_output=True, check=True, timeout=60)
        mount.add_fault(fault.replace(":", ":file=peer.dat,", 1))
        done = subprocess.run(command + ["--do_verify=1"], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
        truth = mount.truth()
    text = done.stdout + done.stderr
    shutil.rmtree(folder)
    messages = [match["verify"] or match["error"] for match in MESSAGE.finditer(text)]
    offsets = {int(match[1]) // 8192 for message in messages for match in [OFFSET.search(message)] if match}
    seen = {(episode.file, episode.page) for episode in episodes_of(truth)}
    found = len({page for _, page in seen} & offsets)
    sayings = sorted({plain(message) for message in messages if "pid=" not in message and "dropping" not in message.lower()})
    return len(seen), found, done.returncode, sayings


def run_ioproof(arguments, fault):
    folder = tempfile.mkdtemp(prefix="ioproof-", dir=arguments.folder)
    with FaultyMount(arguments.fs, folder, [fault]) as mount:
        run = Run(arguments.program, mount, "uring", 1, "busy" if "reverted" in fault else "calm").go()
        problems, _, count = judge(mount.truth(), run.findings)
    shutil.rmtree(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    names = sorted({finding["class"] for finding in run.findings})
    return f"{count - sum('MISSED' in problem for problem in problems)} of {count}: {', '.join(names)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fs", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--program")
    parser.add_argument("classes", nargs="*", metavar="CLASS")
    arguments = parser.parse_args()
    if why_not() or not shutil.which("fio"):
        print(f"skipped: {why_not() or 'fio is not installed'}")
        return SKIPPED
    arguments.fs, arguments.folder = os.path.realpath(arguments.fs), os.path.realpath(arguments.folder)
    arguments.program = os.path.realpath(arguments.program) if arguments.program else None
    os.makedirs(arguments.folder, exist_ok=True)
    print("| Fault | Seen by fio | found | exit code | what fio says |" + (" ioproof |" if arguments.program else ""))
    print("|---|---|---|---|---|" + ("---|" if arguments.program else ""))
    for title, fault in FAULTS:
        if arguments.classes and fault.split(":")[0] not in arguments.classes:
            continue
        seen, found, code, sayings = run_fio(arguments, fault)
        row = f"| {title} | {seen} | {found} | {code} | {'; '.join(sayings) or 'nothing'} |"
        print(row + (f" {run_ioproof(arguments, fault)} |" if arguments.program else ""), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
