#!/usr/bin/env python3
"""Several hosts share a folder, and one of them reaches it through the faulty file system: faults must be attributed to that host, and an
honest mount must not be blamed.

    hosts_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER [readers|hand-over]...

Exit code 0: passed, 1: failed, 77: FUSE is not available.
"""
import concurrent.futures
import contextlib
import dataclasses
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

from command_line import parser_of
from faulty_mount import SKIPPED, CannotMount, FaultyMount, unmount_if_terminated, why_not
from witness_process import witness

OK, FINDING = 0, 1
PATIENCE_S = 200


@dataclasses.dataclass
class Case:
    name: str
    plan: tuple
    mounted_rank: int            # reaches the folder through the mount
    faults: tuple = ()
    codes: tuple = (OK, OK)      # of the ranks
    fact: str = ""               # of every finding of the mounted rank
    kinds: tuple = ()            # the classes that these findings may have
    says: str = ""               # contained in the text of the fact


READERS = ("--plan", "readers", "-d", "3")
HAND_OVER = ("--plan", "hand-over", "--turns", "3", "-d", "2")

# Hits pages that another host has changed since this mount first opened the file.
STALE = "stale_read:source=opened,min_writes=0,nth=20,count=3"
# For a reader an old page is wrong only if the reader knew of the promise, so not in its first pass.
OFTEN_STALE = "stale_read:source=opened,min_writes=0,nth=20,count=2000"

CASES = {
    "readers": [
        Case("an honest mount", READERS, 1),
        Case("an honest mount, close-to-open", (*READERS, "--coherence", "close-to-open"), 1),
        Case("a cache that gives old pages once", READERS, 1, (OFTEN_STALE,), (OK, FINDING), "stale_on_reader", ("stale_read",),
             "a later read did not return it"),
        Case("a cache that stays old, close-to-open", (*READERS, "--coherence", "close-to-open"), 1, (STALE + ",reads=0",), (OK, FINDING),
             "stale_on_reader", ("lost_write", "reverted_page"), "reading again did not help"),
        Case("damage on the way to the reader", READERS, 1, ("bit_corruption:op=read,min_writes=1,nth=700,reads=0",), (OK, FINDING), "",
             ("bit_corruption",)),
    ],
    "hand-over": [
        Case("an honest mount", HAND_OVER, 0),
        # In its second turn the first owner reads from its own stale cache.
        Case("a cache of the turn before", HAND_OVER, 0, (STALE,), (FINDING, FINDING), "stale_on_new_owner", ("stale_read",),
             "a later read was right"),
        Case("damage on the way to the second owner", HAND_OVER, 1, ("bit_corruption:op=read,min_writes=1,nth=100,reads=0",),
             (FINDING, FINDING), "", ("bit_corruption",)),
    ],
}


def start(program, folder, rank, data, words):
    host = os.path.join(folder, f"host-{rank}")
    os.makedirs(host, exist_ok=True)
    command = [program, "run", "-dir", data, "-size", "8", "--no-progress", "--json", "r.json", "--group", "g", "--rank", str(rank),
               "--of", "2", *words]
    with open(os.path.join(host, "output"), "w", encoding="utf-8") as output:
        return subprocess.Popen(command, cwd=host, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)


def results_of(folder, rank):
    results = []
    for path in sorted(glob.glob(os.path.join(folder, f"host-{rank}", "r*.json"))):
        with open(path, encoding="utf-8") as file:
            results.append(json.load(file))
    return results


def problem_of(case, codes, results):
    if tuple(codes) != case.codes:
        return f"exit codes {codes} instead of {case.codes}"
    other = [finding for result in results[1 - case.mounted_rank] for finding in result["findings"]]
    if other:
        return f"the other host found {other[0]['class']}: {other[0]['description']}"
    mine = [finding for result in results[case.mounted_rank] for finding in result["findings"]]
    if not case.faults:
        return f"an honest mount is blamed: {mine[0]['description']}" if mine else ""
    if not mine:
        return "nothing was found"
    for finding in mine:
        fact = finding.get("group_fact", {})
        if finding["class"] not in case.kinds or fact.get("name", "") != case.fact or case.says not in fact.get("text", ""):
            return f"{finding['class']} ({fact}): {finding['description']}"
    return ""


def merged_problem(program, folder, case):
    files = sorted(glob.glob(os.path.join(folder, "host-*", "r*.json")))
    merged = os.path.join(folder, "all.json")
    done = subprocess.run([program, "report", *files, "--json", merged], capture_output=True, text=True, check=False)
    wanted = FINDING if FINDING in case.codes else OK
    if done.returncode != wanted:
        return f"the merged report ends with {done.returncode} instead of {wanted}: {done.stdout}{done.stderr}"
    with open(merged, encoding="utf-8") as file:
        verdict = json.load(file)
    return "" if verdict["verdict"] == ("FAIL" if wanted == FINDING else "PASS") else f"the merged verdict is {verdict['verdict']}"


def run_case(program, fs, parent, case):
    folder = tempfile.mkdtemp(prefix="hosts-", dir=parent)
    shared = os.path.join(folder, "shared")
    os.mkdir(shared)
    ranks = []
    try:
        with witness(program, folder) as keys, FaultyMount(fs, os.path.join(folder, "fs"), case.faults, PATIENCE_S,
                                                           shared_folder=shared) as mount:
            data = [mount.path if rank == case.mounted_rank else shared for rank in (0, 1)]
            ranks = [start(program, folder, rank, data[rank], [*case.plan, *keys]) for rank in (0, 1)]
            codes = [rank.wait(timeout=PATIENCE_S) for rank in ranks]
            results = [results_of(folder, rank) for rank in (0, 1)]
            problem = problem_of(case, codes, results)
            reader = case.plan[1] == "readers" and results[1][0]["group"]["reader"]
            if not problem and reader and (reader["passes"] < 1 and not case.faults or reader["promised_pages"] < 1):
                problem = f"the reader has read nothing: {reader}"
            problem = problem or merged_problem(program, folder, case)
    except subprocess.TimeoutExpired:
        problem = "it did not end"
    finally:
        for rank in ranks:
            if rank.poll() is None:
                rank.kill()
                rank.wait()
    if problem:
        for rank in (0, 1):
            with contextlib.suppress(OSError), open(os.path.join(folder, f"host-{rank}", "output"), encoding="utf-8") as output:
                problem += f"\n--- rank {rank}\n{output.read()}"
    shutil.rmtree(folder, ignore_errors=True)
    return problem


def main():
    parser = parser_of(__doc__)
    parser.add_argument("plans", nargs="*", default=list(CASES))
    arguments = parser.parse_args()
    if set(arguments.plans) - set(CASES):
        parser.error(f"plans are {', '.join(CASES)}")
    why = why_not()
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    unmount_if_terminated()
    os.makedirs(arguments.folder, exist_ok=True)
    cases = [case for plan in arguments.plans for case in CASES[plan]]
    failed = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            problems = pool.map(lambda case: run_case(arguments.program, arguments.fs, arguments.folder, case), cases)
            for case, problem in zip(cases, problems):
                print(f"{'FAILED' if problem else 'ok'}  {case.plan[1]}: {case.name}{': ' + problem if problem else ''}", flush=True)
                failed += bool(problem)
    except CannotMount as why_not_mounted:
        # What has failed before has failed.
        print(f"{'not continued' if failed else 'skipped'}: {why_not_mounted}")
        return 1 if failed else SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
