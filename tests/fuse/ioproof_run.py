"""Runs ioproof on a mounted folder and reads its findings."""
import json
import os
import re
import subprocess

# io_uring where this process may use it, which containers and old kernels do not allow.
ENGINES = ["auto", "threads"]
FILES = ["one.mdx", "two.mdx", "log.ldx"]
ELSEWHERE = re.compile(r"written to another place: page (\d+) of file (\d+)")
TRANSIENT = re.compile("A later read (returned|did not return)|succeeded when tried again|came when it was asked for")
FINDING = re.compile(r"FINDING (?P<class>\w+): (?P<path>\S+?)(?: page (?P<page>\d+))? \(offset (?P<offset>0x[0-9a-f]+)\): (?P<text>.*)")

CONFIG = """[CONFIG]
ErrorFile={log}
MaxMemoryMB={memory}
StopOnError=FALSE
TestCycles={cycles}
TestCycleDuration={duration}
CPUCount=2
TargetIODuration=1000000
NoBuffering={direct}
WriteThrough={write_through}
CheckpointInterval=200
[RandomUser]
UserCount={users}
[AuditUser]
UserCount={users}
AuditDelay=20
[ReadAheadUser]
UserCount={users}
RADelay=20
[BulkUpdateUser]
UserCount={users}
BUDelay=20
[ShrinkUser]
MinShrinkInterval=1
MaxShrinkInterval=1
MinExtends=1
MaxExtends=3
[File1]
FileName={folder}/one.mdx
InitialSize={size}
MaxSize={max_size}
Increment={increment}
Shrinkable={shrinks}
[File2]
FileName={folder}/two.mdx
InitialSize={size}
MaxSize={max_size}
Increment={increment}
Shrinkable={shrinks}
[File3]
FileName={folder}/log.ldx
InitialSize={log_size}
MaxSize={log_size}
LogFile=TRUE
{more}"""

# Sections for I/O that SQL Server added since SQLIOSim.
BACKUP = """[BackupUser]
BackupFolder={folder}
RestoreFolder={folder}
MaxTransferSize=256
LogInterval=1
"""
TEMPDB = """[TempdbUser]
UserCount=2
FileCount=2
FileSize=4
MinSpillKB=256
MaxSpillKB=1024
"""
COLUMNSTORE = """[ColumnstoreUser]
UserCount=2
MinSegmentKB=1024
MaxSegmentKB=2048
BulkLoadChance=2000
Delay=20
"""

# calm: no users, so every page is written once in each of two cycles and read only in their final audits.
# once: the same with one cycle.
# busy: all users work, and files shrink and grow.
# backup, tempdb, columnstore: only that user.
CONFIGS = {
    "calm": dict(memory=32, cycles=2, duration=1, users=0, size=8, max_size=8, increment=0, shrinks="FALSE", log_size=4),
    "once": dict(memory=32, cycles=1, duration=1, users=0, size=8, max_size=8, increment=0, shrinks="FALSE", log_size=4),
    "busy": dict(memory=16, cycles=1, duration=4, users=1, size=12, max_size=24, increment=1, shrinks="TRUE", log_size=8),
    "backup": dict(memory=16, cycles=1, duration=2, users=1, size=8, max_size=8, increment=0, shrinks="FALSE", log_size=8, more=BACKUP),
    "tempdb": dict(memory=16, cycles=1, duration=2, users=0, size=4, max_size=4, increment=0, shrinks="FALSE", log_size=4, more=TEMPDB),
    "columnstore": dict(memory=16, cycles=1, duration=2, users=0, size=12, max_size=12, increment=0, shrinks="FALSE", log_size=8,
                        more=COLUMNSTORE),
}


def knows_findings_file(program):
    text = subprocess.run([program, "run", "--help"], capture_output=True, text=True, check=False).stdout
    return "--findings" in text


def normal(finding):
    """Converts a line of --findings to the form that judge.py expects."""
    other = finding.get("other")
    return {"class": finding["class"], "operation": finding["operation"], "warning": finding["warning"], "transient": finding["transient"], "file": os.path.basename(finding["file"]),
            "page": finding["page"], "offset": finding["byte_offset"], "size": finding.get("size", 8192),
            "other": (os.path.basename(other["file"]), other["page"]) if other else None,
            "text": finding.get("description", "") or json.dumps(finding)[:400]}


def from_text(output):
    """Without --findings: takes the findings from the terminal output."""
    findings = []
    for match in FINDING.finditer(output):
        offset = int(match["offset"], 16)
        other = ELSEWHERE.search(match["text"])
        size = re.search(r" of (\d+) bytes ", match["text"])
        findings.append({"class": match["class"], "operation": "sync" if match["text"].startswith("A sync") else "", "warning": False,
                         "transient": bool(TRANSIENT.search(match["text"])) if not match["path"].endswith(".ldx") else None,
                         "file": os.path.basename(match["path"]), "page": int(match["page"] or offset // 8192), "offset": offset,
                         "size": int(size[1]) if size else 8192, "other": (FILES[int(other[2]) - 1], int(other[1])) if other else None, "text": match["text"]})
    return findings


class Run:
    def __init__(self, program, mount, engine, seed, config="calm", direct=True, timeout_s=90, duration=None, write_through=True):
        self.program, self.mount, self.folder = program, mount, mount.folder
        values = dict(CONFIGS[config], folder=mount.path, log=os.path.join(self.folder, "log.xml"), direct="TRUE" if direct else "FALSE",
                      write_through="TRUE" if write_through else "FALSE")
        values["more"] = values.get("more", "").format(folder=mount.path)
        if duration:
            values["duration"] = duration
        self.config = os.path.join(self.folder, "run.ini")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(**values))
        self.command = [program, "run", "--cfg", self.config, "--engine", engine, "--seed", str(seed), "--no-progress"]
        self.findings_path = os.path.join(self.folder, "findings.jsonl")
        self.has_file = knows_findings_file(program)
        if self.has_file:
            self.command += ["--findings", self.findings_path]
        self.timeout_s = timeout_s
        self.is_late = False
        self.output, self.exit_code, self.findings = "", None, []

    def go(self):
        process = subprocess.Popen(self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            self.output, _ = process.communicate(timeout=self.timeout_s)
        except subprocess.TimeoutExpired:
            # A request that never comes back blocks the process until the mount ends.
            self.is_late = True
            self.mount.__exit__(None, None, None)
            try:
                self.output, _ = process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                self.output, _ = process.communicate()
        self.exit_code = process.returncode
        if self.has_file and os.path.exists(self.findings_path):
            with open(self.findings_path, encoding="utf-8") as lines:
                self.findings = [normal(json.loads(line)) for line in lines]
        else:
            self.findings = from_text(self.output)
        return self
