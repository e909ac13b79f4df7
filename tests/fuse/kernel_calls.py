"""The outstanding transfers of a process as the kernel sees them: the system calls in which its threads wait, from /proc."""
import os
import platform
import struct
from dataclasses import dataclass

RWF_DSYNC = 2
# x86-64: number -> (name, has a vector, has flags)
CALLS = {17: ("read", False, False), 18: ("write", False, False), 295: ("read", True, False), 296: ("write", True, False),
         327: ("read", True, True), 328: ("write", True, True)}


@dataclass
class Call:
    operation: str
    path: str
    offset: int
    size: int
    segments: int
    dsync: bool  # RWF_DSYNC; O_DSYNC of the file does not show here


def why_no_calls():
    """Returns why they cannot be seen here; None if they can."""
    if platform.machine() != "x86_64":
        return "the numbers of system calls are known for x86-64 only"
    if not os.path.exists("/proc/self/syscall"):
        return "/proc/PID/syscall is missing"
    return None


def outstanding_calls(pid):
    calls = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        call = call_of(pid, thread)
        if call:
            calls.append(call)
    return calls


def call_of(pid, thread):
    try:
        with open(f"/proc/{pid}/task/{thread}/syscall", encoding="ascii") as file:
            words = file.read().split()
        number = int(words[0]) if words[0] != "running" else -1
        if number not in CALLS:
            return None
        name, is_vector, has_flags = CALLS[number]
        fd, memory, count, offset, _, flags = (int(word, 16) for word in words[1:7])
        sizes = vector_at(pid, memory, count) if is_vector else [count]
        path = os.readlink(f"/proc/{pid}/fd/{fd}")
    except (FileNotFoundError, ProcessLookupError, struct.error):
        return None  # the thread has ended meanwhile
    return Call(name, path, offset, sum(sizes), len(sizes), has_flags and bool(flags & RWF_DSYNC))


def vector_at(pid, address, count):
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        return [size for _, size in struct.iter_unpack("<QQ", memory.read(16 * count))]
