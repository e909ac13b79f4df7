#!/usr/bin/env python3
"""without.py ERROR SYSCALL[,SYSCALL...] COMMAND...: runs the command with these system calls failing with this error, as on an older kernel
(ENOSYS) or behind a container's filter (EPERM). Exit code 77: seccomp is not available."""
import ctypes
import errno
import os
import sys

try:
    import seccomp
except ImportError:
    print("skipped: python3-seccomp is not installed")
    sys.exit(77)


def main():
    error, calls, command = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    for call in calls:
        rules.add_rule(seccomp.ERRNO(getattr(errno, error)), call)
    if ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) != 0:  # PR_SET_NO_NEW_PRIVS
        sys.exit("without.py: no_new_privs was refused")
    rules.load()
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
