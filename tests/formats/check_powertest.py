#!/usr/bin/env python3
"""The --json file of a campaign must follow docs/powertest.schema.json. The "cut" is a kill -9. Exit code 77: skipped."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

program, folder = sys.argv[1:3]
schema = json.loads((pathlib.Path(__file__).parents[2] / "docs/powertest.schema.json").read_text())
with tempfile.TemporaryDirectory(dir=folder) as place:
    command = [program, "powertest", "-dir", ".", "--state", "state", "--cycles", "2", "--least", "1", "--most", "1", "--cut",
               "kill -9 $IOPROOF_RUN_PID", "--json", "report.json", "--", "-size", "8"]
    done = subprocess.run(command, cwd=place, timeout=200, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout
    report = json.loads((pathlib.Path(place) / "report.json").read_text())
    jsonschema.validate(report, schema)
    assert report["verdict"] == "PASS" and report["cuts"] == 2, report
    assert not jsonschema.Draft7Validator(schema).is_valid(dict(report, version=2))
