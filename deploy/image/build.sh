#!/usr/bin/env bash
# build.sh PROGRAM SAMPLES LICENCE VERSION OUT: builds the image OUT (an OCI archive), which holds only the static program, its samples and
# the licences. Needs buildah, but no network and no running container: nothing is executed. Everything in it is dated SOURCE_DATE_EPOCH, so
# the same program gives the same image.
set -euo pipefail
program=$1 samples=$2 licence=$3 version=$4 out=$5
: "${SOURCE_DATE_EPOCH:?}"
work=$(mktemp -d)
container=
trap 'buildah rm "$container" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
storage=(--root "$work/storage" --runroot "$work/run")
buildah() { command buildah "${storage[@]}" "$@"; }

# Readable by every user, because the orchestrator may run the container as any.
mkdir -p "$work/tree/samples" "$work/tree/licences" "$work/volume/data"
cp "$program" "$work/tree/ioproof"
cp "$samples"/* "$work/tree/samples/"
gzip -9n <"$licence" >"$work/tree/licences/copyright.gz"
chmod 755 "$work/tree/ioproof"
find "$work/tree" "$work/volume" -type d -exec chmod 755 {} +
find "$work/tree" -type f ! -name ioproof -exec chmod 644 {} +
find "$work/tree" "$work/volume" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +

container=$(buildah from scratch)
buildah copy --quiet "$container" "$work/tree" / >/dev/null
# A volume without a name gets the owner that its folder has in the image.
buildah copy --quiet --chown 65532:65532 "$container" "$work/volume" / >/dev/null
buildah config --user 65532:65532 --workingdir /data --entrypoint '["/ioproof"]' --cmd '--help' --volume /data --arch amd64 --os linux \
    --label org.opencontainers.image.title=ioproof --label org.opencontainers.image.version="$version" \
    --label org.opencontainers.image.licenses=MIT --created-by ioproof "$container"
buildah commit --quiet --format oci --timestamp "$SOURCE_DATE_EPOCH" "$container" "oci:$work/image:ioproof:$version" >/dev/null
tar -C "$work/image" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=gnu \
    -cf "$out" .
