"""A run of ioproof on a file system that records the kernel's requests."""
import datetime
import json
import os
import shutil
import subprocess
import tempfile
import time

from faulty_mount import FaultyMount
from kernel_calls import outstanding_calls

CONFIG = """[CONFIG]
ErrorFile={folder}/log.xml
TestCycles=1
TestCycleDuration={seconds}
CPUCount=1
MaxMemoryMB={memory}
TargetIODuration=1000000
{config}
[RandomUser]
UserCount={users}
{random}
[AuditUser]
UserCount=0
[ReadAheadUser]
UserCount=0
[BulkUpdateUser]
UserCount=0
[File1]
FileName={mount}/one.mdx
InitialSize={data}
MaxSize={data}
[File2]
FileName={mount}/log.ldx
InitialSize={log}
MaxSize={log_max}
Increment={log_step}
LogFile=TRUE
{more}
"""
USUAL = dict(seconds=3, memory=32, users=0, config="", random="", data=8, log=8, log_max=None, log_step=0, more="")
HANG_S = 0.12


class Sample:
    def __init__(self, time_us, calls):
        self.time_us, self.calls = time_us, calls


class WatchedRun:
    """`requests`: what reached the file system. `hangs`: operations that are held back for a moment now and then; `samples` holds what was
    outstanding at these moments. `of_phase` and `calls_of_phase` select from these."""

    def __init__(self, arguments, name, hangs=(), engine="auto", pace_us=0, **settings):
        self.folder = tempfile.mkdtemp(prefix=f"io-{name}-", dir=arguments.folder)
        self.hangs, self.samples, self.backing = hangs, [], os.path.join(self.folder, "backing")
        values = dict(USUAL, **settings)
        if values["log_max"] is None:
            values["log_max"] = values["log"]
        with FaultyMount(arguments.fs, self.folder, [], lifetime_s=90, pace_us=pace_us, logs_requests=True) as mount:
            for key in ("config", "random", "more"):
                values[key] = values[key].format(mount=mount.path)
            self.go(arguments, mount, engine, CONFIG.format(folder=self.folder, mount=mount.path, **values))
        self.requests = sorted(mount.requests(), key=lambda request: request["number"])
        self.phases = self.read_phases()

    def go(self, arguments, mount, engine, text):
        config = os.path.join(self.folder, "run.ini")
        with open(config, "w", encoding="utf-8") as file:
            file.write(text)
        self.command = [arguments.program, "run", "--cfg", config, "--engine", engine, "--seed", str(arguments.seed), "--no-progress",
                        "--json", os.path.join(self.folder, "results.json")]
        with open(os.path.join(self.folder, "output.txt"), "w+", encoding="utf-8") as output:
            process = subprocess.Popen(self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            try:
                self.watch(process, mount)
                process.wait(timeout=60)
            finally:
                process.kill()
                process.wait()
            output.seek(0)
            if process.returncode != 0:
                raise RuntimeError(f"{' '.join(self.command)}: exit code {process.returncode}\n{output.read()[-3000:]}")

    def watch(self, process, mount):
        turn = 0
        while self.hangs and process.poll() is None:
            mount.add_fault(f"hang {self.hangs[turn % len(self.hangs)]}")
            time.sleep(HANG_S)
            calls = outstanding_calls(process.pid) if process.poll() is None else []
            self.samples.append(Sample(time.time() * 1e6, calls))
            mount.add_fault("clear")
            time.sleep(HANG_S)
            turn += 1

    def read_phases(self):
        """name -> (begin, end), in microseconds since 1970."""
        with open(os.path.join(self.folder, "results.json"), encoding="utf-8") as file:
            results = json.load(file)
        start = datetime.datetime.fromisoformat(results["run"]["start_utc"].replace("Z", "+00:00")).timestamp() * 1e6
        intervals, phases = results["intervals"], {}
        for name, begin, duration in zip(intervals["phase"], intervals["start_us"], intervals["duration_us"]):
            first = phases.get(name, (start + begin, 0))[0]
            phases[name] = (first, start + begin + duration)
        return phases

    def of_phase(self, name, operation, file, **wanted):
        begin, end = self.phases[name]
        return [request for request in self.requests
                if begin <= request["begin_us"] < end and request["operation"] == operation and request["file"] == file
                and all(request[key] == value for key, value in wanted.items())]

    def calls_of_phase(self, name, operation, file):
        """Returns a list for each moment."""
        begin, end = self.phases[name]
        return [[call for call in sample.calls if call.operation == operation and os.path.basename(call.path) == file]
                for sample in self.samples if begin <= sample.time_us < end]

    def bytes_of(self, file, offset, size):
        with open(os.path.join(self.backing, file), "rb") as data:
            data.seek(offset)
            return data.read(size)

    def size_of(self, file):
        return os.path.getsize(os.path.join(self.backing, file))

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
