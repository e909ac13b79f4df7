# shellcheck shell=bash
# Compilers, folders and configurations of the builds. Sourced by ./dev.

# Prints the first of the commands that is installed.
first_of() {
    local name
    for name in "$@"; do
        if command -v "$name" >/dev/null; then
            printf '%s' "$name"
            return
        fi
    done
    die "none of these is installed: $*" 3
}

clang_tool() { first_of "$1$(clang_version)" "$1"; }

compiler_of() {
    case $1 in
        clang | check-clang) clang_tool clang++ ;;
        *) printf '%s' "${CXX:-g++$(gcc_version)}" ;;
    esac
}

folder_of() {
    case $1 in
        release) printf '%s/build' "$root" ;;
        *) printf '%s/build-%s' "$root" "$1" ;;
    esac
}

# A compiler takes up to 1 GB, so memory limits the number of jobs, too.
jobs() {
    local cpus memory_gb
    cpus=$(nproc)
    memory_gb=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null || true)
    [ -n "$memory_gb" ] || memory_gb=$cpus
    [ "$memory_gb" -ge 1 ] || memory_gb=1
    echo $((cpus < memory_gb ? cpus : memory_gb))
}

# Older versions of ThreadSanitizer cannot handle the addresses that kernels with high-entropy ASLR assign.
without_randomness() {
    if setarch "$(uname -m)" -R true 2>/dev/null; then setarch "$(uname -m)" -R "$@"
    else "$@"
    fi
}

wrapped() {
    local name=$1
    shift
    if [ "$name" = tsan ]; then without_randomness "$@"
    else "$@"
    fi
}

# configure NAME [cmake arguments]: does nothing if the build was already configured with these arguments and has not been moved.
configure() {
    local name=$1 folder arguments wanted
    shift
    folder=$(folder_of "$name")
    arguments=(--preset "$name" "-DCMAKE_CXX_COMPILER=$(compiler_of "$name")" "$@")
    [ "$name" != release ] || [ -z "${IOPROOF_WERROR:-}" ] || arguments+=("-DIOPROOF_WERROR=$IOPROOF_WERROR")
    [ -z "${IOPROOF_UNITY:-}" ] || arguments+=("-DCMAKE_UNITY_BUILD=$IOPROOF_UNITY")
    command -v ccache >/dev/null && arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    wanted="$root ${arguments[*]}"
    [ -f "$folder/build.ninja" ] && [ "$(cat "$folder/.configured" 2>/dev/null)" = "$wanted" ] && return
    mkdir -p "$folder" 2>/dev/null || die "cannot write to $root: please work on a copy of your own" 3
    rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
    if ! (cd "$root" && cmake "${arguments[@]}") >"$folder/configure.log" 2>&1 </dev/null; then
        cat "$folder/configure.log" >&2
        die "could not configure $folder"
    fi
    printf '%s\n' "$wanted" >"$folder/.configured"
}

# compile NAME [target...]: the builds of checks continue after a failure, to show every error.
compile() {
    local name=$1 folder command
    shift
    folder=$(folder_of "$name")
    [ $# -gt 0 ] || set -- all
    command=(cmake --build "$folder" -j "$(jobs)" --target "$@")
    case $name in check-*) command+=(-- -k 0) ;; esac
    if [ -t 2 ]; then
        wrapped "$name" "${command[@]}" </dev/null >&2
        return
    fi
    if ! wrapped "$name" "${command[@]}" </dev/null >"$folder/build.log" 2>&1; then
        grep -v -e '^\[[0-9]*/[0-9]*\] ' -e '^[0-9]* warnings generated' "$folder/build.log" >&2 || true
        return 1
    fi
    grep -F -A5 'warning: ' "$folder/build.log" >&2 || true
}

build() {
    local name=$1
    shift
    say "building $name in $(folder_of "$name")"
    configure "$name"
    compile "$name" "$@" || die "$name does not build"
}

is_build() {
    case ${1:-} in
        release | debug | asan | tsan | clang) return 0 ;;
        *) return 1 ;;
    esac
}

# need_packages_of BUILD [KIND...]
need_packages_of() {
    local name=$1
    shift
    if [ "$name" = clang ]; then need_packages build check "$@"
    else need_packages build "$@"
    fi
}
