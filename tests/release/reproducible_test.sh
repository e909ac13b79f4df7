#!/usr/bin/env bash
# reproducible_test.sh [--quick BUILD] RELEASE: builds the same commit again in another folder, and compares every artefact with RELEASE
# byte for byte. --quick compiles only ums, compares its objects with those of BUILD, and packs every artefact again from BUILD's program:
# one minute instead of many. Exit code 77 if there are uncommitted changes, which would not be in the other folder.
set -euo pipefail
quick=
if [ "$1" = --quick ]; then
    quick=$(cd "$2" && pwd -P)
    shift 2
fi
release=$(cd "$1" && pwd -P)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -z "$(git -C "$root" status --porcelain)" ] || { echo 'skipped: there are changes that are not committed'; exit 77; }

# Nothing of the first build may be reused: neither its folder nor its objects in a compiler cache.
export CCACHE_DISABLE=1
other=$work/another/place
git clone -q "$root" "$other"

objects_of_ums() {
    cmake -S "$other" --preset static "-DCMAKE_CXX_COMPILER=$(sed -n 's/^CMAKE_CXX_COMPILER:.*=//p' "$quick/CMakeCache.txt")" \
        "-DIOPROOF_ISAL_ARCHIVE=$quick/isal/libisal.a" >"$work/output" 2>&1 &&
        cmake --build "$other/build-static" --target ioproof_ums >"$work/output" 2>&1 || { cat "$work/output"; exit 1; }
    local object count=0
    while IFS= read -r object; do
        cmp "$quick/$object" "$other/build-static/$object" || exit 1
        count=$((count + 1))
    done < <(cd "$quick" && find CMakeFiles/ioproof_ums.dir -name '*.o')
    [ "$count" -gt 0 ] || { echo 'FAILED  there are no objects to compare' >&2; exit 1; }
}

if [ -n "$quick" ]; then
    objects_of_ums
    "$other/tools/release/artefacts.sh" "$quick" "$work/release"
else
    "$other/dev" release "$work/release" >"$work/output" 2>&1 || { cat "$work/output"; exit 1; }
fi
if ! diff "$release/SHA256SUMS" "$work/release/SHA256SUMS"; then
    echo 'FAILED  the same commit gives other bytes in another folder' >&2
    exit 1
fi
printf 'ok      the same bytes from another folder%s\n' "${quick:+ (the objects of ums, and the packing of all)}"
