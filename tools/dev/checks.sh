# shellcheck shell=bash
# The steps of ./dev check. Sourced by ./dev.

# step NAME COMMAND...: reports whether the command succeeded; a failure sets `failed`, and does not end the script.
step() {
    local name=$1 begin=$SECONDS
    shift
    if ("$@"); then printf 'ok      %s (%d s)\n' "$name" $((SECONDS - begin))
    else
        printf 'FAILED  %s (%d s)\n' "$name" $((SECONDS - begin))
        failed=1
    fi
}

cpp_files() {
    local folder
    for folder in ums sim config reports cli tests; do
        [ -d "$root/$folder" ] || continue
        (cd "$root" && find "$folder" -type f \( -name '*.hpp' -o -name '*.cpp' \) -print0)
    done
}

check_scripts() {
    local script
    for script in "$root"/dev "$root"/.ci/run "$root"/tools/*.sh "$root"/tools/dev/*.sh "$root"/tools/release/*.sh \
        "$root"/tests/tools/*.sh "$root"/tests/release/*.sh "$root"/deploy/*/*.sh; do
        bash -n "$script" || return 1
    done
}

# Prints one line for each unformatted file, with the first place.
check_format() {
    local formatter output
    formatter=$(clang_tool clang-format)
    output=$(cpp_files | (cd "$root" && xargs -0 "$formatter" --dry-run -Werror) 2>&1) && return
    printf '%s\n' "$output" | awk -F: '/code should be clang-formatted/ { if (!seen[$1]++) print $1 ":" $2 ": is not formatted"; next }
        / error: |^[^ ]*: / { print }'
    return 1
}

# If the release build treats warnings as errors, it serves as this check, too.
check_gcc() {
    local name=check-gcc
    [ "${IOPROOF_WERROR:-}" != ON ] || name=release
    configure "$name"
    compile "$name" all headers_alone
}

# layers.sh and house_rules.sh check what clang-tidy does not: included .cpp files, unused using-declarations and namespace aliases.
check_clang() {
    configure check-clang "-DIOPROOF_CLANG_TIDY=$(clang_tool clang-tidy)" "-DIOPROOF_TIDY_RULES=$(cksum <"$root/.clang-tidy")"
    compile check-clang files_alone tidy
}

check_clang_fast() {
    configure check-clang
    compile check-clang files_alone
}

# Only a full check installs this compiler, which takes 150 MB.
check_windows() {
    need_packages windows
    "$root/tools/windows.sh"
}
