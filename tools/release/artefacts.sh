#!/usr/bin/env bash
# artefacts.sh BUILD OUT: packs the static program that was built in BUILD into OUT: tar.gz, .deb, .rpm, a container image,
# ioproof.spdx.json, SHA256SUMS. All packed files are dated by the commit and owned by root, so that the same commit gives the same bytes
# wherever it is built. Needs cmake, dpkg-deb, rpmbuild, buildah, python3.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
build=$(cd "$1" && pwd -P)
out=$(mkdir -p "$2" && cd "$2" && pwd -P)
version=$("$build/ioproof" --version | sed -n '1s/^ioproof \([0-9.]*\).*/\1/p')
[ -n "$version" ] || { echo "artefacts.sh: $build/ioproof does not tell its version" >&2; exit 1; }
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export LC_ALL=C TZ=UTC
umask 022

# Removes an earlier release. The folder is the caller's choice, so anything else in it is somebody's, and SHA256SUMS would list it.
clear_out() {
    local own=('(' -name ioproof -o -name 'ioproof-*' -o -name 'ioproof_*.deb' -o -name SHA256SUMS ')' -type f) foreign
    foreign=$(find "$out" -mindepth 1 -maxdepth 1 ! '(' "${own[@]}" ')' -print -quit)
    [ -z "$foreign" ] || { echo "artefacts.sh: $foreign is not of a release; nothing was changed: name an empty folder" >&2; exit 1; }
    find "$out" -mindepth 1 -maxdepth 1 "${own[@]}" -delete
}

clear_out
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Creates the contents of the packages, below /usr.
stage() {
    cmake --install "$build" --prefix "$work/root/usr" --strip >/dev/null
    local doc=$work/root/usr/share/doc/ioproof
    mkdir -p "$work/root/usr/lib/systemd/system"
    cp "$root/deploy/systemd/ioproof-soak@.service" "$work/root/usr/lib/systemd/system/"
    cp "$root/CHANGELOG.md" "$doc/"
    python3 "$root/tools/release/licences.py" --isal "$build/isal/LICENSE" "$root/LICENSE" >"$doc/copyright"
    python3 "$root/tools/release/spdx.py" --version "$version" --program "$work/root/usr/bin/ioproof" >"$out/ioproof-$version.spdx.json"
    cp "$out/ioproof-$version.spdx.json" "$doc/ioproof.spdx.json"
    find "$work/root" -type d -exec chmod 755 {} +
    find "$work/root" -type f -exec chmod 644 {} +
    chmod 755 "$work/root/usr/bin/ioproof"
    set_times "$work/root"
}

set_times() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

tarball() {
    local name=ioproof-$version-linux-x86_64
    cp -a "$work/root/usr" "$work/$name"
    cp "$root/deploy/tarball/install.sh" "$root/README.md" "$root/CHANGELOG.md" "$work/$name/"
    cp "$work/root/usr/share/doc/ioproof/copyright" "$work/$name/LICENSE"
    set_times "$work/$name"
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
}

deb() {
    local tree=$work/deb
    cp -a "$work/root" "$tree"
    gzip -9n "$tree"/usr/share/man/man*/*
    { printf 'ioproof (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n' "$version"
      printf ' -- The ioproof developers <ioproof@localhost.localdomain>  %s\n' "$(date -R -d "@$SOURCE_DATE_EPOCH")"; } |
        gzip -9n >"$tree/usr/share/doc/ioproof/changelog.gz"
    mkdir -p "$tree/DEBIAN" "$tree/usr/share/lintian/overrides"
    cp "$root/deploy/debian/lintian-overrides" "$tree/usr/share/lintian/overrides/ioproof"
    chmod 644 "$tree/usr/share/lintian/overrides/ioproof"
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
    sed -e "s/@VERSION@/$version/" -e "s/@SIZE_KB@/$(du -sk --apparent-size "$work/root" | cut -f1)/" \
        "$root/deploy/debian/control.in" >"$tree/DEBIAN/control"
    chmod 644 "$tree"/DEBIAN/*
    set_times "$tree"
    # xz, because dpkg of Debian 11 and Ubuntu 20.04 cannot read newer formats.
    dpkg-deb --root-owner-group -Zxz --build "$tree" "$out/ioproof_${version}_amd64.deb" >/dev/null
}

rpm_package() {
    local tree=$work/rpm-root
    cp -a "$work/root" "$tree"
    gzip -9n "$tree"/usr/share/man/man*/*
    set_times "$tree"
    sed -e "s/@VERSION@/$version/g" -e "s,@ROOT@,$tree," -e "s/@DATE@/$(date -d "@$SOURCE_DATE_EPOCH" '+%a %b %d %Y')/" \
        "$root/deploy/rpm/ioproof.spec.in" >"$work/ioproof.spec"
    rpmbuild -bb --quiet --target x86_64 --define "_topdir $work/rpm" --define "_rpmdir $work/rpm/out" --define "_buildhost ioproof" \
        --define 'use_source_date_epoch_as_buildtime 1' --define 'clamp_mtime_to_source_date_epoch 1' \
        --define '_binary_payload w6.xzdio' --define '__os_install_post %{nil}' --define '_build_id_links none' \
        --define 'debug_package %{nil}' --buildroot "$work/rpm-build" "$work/ioproof.spec" >"$work/rpm.log" 2>&1 || {
        cat "$work/rpm.log" >&2
        exit 1
    }
    cp "$work"/rpm/out/x86_64/*.rpm "$out/"
}

stage
tarball
deb
rpm_package
bash "$root/deploy/image/build.sh" "$work/root/usr/bin/ioproof" "$root/samples" "$work/root/usr/share/doc/ioproof/copyright" "$version" \
    "$out/ioproof-$version-image.tar"
cp "$work/root/usr/bin/ioproof" "$out/ioproof"
(cd "$out" && sha256sum -- * >SHA256SUMS)
