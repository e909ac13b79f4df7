#!/usr/bin/env bash
# instructions.sh PAGE_COST: counts the instructions per page that each part of the path takes, and fails if one takes more than its bound.
# Counts instructions because times depend on the machine and its load. Uses perf if the CPU's counters can be read, otherwise callgrind;
# exit code 77 (skipped) if neither works. docs/performance.md describes the parts.
set -euo pipefail
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

with_callgrind() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/out" "$program" "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}
with_perf() {
    perf stat -x, -e instructions:u -o "$scratch/out" "$program" "$@" >/dev/null 2>&1 || return 0
    sed -n 's/^\([0-9][0-9]*\),.*instructions.*/\1/p' "$scratch/out"
}

count=
for candidate in with_perf with_callgrind; do
    tool=${candidate#with_}
    command -v "${tool/callgrind/valgrind}" >/dev/null || continue
    if [[ $("$candidate" verify 1 || true) =~ ^[0-9]+$ ]]; then
        count=$candidate
        break
    fi
done
if [ -z "$count" ]; then
    echo "skipped: neither perf's instruction counter nor valgrind can be used here"
    exit 77
fi

failed=0
# check PART PAGES MOST: PAGES in a round, MOST instructions per page. Takes the difference of two lengths, so that one-time work does not
# count.
check() {
    local part=$1 pages=$2 most=$3 few=64 many=576 first second each
    first=$("$count" "$part" "$few")
    second=$("$count" "$part" "$many")
    each=$(((second - first) / ((many - few) * pages)))
    if [ "$each" -gt "$most" ] || [ "$each" -le 0 ]; then
        failed=1
        printf 'FAILED  '
    else
        printf 'ok      '
    fi
    printf '%-8s %6d instructions a page, allowed are %d (%s)\n' "$part" "$each" "$most" "${count#with_}"
}

check path 1 1540
check read 1 8200
check scatter 64 4600
check write 1 11300
check make 1 3400
check verify 1 2100
exit "$failed"
