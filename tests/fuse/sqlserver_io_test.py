#!/usr/bin/env python3
"""How ioproof reproduces the I/O of SQL Server 2022 and 2025, as the kernel sees it: sizes, order, flags, buffers.

    sqlserver_io_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER [--seed N] [--keep] [-j N] [GROUP...]

Short runs on a file system that records every request. Each fact is a line of a group (io_of_*.py); docs/sqlserver_io.md has the sources.
The kernel splits requests of more than 1 MB on the way to such a file system, so the length of a request, its number of buffers, and the
number of outstanding requests are read from /proc, while the file system holds back its answers for a moment.
Exit code 0: passed, 1: a fact does not hold, 77: FUSE is not available.
"""
import concurrent.futures
import os
import sys

from command_line import parser_of
from faulty_mount import SKIPPED, CannotMount, unmount_if_terminated, why_not
from io_of_backups import backup_calls, backup_of_1_mb, backup_of_64_kb
from io_of_logs import appended_log, log_growth, log_kb_outstanding, log_outstanding
from io_of_users import automatic_checkpoint, columnstore, indirect_checkpoint, tempdb_and_versions
from kernel_calls import why_no_calls

GROUPS = {group.__name__: group for group in (
    backup_of_1_mb, backup_of_64_kb, backup_calls, columnstore, tempdb_and_versions, log_growth, appended_log, log_outstanding,
    log_kb_outstanding, indirect_checkpoint, automatic_checkpoint)}
NEED_CALLS = (backup_calls, columnstore, log_outstanding, log_kb_outstanding)


def check(arguments, name):
    """Returns the lines to print, and how many facts do not hold."""
    try:
        run, facts = GROUPS[name](arguments)
    except (CannotMount, RuntimeError) as error:
        return [f"FAILED {name}: {error}"], 1
    lines, failed = [], 0
    for fact, holds in facts.items():
        try:
            holds()
            lines.append(f"ok     {fact}")
        except (AssertionError, IndexError, KeyError, ValueError) as error:
            failed += 1
            lines.append(f"FAILED {fact}: {type(error).__name__} {error}")
    if failed:
        lines.append(f"       replay: {sys.argv[0]} --program {arguments.program} --fs {arguments.fs} --folder {arguments.folder} "
                     f"--seed {arguments.seed} --keep {name}")
    if failed and arguments.keep:
        lines.append(f"       kept in {run.folder}")
    else:
        run.remove()
    return lines, failed


def parse():
    parser = parser_of(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the folders of runs where a fact did not hold")
    parser.add_argument("-j", type=int, default=3, help="runs at a time")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=" ".join(GROUPS))
    arguments = parser.parse_args()
    unknown = [name for name in arguments.groups if name not in GROUPS]
    if unknown:
        parser.error(f"no such group: {' '.join(unknown)}")
    return arguments


def main():
    arguments = parse()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    unmount_if_terminated()
    os.makedirs(arguments.folder, exist_ok=True)
    names = arguments.groups or list(GROUPS)
    no_calls = why_no_calls()
    if no_calls:
        print(f"without the facts that need /proc: {no_calls}")
        names = [name for name in names if GROUPS[name] not in NEED_CALLS]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        for lines, failed in pool.map(lambda name: check(arguments, name), names):
            print("\n".join(lines), flush=True)
            failures += failed
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
