#!/usr/bin/env python3
"""The --json file of a real run must follow docs/results.schema.json. Exit code 77: skipped."""
import base64
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from schema import check_schema

program, folder = sys.argv[1:3]
with tempfile.TemporaryDirectory(dir=folder) as run_folder:
    command = [program, "run", "-dir", ".", "-size", "16", "-d", "2", "--ephemeral", "--quiet", "--json", "results.json", "--html", "results.html"]
    done = subprocess.run(command, cwd=run_folder, timeout=240, capture_output=True, text=True)
    if done.returncode == 3:
        print("skipped:", done.stderr)
        sys.exit(77)
    assert done.returncode == 0, done.stderr
    results = json.loads((pathlib.Path(run_folder) / "results.json").read_text())
    check_schema("results", results, format=2)
    assert results["verdict"]["judgement"] == "PASS", results["verdict"]
    for file in results["files"]:
        total = sum(entry["count"] for entry in file["latency"].values())
        assert total == file["reads"] + file["scatter_reads"] + file["writes"] + file["gather_writes"], file["path"]
        assert str(file["throttle_count"]) in results["text_report"]
    # A browser runs a script of the page only if its hash is in the policy.
    page = (pathlib.Path(run_folder) / "results.html").read_text()
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 3
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page, "a script's hash is not that of the policy"
