#!/usr/bin/env python3
"""The scripts of deploy/slurm without Slurm: a stand-in for srun starts two ranks on this machine. Paths may be relative, and a witness that
cannot start ends the job before its ranks.

    slurm_scripts_test.py --program IOPROOF --scripts deploy/slurm --folder FOLDER
"""
import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile

SRUN = """#!/bin/bash
touch srun-was-called
while [[ $1 == -* ]]; do shift; done
SLURM_PROCID=0 SLURM_NTASKS=2 "$@" &
SLURM_PROCID=1 SLURM_NTASKS=2 "$@" &
wait
"""
HOSTNAME = "#!/bin/sh\necho localhost\n"
VARIABLES = {"SLURM_JOB_ID": "1", "FOLDER": "data", "RESULTS": "results", "IOPROOF": "bin/ioproof", "SIZE_MB": "8", "SECONDS_OF_LOAD": "1",
             "SECONDS_OF_TURN": "1", "TURNS": "2", "CHANGE": "in-order"}
SCRIPTS = ("side_by_side.sbatch", "hand_over.sbatch", "readers.sbatch")


def submit(arguments, script, port):
    """Returns exit code, output, and whether the ranks were started."""
    with tempfile.TemporaryDirectory(prefix="slurm-scripts-", dir=os.path.realpath(arguments.folder)) as folder:
        os.makedirs(os.path.join(folder, "bin"))
        os.makedirs(os.path.join(folder, "data"))
        shutil.copy(arguments.program, os.path.join(folder, "bin", "ioproof"))
        for name, text in (("srun", SRUN), ("hostname", HOSTNAME)):
            with open(os.path.join(folder, "bin", name), "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(file.name, 0o755)
        path = os.path.join(folder, "bin") + ":" + os.environ["PATH"]
        done = subprocess.run(["bash", os.path.join(arguments.scripts, script)], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                              env={**os.environ, **VARIABLES, "PATH": path, "PORT": str(port)}, capture_output=True, check=False,
                              timeout=120)
        return done.returncode, done.stdout + done.stderr, os.path.exists(os.path.join(folder, "srun-was-called"))


def free_port():
    with socket.socket() as each:
        each.bind(("0.0.0.0", 0))
        return each.getsockname()[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scripts", required=True)
    parser.add_argument("--folder", required=True)
    arguments = parser.parse_args()
    arguments.scripts = os.path.abspath(arguments.scripts)
    os.makedirs(arguments.folder, exist_ok=True)
    problems = []

    def check(name, is_right, output):
        print(f"{'ok' if is_right else 'FAILED'}  {name}", flush=True)
        if not is_right:
            problems.append(name)
            print(output)

    for script in SCRIPTS:
        code, output, _ = submit(arguments, script, free_port())
        check(f"{script} with relative paths passes", code == 0, f"exit code {code}\n{output}")
        with socket.socket() as taken:
            taken.bind(("0.0.0.0", 0))
            taken.listen()
            code, output, has_begun = submit(arguments, script, taken.getsockname()[1])
        is_told = code == 3 and "the witness does not answer at localhost:" in output
        check(f"{script} whose witness cannot start ends before its ranks", is_told and not has_begun, f"exit code {code}\n{output}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
