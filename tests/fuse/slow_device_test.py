#!/usr/bin/env python3
"""The load governor on a slow device: one transfer after the other, 2 ms each, with more users than it can serve.

    slow_device_test.py --program IOPROOF --fs FAULTY_FS --folder FOLDER

Without throttling, requests queue for a long time. With a target of 20 ms, fewer outstanding requests must bring the average of the main
run close to the target while the device stays as busy. Exit code 0: passed, 1: failed, 77: FUSE is not available.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from command_line import parser_of
from faulty_mount import SKIPPED, CannotMount, FaultyMount, unmount_if_terminated, why_not

PACE_US = 2000
TARGET_MS = 20
SECONDS = 12

CONFIG = """[CONFIG]
ErrorFile={folder}/log.xml
MaxMemoryMB=24
TestCycles=1
TestCycleDuration={seconds}
CPUCount=2
TargetIODuration={target}
[RandomUser]
UserCount=64
RandomUserReadWriteRatio=1000
SleepAfter=0
[AuditUser]
UserCount=8
AuditDelay=0
[ReadAheadUser]
UserCount=8
RADelay=0
[BulkUpdateUser]
UserCount=0
[File1]
FileName={mount}/one.mdx
InitialSize=80
MaxSize=80
Increment=0
[File2]
FileName={folder}/log.ldx
InitialSize=64
MaxSize=64
LogFile=TRUE
"""


def run(arguments, target_ms):
    """Returns, for the data file in the main run: the average duration of requests in ms, requests per second, and how often it was
    throttled."""
    folder = tempfile.mkdtemp(prefix="slow-", dir=arguments.folder)
    try:
        with FaultyMount(arguments.fs, folder, [], lifetime_s=120, pace_us=PACE_US) as mount:
            config, result_path = os.path.join(folder, "run.ini"), os.path.join(folder, "result.json")
            with open(config, "w", encoding="utf-8") as file:
                file.write(CONFIG.format(folder=folder, mount=mount.path, target=target_ms, seconds=SECONDS))
            command = [arguments.program, "run", "--cfg", config, "--json", result_path, "--no-progress", "--seed", "1"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout[-3000:]}{done.stderr}")
            with open(result_path, encoding="utf-8") as file:
                result = json.load(file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    data = next(file for file in result["files"] if not file["is_log"])
    samples = data["series"]
    # The governor needs a while to settle.
    chosen = [i for i, phase in enumerate(result["intervals"]["phase"]) if phase == "main run"][SECONDS // 3:]
    total = lambda name: sum(samples[name][i] for i in chosen)
    requests = total("reads") + total("writes")
    seconds = sum(result["intervals"]["duration_us"][i] for i in chosen) / 1e6
    return (total("read_time_us") + total("write_time_us")) / 1000 / requests, requests / seconds, data["throttle_count"]


def main():
    parser = parser_of(__doc__)
    arguments = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    unmount_if_terminated()
    os.makedirs(arguments.folder, exist_ok=True)
    try:
        free_ms, free_rate, free_throttles = run(arguments, 1000000)
        average_ms, rate, throttles = run(arguments, TARGET_MS)
    except CannotMount as error:
        print(f"cannot mount: {error}")
        return 1
    print(f"without a throttle: {free_ms:.1f} ms, {free_rate:.0f} requests/s, throttled {free_throttles} times")
    print(f"target {TARGET_MS} ms:      {average_ms:.1f} ms, {rate:.0f} requests/s, throttled {throttles} times")
    right = (free_ms > 3 * TARGET_MS and free_throttles == 0 and throttles > 0 and
             0.6 * TARGET_MS < average_ms < 1.4 * TARGET_MS and rate > 0.8 * free_rate)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
