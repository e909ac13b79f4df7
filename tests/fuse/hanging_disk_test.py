#!/usr/bin/env python3
"""A disk stops answering, to all operations or to one, at the start or later: the first Ctrl-C must end the run within seconds, wherever
its log is. If only the log and the findings are on that disk, the run must complete and say what is missing.

    hanging_disk_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER [CASE...]

Exit code 0: passed, 1: failed, 77: FUSE is not available.
"""
import concurrent.futures
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from command_line import parser_of
from faulty_mount import SKIPPED, CannotMount, FaultyMount, unmount_if_terminated, why_not

OK, FINDING, NOT_DONE, STOPPED = 0, 1, 3, 130
SECONDS_MAX = 20
EVERYTHING = "everything"  # the file system itself is stopped

CONFIG = """[CONFIG]
ErrorFile={log}
MaxMemoryMB=32
TestCycles=1
TestCycleDuration={seconds}
CPUCount=2
[File1]
FileName={data}/one.mdx
InitialSize=16
MaxSize=32
Increment=1
Shrinkable=TRUE
[File2]
FileName={data}/log.ldx
InitialSize=16
MaxSize=16
LogFile=TRUE
"""


@dataclasses.dataclass
class Case:
    name: str
    hangs: str                     # the operation, or EVERYTHING
    on_disk: tuple = ("data",)     # which of data, log and json are on the hanging disk
    at_start: bool = False         # it hangs before the program starts
    seconds: int = 60              # of the main run
    is_stopped: bool = True        # by Ctrl-C, after a second
    codes: tuple = (STOPPED,)
    says: tuple = ()
    before: str = ""               # what it says before Ctrl-C


CASES = [
    Case("everything", EVERYTHING, says=("does not come back",)),
    Case("everything, the log, too", EVERYTHING, on_disk=("data", "log"), says=("does not come back", "log.xml", "missing there")),
    *(Case(operation, operation) for operation in ("read", "write", "fsync", "lseek", "open", "truncate", "statfs", "unlink")),
    Case("create at the start", "create", at_start=True),
    Case("statfs at the start", "statfs", at_start=True),
    Case("fallocate at the start", "fallocate", at_start=True, before="Call takes longer than 15 seconds: allocation of",
         says=("does not come back",)),
    Case("create of the log", "create", on_disk=("log",), at_start=True, says=("ended immediately",)),
    Case("writes of the log", "write", on_disk=("log",), seconds=3, is_stopped=False, codes=(NOT_DONE,),
         says=("does not answer", "log.xml", "missing there")),
    Case("writes of the log, Ctrl-C", "write", on_disk=("log",), codes=(STOPPED,), says=("missing there",)),
    Case("writes of the results, Ctrl-C", "write", on_disk=("json",), seconds=4, codes=(OK,), says=("ended immediately",)),
]


class Trial:
    """One case, in a separate folder. Reads the output from a file, because the process may hang in the kernel, which keeps a process until
    the file system has answered the request that it took."""

    def __init__(self, arguments, case, folder, mount):
        self.case, self.mount = case, mount
        self.output = os.path.join(folder, "output")
        place = {what: mount.path if what in case.on_disk else folder for what in ("data", "log", "json")}
        config = os.path.join(folder, "run.ini")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(log=os.path.join(place["log"], "log.xml"), data=place["data"], seconds=case.seconds))
        self.command = [arguments.program, "run", "-cfg", config, "--json", os.path.join(place["json"], "run.json")]
        self.log = None if "log" in case.on_disk else os.path.join(folder, "log.xml")
        self.results = None if "json" in case.on_disk else os.path.join(folder, "run.json")
        self.process = None

    def text(self):
        with open(self.output, encoding="utf-8") as output:
            return output.read()

    def has_error_in_log(self):
        if self.log is None or not os.path.exists(self.log):
            return False
        with open(self.log, encoding="utf-8") as log:
            return "TYPE='ERROR'" in log.read()

    def is_told_in_results(self):
        """Whether they say why a run ended that could not be drained, as the console does."""
        if self.results is None or "The process ends without a summary" not in self.text():
            return True
        if not os.path.exists(self.results):
            return False
        with open(self.results, encoding="utf-8") as file:
            run = json.load(file)["run"]
        return not run["unfinished"] and "cannot be drained" in run["outcome_reason"]

    def waits_for(self, is_so, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if is_so():
                return True
            time.sleep(0.1)
        return is_so()

    def has_ended(self):
        """Whether the process has ended, or would have, were it not held by the kernel."""
        last_words = ("without a summary", "ended immediately", "missing there", "ioproof: stopped")
        return self.process.poll() is not None or any(words in self.text() for words in last_words)

    def hang(self):
        if self.case.hangs == EVERYTHING:
            os.kill(self.mount.process.pid, signal.SIGSTOP)
        else:
            self.mount.add_fault(f"hang {self.case.hangs}")

    def let_go(self):
        os.kill(self.mount.process.pid, signal.SIGCONT)
        self.mount.add_fault("clear")

    def run(self):
        if self.case.at_start:
            self.hang()
        with open(self.output, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            return self.watch()
        finally:
            self.let_go()
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()

    def watch(self):
        case = self.case
        if not case.at_start:
            if not self.waits_for(lambda: "main run" in self.text() or self.process.poll() is not None, 30):
                return "the run did not begin"
            self.hang()
        if case.is_stopped:
            if case.on_disk == ("json",) and not self.waits_for(lambda: "Final Summary" in self.text(), 30):
                return "no summary"
            time.sleep(1.5)
            if not self.waits_for(lambda: case.before in self.text(), SECONDS_MAX):
                return f"it does not say: {case.before}"
            self.process.send_signal(signal.SIGINT)
        if not self.waits_for(self.has_ended, SECONDS_MAX + (0 if case.is_stopped else case.seconds + 10)):
            return f"it had not ended {SECONDS_MAX} s after the signal"
        time.sleep(0.5)
        self.let_go()
        try:
            code = self.process.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            return "it hangs on although the disk answers again"
        if code not in case.codes:
            return f"exit code {code}, not one of {case.codes}"
        if code == STOPPED and self.has_error_in_log():
            return "the log of a run that was stopped and had found nothing has an error"
        if not self.is_told_in_results():
            return "the results do not say that the run could not be drained"
        missing = [words for words in case.says if words not in self.text()]
        return f"it does not say: {missing}" if missing else None


def what_is_wrong(arguments, case):
    folder = tempfile.mkdtemp(prefix="hanging-", dir=arguments.folder)
    try:
        with FaultyMount(arguments.fs, folder, [], lifetime_s=110) as mount:
            trial = Trial(arguments, case, folder, mount)
            wrong = trial.run()
            return f"{wrong}\n{trial.text()}" if wrong else None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - {case.name for case in CASES}:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    if reason := why_not():
        print(f"skipped: {reason}")
        return SKIPPED
    unmount_if_terminated()
    os.makedirs(arguments.folder, exist_ok=True)
    cases = [case for case in CASES if not arguments.cases or case.name in arguments.cases]
    failures = 0
    # The cases mostly wait.
    with concurrent.futures.ThreadPoolExecutor(max_workers=6) as pool:
        for case, result in [(case, pool.submit(what_is_wrong, arguments, case)) for case in cases]:
            try:
                wrong = result.result()
            except CannotMount as error:
                # What has failed before has failed.
                print(f"{'not continued' if failures else 'skipped'}: {error}")
                return 1 if failures else SKIPPED
            print(f"{case.name}: {wrong or 'as it should be'}")
            failures += 1 if wrong else 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
