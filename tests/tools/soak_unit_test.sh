#!/usr/bin/env bash
# The systemd template for soak runs must begin a new run, which deletes what it finds, only where nothing of an earlier one is left.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'soak_unit_test: %s\n' "$1" >&2
    exit 1
}

# A program that prints its words stands for ioproof.
printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >"$work/ioproof"
chmod 755 "$work/ioproof"

# The template's command as systemd runs it: with its lines joined, and $ for $$.
command=$(sed -n "/^ExecStart=/,/'$/p" "$root/deploy/systemd/ioproof-soak@.service" |
    sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' | sed -e "s/^ExecStart=.bin.sh -c '//" -e "s/'$//" -e 's/\$\$/$/g' \
    -e "s,/usr/bin/ioproof,$work/ioproof,")

# continues FILE...: whether the command continues with these files.
continues() {
    rm -rf "$work/data"
    mkdir "$work/data"
    (cd "$work/data" && touch -- "$@" .other && IOPROOF_SOAK='' sh -c "$command") >"$work/output" || fail 'the command fails'
    grep -qx run "$work/output" || fail 'the command starts something else'
    grep -qx -e --resume "$work/output"
}

if continues; then fail 'the first run is to continue with nothing'; fi
continues sqliosim.mdx sqliosim.ldx || fail 'a run does not continue with its files'
continues sqliosim.mdx || fail 'where the storage has lost the log file, a new run deletes the data file'
continues sqliosim.ldx || fail 'where the storage has lost the data file, a new run deletes the log file'
