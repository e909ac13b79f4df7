#!/usr/bin/env bash
# roots_test.sh RELEASE [SUITE...]: installs, uses and removes the .deb in fresh roots of other distributions (bullseye, trixie, focal,
# noble), with their own dpkg. Takes minutes, and needs root, debootstrap and the distributions' archives. Skips distributions that cannot
# be fetched, and says so.
set -euo pipefail
release=$(cd "$1" && pwd -P)
shift
[ $# -gt 0 ] || set -- bullseye trixie focal noble
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'FAILED  %s\n' "$1" >&2
    tail -n 20 "$work/output" >&2
    exit 1
}

# A debootstrap older than noble has no script for it, but Ubuntu's scripts are all the same.
bootstrap() {
    case $1 in
        focal | jammy | noble) set -- --no-check-gpg "$1" "$work/$1" '' focal ;;
        *) set -- "$1" "$work/$1" ;;
    esac
    debootstrap --variant=minbase "$@" >"$work/output" 2>&1
}

for suite; do
    root=$work/$suite
    bootstrap "$suite" || { echo "skipped: $suite: $(tail -n 1 "$work/output")"; continue; }
    cp "$release"/ioproof_*_amd64.deb "$root/tmp/"
    mkdir "$root/data"
    chroot "$root" sh -c 'dpkg -i /tmp/ioproof_*.deb' >"$work/output" 2>&1 || fail "$suite: dpkg -i"
    chroot "$root" ioproof run -dir /data -size 8 -d 1 --no-progress -log /data/log.xml >"$work/output" 2>&1 || fail "$suite: a run"
    grep -q '^PASS' "$work/output" || fail "$suite: a run"
    chroot "$root" ioproof verify -dir /data -log /data/log.xml >"$work/output" 2>&1 || fail "$suite: verify"
    chroot "$root" dpkg -P ioproof >"$work/output" 2>&1 || fail "$suite: dpkg -P"
    [ -z "$(find "$root/usr" -name '*ioproof*' -o -name 'sqliosim*' 2>/dev/null)" ] || fail "$suite: files are left"
    printf 'ok      a root of %s: installed, used, removed\n' "$suite"
    rm -rf "$root"
done
