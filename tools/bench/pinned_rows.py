"""Rows with both programs bound to one CPU, on a device that answers immediately or a file in memory, which leave only their own cost."""

import os

from peers import KB
from request_rows import remade
from row import Row


def read_rows(tools, file):
    rows = []
    for depth, goal, goal_unverified in ((64, 1.2, 1.4), (32, 1.2, 1.4), (1, 1.0, 1.0)):
        switches = ("--depth", str(depth))
        text = f"8 KB random reads, fast device, depth {depth}"
        verified = lambda switches=switches: tools.ioproof(file, *switches)
        unverified = lambda switches=switches: tools.ioproof(file, *switches, "--verify=off")
        peer = lambda depth=depth: tools.fio(file, rw="randread", bs="8k", iodepth=depth)
        added = lambda verified=verified, unverified=unverified: {"added_ns": max(verified()["cpu_ns"] - unverified()["cpu_ns"], 1)}
        rows += [
            Row(f"fast_read_{depth}", text + ", every page verified", "requests_per_s", goal, verified, peer, "fio io_uring", cpus="1"),
            Row(f"fast_read_{depth}_unverified", text, "requests_per_s", goal_unverified, unverified, peer, "fio io_uring", cpus="1"),
            Row(f"fast_read_{depth}_added", f"CPU that verification adds to one of them, depth {depth}", "added_ns", 1.0, added,
                lambda: {"added_ns": 500}, "0.5 us", cpus="1"),
        ]
    return rows


# Between two writes fio scrambles some words of a buffer to make it different. zram's compressor then takes twice as long to find it
# incompressible, which is neither program's cost.
SAME_BUFFERS = {"scramble_buffers": "0"}


def write_rows(tools, file):
    return [Row("fast_write_32", "8 KB random writes of stamped, checksummed pages, fast device, depth 32", "requests_per_s", 1.1,
                lambda: tools.ioproof(file, "--depth", "32", "--op", "write"),
                lambda: remade(tools, file, lambda: tools.fio(file, rw="randwrite", bs="8k", iodepth=32, **SAME_BUFFERS)),
                "fio without headers", cpus="1")]


def log_rows(tools, folder, place, size):
    """Blocks of one size: with random sizes the programs would write different amounts."""
    ours_file, peer_file = os.path.join(folder, "log60.ldx"), os.path.join(folder, "log60.fio")
    peer_size = str(size // (60 * KB) * (60 * KB))
    buffers = SAME_BUFFERS if place == "fast" else {}

    def peer(depth):
        if not os.path.exists(peer_file):
            tools.fio(peer_file, rw="write", bs="60k", iodepth=8, size=peer_size, time_based="0", runtime="")
        return tools.fio(peer_file, rw="write", bs="60k", iodepth=depth, sync="dsync", size=peer_size, **buffers)

    return [Row(f"log60_{place}_{depth}", f"log blocks of 60 KB, O_DSYNC, {place}, depth {depth}", "requests_per_s", 1.0,
                lambda depth=depth: tools.ioproof(ours_file, "--op", "write", "--pattern", "sequential", "--block", "60K", "--durable",
                                                  "--depth", str(depth), size=size),
                lambda depth=depth: peer(depth), "fio io_uring", cpus="1") for depth in (1, 8)]


def ram_rows(tools, file):
    text = "8 KB random reads, RAM file, depth 32, every page verified"
    return [Row(f"ram_pinned_{engine}", text, "requests_per_s", goal, lambda: tools.ioproof(file, "--depth", "32"),
                lambda engine=engine: tools.fio(file, rw="randread", bs="8k", iodepth=32, ioengine=engine), f"fio {engine}", cpus="1")
            for engine, goal in (("psync", 1.0), ("io_uring", 1.6))]
