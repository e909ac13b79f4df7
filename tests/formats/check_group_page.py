#!/usr/bin/env python3
"""Checks in a browser that each member's page names its group and rank, and says what a reader read. Exit code 77: no browser."""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuse"))
from witness_process import witness

SKIPPED = 77
WANTED = {0: ["group night-1", "plan readers", "rank 0 of 2", "coherence close-to-open"],
          1: ["group night-1", "plan readers", "rank 1 of 2", "coherence close-to-open", "passes", "promised pages"]}


def facts_of(browser, page):
    """The facts that the page's script generated, and the rows of its tables with two columns."""
    dom = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "file://" + page], capture_output=True, text=True,
                         check=True, timeout=120).stdout
    return [f"{name} {value}" for name, value in re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", dom)
            + re.findall(r'<tr><td class="left">([^<]*)</td><td>([^<]*)</td></tr>', dom)]


def run_member(program, folder, switches, rank):
    host = os.path.join(folder, f"host-{rank}")
    os.mkdir(host)
    command = [program, "run", "-dir", os.path.join(folder, "data"), "-size", "4", "-d", "1", "--no-progress", "--html", "r.html", "--json", "r.json",
               *switches, "--group", "night-1", "--rank", str(rank), "--of", "2", "--plan", "readers", "--coherence", "close-to-open"]
    done = subprocess.run(command, cwd=host, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        sys.exit(f"rank {rank} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return host


def check(program, browser, folder):
    os.mkdir(os.path.join(folder, "data"))
    with witness(program, folder) as switches, concurrent.futures.ThreadPoolExecutor() as hosts:
        members = list(hosts.map(lambda rank: run_member(program, folder, switches, rank), WANTED))
    for rank, host in enumerate(members):
        facts = facts_of(browser, os.path.join(host, "r.html"))
        for wanted in WANTED[rank]:
            if not any(fact == wanted or fact.startswith((wanted + ",", wanted + " ")) for fact in facts):
                sys.exit(f"The page of rank {rank} does not say '{wanted}', but: {facts}")
        with open(os.path.join(host, "r.json"), encoding="utf-8") as file:
            if json.load(file)["group"]["rank"] != rank:
                sys.exit(f"r.json of rank {rank} is another rank's")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("folder")
    arguments = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no browser: nothing is checked")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        check(os.path.abspath(arguments.program), browser, folder)


main()
