#!/usr/bin/env python3
"""A file system that refuses O_DIRECT when a file is opened, or when it is then read and written, but lets fcntl() set it, as FUSE does:
preflight must say what a run will meet.

    refused_direct_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER

Exit code 0: passed, 1: failed, 77: FUSE is not available.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from command_line import parser_of
from faulty_mount import SKIPPED, CannotMount, FaultyMount, unmount_if_terminated, why_not


def output_of(arguments, *words):
    command = [arguments.program, *words]
    done = subprocess.run(command, cwd=arguments.folder, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def problems_of(arguments, folder, refused):
    """refused: "access", "writes" or None"""
    refuses = refused is not None
    with FaultyMount(arguments.fs, folder, [], refuses_direct=refused == "access", refuses_direct_io=refused == "writes") as mount:
        code, text = output_of(arguments, "preflight", mount.path)
        problems = []
        if ("O_DIRECT is refused" in text) != refuses or ("O_DIRECT works" in text) == refuses:
            problems.append(f"refuses O_DIRECT: {refused}, but preflight (exit {code}) says: {text}")
        if refuses:
            code, text = output_of(arguments, "run", "-dir", mount.path, "-size", "8", "-d", "1", "-log", os.path.join(folder, "log.xml"))
            if code != 3 or f"refuses unbuffered {refused}" not in text:
                problems.append(f"a run on it: exit {code}: {text[-1000:]}")
    return problems


def main():
    arguments = parser_of(__doc__).parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    unmount_if_terminated()
    os.makedirs(arguments.folder, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="direct-", dir=arguments.folder)
    try:
        problems = [problem for refused in ("access", "writes", None) for problem in problems_of(arguments, folder, refused)]
    except CannotMount as error:
        problems = [f"cannot mount: {error}"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
