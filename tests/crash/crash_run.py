"""A run of ioproof that is killed, and the verification of what it left."""
import os
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "formats"))
from check_files import BLOCK_HEADER_BYTES, PAGE_BYTES, SECTOR_BYTES, crc32c

BLOCK_BYTES_MAX = 61440
CONFIG = """[CONFIG]
ErrorFile={log}
MaxMemoryMB=16
StopOnError=FALSE
TestCycles=1
TestCycleDuration=60
CPUCount=2
NoBuffering=TRUE
WriteThrough={write_through}
CheckpointInterval=200
[RandomUser]
UserCount=4
[AuditUser]
UserCount=1
[ShrinkUser]
MinShrinkInterval=1
MaxShrinkInterval=1
[File1]
FileName={folder}/data.mdx
InitialSize=8
MaxSize=16
Increment=1
Shrinkable=TRUE
[File2]
FileName={folder}/log.ldx
InitialSize=4
MaxSize=4
LogFile=TRUE
"""


def signed_run_of(content):
    """The id of the run that made the file, from its first page; None if that is not as a run makes it."""
    page = content[:PAGE_BYTES]
    is_sound = len(page) == PAGE_BYTES and page[4:8] == b"IOPF" and struct.unpack_from("<I", page)[0] == crc32c(page[4:])
    return struct.unpack_from("<Q", page, 16)[0] if is_sound else None


def has_block_of(run_id, content):
    """Whether the log file has a whole block of this run."""
    for at in range(PAGE_BYTES, len(content) - BLOCK_HEADER_BYTES, SECTOR_BYTES):
        checksum, magic, _, _, size_bytes, its_run = struct.unpack_from("<I4sHHIQ", content, at)
        is_header = magic == b"IOPL" and its_run == run_id and BLOCK_HEADER_BYTES <= size_bytes <= BLOCK_BYTES_MAX
        if is_header and at + size_bytes <= len(content) and crc32c(content[at + 4:at + size_bytes]) == checksum:
            return True
    return False


def can_be_verified(data, log):
    """Both files begin as the same run made them, and the log has a block of it: then something can be said about that run."""
    run_id = signed_run_of(data)
    return run_id is not None and run_id == signed_run_of(log) and has_block_of(run_id, log)


class CrashRun:
    """`folder`: holds the files of the run. `beside`: holds its configuration, output and ledger."""

    def __init__(self, program, folder, beside, write_through, engine):
        self.config = os.path.join(beside, "run.ini")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(folder=folder, log=os.path.join(beside, "log.xml"),
                                     write_through="TRUE" if write_through else "FALSE"))
        self.program, self.folder, self.beside, self.engine = program, folder, beside, engine
        self.ledger = os.path.join(beside, "ledger")

    def kill_after(self, seconds, seed):
        """Returns how the run ended before it could be killed, or ""."""
        with open(os.path.join(self.beside, "output.txt"), "w", encoding="utf-8") as output:
            command = [self.program, "run", "--cfg", self.config, "--engine", self.engine, "--seed", str(seed), "--no-progress",
                       "--ledger", self.ledger]
            process = subprocess.Popen(command, cwd=self.beside, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
            code = process.wait(timeout=60)
        return "" if code == -signal.SIGKILL else f"the run ended by itself with exit code {code}: {self.output()[-600:]}"

    def verify(self, with_ledger=False):
        """Returns exit code and output; the code is also 3 if no file was left that is recognizable as one of the run."""
        more = ["--ledger", self.ledger] if with_ledger else []
        done = subprocess.run([self.program, "verify", "--cfg", self.config, *more], cwd=self.beside, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        is_nothing_left = done.returncode == 2 and "nothing to verify: none of the files" in done.stdout
        return 3 if is_nothing_left else done.returncode, done.stdout

    def can_be_verified(self):
        """Whether exit code 3 would be wrong. Reads the files, so call it after verify()."""
        contents = []
        for name in ("data.mdx", "log.ldx"):
            path = os.path.join(self.folder, name)
            if not os.path.exists(path):
                return False
            with open(path, "rb") as file:
                contents.append(file.read())
        return can_be_verified(*contents)

    def output(self):
        with open(os.path.join(self.beside, "output.txt"), encoding="utf-8") as file:
            return file.read()
