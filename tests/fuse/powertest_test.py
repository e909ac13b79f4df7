#!/usr/bin/env python3
"""ioproof powertest on a disk that forgets: an honest disk passes all cuts, a detectable lie is found and named, and a campaign continues
after it was itself killed, unattended or with a person at the plug.

    powertest_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER [--seed N] [CASE...]

Exit code 0: passed, 1: failed, 77: FUSE is not available.
"""
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "crash"))
from command_line import parser_of
from crash_run import CONFIG
from faulty_mount import SKIPPED, CannotMount, FaultyMount, unmount_if_terminated, why_not

# Waits until no request of the run is in flight, then makes the disk forget.
CUT = """#!/bin/sh
kill -9 "$IOPROOF_RUN_PID"
while [ "$(ls /proc/$IOPROOF_RUN_PID/task | wc -l)" -gt 1 ]; do sleep 0.01; done
while grep -q '^State:.[RSDI]' /proc/$IOPROOF_RUN_PID/status; do sleep 0.01; done
count=$(cat {beside}/cuts 2>/dev/null || echo 0)
echo $((count + 1)) > {beside}/cuts
echo "cut seed=$(({seed} + count)),unit=512,lost=50" > {mount}/.faults
"""


class Failed(Exception):
    pass


def check(is_right, what):
    if not is_right:
        raise Failed(what)


class Campaign:
    """A campaign on its own mount. `power`: what the file system does at a cut."""

    def __init__(self, arguments, mount, power, write_through):
        mount.add_fault(f"power {power}")
        self.program, self.mount, self.seed = arguments.program, mount, arguments.seed
        self.state = os.path.join(mount.folder, "state")
        self.config = os.path.join(mount.folder, "run.ini")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(folder=mount.path, log=os.path.join(mount.folder, "log.xml"),
                                     write_through="TRUE" if write_through else "FALSE"))
        self.script = os.path.join(mount.folder, "cut.sh")
        with open(self.script, "w", encoding="utf-8") as file:
            file.write(CUT.replace("{beside}", mount.folder).replace("{mount}", mount.path).replace("{seed}", str(arguments.seed)))

    def start(self, *words):
        return subprocess.Popen([self.program, "powertest", "--state", self.state, *words], cwd=self.mount.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def call(self, *words):
        process = self.start(*words)
        output = process.communicate(timeout=200)[0]
        return process.returncode, output

    def unattended(self, cycles):
        return ["-cfg", self.config, "--cycles", str(cycles), "--least", "1", "--most", "3", "--seed", str(self.seed), "--timeout", "30",
                "--cut", f"sh {self.script}", "--restore", f"test -d {self.mount.path}"]

    def known(self):
        with open(os.path.join(self.state, "campaign.json"), encoding="utf-8") as file:
            return json.load(file)

    def wait_until(self, is_so, what):
        for _ in range(600):
            if os.path.exists(os.path.join(self.state, "campaign.json")) and is_so(self.known()):
                return
            time.sleep(0.1)
        raise Failed(f"never came to be: {what}")


def honest(campaign):
    code, output = campaign.call(*campaign.unattended(4))
    check(code == 0, f"exit code {code}: {output}")
    check("PASS" in output and "after 4 of 4 cuts" in output, output)
    code, again = campaign.call("--json", "report.json", "--html", "report.html")
    check(code == 0 and "PASS" in again, f"the report again: exit code {code}: {again}")
    with open(os.path.join(campaign.mount.folder, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    check(report["verdict"] == "PASS" and report["cuts_intact"] == 4 and len(report["cycles"]) == 4, json.dumps(report))
    # On a very busy machine one moment may not come in time.
    moments = [cycle["moment"] for cycle in report["cycles"]]
    came = sum(moment == wanted for moment, wanted in zip(moments[1:], ["checkpoint", "flush", "growth"]))
    check(moments[0] == "any" and came >= 2 and set(moments) <= {"any", "checkpoint", "flush", "growth"}, json.dumps(report["cycles"]))


def cut_in_creation(campaign):
    """A cut leaves files without a signature if it hits their creation. They are the campaign's own if nothing was there before. The first run
    has logged nothing when its cut comes, however late that is: no write of its log is answered before."""
    campaign.mount.add_fault("hang write *.ldx")
    let_go = f'kill -9 "$IOPROOF_RUN_PID"; echo clear > {campaign.mount.path}/.faults'
    left = "; ".join(f"rm -f {campaign.mount.path}/{name}; head -c 8388608 /dev/zero > {campaign.mount.path}/{name}"
                     for name in ("data.mdx", "log.ldx"))
    words = campaign.unattended(2)
    words[words.index("--cut") + 1] = f"{let_go}; sh {campaign.script}; test $(cat {campaign.mount.folder}/cuts) -gt 1 || {{ {left}; }}"
    code, output = campaign.call(*words)
    check(code == 0 and "nothing can be said" in output, f"exit code {code}: {output}")
    check([cycle["outcome"] for cycle in campaign.known()["cycles"]] == ["nothing", "intact"], json.dumps(campaign.known()["cycles"]))


def log_ignored(campaign):
    code, output = campaign.call(*campaign.unattended(12))
    check(code == 1, f"a lie was not found: exit code {code}: {output}")
    check("FAIL" in output and "FOUND" in output, output)
    cuts = len(campaign.known()["cycles"])
    with open(os.path.join(campaign.mount.folder, "cuts"), encoding="utf-8") as file:
        check(int(file.read()) == cuts, "it went on behind a finding")
    code, again = campaign.call()
    check(code == 1 and len(campaign.known()["cycles"]) == cuts, f"it went on behind a finding: {again}")


def rolled_back(campaign):
    """A volume that was rolled back passes by its files alone; a ledger outside of it reveals it."""
    code, output = campaign.call(*campaign.unattended(6), "--", "--ledger", os.path.join(campaign.mount.folder, "ledger"))
    check(code == 1 and "FAIL" in output, f"a volume that went back was not found: exit code {code}: {output}")


def killed_itself(campaign):
    first = campaign.start(*campaign.unattended(3))
    campaign.wait_until(lambda state: len(state["cycles"]) == 1 and state["phase"] == "running", "the second run")
    time.sleep(0.5)
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=60)
    code, output = campaign.call()
    check(code == 0 and "3 of 3 cuts" in output, f"exit code {code}: {output}")
    check([cycle["was_cut"] for cycle in campaign.known()["cycles"]] == [True, False, True, True], json.dumps(campaign.known()["cycles"]))


def guided(campaign):
    process = campaign.start("-cfg", campaign.config, "--cycles", "2")
    for cut in range(2):
        campaign.wait_until(lambda state: len(state["cycles"]) == cut and state["phase"] == "running", f"run {cut + 1}")
        time.sleep(2)
        process.send_signal(signal.SIGKILL)  # this also ends the run
        process.communicate(timeout=60)
        time.sleep(1)
        campaign.mount.add_fault(f"cut seed={campaign.seed + cut},unit=512,lost=50")
        process = campaign.start()
    output = process.communicate(timeout=120)[0]
    check(process.returncode == 0 and "2 of 2 cuts" in output, f"exit code {process.returncode}: {output}")


def failing_commands(campaign):
    words = campaign.unattended(2)
    words[words.index("--cut") + 1] = "echo no relay; exit 7"
    code, output = campaign.call(*words)
    check(code == 3 and "exit code 7: no relay" in output, f"exit code {code}: {output}")
    code, output = campaign.call(*campaign.unattended(2))
    check(code == 2 and "campaign with other switches" in output, f"exit code {code}: {output}")


CASES = {
    "honest": (honest, "honest", False),
    "log_ignored": (log_ignored, "one_file_ignored:file=*.ldx", True),
    "rolled_back": (rolled_back, "rolled_back:ms=300", True),
    "killed_itself": (killed_itself, "honest", False),
    "cut_in_creation": (cut_in_creation, "honest", False),
    "guided": (guided, "honest", False),
    "failing_commands": (failing_commands, "honest", True),
}


def run_case(arguments, name):
    test, power, write_through = CASES[name]
    folder = tempfile.mkdtemp(prefix=f"powertest-{name}-", dir=arguments.folder)
    try:
        with FaultyMount(arguments.fs, folder, [], lifetime_s=250) as mount:
            test(Campaign(arguments, mount, power, write_through))
    except (Failed, CannotMount, subprocess.TimeoutExpired) as error:
        return str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return ""


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=" ".join(CASES))
    arguments = parser.parse_args()
    if set(arguments.cases) - set(CASES):
        parser.error(f"cases are {', '.join(CASES)}")
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    unmount_if_terminated()
    os.makedirs(arguments.folder, exist_ok=True)
    failed = 0
    names = arguments.cases or list(CASES)
    # Two at a time: campaigns mostly wait, but on a busy machine the moments of their cuts may not come in time.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, problem in zip(names, pool.map(lambda name: run_case(arguments, name), names)):
            failed += bool(problem)
            print(f"FAILED {name}, seed {arguments.seed}: {problem}" if problem else f"ok     {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
