#!/usr/bin/env python3
"""Two hosts on a real shared file system: a GlusterFS volume of one brick. glusterd and the hosts run in separate namespaces; in each
host's mount namespace only its own mount of the volume exists. No host may blame it; a page that is damaged on the brick must be found.

    gluster_test.py --program IOPROOF --folder FOLDER

Exit code 0: passed, 1: failed, 77: GlusterFS, root or namespaces are not available here.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuse"))
from witness_process import witness

SKIPPED = 77
INSIDE = "IOPROOF_GLUSTER_TEST_INSIDE"
ADDRESS = "10.77.0.1"  # of this machine, in its own network namespace
PATIENCE_S = 120
PAGE_BYTES = 8192

CASES = {
    "readers, strict": ["--plan", "readers", "-d", "3"],
    "readers, close-to-open": ["--plan", "readers", "-d", "3", "--coherence", "close-to-open"],
    "hand-over in order": ["--plan", "hand-over", "--turns", "3", "-d", "2"],
}


def why_not():
    """Returns why this cannot run here; None if it can."""
    if os.geteuid() != 0:
        return "root is needed for namespaces"
    if not os.path.exists("/dev/fuse"):
        return "/dev/fuse is missing"
    for program in ("glusterd", "gluster", "glusterfs", "unshare", "mount", "ip"):
        if not shutil.which(program):
            return f"{program} is not installed"
    done = subprocess.run(["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "true"], capture_output=True, text=True, check=False)
    return f"no namespaces: {done.stderr.strip()}" if done.returncode != 0 else None


def must(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def start_volume(folder):
    """Starts glusterd and the volume "shared". glusterd keeps its state in memory, until the namespace ends."""
    must("ip", "link", "set", "lo", "up")
    must("ip", "address", "add", ADDRESS + "/24", "dev", "lo")
    for kept in ("/var/lib/glusterd", "/var/log/glusterfs", "/run/gluster"):
        os.makedirs(kept, exist_ok=True)
        must("mount", "-t", "tmpfs", "none", kept)
    brick = os.path.join(folder, "brick")
    os.makedirs(brick)
    must("glusterd")
    deadline = time.monotonic() + PATIENCE_S
    while subprocess.run(["gluster", "--mode=script", "volume", "info"], capture_output=True, check=False).returncode != 0:
        if time.monotonic() > deadline:
            raise RuntimeError("glusterd does not answer")
        time.sleep(0.2)
    must("gluster", "--mode=script", "volume", "create", "shared", f"{ADDRESS}:{brick}", "force")
    # O_DIRECT must reach the brick, past the caches of the clients.
    must("gluster", "--mode=script", "volume", "set", "shared", "performance.strict-o-direct", "on")
    must("gluster", "--mode=script", "volume", "set", "shared", "network.remote-dio", "disable")
    # Nor may a client cache the size of a file that another one extends (see also --attribute-timeout below).
    must("gluster", "--mode=script", "volume", "set", "shared", "performance.stat-prefetch", "off")
    must("gluster", "--mode=script", "volume", "start", "shared")
    return brick


class Host:
    """Runs ioproof's commands in a mount namespace with only its own mount of the volume."""

    def __init__(self, program, folder, rank):
        self.program, self.rank = program, rank
        self.folder = os.path.join(folder, f"host-{rank}")
        self.mount = os.path.join(self.folder, "mnt")
        os.makedirs(self.mount)

    def start(self, *words):
        mount = f"glusterfs --volfile-server={ADDRESS} --volfile-id=shared --direct-io-mode=enable --attribute-timeout=0 {self.mount}"
        inside = f'{mount} || exit 99; for i in $(seq 100); do mountpoint -q {self.mount} && break; sleep 0.1; done; ' \
                 f'"$@"; code=$?; umount {self.mount}; exit $code'
        with open(os.path.join(self.folder, "output"), "w", encoding="utf-8") as output:
            return subprocess.Popen(["unshare", "--mount", "sh", "-c", inside, "host", self.program, *words], cwd=self.folder,
                                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def output(self):
        with open(os.path.join(self.folder, "output"), encoding="utf-8") as file:
            return file.read()

    def results(self):
        found = []
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".json"):
                with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                    found.append(json.load(file))
        return found


def wait_for(processes):
    try:
        return [process.wait(timeout=PATIENCE_S) for process in processes]
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()


def run_case(program, folder, brick, plan):
    """Returns the problem, or an empty text. Leaves the files of the run on the volume."""
    hosts = [Host(program, folder, rank) for rank in (0, 1)]
    with witness(program, folder) as keys:
        codes = wait_for([host.start("run", "-dir", host.mount, "-size", "8", "--no-progress", "--json", "r.json", "--group", "g", "--rank",
                                     str(host.rank), "--of", "2", *plan, *keys) for host in hosts])
    said = "".join(f"\n--- rank {host.rank}\n{host.output()}" for host in hosts)
    if codes != [0, 0]:
        return f"exit codes {codes} instead of [0, 0]{said}"
    if not os.path.getsize(os.path.join(brick, "sqliosim.mdx")):
        return "the files are not on the brick"
    if plan[1] == "readers":
        reader = hosts[1].results()[0]["group"]["reader"]
        if reader["passes"] < 1 or reader["promised_pages"] < 1:
            return f"the reader has read nothing: {reader}"
    return ""


def damage_problem(program, folder, brick):
    """Damages a page on the brick. Returns a problem unless a host finds and names it."""
    page = 100
    with open(os.path.join(brick, "sqliosim.mdx"), "r+b") as file:
        file.seek(page * PAGE_BYTES + 4000)
        bytes_before = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([bytes_before[0] ^ 1]))
    os.sync()
    host = Host(program, folder, 2)
    code = wait_for([host.start("verify", "-dir", host.mount, "--json", "verify.json")])[0]
    named = [(finding["class"], finding["page"]) for result in host.results() for finding in result["findings"]]
    if code != 1 or named != [("bit_corruption", page)]:
        return f"exit code {code}, findings {named}\n{host.output()}"
    return ""


def clear(brick):
    for name in os.listdir(brick):
        if name.startswith("sqliosim"):
            os.remove(os.path.join(brick, name))


def run_all(program, folder):
    brick = start_volume(folder)
    failed = 0
    for number, (name, plan) in enumerate(CASES.items()):
        case = os.path.join(folder, str(number))
        os.makedirs(case)
        problem = run_case(program, case, brick, plan)
        print(f"{'FAILED' if problem else 'ok'}  {name}{': ' + problem if problem else ''}", flush=True)
        failed += bool(problem)
        if number + 1 < len(CASES):
            clear(brick)
    problem = damage_problem(program, folder, brick)
    print(f"{'FAILED' if problem else 'ok'}  damage on the brick{': ' + problem if problem else ''}", flush=True)
    return 1 if failed or problem else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--folder", required=True)
    arguments = parser.parse_args()
    if os.environ.get(INSIDE):
        return run_all(os.path.realpath(arguments.program), os.path.realpath(arguments.folder))
    why = why_not()
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    os.makedirs(arguments.folder, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="gluster-", dir=arguments.folder)
    # All processes and mounts end with the namespace.
    command = ["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-B",
               os.path.realpath(__file__), "--program", arguments.program, "--folder", folder]
    code = subprocess.run(command, env={**os.environ, INSIDE: "1"}, stdin=subprocess.DEVNULL, check=False).returncode
    shutil.rmtree(folder, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
