"""Rows of single requests: `ioproof bench` beside fio and the bare loop."""

import os

from peers import KB, MB
from row import Row


def path_rows(tools):
    return [Row("path", "path without a device, depth 32", "requests_per_s", 1.0,
                lambda: tools.ioproof("null:", "--verify=off"),
                lambda: tools.fio("", ioengine="null", rw="randread", bs="8k", iodepth=32, size="1g", direct=0), "fio null")]


def ram_rows(tools, file):
    def ours():
        return tools.ioproof(file, "--depth", "32")

    def our_writes():
        return tools.ioproof(file, "--depth", "32", "--op", "write")

    def fio(**options):
        return lambda: tools.fio(file, bs="8k", iodepth=32, **options)

    text = "8 KB random reads, RAM file, depth 32, every page verified"
    rows = [
        Row("ram_read", text, "requests_per_s", 1.0, ours, fio(rw="randread"), "fio io_uring"),
        Row("ram_read_sync", text, "requests_per_s", 1.0, ours, fio(rw="randread", ioengine="psync"), "fio psync"),
        Row("ram_read_bare", text, "requests_per_s", 0.95, ours, lambda: tools.bare(file, depth=32), "bare io_uring loop"),
        Row("ram_read_bare_sync", text, "requests_per_s", 0.95, ours, lambda: tools.bare(file, depth=32, calls="sync"),
            "bare pread loop"),
    ]
    # fio verifies only its own pages, so it gets its own file, written once before.
    verified = file + ".fio"

    def fio_verified(engine):
        def measure():
            common = {"bs": "8k", "iodepth": 32, "verify": "crc32c", "ioengine": engine, "size": str(os.path.getsize(file))}
            if not os.path.exists(verified):
                tools.fio(verified, rw="write", time_based="0", runtime="", do_verify="0", **common)
            return tools.fio(verified, rw="randread", **common)
        return measure

    def fio_writes(engine):
        return fio(rw="randwrite", verify="crc32c", do_verify="0", ioengine=engine)

    text_write = "8 KB random writes of stamped, checksummed pages, RAM file, depth 32"
    rows += [
        Row("ram_read_verified", text, "requests_per_s", 1.3, ours, fio_verified("io_uring"), "fio verify=crc32c"),
        Row("ram_read_verified_sync", text, "requests_per_s", 1.3, ours, fio_verified("psync"), "fio psync verify=crc32c"),
        Row("ram_write", text_write, "requests_per_s", 1.5, our_writes, fio_writes("io_uring"), "fio verify headers"),
        Row("ram_write_sync", text_write, "requests_per_s", 1.5, our_writes, fio_writes("psync"), "fio psync, verify headers"),
    ]
    # fio overwrites the file here, so it is remade for our reads, which need our pages.
    rows[-2].peer = lambda peer=rows[-2].peer: remade(tools, file, peer)
    rows[-1].peer = lambda peer=rows[-1].peer: remade(tools, file, peer)
    return rows


def remade(tools, file, measure):
    size = os.path.getsize(file)
    try:
        return measure()
    finally:
        tools.make_file(file, size)


def disk_read_rows(tools, file):
    rows = []
    for depth in (1, 16, 64):
        text = f"8 KB random reads, disk, depth {depth}, every page verified"
        ours = lambda depth=depth: tools.ioproof(file, "--depth", str(depth))
        peer = lambda depth=depth: tools.fio(file, rw="randread", bs="8k", iodepth=depth)
        looking = lambda depth=depth: tools.bare(file, block=8 * KB, depth=depth, look=1)
        rows.append(Row(f"disk_read_{depth}", text, "requests_per_s", 1.0, ours, peer, "fio io_uring"))
        rows.append(Row(f"disk_read_{depth}_looking", text, "requests_per_s", 0.95, ours, looking, "bare loop, reads through each page"))
        if depth == 64:
            rows.append(Row("disk_read_64_cpu", "CPU for one of them (kernel included)", "cpu_ns", 1.25, ours, peer, "fio io_uring"))
    return rows


def scatter_rows(tools, ram, disk):
    rows = []
    for place, file in (("RAM file", ram), ("disk", disk)):
        short = "ram" if file == ram else "disk"
        switches = ("--block", "512K", "--depth", "8")
        text = f"512 KB reads, {place}, depth 8, every page verified"
        scattered = lambda file=file: tools.ioproof(file, *switches, "--scatter")
        plain = lambda file=file: tools.ioproof(file, *switches)
        bare = lambda scatter, file=file, **more: tools.bare(file, block=512 * KB, depth=8, scatter=scatter, **more)
        rows += [
            Row(f"scatter_{short}", text + ", 64 separate frames", "requests_per_s", 0.95, scattered, lambda bare=bare: bare(1),
                "bare readv loop, huge pages"),
            Row(f"side_by_side_{short}", text + ", frames as the pool gives them", "requests_per_s", 0.95, plain, lambda bare=bare: bare(0),
                "bare loop, one buffer"),
        ]
        if short == "ram":
            rows.append(Row("scatter_ram_sync", text + ", 64 separate frames", "requests_per_s", 0.95, scattered,
                            lambda bare=bare: bare(1, calls="sync"), "bare preadv loop, huge pages"))
    return rows


def disk_write_rows(tools, file):
    def fio(block, depth):
        return lambda: remade(tools, file, lambda: tools.fio(file, rw="randwrite", bs=block, iodepth=depth, sync="dsync"))

    def bare_gather():
        return remade(tools, file, lambda: tools.bare(file, op="write", block=MB, depth=8, scatter=1, dsync=1))

    gather = ("--op", "write", "--durable", "--depth", "8", "--block", "1M")
    gather_text = "1 MB gather writes, O_DSYNC, disk, depth 8"

    return [
        Row("disk_write_dsync", "8 KB random writes, O_DSYNC, disk, depth 16", "requests_per_s", 1.0,
            lambda: tools.ioproof(file, "--op", "write", "--durable", "--depth", "16"), fio("8k", 16), "fio io_uring"),
        Row("disk_gather_dsync", gather_text + ", 128 separate frames", "requests_per_s", 1.0,
            lambda: tools.ioproof(file, *gather, "--scatter"), bare_gather, "bare writev loop, huge pages"),
        Row("side_by_side_gather_dsync", gather_text + ", frames as the pool gives them", "requests_per_s", 1.0,
            lambda: tools.ioproof(file, *gather), fio("1m", 8), "fio io_uring, one buffer"),
    ]


def log_rows(tools, folder, size):
    rows = []
    ours_file, peer_file = os.path.join(folder, "log.ldx"), os.path.join(folder, "log.fio")

    def peer(depth):
        if not os.path.exists(peer_file):
            tools.fio(peer_file, rw="write", bs="1m", iodepth=8, size=str(size), time_based="0", runtime="")
        return tools.fio(peer_file, rw="write", bsrange="4k-60k", iodepth=depth, sync="dsync", size=str(size))

    for depth in (1, 8):
        rows.append(Row(f"log_{depth}", f"log writes of 4 to 60 KB, O_DSYNC, disk, depth {depth}: latency", "latency_us", 1.0,
                        lambda depth=depth: tools.ioproof(ours_file, "--op", "write", "--pattern", "sequential", "--block", "4K-60K",
                                                          "--durable", "--depth", str(depth), size=size),
                        lambda depth=depth: peer(depth), "fio io_uring"))
    return rows
