#!/usr/bin/env python3
"""ioproof on a disk that forgets: runs are killed, the file system drops part of what was not durable, and `ioproof verify` examines the
rest. An honest disk must never be blamed. A lying one may be blamed only if it has broken a promise, and must be caught often enough.

    power_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER [--seed N] [--cuts K] [-j N] [DISK...]

K cuts for each disk. Exit code 0: passed, 1: wrongly blamed or not caught, 77: FUSE is not available.
"""
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "crash"))
from command_line import parser_of
from crash_run import CrashRun
from faulty_mount import SKIPPED, CannotMount, FaultyMount, unmount_if_terminated, why_not
from ioproof_run import ENGINES

# What the file system does; whether WriteThrough is on; the least share of promise-breaking cuts to be found from the files alone. A volume
# that was rolled back as a whole is consistent, so the files cannot reveal it.
DISKS = {
    "honest": ("honest", True, None),
    "honest_sync": ("honest", False, None),
    "flush_ignored": ("flush_ignored", False, 0.5),
    "fua_ignored": ("fua_ignored", True, 0.5),
    "log_ignored": ("one_file_ignored:file=*.ldx", True, 0.5),
    "data_ignored": ("one_file_ignored:file=*.mdx", True, 0.5),
    "rolled_back": ("rolled_back:ms=300", True, 0),
}
# The same with a ledger outside of the mount, for all disks. The rest happened in the last milliseconds, before it was in the ledger, or
# was never promised.
LEAST_WITH_LEDGER = 0.75


def cut_once(arguments, name, index):
    """Returns (name, title, whether a promise was broken, whether the files alone showed a finding, whether the ledger did, number of
    dropped writes, whether anything could be verified, problem)."""
    power, write_through, _ = DISKS[name]
    draw = random.Random(f"{name} {arguments.seed} {index}")
    seconds, run_seed = draw.uniform(0.8, 3.0), draw.randrange(1, 1 << 31)
    cut = f"cut seed={draw.randrange(1 << 31)},unit={draw.choice([512, 4096])},lost={draw.choice([5, 50, 95])}"
    engine = draw.choice(ENGINES)
    title = f"{name}, cut {index}, seed {arguments.seed}: {engine}, killed after {seconds:.2f} s, {cut}"
    folder = tempfile.mkdtemp(prefix=f"power-{name}-", dir=arguments.folder)
    problem, dropped, promised, codes = "", 0, 0, []
    try:
        with FaultyMount(arguments.fs, folder, [], lifetime_s=180) as mount:
            mount.add_fault(f"power {power}")
            run = CrashRun(arguments.program, mount.path, mount.folder, write_through, engine)
            problem = run.kill_after(seconds, run_seed)
            mount.add_fault(cut)
            forgotten = [entry for entry in mount.truth() if entry["event"] == "forgotten"]
            dropped, promised = len(forgotten), sum(entry["promised"] for entry in forgotten)
            for with_ledger in (False, True) if not problem else ():
                code, output = run.verify(with_ledger)
                codes.append(code)
                by = "with the ledger" if with_ledger else "by the files"
                if code not in (0, 1, 3):
                    problem = f"exit code {code} {by}: {output[-1500:]}"
                elif code == 3 and run.can_be_verified():
                    problem = f"nothing is said {by} of files that can be verified: {output[-1500:]}"
                elif code == 1 and promised == 0:
                    problem = f"blamed {by}, and no promise was broken: {output[-3000:]}"
            if not problem and codes[:1] == [1] and codes[1:] != [1]:
                problem = "found by the files, and not with the ledger"
    except CannotMount as error:
        problem = f"cannot mount: {error}"
    shutil.rmtree(folder, ignore_errors=True)
    return name, title, promised > 0, codes[:1] == [1], codes[1:] == [1], dropped, any(code in (0, 1) for code in codes), problem


def judge(name, cuts):
    """Returns the problems of all cuts of a disk, with their counts."""
    least = DISKS[name][2]
    damaged, found, with_ledger = (sum(cut[2] and cut[by] for cut in cuts) for by in (2, 3, 4))
    problems = [f"{title}: {problem}" for _, title, *_, problem in cuts if problem]
    # With WriteThrough every write is durable immediately, so an honest disk has nothing to forget.
    if name != "honest" and sum(cut[5] for cut in cuts) == 0:
        problems.append(f"{name}: no cut dropped anything: this shows nothing")
    if not any(cut[6] for cut in cuts):
        problems.append(f"{name}: no cut left anything to verify: this shows nothing")
    if least is None and damaged:
        problems.append(f"{name}: the file system broke promises: its own mistake")
    if least is not None and damaged == 0:
        problems.append(f"{name}: no cut broke a promise: this shows nothing")
    if least and found < least * damaged:
        problems.append(f"{name}: only {found} of {damaged} cuts that broke promises were found out")
    if with_ledger < LEAST_WITH_LEDGER * damaged:
        missed = "; ".join(cut[1] for cut in cuts if cut[2] and not cut[4])
        problems.append(f"{name}: with a ledger only {with_ledger} of {damaged} cuts that broke promises were found out; not {missed}")
    return damaged, found, with_ledger, problems


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cuts", type=int, default=4)
    parser.add_argument("-j", type=int, default=2, help="runs at a time")
    parser.add_argument("disks", nargs="*", metavar="DISK", help=" ".join(DISKS))
    arguments = parser.parse_args()
    if set(arguments.disks) - set(DISKS):
        parser.error(f"disks are {', '.join(DISKS)}")
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    unmount_if_terminated()
    os.makedirs(arguments.folder, exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        disks = arguments.disks or list(DISKS)
        runs = {name: [pool.submit(cut_once, arguments, name, index) for index in range(arguments.cuts)] for name in disks}
        for name, futures in runs.items():
            damaged, found, with_ledger, problems = judge(name, [future.result() for future in futures])
            failed += bool(problems)
            print(f"{'FAILED' if problems else 'ok    '} {name}: {len(futures)} cuts, {damaged} broke promises, {found} of these found out by the "
                  f"files, {with_ledger} with a ledger", flush=True)
            for problem in problems:
                print(f"       {problem}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
