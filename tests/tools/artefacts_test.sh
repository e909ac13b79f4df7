#!/usr/bin/env bash
# Checks that the folder of a release is cleared of an earlier release only, and refused if it holds anything else.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'artefacts_test: %s\n' "$1" >&2
    cat "$work/output" >&2
    exit 1
}

# A build that tells its version and cannot be installed: the script ends after it has cleared the folder.
mkdir "$work/build" "$work/release"
printf '#!/bin/sh\necho "ioproof 1.2.3"\n' >"$work/build/ioproof"
chmod 755 "$work/build/ioproof"
pack() {
    if SOURCE_DATE_EPOCH=1 "$root/tools/release/artefacts.sh" "$work/build" "$work/release" >"$work/output" 2>&1; then
        fail 'a build without a program is packed'
    fi
}

earlier=(ioproof ioproof-1.2.2-linux-x86_64.tar.gz ioproof_1.2.2_amd64.deb ioproof-1.2.2-1.x86_64.rpm ioproof-1.2.2.spdx.json SHA256SUMS)
(cd "$work/release" && touch "${earlier[@]}")
for foreign in thesis.txt ioproof-notes/mine .hidden; do
    mkdir -p "$(dirname "$work/release/$foreign")"
    echo mine >"$work/release/$foreign"
    pack
    grep -qF 'is not of a release; nothing was changed' "$work/output" || fail "$foreign: the reason is missing"
    [ "$(cat "$work/release/$foreign")" = mine ] || fail "$foreign: is changed"
    for file in "${earlier[@]}"; do [ -e "$work/release/$file" ] || fail "$foreign: $file is removed"; done
    rm -rf "$work/release/${foreign%%/*}"
done
pack
[ -z "$(ls -A "$work/release")" ] || fail "an earlier release stays: $(ls -A "$work/release")"
