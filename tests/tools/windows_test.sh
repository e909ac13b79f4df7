#!/usr/bin/env bash
# tools/windows.sh must find everything specific to Linux, except in the files that docs/windows.md names. Skipped without mingw-w64.
check=windows.sh
. "$(dirname "${BASH_SOURCE[0]}")/rule_tree.sh"
if ! command -v x86_64-w64-mingw32-g++-posix >/dev/null; then
    echo 'skipped: mingw-w64 is not installed'
    exit 77
fi

# finds TEXT FILE LINE...: with FILE in the tree the check must fail, and its output must contain TEXT.
finds() {
    local expected=$1 file=$2 output
    shift 2
    write "$file" "$@"
    cases=$((cases + 1))
    if output=$("$tools/$check" "$tree" 2>&1); then complain "$file: passed, '$expected' was expected"
    elif [[ $output != *"$expected"* ]]; then complain "$file: '$expected' was expected"
    fi
    rm "$tree/$file"
}

write docs/windows.md '| `ums/io/of_linux.cpp` | something else |'
write ums/io/of_linux.cpp '#include <sys/uio.h>' 'iovec piece;'
write ums/io/good.cpp '#include <fmt/format.h>' '#include <string>' 'std::string good() { return fmt::format("{}", 1); }'

accepts sim/a.cpp '#include <cerrno>' 'int is_full() { return ENOSPC; }'
finds 'sim/a.cpp:2' sim/a.cpp '#include <cerrno>' 'int is_stale() { return ESTALE; }'
finds 'sys/uio.h' ums/io/other.cpp '#include <sys/uio.h>'
finds 'unistd_of' reports/a.cpp 'int value = unistd_of;'
finds 'gmtime_r' config/a.cpp '#include <ctime>' 'std::tm* when(const std::time_t* at, std::tm* fields) { return ::gmtime_r(at, fields); }'
accepts cli/a.cpp '#include <sys/uio.h>'
finds 'docs/windows.md: ums/io/gone.cpp: there is no such file' docs/windows.md '| `ums/io/gone.cpp` | nothing |'
finish
