#!/usr/bin/env bash
# tarball_install_test.sh: checks that install.sh can be repeated and undone if it could not write a file.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() {
    printf 'tarball_install_test: %s\n' "$1" >&2
    exit 1
}

mkdir -p "$work/tar/bin" "$work/tar/share/doc" "$work/tar/share/ioproof/samples" "$work/tar/lib/systemd/system"
cp "$root/deploy/tarball/install.sh" "$work/tar/"
echo 'ExecStart=/usr/bin/ioproof run' >"$work/tar/lib/systemd/system/ioproof-soak@.service"
echo first >"$work/tar/bin/ioproof"
echo first >"$work/tar/share/doc/large"
echo first >"$work/tar/share/ioproof/samples/quick.ini"
sh "$work/tar/install.sh" --prefix "$prefix" >/dev/null || fail 'install.sh'
grep -q "ExecStart=$prefix/bin/ioproof" "$prefix/lib/systemd/system/ioproof-soak@.service" || fail 'the unit does not name the program'

# The next version has one more file, and no file may become as large as that.
echo second >"$work/tar/bin/more"
head -c 100000 /dev/zero >"$work/tar/share/doc/large"
cut_off() { (ulimit -c 0 -f 16 && sh "$work/tar/install.sh" --prefix "$prefix") >/dev/null 2>&1; }
if cut_off; then fail 'a file was not complete, and the exit code is 0'; fi
[ "$(cat "$prefix/share/doc/large")" = first ] || fail 'what could not be replaced is not as it was'
[ -z "$(find "$prefix" -name '*.ioproof-new')" ] || fail 'half a file is left'
sh "$work/tar/install.sh" --prefix "$prefix" >/dev/null || fail 'install.sh cannot be repeated'
cmp -s "$work/tar/share/doc/large" "$prefix/share/doc/large" || fail 'the second try left a file as it was'
rm -rf "$prefix"
if cut_off; then fail 'a file was not complete in a new folder, and the exit code is 0'; fi
sh "$work/tar/install.sh" --prefix "$prefix" --uninstall >/dev/null || fail 'half an installation cannot be removed'
[ -z "$(find "$prefix" -mindepth 1 2>/dev/null)" ] || fail "--uninstall leaves $(find "$prefix" -mindepth 1 | head -n 3)"
