"""Rows with both programs bound to one CPU, on a device that answers immediately or a file in memory, which leave only their own cost."""

import os

from peers import KB
from request_rows import remade
from row import Row


def limit(name, text, goal, ours, peer, peer_name):
    """A bare loop that only computes checksums takes ioproof's place. Where it misses the goal for pages, the goal cannot be reached on
    this machine. ioproof's log blocks may be faster than the loop's: it puts their checksums together from parts."""
    return Row(name + "_limit", "limit: a bare loop with checksums instead of ioproof: " + text, "requests_per_s", goal, ours, peer,
               peer_name, cpus="1")


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
            limit(f"fast_read_{depth}", text, goal, lambda depth=depth: tools.bare(file, depth=depth, checksum=1), peer, "fio io_uring"),
        ]
    return rows


# Between two writes fio scrambles some words of a buffer to make it different. zram's compressor then takes twice as long to find it
# incompressible, which is neither program's cost.
SAME_BUFFERS = {"scramble_buffers": "0"}


def write_rows(tools, file):
    text = "8 KB random writes of stamped, checksummed pages, fast device, depth 32"
    peer = lambda: remade(tools, file, lambda: tools.fio(file, rw="randwrite", bs="8k", iodepth=32, **SAME_BUFFERS))
    return [Row("fast_write_32", text, "requests_per_s", 1.1, lambda: tools.ioproof(file, "--depth", "32", "--op", "write"), peer,
                "fio without headers", cpus="1"),
            limit("fast_write_32", text, 1.1, lambda: remade(tools, file, lambda: tools.bare(file, op="write", depth=32, checksum=1)), peer,
                  "fio without headers")]


def log_rows(tools, folder, place, size):
    """Blocks of one size: with random sizes the programs would write different amounts."""
    ours_file, peer_file = os.path.join(folder, "log60.ldx"), os.path.join(folder, "log60.fio")
    peer_size = str(size // (60 * KB) * (60 * KB))
    buffers = SAME_BUFFERS if place == "fast" else {}

    def make_peer_file():
        if not os.path.exists(peer_file):
            tools.fio(peer_file, rw="write", bs="60k", iodepth=8, size=peer_size, time_based="0", runtime="")

    def peer(depth):
        make_peer_file()
        return tools.fio(peer_file, rw="write", bs="60k", iodepth=depth, sync="dsync", size=peer_size, **buffers)

    def bare(depth):
        make_peer_file()
        return tools.bare(peer_file, op="write", pattern="sequential", block=60 * KB, dsync=1, depth=depth, checksum=1)

    rows = []
    for depth in (1, 8):
        name, text = f"log60_{place}_{depth}", f"log blocks of 60 KB, O_DSYNC, {place}, depth {depth}"
        rows += [
            Row(name, text, "requests_per_s", 1.0,
                lambda depth=depth: tools.ioproof(ours_file, "--op", "write", "--pattern", "sequential", "--block", "60K", "--durable",
                                                  "--depth", str(depth), size=size),
                lambda depth=depth: peer(depth), "fio io_uring", cpus="1"),
            limit(name, text, 1.0, lambda depth=depth: bare(depth), lambda depth=depth: peer(depth), "fio io_uring"),
        ]
    return rows


def ram_rows(tools, file):
    text = "8 KB random reads, RAM file, depth 32, every page verified"
    rows = []
    for engine, goal in (("psync", 1.0), ("io_uring", 1.6)):
        peer = lambda engine=engine: tools.fio(file, rw="randread", bs="8k", iodepth=32, ioengine=engine)
        rows += [
            Row(f"ram_pinned_{engine}", text, "requests_per_s", goal, lambda: tools.ioproof(file, "--depth", "32"), peer, f"fio {engine}",
                cpus="1"),
            limit(f"ram_pinned_{engine}", text, goal, lambda: tools.bare(file, depth=1, calls="sync", checksum=1), peer, f"fio {engine}"),
        ]
    return rows
