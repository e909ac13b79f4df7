#!/usr/bin/env python3
"""`ioproof report` of several real runs must follow docs/merged.schema.json, and its figures must be the sums of the parts. Exit 77:
skipped."""
import json
import pathlib
import subprocess
import sys
import tempfile

from schema import check_schema

program, folder = sys.argv[1:3]


def call(place, *words, code):
    done = subprocess.run([program, *words], cwd=place, timeout=200, capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


with tempfile.TemporaryDirectory(dir=folder) as name:
    place = pathlib.Path(name)
    (place / "results").mkdir()
    for run in ("a", "b", "c"):
        (place / run).mkdir()
        call(place, "run", "-dir", run, "-size", "8", "-d", "1", "--no-progress", "-log", f"{run}.xml", "--json", f"results/{run}.json", code=0)
    parts = [json.loads((place / f"results/{run}.json").read_text()) for run in ("a", "b", "c")]
    text = call(place, "report", "results", "--json", "all.json", "--html", "all.html", code=0).stdout
    assert text.rstrip().splitlines()[-1] and "PASS: all 3 results" in text, text
    assert max(len(line) for line in text.splitlines() if not line.startswith("  ")) <= 82, text
    merged = json.loads((place / "all.json").read_text())
    check_schema("merged", merged, version=2)
    for key, value in merged["counters"].items():
        assert value == sum(file[key] for part in parts for file in part["files"]), key
    for name_of_class, latency in merged["latency"].items():
        counts = {}
        for part in parts:
            for file in part["files"]:
                for low, high, count in file["latency"][name_of_class]["buckets_ns"]:
                    counts[low, high] = counts.get((low, high), 0) + count
        assert {(low, high): count for low, high, count in latency["buckets_ns"]} == counts, name_of_class
        assert latency["count"] == sum(counts.values()), name_of_class
    assert "<!-- ioproof page -->" in (place / "all.html").read_text()[:200]
    # Files given by name give the same result; the same file twice is refused; a single file gives its own report.
    again = call(place, "report", "results/a.json", "results/b.json", "results/c.json", "--json", "-", code=0).stdout
    assert {k: v for k, v in json.loads(again).items()} == merged
    assert "are of the same run" in call(place, "report", "results/a.json", "results/a.json", code=2).stderr
    assert "Stress Test Attempt Complete" in call(place, "report", "results/a.json", code=0).stdout
    assert "already" in call(place, "report", "results/a.json", "--json", "x.json", code=2).stderr
    # A stopped run proves nothing, and one FAIL fails the whole.
    parts[1]["verdict"]["judgement"] = "INCOMPLETE"
    (place / "results/b.json").write_text(json.dumps(parts[1]))
    assert "INCOMPLETE: 1 of 3 results proved nothing" in call(place, "report", "results", code=3).stdout
    parts[2]["verdict"]["judgement"] = "FAIL"
    (place / "results/c.json").write_text(json.dumps(parts[2]))
    assert "FAIL: 1 of 3 results failed." in call(place, "report", "results", code=1).stdout
