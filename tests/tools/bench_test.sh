#!/usr/bin/env bash
# `./dev bench` must measure every row, and its table must show the programs' figures. Here the programs are scripts with known figures.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tools" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

program() {
    cat >"$folder/$1"
    chmod +x "$folder/$1"
}

# Creates its file, as the real program does, and is twice as fast as the others.
program ioproof <<'EOF'
#!/usr/bin/env bash
if [ "$1" = bench ]; then
    case $2 in null:) ;; *) : >>"$2" ;; esac
    echo '{"requests_per_s": 2000, "bytes_per_s": 16384000, "cpu_ns_per_request": 500, "latency_mean_us": 50, "pages_verified": 1,
           "findings": 0, "failure": ""}'
else
    printf '  %s\n' 'initial update 1.0 s - - 100 200 1 -' 'main run 2.0 s 100 200 100 200 1 5,000' 'final audit 1.0 s 100 200 - - - 100'
fi
EOF
program fio <<'EOF'
#!/usr/bin/env bash
for word in "$@"; do case $word in --filename=*) : >>"${word#*=}" ;; esac; done
side='"total_ios": 10, "iops": 1000, "bw_bytes": 8192000, "lat_ns": {"mean": 100000}'
echo "{\"jobs\": [{\"read\": {$side}, \"write\": {$side}}]}"
EOF
program bare_loop <<'EOF'
#!/usr/bin/env bash
echo '{"requests_per_s": 1000, "bytes_per_s": 8192000, "cpu_ns_per_request": 1000}'
EOF

# Skips the rows of two CPUs, which first touch gigabytes of memory.
mkdir "$folder/files" "$folder/fast"
PATH="$folder:$PATH" python3 -B "$tools/bench" --program "$folder/ioproof" --bare-loop "$folder/bare_loop" \
    --group-load none --ram "$folder/files" \
    --disk "$folder/files" --fast-folder "$folder/fast" --size 1 --seconds 1 --rounds 2 \
    --rows path,ram,disk,side,log,initial,final,memory,sparse,fast \
    --json "$folder/bench.json" >"$folder/table" 2>"$folder/errors" || { cat "$folder/errors" "$folder/table"; exit 1; }

python3 - "$folder" <<'EOF'
import json, os, sys
folder = sys.argv[1]
rows = {row["row"]: row for row in json.load(open(folder + "/bench.json"))["rows"]}
assert len(rows) == 56, sorted(rows)
for name, row in rows.items():
    assert "error" not in row, (name, row["error"])
    if row["figure"] in ("requests_per_s", "latency_us"):
        expected = 1.0 if name.endswith("_limit") else 2.0  # the bare loop, with as many requests as fio, in ioproof's place
        assert row["ratio"] == row["ratio_min"] == row["ratio_max"] == expected, (name, row)
        assert row["reached"] == (expected >= row["goal"]), (name, row)
    assert row["cpus"] == ("1" if name.startswith(("fast", "log60", "ram_pinned")) else "all"), (name, row)
assert "cpu_ns" == rows["disk_read_64_cpu"]["figure"] and rows["final_audit"]["ours"] == 200 * 2**20
lines = open(folder + "/table").read().splitlines()
assert len(lines) == len(rows) + 1
# MB as in the report of a run, of which fio knows only the bytes: 8,192,000.
assert [line for line in lines if line.startswith("final audit") and " 200 MB/s " in line and " 8 MB/s " in line], lines
assert abs(rows["final_audit"]["ratio"] - 200 * 2**20 / 8192000) < 1e-9, rows["final_audit"]
assert rows["fast_read_64"]["goal"] == 1.2 and rows["fast_read_64_added"]["peer"] == 500
assert os.listdir(folder + "/files") == os.listdir(folder + "/fast") == [], "files are left behind"
print(f"{len(rows)} rows")
EOF

# A failure in a later round must not disappear behind the rounds before it.
program ioproof_failing <<EOF
#!/usr/bin/env bash
if [ "\$2" = null: ]; then
    if [ -e "$folder/was_called" ]; then echo "a page was wrong" >&2; exit 1; fi
    : >"$folder/was_called"
fi
exec "$folder/ioproof" "\$@"
EOF
status=0
PATH="$folder:$PATH" python3 -B "$tools/bench" --program "$folder/ioproof_failing" --bare-loop "$folder/bare_loop" --group-load none \
    --ram "$folder/files" --disk "$folder/files" --size 1 --seconds 1 --rounds 2 --rows path --json "$folder/failed.json" \
    >"$folder/table" 2>"$folder/errors" || status=$?
[ "$status" = 3 ] || { echo "exit $status after a failure in the second round"; exit 1; }
grep -q 'not measured' "$folder/table" || { cat "$folder/table"; exit 1; }

# A zram device must be taken only if it is free and the user is root, and must always be given back.
mkdir -p "$folder/sys/zram0" "$folder/sys/zram1"
echo 4096 >"$folder/sys/zram0/disksize"
for command in mkfs.xfs mount umount; do
    program "$command" <<EOF
#!/usr/bin/env bash
echo "$command \$*" >>"$folder/commands"
[ ! -e "$folder/refused" ] || [ $command != mount ]
EOF
done
PATH="$folder:$PATH" PYTHONPATH="$tools/bench" python3 -B - "$folder" <<'EOF'
import os, sys
from peers import MB, Failed
from zram import Zram
folder = sys.argv[1]
system = folder + "/sys"

def content(name):
    with open(os.path.join(system, "zram1", name)) as file:
        return file.read()

def give_free():
    with open(system + "/zram1/disksize", "w") as file:
        file.write("0")

def refused(words, **arguments):
    try:
        with Zram(64 * MB, system, **arguments):
            raise SystemExit("not refused: " + words)
    except Failed as error:
        assert words in str(error), error

give_free()
refused("needs root", is_root=False)
assert content("disksize") == "0"
with Zram(64 * MB, system, is_root=True) as mounted:
    assert content("disksize") == str(64 * MB) and os.path.isdir(mounted)
assert content("reset") == "1" and not os.path.exists(mounted)
commands = open(folder + "/commands").read().splitlines()
assert commands == ["mkfs.xfs -q -f /dev/zram1", "mount /dev/zram1 " + mounted, "umount " + mounted], commands
refused("no zram device is free", is_root=True)  # in this fake /sys a reset does not clear the size
give_free()
os.remove(system + "/zram1/reset")
open(folder + "/refused", "w").close()
refused("mount", is_root=True)
assert content("reset") == "1", "given back after a mount that failed"
os.remove(folder + "/refused")
give_free()
os.remove(system + "/zram1/reset")
os.mkdir(system + "/zram1/reset")  # makes the file unwritable
refused("cannot be given back", is_root=True)
print("zram")
EOF
