#!/usr/bin/env bash
# speed_test.sh STATIC DYNAMIC: compares page_cost (tests/bench) as built for a release and with shared libraries. In the static one no part
# of the path may take more than 1 % more instructions per page. Counts instructions with callgrind, because times depend on the machine and
# its load. Exit code 77 without valgrind.
set -euo pipefail
command -v valgrind >/dev/null || { echo 'skipped: valgrind is not installed'; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# instructions PROGRAM PART ROUNDS
instructions() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/out" "$1" "$2" "$3" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}

# each PROGRAM PART: instructions of one round, without one-time work.
each() {
    local few many
    few=$(instructions "$1" "$2" 64)
    many=$(instructions "$1" "$2" 320)
    echo $(((many - few) / 256))
}

failed=0
for part in path read scatter write make verify; do
    static=$(each "$1" "$part")
    dynamic=$(each "$2" "$part")
    printf '        %-8s %8d instructions static, %8d dynamic (%+.2f %%)\n' "$part" "$static" "$dynamic" \
        "$(awk -v a="$static" -v b="$dynamic" 'BEGIN { print (a / b - 1) * 100 }')"
    [ "$static" -gt 0 ] && [ $((static * 100)) -le $((dynamic * 101)) ] || failed=1
done
exit "$failed"
