# shellcheck shell=bash
# What the commands of ./dev need from Debian or Ubuntu, and its installation. Sourced by ./dev.

distribution() {
    (. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_CODENAME:-}") || true
}

# The oldest releases need newer compilers than their default, for C++20 coroutines with libstdc++.
gcc_version() { if [ "$(distribution)" = jammy ]; then printf -- '-12'; fi; }
clang_version() {
    case $(distribution) in
        bookworm) printf -- '-16' ;;
        jammy) printf -- '-15' ;;
    esac
}

build_packages() {
    printf '%s\n' "g++$(gcc_version)" cmake ninja-build pkg-config liburing-dev libboost-dev libspdlog-dev libfmt-dev libtomlplusplus-dev \
        libcli11-dev libisal-dev nlohmann-json3-dev libjs-chart.js catch2 libfuse3-dev fuse3 libssl-dev
}

check_packages() {
    local version
    version=$(clang_version)
    printf '%s\n' "clang$version" "clang-tidy$version" "clang-format$version" valgrind
}

# Debian packages mingw-w64's compiler for two threading models; only the posix one has std::thread.
windows_packages() { printf '%s\n' g++-mingw-w64-x86-64-posix libfmt-dev libboost-dev libtomlplusplus-dev libisal-dev nlohmann-json3-dev; }

# Some tests are written in Python; without it they are omitted or skipped.
test_packages() { printf '%s\n' python3 python3-jsonschema e2fsprogs xfsprogs btrfs-progs user-mode-linux; }
bench_packages() { printf '%s\n' fio python3; }
cluster_packages() { printf '%s\n' slurmctld slurmd slurm-client munge glusterfs-server glusterfs-client iproute2; }
release_packages() { printf '%s\n' nasm make rpm buildah python3; }
release_test_packages() {
    printf '%s\n' lintian rpmlint podman runc python3-seccomp python3-yaml python3-venv systemd busybox-static qemu-system-x86 e2fsprogs \
        valgrind
}

# Prints the command that runs others as root: none if we are root, otherwise sudo. Fails if neither is possible.
root_command() {
    [ "$(id -u)" -eq 0 ] && return
    command -v sudo >/dev/null || return 1
    if sudo -n true 2>/dev/null; then printf 'sudo -n'
    elif [ -t 0 ]; then printf 'sudo'
    else return 1
    fi
}

apt() {
    # shellcheck disable=SC2086  # "sudo -n" is two words, or none
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 "$@" >>"$apt_log" 2>&1 </dev/null
}

install_packages() {
    local packages=("$@") missing as_root apt_log
    if ! command -v dpkg-query >/dev/null; then
        command -v cmake >/dev/null && command -v ninja >/dev/null && return
        die "this is neither Debian nor Ubuntu; please install what these packages contain: ${packages[*]}" 3
    fi
    mapfile -t missing < <(printf '%s\n' "${packages[@]}" |
        grep -vxF -f <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^installed //p'))
    [ ${#missing[@]} -gt 0 ] || return 0

    as_root=$(root_command) || die "missing packages; please install them as root: apt-get install ${missing[*]}" 3
    apt_log=$(mktemp)
    say "installing ${#missing[@]} packages: ${missing[*]}"
    if ! apt install --no-install-recommends "${missing[@]}"; then
        say "refreshing the list of packages"
        apt update || true
        if ! apt install --no-install-recommends "${missing[@]}"; then
            tail -n 20 "$apt_log" >&2
            die "could not install them; the complete log is $apt_log" 3
        fi
    fi
    rm -f "$apt_log"
}

# need_packages KIND...: build, check, test, cluster and so on.
need_packages() {
    local kind packages
    mapfile -t packages < <(for kind in "$@"; do "${kind}_packages"; done)
    install_packages "${packages[@]}"
}
