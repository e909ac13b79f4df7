#!/usr/bin/env bash
# isal.sh FOLDER: builds FOLDER/libisal.a, which the distribution does not provide, from the distribution's own source package, in the
# version of the installed libisal-dev. Needs apt-get, nasm and make; fetches the source once. Prints nothing on success.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
version=$(dpkg-query -W -f '${Version}' libisal-dev)
[ "$(cat "$folder/version" 2>/dev/null)" = "$version" ] && [ -f "$folder/libisal.a" ] && exit
. /etc/os-release

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial"
keyring=/usr/share/keyrings/$ID-archive-keyring.gpg
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" "Codename: $VERSION_CODENAME" 2>/dev/null | head -n 1)
component=main
[ "$ID" = debian ] || component='main universe'
[ -n "$mirror" ] || { echo "isal.sh: apt-get knows no mirror of $VERSION_CODENAME: run apt-get update" >&2; exit 1; }
printf 'deb-src [signed-by=%s] %s %s %s\n' "$keyring" "$mirror" "$VERSION_CODENAME" "$component" \
    >"$work/list"
sources() {
    (cd "$work" && apt-get -qq -o Dir::Etc::SourceList="$work/list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root "$@") >>"$work/log" 2>&1
}
if ! { sources update && sources source --download-only "libisal2=$version"; }; then
    cat "$work/log" >&2
    echo "isal.sh: could not fetch the source package of libisal2 $version" >&2
    exit 1
fi
mkdir "$work/isa-l"
tar -xf "$work"/*.orig.tar.* -C "$work/isa-l" --strip-components=1

# Builds only CRC-32C, which is all that ioproof uses. Without debug information, so that the archive contains no folder names or times and
# is the same wherever it is built.
if ! make -C "$work/isa-l" -f Makefile.unx units=crc DEBUG_nasm= DEBUG= lib >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
fi
cp "$work/isa-l/bin/isa-l.a" "$folder/libisal.a"
cp "$work/isa-l/LICENSE" "$folder/LICENSE"
printf '%s\n' "$version" >"$folder/version"
