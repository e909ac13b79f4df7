#!/usr/bin/env python3
"""The --json file of a campaign must follow docs/powertest.schema.json. The "cut" is a kill -9. Exit code 77: skipped."""
import json
import pathlib
import subprocess
import sys
import tempfile

from schema import check_schema

program, folder = sys.argv[1:3]
with tempfile.TemporaryDirectory(dir=folder) as place:
    command = [program, "powertest", "-dir", ".", "--state", "state", "--cycles", "2", "--least", "1", "--most", "1", "--cut",
               "kill -9 $IOPROOF_RUN_PID", "--json", "report.json", "--", "-size", "8"]
    done = subprocess.run(command, cwd=place, timeout=200, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout
    report = json.loads((pathlib.Path(place) / "report.json").read_text())
    check_schema("powertest", report, version=2)
    assert report["verdict"] == "PASS" and report["cuts"] == 2, report
