#!/usr/bin/env bash
# smoke_test.sh RELEASE: checks that every artefact of `./dev release` in this folder is what it claims to be, can be installed, works, and
# can be removed without a trace. Needs root (chroot, packages of other distributions); says what cannot be tested here.
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

# passes COMMAND...: whether a short run with this command ends with PASS.
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
        for call in io_uring_setup io_uring_enter io_uring_register statx preadv2,pwritev2 \
            io_uring_setup,preadv2,pwritev2 getrandom,copy_file_range \
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
    local prefix=$work/prefix file
    mkdir "$work/tarball"
    tar -C "$work/tarball" --strip-components=1 -xf "$release"/ioproof-*-linux-x86_64.tar.gz
    "$work/tarball/install.sh" --prefix "$prefix" >"$work/output" 2>&1 || fail 'install.sh'
    data=$work/tarball passes "$prefix/bin/ioproof" || fail 'the program that install.sh installed'
    for file in man/man1/ioproof.1 man/man5/ioproof.conf.5 bash-completion/completions/ioproof zsh/vendor-completions/_ioproof \
        fish/vendor_completions.d/ioproof.fish ioproof/samples/quick.ini doc/ioproof/README.md doc/ioproof/docs/configuration.md \
        doc/ioproof/deploy/systemd/ioproof-witness.service; do
        [ -s "$prefix/share/$file" ] || fail "share/$file of install.sh"
    done
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

# In a root that holds only the package manager's own files.
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

contained() {
    podman "${storage[@]}" --runtime "$runtime" run --rm --pull never --network none --ulimit nofile=1024:1024 \
        --ulimit nproc=4096:4096 "$@"
}

# The image's layers hold only what the README says.
image_contents() {
    python3 - "$release"/ioproof-*-image.tar >"$work/output" 2>&1 <<'END' || fail 'the contents of the image'
import io
import json
import sys
import tarfile

with tarfile.open(sys.argv[1]) as archive:
    def blob(entry):
        return archive.extractfile("./blobs/" + entry["digest"].replace(":", "/")).read()

    index = json.load(archive.extractfile("./index.json"))
    manifest = json.loads(blob(index["manifests"][0]))
    names = set()
    owners = {}
    for layer in manifest["layers"]:
        with tarfile.open(fileobj=io.BytesIO(blob(layer))) as tree:
            names |= {name.strip("./").split("/")[0] for name in tree.getnames()}
            owners |= {entry.name.strip("./"): entry.uid for entry in tree.getmembers()}
assert owners["data"] == 65532, owners["data"]
assert names - {""} == {"ioproof", "samples", "licences", "data"}, names
END
    passed 'image: the program, the samples and the licences'
}

# Starts the image as an orchestrator does: with an unknown user id, a read-only root and no capabilities.
image() {
    local archive=("$release"/ioproof-*-image.tar) size storage name runtime
    runtime=$(command -v runc || command -v crun || true)
    command -v podman >/dev/null && [ -n "$runtime" ] || { echo 'skipped: podman, or runc and crun, are not installed'; return; }
    size=$(stat -c %s "${archive[0]}")
    [ "$size" -lt 15000000 ] || fail "the image has $size bytes"
    storage=(--root "$work/containers" --runroot "$work/containers-run" --storage-driver vfs --cgroup-manager cgroupfs)
    podman "${storage[@]}" load -i "${archive[0]}" >"$work/output" 2>&1 || fail 'podman load'
    name=$(sed -n 's/^Loaded image: //p' "$work/output")
    mkdir -m 777 "$work/volume"
    if ! contained --user 54321:54321 --read-only --cap-drop ALL -v "$work/volume:/data" "$name" run -dir /data -size 4 -d 1 --no-progress \
        --json /data/results.json >"$work/output" 2>&1; then
        grep -q '^PASS\|^FAIL\|^ioproof' "$work/output" && fail 'the image'
        echo "skipped: containers cannot be started here: $(tail -n 1 "$work/output")"
        return
    fi
    [ -s "$work/volume/results.json" ] || fail 'the image wrote no results.json'
    grep -qF '"PASS"' "$work/volume/results.json" || fail 'the verdict in results.json of the image'
    # In a container, too, the exit code distinguishes a missing folder from a bad disk.
    code=0
    contained --user 54321:54321 --read-only --cap-drop ALL -v "$work/volume:/data" "$name" run -dir /nowhere -d 1 >"$work/output" 2>&1 ||
        code=$?
    [ "$code" -eq 3 ] || fail "the exit code of the image for a folder that is not there: $code"
    job_of_kubernetes
    passed "image ($((size / 1000000)) MB): a random user id, a read-only root, no capability; the Job of Kubernetes"
}

# Runs the Job's own container, with its arguments, user, root and capabilities, but with a folder as the claim and a shorter run.
job_of_kubernetes() {
    /usr/bin/python3 - "$here/../../deploy/kubernetes/job.yaml" "$name" >"$work/job" <<'END' || fail 'deploy/kubernetes/job.yaml'
import sys
import yaml

claim, job = yaml.safe_load_all(open(sys.argv[1], encoding="utf-8"))
pod = job["spec"]["template"]["spec"]
container, = pod["containers"]
security = container["securityContext"]
assert claim["kind"] == "PersistentVolumeClaim" and pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
assert job["spec"]["backoffLimit"] == 0 and pod["restartPolicy"] == "Never"
assert pod["securityContext"]["runAsNonRoot"] and not security["allowPrivilegeEscalation"]
image = container["image"]
assert sys.argv[2].endswith(image), (image, sys.argv[2])
words = ["--user", "{runAsUser}:{runAsGroup}".format(**pod["securityContext"])]
words += ["--read-only"] if security["readOnlyRootFilesystem"] else []
words += ["--cap-drop=" + word for word in security["capabilities"]["drop"]]
arguments = container["args"]
arguments[arguments.index("-size") + 1] = "8"
arguments[arguments.index("-d") + 1] = "1"
print("\n".join(words))
print("--")
print("\n".join(arguments))
END
    local words arguments
    mapfile -t words < <(sed '/^--$/,$d' "$work/job")
    mapfile -t arguments < <(sed '1,/^--$/d' "$work/job")
    rm -rf "$work/volume"
    mkdir -m 777 "$work/volume"
    contained "${words[@]}" --security-opt no-new-privileges -v "$work/volume:/data" "$name" "${arguments[@]}" >"$work/output" 2>&1 ||
        fail "the Job's container"
    grep -q '^PASS' "$work/output" && [ -s "$work/volume/results.json" ] || fail "the Job's container: no result"
}

# The packagers' own tools must report no errors.
checkers() {
    if command -v lintian >/dev/null; then
        lintian --allow-root --fail-on error "$release"/ioproof_*_amd64.deb >"$work/output" 2>&1 || fail 'lintian'
    else
        echo 'skipped: lintian is not installed'
    fi
    if command -v rpmlint >/dev/null; then
        rpmlint -c "$here/../../deploy/rpm/rpmlint.toml" "$release"/ioproof-*.rpm >"$work/output" 2>&1 || fail 'rpmlint'
        ! grep -q ' E: ' "$work/output" || fail 'rpmlint'
    else
        echo 'skipped: rpmlint is not installed'
    fi
    if command -v kubernetes-validate >/dev/null; then
        kubernetes-validate --strict "$here/../../deploy/kubernetes/job.yaml" >"$work/output" 2>&1 || fail 'kubernetes-validate'
    else
        echo 'skipped: kubernetes-validate is not installed (PyPI)'
    fi
    python3 - "$release" >"$work/output" 2>&1 <<'END' || fail 'the SPDX list'
import glob
import hashlib
import json
import sys

path, = glob.glob(sys.argv[1] + "/*.spdx.json")
document = json.load(open(path, encoding="utf-8"))
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
names = {package["SPDXID"]: package for package in document["packages"]}
program = hashlib.sha256(open(sys.argv[1] + "/ioproof", "rb").read()).hexdigest()
assert names["SPDXRef-ioproof"]["checksums"][0]["checksumValue"] == program, "it is of another program"
linked = {relation["relatedSpdxElement"] for relation in document["relationships"] if relation["relationshipType"] == "STATIC_LINK"}
assert linked == set(names) - {"SPDXRef-ioproof"} and len(linked) >= 12
assert all(package["versionInfo"] and package["licenseDeclared"] for package in names.values())
END
    passed 'lintian, rpmlint, SPDX, the Job: no errors'
}

# Tests the packages' systemd template without systemd: takes its command, kills it in the middle as a power cut would, and starts it again.
soak_unit() {
    local unit=$here/../../deploy/systemd/ioproof-soak@.service command pid code wait_s i
    if command -v systemd-analyze >/dev/null; then
        mkdir -p "$work/units"
        sed "s,/usr/bin/ioproof,$release/ioproof," "$unit" >"$work/units/ioproof-soak@.service"
        systemd-analyze verify --man=no --recursive-errors=no "$work/units/ioproof-soak@.service" >"$work/output" 2>&1 ||
            fail 'systemd-analyze'
        [ ! -s "$work/output" ] || fail 'systemd-analyze has something to say'
    else
        echo 'skipped: systemd-analyze is not installed'
    fi
    # Expands the command as systemd does: joins lines, and replaces $$ by $.
    command=$(sed -n "/^ExecStart=/,/'$/p" "$unit" | sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' |
        sed -e "s/^ExecStart=.bin.sh -c '//" -e "s/'$//" -e 's/\$\$/$/g' -e "s,/usr/bin/ioproof,$release/ioproof," \
            -e "s,/usr/share/ioproof/samples,$here/../../samples,")
    # soak OUTPUT: starts the command as systemd does, in the background.
    soak() {
        (cd "$work/soak" && IOPROOF_SOAK='-size 16' exec /bin/sh -c "$command") >"$1" 2>&1 &
        pid=$!
    }
    # A run that is killed before its first change leaves nothing to resume, so later attempts wait longer.
    for wait_s in 4 10 30 60; do
        rm -rf "$work/soak"
        mkdir "$work/soak"
        soak "$work/output"
        sleep "$wait_s"
        kill -9 "$pid"
        wait "$pid" 2>/dev/null || true
        soak "$work/output"
        for ((i = 0; i < 600; ++i)); do
            grep -q 'continues as incarnation\|nothing to' "$work/output" && break
            sleep 0.1
        done
        sleep 1
        kill -INT "$pid" 2>/dev/null || true
        code=0
        wait "$pid" || code=$?
        grep -q 'continues as incarnation 2' "$work/output" && break
    done
    grep -q 'continues as incarnation 2' "$work/output" || fail 'the soak run does not continue with the files that it finds'
    [ "$code" -eq 130 ] || fail "the soak run that was stopped returns $code"
    grep -q '^INCOMPLETE: The run was stopped before its end' "$work/output" || fail 'the soak run that was stopped tells no result'
    passed 'the systemd template: a soak run, killed, continues'
}

# Runs beside the other tests, because the kernels take longest and mostly wait.
bash "$here/old_kernels.sh" "$release/ioproof" "$release/../kernels" >"$work/kernels" 2>&1 &
kernels=$!
sums
static_program
(narrow_kernels)
tarball
deb
rpm_package
checkers
soak_unit
image_contents
image
code=0
wait "$kernels" || code=$?
cat "$work/kernels"
[ "$code" -eq 0 ] || [ "$code" -eq 77 ] || exit 1
