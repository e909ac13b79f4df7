"""A run of ioproof that is killed, and the verification of what it left."""
import os
import signal
import subprocess
import time

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


class CrashRun:
    """`folder`: holds the files of the run. `beside`: holds its configuration, output and ledger."""

    def __init__(self, program, folder, beside, write_through, engine):
        self.config = os.path.join(beside, "run.ini")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(folder=folder, log=os.path.join(beside, "log.xml"),
                                     write_through="TRUE" if write_through else "FALSE"))
        self.program, self.beside, self.engine = program, beside, engine
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

    def output(self):
        with open(os.path.join(self.beside, "output.txt"), encoding="utf-8") as file:
            return file.read()
