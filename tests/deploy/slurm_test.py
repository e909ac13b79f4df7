#!/usr/bin/env python3
"""The scripts of deploy/slurm on a cluster of the distribution's Slurm: one slurmctld and three slurmd on this machine, each in its own
namespaces (processes, name, mounts), so that a node can be killed with everything that runs on it.

    slurm_test.py --program IOPROOF --scripts deploy/slurm --folder FOLDER [--keep]

Exit code 0: all plans reached their verdict, 1: not, 77: Slurm does not work here, or the user is not root.
"""
import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
NODES = ("node1", "node2", "node3")
PATIENCE_S = 180

CONFIG = """ClusterName=ioproof
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SlurmdTimeout=10
KillWait=2
UnkillableStepTimeout=10
"""


def why_not():
    if os.geteuid() != 0:
        return "root is needed for namespaces"
    for program in ("slurmctld", "slurmd", "munged", "mungekey", "sbatch", "srun", "scontrol", "sinfo", "squeue", "unshare"):
        if not shutil.which(program) and not shutil.which(program, path="/usr/sbin:/sbin"):
            return f"{program} is not installed"
    done = subprocess.run(["unshare", "--pid", "--uts", "--mount", "--fork", "true"], capture_output=True, text=True, check=False)
    return f"no namespaces: {done.stderr.strip()}" if done.returncode != 0 else None


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Failed(Exception):
    pass


class NoCluster(Failed):
    """Slurm itself does not work here."""


class Cluster:
    """with Cluster(folder) as cluster: three idle nodes."""

    def __init__(self, folder):
        self.folder = folder
        self.nodes = {}
        self.services = []
        self.environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "SLURM_CONF": os.path.join(folder, "slurm.conf")}
        for name in [name for name in self.environment if name.startswith(("SLURM_", "SBATCH_", "SRUN_")) and name != "SLURM_CONF"]:
            del self.environment[name]

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S)

    def start(self, name, words):
        with open(self.path(name + ".out"), "ab") as output:
            return subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                    start_new_session=True)

    def __enter__(self):
        try:
            self.begin()
        except Failed as failure:
            self.__exit__()
            raise NoCluster(failure) from failure
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        ports = free_ports(1 + len(NODES))
        os.mkdir(self.path("state"))
        with open(self.path("hosts"), "w", encoding="utf-8") as hosts:
            hosts.writelines(f"127.0.0.1 {name}\n" for name in (*NODES, "localhost", socket.gethostname()))
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as config:
            config.write(CONFIG.format(host=socket.gethostname(), folder=self.folder, ports=ports))
            for node, port in zip(NODES, ports[1:]):
                config.write(f"NodeName={node} NodeHostname={node} NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN\n")
            config.write(f"PartitionName=main Nodes={','.join(NODES)} Default=YES State=UP\n")
        self.call("mungekey", "--create", "--keyfile", self.path("munge.key"))
        self.services.append(self.start("munged", [
            "munged", "--foreground", "--force", "--key-file", self.path("munge.key"), "--socket", self.path("munge.socket"), "--pid-file",
            self.path("munged.pid"), "--log-file", self.path("munged.log"), "--seed-file", self.path("munged.seed")]))
        self.wait_for("munged's socket", lambda: os.path.exists(self.path("munge.socket")))
        self.services.append(self.start("slurmctld", ["slurmctld", "-D"]))
        for node in NODES:
            self.start_node(node)
        self.wait_for("idle nodes", self.are_idle)

    def start_node(self, node):
        spool = self.path("spool-" + node)
        os.makedirs(spool, exist_ok=True)
        inside = (f"hostname {node} && mount --make-rprivate / && mount --bind {self.path('hosts')} /etc/hosts && "
                  f"mount -t proc proc /proc && exec slurmd -D -N {node}")
        namespaces = ["unshare", "--pid", "--uts", "--mount", "--fork", "--kill-child"]
        self.nodes[node] = self.start("slurmd-" + node, [*namespaces, "sh", "-c", inside])

    def kill_node(self, node):
        """Ends the node, with every process on it, at once."""
        process = self.nodes.pop(node)
        process.kill()  # --kill-child then kills the first process of its namespace, and with it all others
        process.wait()

    def wait_for(self, what, is_there, patience_s=60):
        deadline = time.monotonic() + patience_s
        while not is_there():
            for service in (*self.services, *self.nodes.values()):
                if service.poll() is not None:
                    raise Failed(f"{service.args[0]} has ended with {service.returncode}")
            if time.monotonic() > deadline:
                raise Failed(f"{what}: not within {patience_s} s\n{self.call('sinfo', '-N', '-l').stdout}{self.call('squeue').stdout}")
            time.sleep(0.2)

    def are_idle(self):
        return self.call("sinfo", "-h", "-N", "-o", "%T").stdout.split() == ["idle"] * len(NODES)

    def submit(self, script, variables):
        words = ["sbatch", "--parsable", f"--nodes={len(NODES)}", "--time=10", f"--output={self.path('job-%j.out')}", "--export=ALL",
                 script]
        done = subprocess.run(words, env={**self.environment, **variables}, capture_output=True, text=True, check=False,
                              timeout=PATIENCE_S)
        if done.returncode != 0:
            raise Failed(f"sbatch: {done.stderr}")
        return done.stdout.strip()

    def state_of(self, job):
        return re.search(r"JobState=(\w+)", self.call("scontrol", "show", "job", job).stdout)[1]

    def end_of(self, job):
        """Waits for the end of the job and returns its exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self.state_of(job) in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING"):
            if time.monotonic() > deadline:
                raise Failed(f"job {job} did not end\n{self.output_of(job)}")
            time.sleep(0.3)
        return int(re.search(r" ExitCode=(\d+):", " " + self.call("scontrol", "show", "job", job).stdout)[1])

    def output_of(self, job):
        with contextlib.suppress(OSError), open(self.path(f"job-{job}.out"), encoding="utf-8") as output:
            return output.read()
        return ""

    def __exit__(self, *_):
        for node in list(self.nodes):
            self.kill_node(node)
        for service in reversed(self.services):
            service.send_signal(signal.SIGTERM)
            try:
                service.wait(timeout=10)
            except subprocess.TimeoutExpired:
                service.kill()
                service.wait()


class Test:
    def __init__(self, arguments, cluster, folder):
        self.arguments = arguments
        self.cluster = cluster
        self.folder = folder
        self.problems = []

    def submit(self, name, script, **variables):
        for kind in ("data", "results"):
            os.makedirs(os.path.join(self.folder, name, kind))
        return self.cluster.submit(os.path.join(self.arguments.scripts, script),
                                   {"FOLDER": os.path.join(self.folder, name, "data"),
                                    "RESULTS": os.path.join(self.folder, name, "results"),
                                    "IOPROOF": self.arguments.program, "SIZE_MB": "8", "PORT": str(free_ports(1)[0]), **variables})

    def merged(self, name):
        with open(os.path.join(self.folder, name, "results", "all.json"), encoding="utf-8") as file:
            return json.load(file)

    def judge(self, name, job, verdict, count, more=None):
        code = self.cluster.end_of(job)
        problem = ""
        try:
            merged = self.merged(name)
            codes = {"PASS": 0, "FAIL": 1, "INCOMPLETE": 3}
            if merged["verdict"] != verdict or code != codes[verdict]:
                problem = f"{merged['verdict']} and exit code {code} instead of {verdict}: {merged['headline']}"
            elif len(merged["hosts"]) != count:
                problem = f"{len(merged['hosts'])} results instead of {count}"
            elif more:
                problem = more(merged)
        except OSError as error:
            problem = f"exit code {code}, {error}"
        print(f"{'FAILED' if problem else 'ok'}  {name}{': ' + problem if problem else ''}", flush=True)
        if problem:
            self.problems.append(name)
            print(self.cluster.output_of(job))

    def run(self):
        def hosts(merged):
            found = sorted({host["host"] for host in merged["hosts"]})
            return "" if found == list(NODES) else f"results of {found}"

        job = self.submit("side-by-side", "side_by_side.sbatch", SECONDS_OF_LOAD="3")
        self.judge("side-by-side", job, "PASS", 3, hosts)
        # Turns 1 and 3 end by kill -9 and leave no result; the script restarts rank 0, which takes turn 4.
        job = self.submit("hand-over", "hand_over.sbatch", SECONDS_OF_TURN="2", TURNS="4", CHANGE="kill,in-order")
        self.judge("hand-over", job, "PASS", 2)
        job = self.submit("readers", "readers.sbatch", SECONDS_OF_LOAD="3")
        self.judge("readers", job, "PASS", 3, hosts)
        self.lose_node()

    def lose_node(self):
        job = self.submit("a node is lost", "hand_over.sbatch", SECONDS_OF_TURN="3", TURNS="3", CHANGE="in-order,loss")
        owned = os.path.join(self.folder, "a node is lost", "results", "turns", "rank-1.log.turn-2.xml")
        self.cluster.wait_for("the second owner", lambda: os.path.exists(owned), PATIENCE_S)
        time.sleep(3)  # the owner works until its node is killed
        self.cluster.kill_node("node2")

        def is_told(merged):
            with open(os.path.join(self.folder, "a node is lost", "results", "turns", "rank-2.turn-3.json"), encoding="utf-8") as file:
                before = json.load(file)["group"]["turn"]["previous"]
            return "" if (before["rank"], before["ended_by"]) == (1, "loss") else f"turn 3 says {before}, {merged['headline']}"

        self.judge("a node is lost", job, "PASS", 2, is_told)
        # The node comes back, and the next job uses it.
        self.cluster.start_node("node2")
        self.cluster.wait_for("the node that comes back", self.cluster.are_idle, 120)
        job = self.submit("the node is back", "side_by_side.sbatch", SECONDS_OF_LOAD="2")
        self.judge("the node is back", job, "PASS", 3)
        self.lose_first_node()

    def lose_first_node(self):
        """Slurm would repeat the job, whose runs delete the files of the lost one."""
        name = "the first node is lost"
        job = self.submit(name, "side_by_side.sbatch", SECONDS_OF_LOAD="60")
        begun = os.path.join(self.folder, name, "results", "rank-0.log.xml")
        self.cluster.wait_for("the first run", lambda: os.path.exists(begun), PATIENCE_S)
        self.cluster.kill_node("node1")
        self.cluster.start_node("node1")  # back without the job, as after a reboot
        self.cluster.wait_for("the end of the job", lambda: self.cluster.state_of(job) not in ("RUNNING", "COMPLETING"), 120)
        state = self.cluster.state_of(job)
        print(f"{'ok' if state == 'NODE_FAIL' else 'FAILED'}  {name}: {state}", flush=True)
        if state != "NODE_FAIL":
            self.problems.append(name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scripts", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    arguments.program = os.path.abspath(arguments.program)
    why = why_not()
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    os.makedirs(arguments.folder, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="slurm-", dir=os.path.realpath(arguments.folder))
    try:
        with Cluster(folder) as cluster:
            test = Test(arguments, cluster, folder)
            test.run()
            return 1 if test.problems else 0
    except Failed as error:
        is_ours = not isinstance(error, NoCluster)
        print(f"FAILED  {error}" if is_ours else f"skipped: no cluster comes up here: {error}")
        for name in sorted(os.listdir(folder)):
            if name.endswith((".log", ".out")):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    print(f"--- {name}\n{file.read()[-3000:]}")
        return 1 if is_ours else SKIPPED
    finally:
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
