"""64 ranks of a group, simulated in one process, against one real witness: its cost per promised page write, and per rank."""

import contextlib
import json
import os
import re
import secrets
import subprocess

from peers import Failed
from row import Row

RANKS = 64
PAGES_PER_BATCH = 20
# A witness shares no CPU with the runs, but its machine may be small: one CPU must be enough for 64 ranks with 1,000 page writes a second.
CPU_NS_PER_PAGE = 1e9 / (RANKS * 1000)
MEMORY_PER_RANK_BYTES = 1 << 20


def cpu_ns(process):
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1e9 / os.sysconf("SC_CLK_TCK")


def resident_bytes(process):
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) * 1024


@contextlib.contextmanager
def witness(program, folder):
    key = os.path.join(folder, "group.key")
    with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(secrets.token_hex(32))
    process = subprocess.Popen([program, "witness", "--listen", "127.0.0.1:0", "--store", os.path.join(folder, "group-witness"), "--key-file", key],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        line = process.stdout.readline()
        port = re.search(r"listens on 127\.0\.0\.1:(\d+)", line)
        if not port:
            raise Failed(f"the witness does not begin: {line}")
        yield process, port[1], key
    finally:
        process.terminate()
        process.wait()


def group_rows(tools, folder):
    last = {}

    def load(ranks):
        with witness(tools.program, folder) as (process, port, key):
            before_bytes = resident_bytes(process)
            loader = subprocess.run([tools.group_load, "127.0.0.1", port, key, str(ranks), str(max(tools.seconds, 3)), str(PAGES_PER_BATCH)],
                                    capture_output=True, text=True, check=False, timeout=300)
            if loader.returncode != 0:
                raise Failed(f"group_load: {loader.stderr}")
            done = json.loads(loader.stdout)
            if done["failures"] > 0 or done["batches"] == 0:
                raise Failed(f"group_load: {loader.stdout}")
            return {"added_ns": cpu_ns(process) / done["pages"], "pages_per_s": done["pages"] / max(tools.seconds, 3),
                    "beats": done["beats"], "resident_bytes": resident_bytes(process) - before_bytes}

    def cpu():
        last["load"] = load(RANKS)
        return last["load"]

    # The connections are closed by then, but the process still holds the memory that they took.
    def memory():
        if "load" not in last:
            cpu()
        return {"bytes_outside": max(last["load"]["resident_bytes"], 1)}

    return [
        Row("group", f"witness with {RANKS} ranks that promise {PAGES_PER_BATCH} pages a batch: its CPU time per promised page", "added_ns", 1.0, cpu,
            lambda: {"added_ns": CPU_NS_PER_PAGE}, "one CPU for 64,000 pages a second"),
        Row("group_bytes", f"the same: its memory for {RANKS} ranks", "bytes_outside", 1.0, memory,
            lambda: {"bytes_outside": RANKS * MEMORY_PER_RANK_BYTES}, "1 MB a rank"),
    ]
