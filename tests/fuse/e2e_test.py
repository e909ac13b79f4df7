#!/usr/bin/env python3
"""ioproof on a file system that answers wrongly: every exposed fault must be found once, with the right name, and nothing else may be
found.

    e2e_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER [--full] [--slow] [--keep] [--seed N] [--seeds K] [-j N] [CLASS...]

Exit code 0: passed, 1: something was missed, misnamed or invented, 77: FUSE is not available.
"""
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time

from cases import CASES
from command_line import parser_of
from faulty_mount import SKIPPED, CannotMount, FaultyMount, unmount_if_terminated, why_not
from ioproof_run import ENGINES, Run
from judge import judge


def check(arguments, name, case, engine, seed):
    """One run. Returns (title, problems, notes, number of episodes, seconds)."""
    begin = time.monotonic()
    faults = [fault + ("" if "seed=" in fault else f"{',' if ':' in fault else ':'}seed={seed}") for fault in case.faults]
    title = f"{name} {engine} {case.config}{'' if case.direct else ' buffered'} seed {seed} {' '.join(faults)}"
    folder = tempfile.mkdtemp(prefix=f"{name}-", dir=arguments.folder)
    timeout_s = case.gives_up_after_s or 90 + 4 * (case.duration or 0)
    problems, notes, count = [], [], 0
    try:
        with FaultyMount(arguments.fs, folder, faults, lifetime_s=timeout_s + 20) as mount:
            run = Run(arguments.program, mount, engine, seed, case.config, case.direct, timeout_s, case.duration,
                      case.write_through).go()
            problems, notes, count = judge(mount.truth(), run.findings, not arguments.any_name)
        if run.is_late and not case.gives_up_after_s:
            problems.append(f"not over after {timeout_s} s")
        # Late requests alone are not a failure.
        failures = [finding for finding in run.findings if not finding["warning"]]
        wanted = 1 if failures else 0
        allowed = {wanted}
        if run.exit_code not in allowed:
            problems.append(f"exit code {run.exit_code}, expected {wanted}: {run.output[-600:]}")
        if count < case.least:
            problems.append(f"only {count} faults were seen, {case.least} expected: the case shows nothing")
        if problems:
            problems.append("replay: " + " ".join(run.command))
    except CannotMount as error:
        problems = [f"cannot mount: {error}"]
    if not (arguments.keep and problems):
        shutil.rmtree(folder, ignore_errors=True)
    else:
        problems.append(f"kept in {folder}")
    if arguments.strict:
        problems, notes = notes + problems, []
    return title, problems, notes, count, time.monotonic() - begin


def plan(arguments):
    """Quick: each case once, engines in turn. Full: every case with both engines and all seeds."""
    jobs = []
    for name in arguments.classes or CASES:
        for index, case in enumerate(CASES[name]):
            if case.slow and not arguments.slow or not case.quick and not arguments.full:
                continue
            engines = ENGINES if arguments.full or len(CASES[name]) == 1 else [ENGINES[index % 2]]
            jobs += [(name, case, engine, arguments.seed + k) for engine in engines for k in range(arguments.seeds)]
    return jobs


def parse():
    parser = parser_of(__doc__)
    parser.add_argument("--full", action="store_true", help="all cases, both engines")
    parser.add_argument("--slow", action="store_true", help="also requests that come back late, or never")
    parser.add_argument("--keep", action="store_true", help="keep the folders of runs that failed")
    parser.add_argument("--strict", action="store_true", help="also what only a search may have met must be found")
    parser.add_argument("--any-name", action="store_true", help="do not look at the names of findings")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("-j", type=int, default=4, help="runs at a time")
    parser.add_argument("classes", nargs="*", metavar="CLASS", help=" ".join(CASES))
    arguments = parser.parse_args()
    unknown = [name for name in arguments.classes if name not in CASES]
    if unknown:
        parser.error(f"no such class: {' '.join(unknown)}")
    return arguments


def main():
    arguments = parse()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    unmount_if_terminated()
    os.makedirs(arguments.folder, exist_ok=True)
    failed, total, begin = 0, 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        runs = [pool.submit(check, arguments, *job) for job in plan(arguments)]
        for run in concurrent.futures.as_completed(runs):
            title, problems, notes, count, seconds = run.result()
            total += count
            failed += bool(problems)
            print(f"{'FAILED' if problems else 'ok    '} {seconds:5.1f} s {count:3} faults  {title}", flush=True)
            for problem in problems + notes:
                print(f"       {problem}", flush=True)
    print(f"{len(runs)} runs, {total} faults seen, {failed} runs failed, {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
