#!/usr/bin/env python3
"""ioproof in a machine that loses power: user-mode Linux with a real file system (ext4, xfs, btrfs) on a disk that forgets what was not
made durable. The machine loses power in the middle of a run, is started again, and verifies; then it resumes the run, and loses power
again. An honest disk must never be blamed. A disk that ignores flushes must be caught by ioproof or by the guest's own file system.

    machine_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER [--seed N] [--cuts K] [--disk honest|flush_ignored] [FILESYSTEM...]

K cuts for each file system. Exit code 0: passed, 1: wrongly blamed or not caught, 77: no user-mode Linux, or no FUSE.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "fuse")]
from command_line import parser_of
from crash_run import CONFIG
from faulty_mount import SKIPPED, CannotMount, FaultyMount, why_not

MKFS = {"ext4": ["mkfs.ext4", "-q", "-F", "-b", "4096"], "xfs": ["mkfs.xfs", "-q", "-f"], "btrfs": ["mkfs.btrfs", "-q", "-f"]}
DISK_BYTES = 400 << 20
BOOT_PATIENCE_S = 90
MUCH_PROMISED_BYTES = 20_000
# The disk driver of user-mode Linux acknowledges flushes and forwards none: a lying disk that was not made for this test. Opened for
# synchronous writes ("s") it is honest.
DRIVERS = {"honest": "ubd0s", "flush_ignored": "ubd0"}
# The least share to be caught of a lying disk's cuts that dropped anything: in the others, nothing dropped had been promised yet. A few cuts
# may all be such ones, most of all on btrfs and on a busy machine, so there are up to so many times as many until enough have been caught.
LEAST_FOUND = 0.25
MORE_CUTS = 4

# The guest's init process. Its root is the host's file system, read-only; /mnt is its own.
INIT = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmpfs /mnt
mkdir /mnt/disk /mnt/beside
mount -t hostfs -o {beside} none /mnt/beside
cd /mnt/beside
if ! mount -t {kind} /dev/ubda /mnt/disk 2>mount.txt; then
    echo lost >code
    sync
    halt -f
fi
{work}
sync
halt -f
"""
VERIFY = """rm -f code code.ledger
{program} verify --cfg run.ini >verify.txt 2>&1
echo $? >code.new
{program} verify --cfg run.ini --ledger ledger >verify.ledger.txt 2>&1
echo $? >code.ledger
mv code.new code
"""
RUN = """echo ioproof starts
{program} run --cfg run.ini --seed {seed} --no-progress --ledger ledger {resume} >run.txt 2>&1
echo $? >ended
"""


class Machine:
    """One disk, and the machines that are started with it in turn."""

    def __init__(self, arguments, kind, mount, seed):
        self.program, self.kind, self.mount, self.seed = arguments.program, kind, mount, seed
        self.driver = DRIVERS[arguments.disk]
        self.beside = os.path.join(mount.folder, "beside")
        self.disk = os.path.join(mount.path, "disk.img")
        os.makedirs(self.beside)
        with open(os.path.join(self.beside, "run.ini"), "w", encoding="utf-8") as file:
            file.write(CONFIG.format(folder="/mnt/disk", log="/mnt/beside/log.xml", write_through="TRUE").replace("CPUCount=2", "CPUCount=1"))
        with open(self.disk, "wb") as file:
            file.truncate(DISK_BYTES)
        subprocess.run([*MKFS[kind], self.disk], check=True, stdout=subprocess.DEVNULL)
        with open(self.disk, "rb+") as file:
            os.fsync(file.fileno())

    def start(self, work):
        script = os.path.join(self.beside, "init")
        with open(script, "w", encoding="utf-8") as file:
            file.write(INIT.format(beside=self.beside, kind=self.kind, work=work))
        os.chmod(script, 0o755)
        command = ["linux.uml", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", f"init={script}", "mem=256M",
                   f"{self.driver}={self.disk}", "con=null", "con0=null,fd:1", f"uml_dir={self.beside}", "umid=machine"]
        # A separate process group for its processes, of which there is one for each of the guest's.
        return subprocess.Popen(command, cwd=self.beside, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                start_new_session=True)

    def read(self, name):
        try:
            with open(os.path.join(self.beside, name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def ledger_bytes(self):
        try:
            return os.path.getsize(os.path.join(self.beside, "ledger"))
        except FileNotFoundError:
            return 0

    def cut_off(self, machine):
        os.killpg(machine.pid, signal.SIGKILL)
        machine.stdout.close()
        machine.wait()

    def has_begun(self, machine):
        """Waits until ioproof starts. A machine that says nothing is cut off when the patience is over, which ends its output."""
        alarm = threading.Timer(BOOT_PATIENCE_S, os.killpg, (machine.pid, signal.SIGKILL))
        alarm.start()
        try:
            return any(b"ioproof starts" in line for line in machine.stdout)
        finally:
            alarm.cancel()
            alarm.join()

    def run_until_cut(self, seconds, resume, is_early):
        """Cuts the power while files are created or soon after (`is_early`), or once much has been promised. Returns how the run ended
        before that, or that it never began, or ""."""
        for name in ("ended", "run.txt"):
            if os.path.exists(os.path.join(self.beside, name)):
                os.remove(os.path.join(self.beside, name))
        machine = self.start(RUN.format(program=self.program, seed=self.seed, resume="--resume" if resume else ""))
        alarm = time.monotonic() + BOOT_PATIENCE_S
        promised = self.ledger_bytes()
        if not self.has_begun(machine):
            self.cut_off(machine)
            return f"ioproof did not start in the machine: {self.read('mount.txt')[-800:]}"
        while not is_early and self.ledger_bytes() < promised + MUCH_PROMISED_BYTES and time.monotonic() < alarm:
            time.sleep(0.05)
        time.sleep(seconds)
        self.cut_off(machine)
        code = self.read("ended").strip()
        return f"the run ended by itself with exit code {code}: {self.read('run.txt')[-800:]}" if code else ""

    def verify(self):
        """Returns the exit codes from the files and with the ledger, and the output; "lost": the guest cannot mount its file system
        anymore."""
        machine = self.start(VERIFY.format(program=self.program))
        try:
            machine.communicate(timeout=BOOT_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.cut_off(machine)
            return None, None, "the machine did not come to its end"
        return self.read("code").strip(), self.read("code.ledger").strip(), self.read("verify.txt") + self.read("verify.ledger.txt")


def nothing_left(text):
    return "nothing to verify: none of the files" in text or "The run of these files is not known" in text


def cut_twice(arguments, kind, index):
    """Returns (cuts, cuts of a lying disk that dropped something, how many of these were caught, problems)."""
    draw = random.Random(f"{arguments.disk} {kind} {arguments.seed} {index}")
    folder = tempfile.mkdtemp(prefix=f"machine-{kind}-", dir=arguments.folder)
    cuts = broken = found = 0
    problems = []
    try:
        with FaultyMount(arguments.fs, folder, [], lifetime_s=600) as mount:
            machine = Machine(arguments, kind, mount, draw.randrange(1, 1 << 31))
            mount.add_fault("power honest")
            forgotten_before = 0
            for resume in (False, True):
                # Smaller units would tear the superblock of ext4, which ext4 survives as little as SQL Server a torn page.
                cut = f"cut seed={draw.randrange(1 << 31)},unit=4096,lost={draw.choice([5, 50, 95])}"
                is_early, seconds = arguments.disk == "honest" and draw.random() < 0.5, draw.uniform(0.5, 3.0)
                title = f"{arguments.disk} {kind} {index}{', resumed' if resume else ''}: cut off {'early, ' if is_early else ''}after {seconds:.1f} s, {cut}"
                problem = machine.run_until_cut(seconds, resume, is_early)
                mount.add_fault(cut)
                forgotten = [entry["promised"] for entry in mount.truth() if entry["event"] == "forgotten"][forgotten_before:]
                forgotten_before += len(forgotten)
                cuts += 1
                if any(forgotten):
                    problems.append(f"{title}: the file system below broke promises: its own mistake")
                is_broken = bool(forgotten) and arguments.disk != "honest"
                code, with_ledger, text = machine.verify() if not problem else ("", "", "")
                broken += is_broken
                is_found = code == "lost" or "1" in (code, with_ledger)
                found += is_broken and is_found
                is_judged = all(each in ("0", "1", "3", "lost") or each == "2" and nothing_left(text) for each in (code, with_ledger) if each)
                if problem:
                    problems.append(f"{title}: {problem}")
                elif not code or not is_judged:
                    problems.append(f"{title}: exit codes {code} and {with_ledger}: {text[-1500:]}")
                elif is_found and arguments.disk == "honest":
                    problems.append(f"{title}: blamed, and the disk is honest: {text[-3000:]}{machine.read('mount.txt')}")
                # Only sound files are resumed.
                if (code, with_ledger) != ("0", "0"):
                    break
    except CannotMount as error:
        problems.append(f"{kind}: cannot mount: {error}")
    if problems and arguments.keep:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return cuts, broken, found, problems


def why_no_machine():
    if not shutil.which("linux.uml"):
        return "user-mode-linux is not installed"
    return why_not()


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cuts", type=int, default=2)
    parser.add_argument("--disk", default="honest", choices=list(DRIVERS))
    parser.add_argument("--keep", action="store_true", help="leave the files of what went wrong")
    parser.add_argument("kinds", nargs="*", metavar="FILESYSTEM", help=" ".join(MKFS))
    arguments = parser.parse_args()
    if set(arguments.kinds) - set(MKFS):
        parser.error(f"file systems are {', '.join(MKFS)}")
    reason = why_no_machine() or ("" if os.path.exists(arguments.fs) else "libfuse3 is not installed")
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # unwinding unmounts
    os.makedirs(arguments.folder, exist_ok=True)
    failed = judged = 0
    for kind in arguments.kinds or list(MKFS):
        if not shutil.which(MKFS[kind][0]):
            print(f"skipped {kind}: {MKFS[kind][0]} is not installed")
            continue
        cuts = broken = found = 0
        problems = []
        while cuts < arguments.cuts or (found < LEAST_FOUND * broken and cuts < MORE_CUTS * arguments.cuts):
            result = cut_twice(arguments, kind, cuts)
            cuts, broken, found = cuts + result[0], broken + result[1], found + result[2]
            problems += result[3]
        if found < LEAST_FOUND * broken:
            problems.append(f"{kind}: only {found} of {broken} cuts that dropped something were found out")
        if arguments.disk != "honest" and broken == 0:
            problems.append(f"{kind}: no cut dropped anything: this shows nothing")
        judged += 1
        failed += bool(problems)
        print(f"{'FAILED' if problems else 'ok    '} {arguments.disk} disk below {kind}: {cuts} cuts, {broken} dropped what was "
              f"flushed, {found} of these found out", flush=True)
        for problem in problems:
            print(f"       {problem}", flush=True)
    return SKIPPED if judged == 0 else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
