#!/usr/bin/env bash
# `./dev bench` measures every row, and its table says what the programs said: here they are scripts whose figures are known.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tools" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

program() {
    cat >"$folder/$1"
    chmod +x "$folder/$1"
}

# Makes its file, as the real one does; twice as fast as the others.
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

# Without the rows of two CPUs, which touch gigabytes of memory first.
mkdir "$folder/files"
PATH="$folder:$PATH" python3 -B "$tools/bench" --program "$folder/ioproof" --bare-loop "$folder/bare_loop" --ram "$folder/files" \
    --disk "$folder/files" --size 1 --seconds 1 --rounds 1 --rows path,ram,disk,side,log,initial,final,memory,sparse \
    --json "$folder/bench.json" >"$folder/table" 2>"$folder/errors" || { cat "$folder/errors" "$folder/table"; exit 1; }

python3 - "$folder" <<'EOF'
import json, os, sys
folder = sys.argv[1]
rows = {row["row"]: row for row in json.load(open(folder + "/bench.json"))["rows"]}
assert len(rows) == 30, sorted(rows)
for name, row in rows.items():
    assert "error" not in row, (name, row["error"])
    if row["figure"] in ("requests_per_s", "latency_us"):
        assert row["ratio"] == 2.0 and row["reached"], (name, row)
assert "cpu_ns" == rows["disk_read_64_cpu"]["figure"] and rows["final_audit"]["ours"] == 200e6
assert len(open(folder + "/table").read().splitlines()) == len(rows) + 1
assert os.listdir(folder + "/files") == [], "files are left behind"
print(f"{len(rows)} rows")
EOF
