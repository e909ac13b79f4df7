"""Calls of the measured programs, one for each figure."""

import copy
import json
import os
import resource
import statistics
import subprocess

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30


class Failed(Exception):
    pass


def run_program(command, timeout_s=900):
    """Returns the standard output, and the CPU time of the process and its children in microseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, cpu_s * 1e6


class Tools:
    def __init__(self, arguments):
        self.program = arguments.program
        self.bare_loop = arguments.bare_loop
        self.group_load = arguments.group_load
        self.seconds = arguments.seconds
        self.fio_start_us = None
        self.prefix = []

    def pinned(self):
        """The same programs, each with all its threads on one CPU, the last that we may use."""
        tools = copy.copy(self)
        tools.prefix = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
        return tools

    def ioproof(self, file, *switches, size=None):
        command = [self.program, "bench", file, "--seconds", str(self.seconds), "--json", "-", *switches]
        if size:
            command += ["--size", f"{size // MB}M"]
        result = json.loads(run_program(self.prefix + command)[0])
        if result["findings"] or result["failure"]:
            raise Failed(f"{' '.join(command)}: {result['findings']} findings {result['failure']}")
        return {
            "requests_per_s": result["requests_per_s"],
            "bytes_per_s": result["bytes_per_s"],
            "cpu_ns": result["cpu_ns_per_request"],
            "latency_us": result["latency_mean_us"],
            "pages_verified": result["pages_verified"],
        }

    def make_file(self, file, size):
        """Replaces the file by a new one that holds pages."""
        if os.path.exists(file):
            os.remove(file)
        seconds, self.seconds = self.seconds, 1
        try:
            self.ioproof(file, size=size)
        finally:
            self.seconds = seconds

    def fio(self, file, **options):
        settings = {"name": "bench", "ioengine": "io_uring", "direct": "1", "time_based": "1", "runtime": str(self.seconds),
                    "output-format": "json", "group_reporting": "1", "randrepeat": "0", "norandommap": "1", "fallocate": "none",
                    "verify_state_save": "0"}
        if file:
            settings["filename"] = file
        settings.update({name: str(value) for name, value in options.items()})
        command = ["fio"] + [f"--{name}={value}" for name, value in settings.items() if value != ""]
        output, cpu_us = run_program(self.prefix + command)
        cpu_us = max(cpu_us - self.fio_start(), 1)
        job = json.loads(output[output.index("{"):])["jobs"][0]
        side = job["read"] if job["read"]["total_ios"] else job["write"]
        requests = max(side["total_ios"], 1)
        return {
            "requests_per_s": side["iops"],
            "bytes_per_s": side["bw_bytes"],
            "cpu_ns": cpu_us * 1000 / requests,
            "latency_us": side["lat_ns"]["mean"] / 1000,
        }

    def fio_start(self):
        """CPU time of an fio that does nothing, which is subtracted because our own figure covers only the measurement."""
        if self.fio_start_us is None:
            command = ["fio", "--name=start", "--ioengine=null", "--rw=read", "--bs=8k", "--size=8k"]
            self.fio_start_us = statistics.median(run_program(command)[1] for _ in range(3))
        return self.fio_start_us

    def bare(self, file, **options):
        command = [self.bare_loop, file, f"seconds={self.seconds}"] + [f"{name}={value}" for name, value in options.items()]
        result = json.loads(run_program(self.prefix + command)[0])
        return {"requests_per_s": result["requests_per_s"], "bytes_per_s": result["bytes_per_s"], "cpu_ns": result["cpu_ns_per_request"]}
