#!/usr/bin/env bash
# old_kernels.sh PROGRAM CACHE: boots kernels from 4.18 (the oldest supported) on, and runs the static program on their ext4, with whatever
# io_uring they have; on 6.8 also with io_uring disabled. Uses QEMU, which also emulates the oldest supported CPU. Fetches the kernels once,
# into CACHE: Debian's from the mirror of apt-get, Ubuntu's from IOPROOF_UBUNTU_MIRROR. Skips kernels that cannot be fetched or booted, and
# says so. Needs apt-get, busybox-static, qemu-system-x86, e2fsprogs.
set -euo pipefail
program=$(realpath "$1")
cache=$(mkdir -p "$2" && cd "$2" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debian=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sed -n '1s,/*$,,p')/pool/main/l
ubuntu=${IOPROOF_UBUNTU_MIRROR:+$IOPROOF_UBUNTU_MIRROR/pool/main/l}

fail() {
    printf 'FAILED  %s\n' "$1" >&2
    tail -n 40 "$work/console" >&2
    exit 1
}

# fetch ADDRESS SHA256: unpacks the package into $work/kernel. Uses apt-helper, which knows apt-get's proxies.
fetch() {
    local file=$cache/${1##*/}
    if ! sha256sum --status -c - 2>/dev/null <<<"$2  $file"; then
        rm -f "$file"
        /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$1" "$file" "SHA256:$2" >"$work/console" 2>&1 || return 1
    fi
    rm -rf "$work/kernel"
    dpkg-deb -x "$file" "$work/kernel"
}

# Writes the init program, which prints the exit code of each step on a separate line.
write_init() {
    cat >"$work/root/init" <<'END'
#!/busybox sh
/busybox mkdir -p /dev /proc /sys /data
/busybox mount -t devtmpfs dev /dev
/busybox mount -t proc proc /proc
/busybox mount -t sysfs sys /sys
for module in virtio virtio_ring virtio_pci virtio_blk; do
    [ ! -e /modules/$module.ko ] || /busybox insmod /modules/$module.ko
done
for disk in /dev/sda /dev/vda; do
    [ ! -b $disk ] || /busybox mount -t ext4 $disk /data
done
step() { name=$1; shift; "$@"; echo "step $name: $?"; }
echo "kernel $(/busybox uname -r)"
step preflight /ioproof preflight /data
step run /ioproof run -dir /data -size 16 -d 2 --no-progress -log /data/log.xml --json /data/results.json
step verify /ioproof verify -dir /data
step resume /ioproof run --resume -dir /data -size 16 -d 1 --no-progress -log /data/log.xml
if [ -e /proc/sys/kernel/io_uring_disabled ]; then echo 2 >/proc/sys/kernel/io_uring_disabled; fi
step demanded /ioproof run -dir /data/ring -size 8 -d 1 --no-progress --engine uring -log /data/log.xml
step narrow /ioproof run -dir /data/ring -size 8 -d 1 --no-progress -log /data/log.xml
/busybox umount /data
/busybox poweroff -f
END
    chmod 755 "$work/root/init"
}

root_file_system() {
    rm -rf "$work/root"
    mkdir -p "$work/root/modules"
    cp "$program" "$work/root/ioproof"
    cp "$(command -v busybox)" "$work/root/busybox"
    find "$work/kernel" \( -name virtio.ko -o -name virtio_ring.ko -o -name virtio_pci.ko -o -name virtio_blk.ko \) \
        -exec cp -t "$work/root/modules" {} +
    write_init
    (cd "$work/root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initrd"
    rm -f "$work/disk"
    truncate -s 256M "$work/disk"
    mkdir -p "$work/disk.root/ring"
    mke2fs -q -t ext4 -d "$work/disk.root" "$work/disk"
}

# Nehalem has exactly x86-64-v2: it is the oldest CPU that the program supports. Without KVM, which may be present but not work.
boot() {
    # Ubuntu's kernels have IDE drivers built in, but ship those of virtio in another package.
    local disk=ide
    [ ! -e "$work/root/modules/virtio_blk.ko" ] || disk=virtio
    { timeout 300 qemu-system-x86_64 -machine pc -accel tcg -cpu Nehalem -smp 2 -m 768 -nodefaults -display none -no-reboot -serial stdio \
        -drive "file=$work/disk,if=$disk,format=raw,cache=writeback" -kernel "$(find "$work/kernel/boot" -name 'vmlinuz-*')" \
        -initrd "$work/initrd" -append 'console=ttyS0 quiet panic=-1 no_timer_check' </dev/null 2>&1 || true; } |
        tr -d '\r' >"$work/console"
}

# kernel NAME ENGINE ADDRESS SHA256 REASON: ENGINE is what a run reports as its engine, REASON why the last two runs do not use io_uring, or
# empty if they do.
kernel() {
    local name=$1 engine=$2 begin=$SECONDS step
    case $3 in /*) echo "skipped: kernel $name: IOPROOF_UBUNTU_MIRROR is not set"; return ;; esac
    fetch "$3" "$4" || { echo "skipped: kernel $name cannot be fetched: $(tail -n 1 "$work/console")"; return; }
    root_file_system
    boot
    grep -q "^kernel $name" "$work/console" || { echo "skipped: kernel $name does not boot here: $(tail -n 1 "$work/console")"; return; }
    if ! grep -q '^step narrow: ' "$work/console" && [ "$SECONDS" -ge $((begin + 300)) ]; then
        echo "skipped: kernel $name is too slow here"
        return
    fi
    for step in run verify resume; do grep -qx "step $step: 0" "$work/console" || fail "$step on Linux $name"; done
    [ "$(grep -c '^PASS' "$work/console")" -ge 3 ] || fail "the result on Linux $name"
    grep -q "^  engine  *$engine" "$work/console" || fail "the engine on Linux $name is not said to be '$engine'"
    if [ -z "$5" ]; then
        for step in demanded narrow; do grep -qx "step $step: 0" "$work/console" || fail "$step on Linux $name"; done
    else
        # If io_uring is demanded but missing, the run does not fall back to another engine, but says why.
        grep -qx 'step demanded: 3' "$work/console" && grep -q "^ioproof: .*$5" "$work/console" || fail "--engine uring on Linux $name"
        grep -qx 'step narrow: 0' "$work/console" && grep -q "^  engine  *threads (io_uring is not used because .*$5" "$work/console" ||
            fail "the run without io_uring on Linux $name"
    fi
    passed=$((passed + 1))
    printf 'ok      the program on Linux %s (%d s)\n' "$name" $((SECONDS - begin))
}

passed=0
for tool in qemu-system-x86_64 busybox mke2fs dpkg-deb; do
    command -v "$tool" >/dev/null || { echo "skipped: old kernels: $tool is not installed"; exit 77; }
done
kernel 4.18 'threads (' "$ubuntu/linux-signed-hwe/linux-image-4.18.0-25-generic_4.18.0-25.26~18.04.1_amd64.deb" \
    5aa66e12e25b091d0cedb1eeaa66235bdb7d9889a484daec1f9e908d92beddef 'older than Linux 5.1'
kernel 5.4 'threads (' "$ubuntu/linux-signed/linux-image-5.4.0-26-generic_5.4.0-26.30_amd64.deb" \
    5f619f3d9123f40603a164c6358fdcb1485b742c9bf497099bcc642076e0e782 'too old'
# Debian's 5.10 has the io_uring of 5.15.
kernel 5.10 'uring$' "$debian/linux-signed-amd64/linux-image-5.10.0-32-cloud-amd64_5.10.223-1_amd64.deb" \
    fb4a1229952d892138532c1d9f40a7fd0bd408e4dcf969c12e4524b6a89fdcb8 ''
kernel 6.8 'uring$' "$ubuntu/linux-signed/linux-image-6.8.0-31-generic_6.8.0-31.31_amd64.deb" \
    fd2ed023c84163e62c73d3b7b613a9b004bd31e335641c23d42bd249e489fbe6 'io_uring_disabled is 2'
[ "$passed" -gt 0 ] || exit 77
