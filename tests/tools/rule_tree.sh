# For tests of the checks in tools/: a small sound tree, to which one file is added at a time; the check must print exactly what is
# expected. To be sourced; the caller sets `check` to the script under test.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tools" && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/ioproof rules.XXXXXX")
trap 'rm -rf "$tree"' EXIT
failed=0
cases=0

# write FILE LINE...: writes a file of the tree with these lines.
write() {
    local file=$tree/$1
    shift
    mkdir -p "$(dirname "$file")"
    printf '%s\n' "$@" >"$file"
}

complain() {
    printf 'FAILED: %s\n' "$1"
    printf '%s\n' "$output" | sed 's/^/    it said: /'
    failed=1
}

# reports TEXT FILE LINE...: with FILE in the tree the check must fail, and one line of its output must begin with TEXT.
reports() {
    local expected=$1 file=$2 output
    shift 2
    write "$file" "$@"
    cases=$((cases + 1))
    if output=$("$tools/$check" "$tree" 2>&1); then complain "$file: passed, '$expected' was expected"
    elif ! text=$expected awk 'index($0, ENVIRON["text"]) == 1 { found = 1 } END { exit !found }' <<<"$output"; then
        complain "$file: '$expected' was expected"
    fi
    rm "$tree/$file"
}

# accepts FILE LINE...: with FILE in the tree the check must pass and print nothing.
accepts() {
    local file=$1 output
    shift
    write "$file" "$@"
    cases=$((cases + 1))
    output=$("$tools/$check" "$tree" 2>&1) || complain "$file: failed, nothing was expected"
    [ -z "$output" ] || complain "$file: nothing was expected"
    rm "$tree/$file"
}

# warns TEXT FILE LINE...: with FILE in the tree the check must pass, and its output must begin with TEXT.
warns() {
    local expected=$1 file=$2 output
    shift 2
    write "$file" "$@"
    cases=$((cases + 1))
    output=$("$tools/$check" "$tree" 2>&1) || complain "$file: a warning was expected, no failure"
    [ "${output#"$expected"}" != "$output" ] || complain "$file: '$expected' was expected"
    rm "$tree/$file"
}

finish() {
    [ "$failed" -eq 0 ] && printf 'all %d cases as expected\n' "$cases"
    exit "$failed"
}
