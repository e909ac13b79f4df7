"""Mounts the faulty file system in a separate folder, and always unmounts it."""
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time

SKIPPED = 77
MOUNT_PATIENCE_S = 30


class CannotMount(Exception):
    pass


def is_mounted(folder):
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        return any(line.split()[1] == folder for line in mounts)


def why_not():
    """Returns why FUSE cannot be used here; None if it can."""
    if not os.path.exists("/dev/fuse"):
        return "/dev/fuse is missing"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "/dev/fuse may not be opened"
    if not shutil.which("fusermount3"):
        return "fusermount3 is not installed"
    return None


def unmount_if_terminated():
    """To be called by the main thread before it mounts: SIGTERM ends the program by an exception, because unwinding unmounts."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def end(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class FaultyMount:
    """with FaultyMount(program, folder, faults) as mount: mount.path is the mounted folder; mount.truth() returns what has happened."""

    def __init__(self, program, folder, faults, lifetime_s=120, pace_us=0, shared_folder=None, logs_requests=False,
                 refuses_direct=False, refuses_direct_io=False):
        self.folder = os.path.realpath(folder)
        self.path = os.path.join(self.folder, "mnt")
        self.backing = shared_folder or os.path.join(self.folder, "backing")
        self.truth_path = os.path.join(self.folder, "truth.jsonl")
        self.requests_path = os.path.join(self.folder, "requests.jsonl")
        self.command = [program, "--folder", self.backing, "--truth", self.truth_path, "--lifetime", str(lifetime_s), "--pace-us",
                        str(pace_us)]
        if shared_folder:  # to which other hosts write, bypassing this mount
            self.command.append("--shared")
        if refuses_direct:
            self.command.append("--refuses-direct")
        if refuses_direct_io:
            self.command.append("--refuses-direct-io")
        if logs_requests:
            self.command += ["--requests", self.requests_path]
        for fault in faults:
            self.command += ["--fault", fault]
        self.process = None

    def __enter__(self):
        for path in (self.path, self.backing):
            os.makedirs(path, exist_ok=True)
        self.process = subprocess.Popen(self.command + [self.path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, start_new_session=True)
        if not self.says_mounted():
            process = self.process
            end(process)
            message = process.stderr.read().strip()
            self.__exit__(None, None, None)
            raise CannotMount(message or f"not mounted: exit code {process.returncode}")
        return self

    def says_mounted(self):
        ready, _, _ = select.select([self.process.stdout], [], [], MOUNT_PATIENCE_S)
        return bool(ready) and self.process.stdout.readline() == "mounted\n"

    def add_fault(self, fault):
        with open(os.path.join(self.path, ".faults"), "w", encoding="utf-8") as control:
            control.write(fault + "\n")

    def truth(self):
        with open(self.truth_path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line.endswith("\n")]

    def requests(self):
        """The kernel's requests; available after unmounting."""
        with open(self.requests_path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def __exit__(self, *_):
        process, self.process = self.process, None
        if process is None:
            return
        end(process)
        process.stdout.close()
        process.stderr.close()
        # auto_unmount takes effect a moment after the process has ended.
        for _ in range(50):
            if not is_mounted(self.path):
                return
            time.sleep(0.02)
        with contextlib.suppress(OSError):
            subprocess.run(["fusermount3", "-u", "-z", self.path], check=False, stderr=subprocess.DEVNULL)
