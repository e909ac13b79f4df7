#!/usr/bin/env bash
# speed_test.sh STATIC DYNAMIC: for the same pages the static program takes at most 1 % more instructions than the one with shared
# libraries. Rehearsals are what is counted: they make, write, read and verify pages by the whole path, and are functions of their seeds, so
# both programs do the same. Instructions by callgrind, because times depend on the machine and on who else uses it.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# instructions PROGRAM SEEDS
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=out "$1" rehearse --seed 1 --seeds "$2" 2>&1 >text | sed -n 's/.*Collected : //p'
    sed 's/ in [0-9.]* s.*//' text >"text of $2"
}

# each PROGRAM: of one rehearsal; what a program does once does not count.
each() {
    local few many
    few=$(instructions "$1" 1)
    many=$(instructions "$1" 7)
    echo $(((many - few) / 6))
}

static=$(each "$1")
mv 'text of 7' 'text of the static program'
dynamic=$(each "$2")
cmp -s 'text of 7' 'text of the static program' || { echo 'the two programs do not do the same'; exit 1; }
printf '%s instructions for a rehearsal by the static program, %s by the dynamic one (%+.2f %%)\n' "$static" "$dynamic" \
    "$(awk -v a="$static" -v b="$dynamic" 'BEGIN { print (a / b - 1) * 100 }')"
[ "$static" -gt 0 ] && [ $((static * 100)) -le $((dynamic * 101)) ]
