#!/usr/bin/env python3
"""kill -9 at random points of runs, on file systems on loop devices. The page cache survives, so `ioproof verify` must never have a
finding.

    kill_test.py --program IOPROOF --folder FOLDER [--seed N] [--kills K] [FILE_SYSTEM...]

K kills on each of ext4, xfs and btrfs, with and without WriteThrough, with both engines. Exit code 0: passed, 1: a finding or a failure,
77: no file system can be mounted here. File systems that cannot be mounted are listed.
"""
import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuse"))
from crash_run import CrashRun
from ioproof_run import ENGINES

SIZES_MB = {"ext4": 128, "xfs": 512, "btrfs": 256}
MKFS = {"ext4": ["mkfs.ext4", "-q", "-F"], "xfs": ["mkfs.xfs", "-q", "-f"], "btrfs": ["mkfs.btrfs", "-q", "-f"]}


class CannotMount(Exception):
    pass


def call(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise CannotMount(f"{command[0]}: {done.stdout.strip() or done.returncode}")


@contextlib.contextmanager
def mounted(kind, folder):
    """Mounts a new file system of this kind on a loop device, and always unmounts it."""
    if os.geteuid() != 0:
        raise CannotMount("only root may mount")
    if not shutil.which(MKFS[kind][0]):
        raise CannotMount(f"{MKFS[kind][0]} is not installed")
    image, path = os.path.join(folder, "image"), os.path.join(folder, "mnt")
    os.makedirs(path)
    with open(image, "wb") as file:
        file.truncate(SIZES_MB[kind] << 20)
    call(*MKFS[kind], image)
    call("mount", "-o", "loop", image, path)
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", path], check=False)


def kill_many(arguments, kind, folder, path):
    """Returns the problems, and how many kills left something to verify."""
    draw = random.Random(f"{kind} {arguments.seed}")
    problems, verified = [], 0
    for index in range(arguments.kills):
        # Most kills hit the main run, some the creation of files.
        seconds = draw.uniform(0.0, 0.3) if draw.random() < 0.25 else draw.uniform(0.3, 2.0)
        write_through, engine = index % 2 == 0, ENGINES[index // 2 % 2]
        run = CrashRun(arguments.program, path, folder, write_through, engine)
        title = f"{kind}, kill {index} after {seconds:.3f} s, seed {arguments.seed}, {engine}, WriteThrough={write_through}"
        ended = run.kill_after(seconds, draw.randrange(1, 1 << 31))
        if ended:
            problems.append(f"{title}: {ended}")
            continue
        for with_ledger in (False, True):
            code, output = run.verify(with_ledger)
            verified += code == 0 and with_ledger
            if code not in (0, 3):
                problems.append(f"{title}: exit code {code}, {'with the ledger' if with_ledger else 'by the files'}: {output[-1500:]}")
            # The ledger may be of a run that was killed before it replaced the files of the one before.
            if code == 3 and not with_ledger and run.can_be_verified():
                problems.append(f"{title}: nothing is said of files that can be verified: {output[-1500:]}")
    if verified * 2 < arguments.kills:
        problems.append(f"{kind}: only {verified} of {arguments.kills} kills left something to verify: this shows nothing")
    return problems, verified


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("kinds", nargs="*", metavar="FILE_SYSTEM", help=" ".join(MKFS))
    arguments = parser.parse_args()
    arguments.program = os.path.realpath(arguments.program)
    if set(arguments.kinds) - set(MKFS):
        parser.error(f"file systems are {', '.join(MKFS)}")
    os.makedirs(arguments.folder, exist_ok=True)
    failed, done = 0, 0
    for kind in arguments.kinds or MKFS:
        folder = os.path.realpath(tempfile.mkdtemp(prefix=f"kill-{kind}-", dir=arguments.folder))
        try:
            with mounted(kind, folder) as path:
                problems, verified = kill_many(arguments, kind, folder, path)
        except CannotMount as error:
            print(f"skipped: {kind}: {error}", flush=True)
            continue
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        done += 1
        failed += bool(problems)
        print(f"{'FAILED' if problems else 'ok    '} {kind}: {arguments.kills} kills, {verified} verified, {len(problems)} problems",
              flush=True)
        for problem in problems:
            print(f"       {problem}", flush=True)
    if done == 0:
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
