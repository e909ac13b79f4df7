#!/usr/bin/env bash
# house_rules.sh [folder]: checks what neither the formatter nor clang-tidy does. Prints file:line and what to do instead. Exit code 1 if a
# rule is broken, 0 if there are only warnings. Needs bash, find and any awk.
set -euo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${1:-$tools/..}"

# Our own files, with or without git: everything that git does not ignore.
our_files() {
    find . \( -path ./.git -o -path './build*' -o -name 'ioproof-quickstart*' \) -prune -o -type f "$@" -print |
        sed 's,^\./,,' | LC_ALL=C sort
}

failures=0

# Text that people write: code, scripts, documents. Test data (*.ini, *.txt beside the tests) is not checked.
our_files \( -name '*.hpp' -o -name '*.cpp' -o -name '*.in' -o -name '*.sh' -o -name '*.awk' -o -name '*.cmake' -o -name CMakeLists.txt \
    -o -name '*.json' -o -name '*.md' -o -name '*.toml' -o -name '*.yml' -o -path ./dev -o -path './.ci/*' -o -name '.clang-*' \
    -o -name .gitignore \) |
    LC_ALL=C awk -f "$tools/text_rules.awk" || failures=1

# The product's own code.
our_files \( -name '*.hpp' -o -name '*.cpp' \) | LC_ALL=C awk -f "$tools/unique_names.awk" -f "$tools/code_rules.awk" || failures=1

# The tour of the code is complete.
if [ -f ARCHITECTURE.md ]; then
    our_files \( -name '*.hpp' -o -name '*.cpp' \) | grep -E '^(ums|sim|config|reports|cli)/' |
        LC_ALL=C awk -f "$tools/tour.awk" ARCHITECTURE.md - || failures=1
fi

exit $failures
