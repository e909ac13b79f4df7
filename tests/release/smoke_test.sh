#!/usr/bin/env bash
# smoke_test.sh RELEASE: every artefact of `./dev release` in this folder is what it says, can be installed, does its work, and goes without
# leaving anything. Needs root (chroot, packages of other distributions); what cannot be tried here is said.
set -euo pipefail
release=$(cd "$1" && pwd -P)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'FAILED  %s\n' "$1" >&2
    [ ! -s "$work/output" ] || tail -n 20 "$work/output" >&2
    exit 1
}
passed() { printf 'ok      %s\n' "$1"; }

# passes COMMAND...: a short run by this program ends with PASS.
passes() {
    "$@" run -dir "${data:-.}" -size 4 -d 1 --no-progress >"$work/output" 2>&1 && grep -q '^PASS' "$work/output"
}

sums() {
    (cd "$release" && sha256sum --quiet -c SHA256SUMS) || fail 'SHA256SUMS'
    passed 'SHA256SUMS'
}

static_program() {
    if ldd "$release/ioproof" 2>&1 | grep -q '=>'; then fail 'the program needs libraries'; fi
    mkdir -p "$work/empty/data"
    cp "$release/ioproof" "$work/empty/"
    data=/data passes chroot "$work/empty" /ioproof || fail 'a run in an empty chroot'
    chroot "$work/empty" /ioproof verify -dir /data >"$work/output" 2>&1 || fail 'verify in an empty chroot'
    chroot "$work/empty" /ioproof preflight /data >"$work/output" 2>&1 || fail 'preflight in an empty chroot'
    grep -q 'not known: the table of mounts' "$work/output" || fail 'preflight without /proc does not say what it cannot look up'
    chroot "$work/empty" /ioproof rehearse --seeds 5 >"$work/output" 2>&1 || fail 'rehearse in an empty chroot'
    passed 'the program in an empty chroot'
}

narrow_kernels() {
    local error call code
    mkdir "$work/narrow"
    cd "$work/narrow"
    for error in ENOSYS EPERM; do
        for call in io_uring_setup io_uring_enter io_uring_register statx preadv2,pwritev2 getrandom,copy_file_range \
            sched_setaffinity,sched_getaffinity membarrier,rseq,openat2 prlimit64,fadvise64,madvise mlock,name_to_handle_at \
            uname,sysinfo,getrusage,prctl; do
            code=0
            passes /usr/bin/python3 -B "$here/without.py" "$error" "$call" "$release/ioproof" || code=$?
            if grep -q '^skipped: ' "$work/output"; then
                cat "$work/output"
                return
            fi
            [ "$code" -eq 0 ] || fail "a run where $call gives $error"
            case $call in
                io_uring_*) grep -q 'engine  *threads (io_uring is not used because' "$work/output" || fail "$call: nothing is said" ;;
            esac
        done
    done
    passed 'the program where system calls are denied'
}

tarball() {
    local prefix=$work/prefix
    mkdir "$work/tarball"
    tar -C "$work/tarball" --strip-components=1 -xf "$release"/ioproof-*-linux-x86_64.tar.gz
    "$work/tarball/install.sh" --prefix "$prefix" >"$work/output" 2>&1 || fail 'install.sh'
    data=$work/tarball passes "$prefix/bin/ioproof" || fail 'the program that install.sh installed'
    "$prefix/bin/sqliosim" --help | grep -q '^Usage: sqliosim' || fail 'sqliosim that install.sh installed'
    grep -q "ExecStart=.*" "$prefix/lib/systemd/system/ioproof-soak@.service" || fail 'the systemd template'
    grep -q "$prefix/bin/ioproof" "$prefix/lib/systemd/system/ioproof-soak@.service" || fail 'the template starts another program'
    "$work/tarball/install.sh" --prefix "$prefix" >"$work/output" 2>&1 || fail 'install.sh over an earlier one'
    "$work/tarball/install.sh" --prefix "$prefix" --uninstall >"$work/output" 2>&1 || fail 'install.sh --uninstall'
    [ -z "$(find "$prefix" -mindepth 1 2>/dev/null)" ] || fail "install.sh --uninstall leaves $(find "$prefix" -mindepth 1 | head -n 3)"
    mkdir -p "$prefix/bin"
    echo mine >"$prefix/bin/ioproof"
    if "$work/tarball/install.sh" --prefix "$prefix" >"$work/output" 2>&1; then fail 'install.sh replaces a file that is not its own'; fi
    [ "$(cat "$prefix/bin/ioproof")" = mine ] && [ "$(find "$prefix" -type f | wc -l)" -eq 1 ] || fail 'install.sh touched a foreign file'
    passed 'tar.gz: installed, used, removed'
}

# A root of nothing but a package manager's own files.
deb() {
    local root=$work/deb
    mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
    touch "$root"/var/lib/dpkg/{status,available}
    dpkg() { command dpkg --root="$root" --force-script-chrootless "$@" >"$work/output" 2>&1; }
    dpkg -i "$release"/ioproof_*_amd64.deb || fail 'dpkg -i'
    mkdir "$root/data"
    data=/data passes chroot "$root" /usr/bin/ioproof || fail 'the program that dpkg installed'
    dpkg -P ioproof || fail 'dpkg -P'
    [ ! -e "$root/usr/bin" ] && [ -z "$(find "$root/usr" -name '*ioproof*' 2>/dev/null)" ] || fail 'dpkg -P leaves files'
    unset -f dpkg
    passed '.deb: installed, used, removed'
}

rpm_package() {
    command -v rpm >/dev/null || { echo 'skipped: rpm is not installed'; return; }
    local root=$work/rpm
    mkdir -p "$root/data"
    rpm --root "$root" --initdb >"$work/output" 2>&1
    rpm --root "$root" -i --nosignature "$release"/ioproof-*.rpm >"$work/output" 2>&1 || fail 'rpm -i'
    data=/data passes chroot "$root" /usr/bin/ioproof || fail 'the program that rpm installed'
    rpm --root "$root" -V --nosignature ioproof >"$work/output" 2>&1 || fail 'rpm -V'
    rpm --root "$root" -e ioproof >"$work/output" 2>&1 || fail 'rpm -e'
    [ -z "$(find "$root/usr" -name '*ioproof*' 2>/dev/null)" ] || fail 'rpm -e leaves files'
    passed '.rpm: installed, used, removed'
}

# As an orchestrator starts it: a user id that nobody knows, a root that cannot be written, no capability.
image() {
    command -v podman >/dev/null && command -v runc >/dev/null || { echo 'skipped: podman and runc are not installed'; return; }
    local archive=("$release"/ioproof-*-image.tar) size storage name
    size=$(stat -c %s "${archive[0]}")
    [ "$size" -lt 15000000 ] || fail "the image has $size bytes"
    storage=(--root "$work/containers" --runroot "$work/containers-run" --storage-driver vfs --cgroup-manager cgroupfs)
    podman "${storage[@]}" load -i "${archive[0]}" >"$work/output" 2>&1 || fail 'podman load'
    name=$(sed -n 's/^Loaded image: //p' "$work/output")
    mkdir -m 777 "$work/volume"
    if ! podman "${storage[@]}" --runtime runc run --rm --pull never --network none --ulimit nofile=1024:1024 --ulimit nproc=4096:4096 \
        --user 54321:54321 --read-only --cap-drop ALL -v "$work/volume:/data" "$name" run -dir /data -size 4 -d 1 --no-progress \
        --json /data/results.json >"$work/output" 2>&1; then
        grep -q '^PASS\|^FAIL\|^ioproof' "$work/output" && fail 'the image'
        echo "skipped: containers cannot be started here: $(tail -n 1 "$work/output")"
        return
    fi
    [ -s "$work/volume/results.json" ] || fail 'the image wrote no results.json'
    passed "image ($((size / 1000000)) MB): a random user id, a read-only root, no capability"
}

sums
static_program
(narrow_kernels)
tarball
deb
rpm_package
image
