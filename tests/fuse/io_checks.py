"""Checks of requests and system calls; see sqlserver_io_test.py."""

KB, MB, PAGE, EXTENT = 1 << 10, 1 << 20, 8 << 10, 64 << 10
BLOCK_MAX = 60 * KB
GATHER_PAGES = 128
SPLIT = MB  # the kernel splits longer requests to FUSE

TEMPDB = """[TempdbUser]
UserCount=2
FileCount=3
FileSize=8
"""
# Keeps pages in memory, because a page that is read again is written first.
FROM_MEMORY = "CacheHitRatio=10000\n"


def expect(truth, *seen):
    if not truth:
        raise AssertionError(", ".join(str(value)[:600] for value in seen))


def places(requests):
    return [(request["offset"], request["size"]) for request in requests]


def expect_in_a_row(requests, begin, size, end=None):
    """The requests must be contiguous and of this size, except the last."""
    at = begin
    for request in requests:
        expect(request["offset"] == at, f"at {at}", places(requests))
        expect(request["size"] == size or request is requests[-1], f"not {size}", places(requests))
        at += request["size"]
    expect(requests and at == (end or at), "they end at", at, places(requests))


def expect_flags(requests, dsync):
    expect(requests, "no request")
    odd = [request for request in requests if not request["direct"] or request["dsync"] != dsync]
    expect(not odd, f"{len(odd)} of {len(requests)} with other flags", odd[:3])


def most_at_a_time(requests):
    ends = sorted([(request["begin_us"], 1) for request in requests] + [(request["end_us"], -1) for request in requests])
    most = now = 0
    for _, step in ends:
        now += step
        most = max(most, now)
    return most


def calls_seen(run, operation, file):
    return [call for calls in run.calls_of_phase("main run", operation, file) for call in calls]
