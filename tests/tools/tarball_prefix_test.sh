#!/usr/bin/env bash
# Checks that the tarball's install.sh writes a systemd template that starts the installed program, whatever the prefix is called.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'tarball_prefix_test: %s\n' "$1" >&2
    [ ! -s "$work/output" ] || cat "$work/output" >&2
    exit 1
}

# A program that prints its path and its words stands for ioproof.
mkdir -p "$work"/tarball/{bin,lib/systemd/system,share/ioproof/samples} "$work/data"
cp "$root/deploy/tarball/install.sh" "$work/tarball/"
cp "$root/deploy/systemd/ioproof-soak@.service" "$work/tarball/lib/systemd/system/"
cp "$root/samples/soak.toml" "$work/tarball/share/ioproof/samples/"
printf '#!/bin/sh\nprintf "%%s\\n" "$0" "$@"\n' >"$work/tarball/bin/ioproof"
chmod 755 "$work/tarball/bin/ioproof"

install() { "$work/tarball/install.sh" --prefix "$@" >"$work/output" 2>&1; }

# Runs the template's command as systemd does: with its lines joined, and $ for $$.
start() {
    local command
    command=$(sed -n "/^ExecStart=/,/'$/p" "$1/lib/systemd/system/ioproof-soak@.service" |
        sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' | sed -e "s/^ExecStart=.bin.sh -c '//" -e "s/'$//" -e 's/\$\$/$/g')
    (cd "$work/data" && IOPROOF_SOAK='-size 16' sh -c "$command") >"$work/output" 2>&1
}

for name in plain 'a,b' 'R&D' 'a|b;c' 'two words' 'a#b*(c)'; do
    prefix=$work/$name
    install "$prefix" || fail "$name: is not installed"
    start "$prefix" || fail "$name: the template's command fails"
    [ "$(cat "$work/output")" = "$(printf '%s\n' "$prefix/bin/ioproof" run -cfg "$prefix/share/ioproof/samples/soak.toml" -dir \
        "$work/data" --no-progress -size 16)" ] || fail "$name: the template starts something else"
    install "$prefix" --uninstall || fail "$name: is not removed"
    [ -z "$(ls -A "$prefix")" ] || fail "$name: files are left"
done

for name in 'a\b' 'a"b' "a'b" 'a$b' 'a`b' 'a%b' $'a\nb'; do
    if install "$work/$name"; then fail "$name: is not refused"; fi
    grep -qF 'are not allowed' "$work/output" || fail "$name: the reason is missing"
    [ ! -e "$work/$name" ] || fail "$name: something was installed"
done
