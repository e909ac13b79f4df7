#!/usr/bin/env bash
# install_test.sh BUILD: checks that `cmake --install` puts everything into a new prefix, and that it works there.
set -euo pipefail
build=$1
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

fail() {
    printf 'install_test: %s\n' "$1" >&2
    exit 1
}

cmake --install "$build" --prefix "$prefix" >/dev/null
for file in bin/ioproof bin/sqliosim bin/diskspd bin/sqlio share/man/man1/ioproof.1 \
    share/man/man1/sqliosim.1 share/man/man1/diskspd.1 share/man/man1/sqlio.1 share/man/man5/ioproof.conf.5 \
    share/bash-completion/completions/ioproof share/bash-completion/completions/sqliosim share/zsh/vendor-completions/_ioproof \
    share/fish/vendor_completions.d/ioproof.fish share/doc/ioproof/README.md share/doc/ioproof/docs/configuration.md \
    share/doc/ioproof/deploy/kubernetes/job.yaml share/doc/ioproof/deploy/slurm/readers.sbatch \
    share/doc/ioproof/deploy/systemd/ioproof-witness.service share/ioproof/samples/quick.ini; do
    [ -s "$prefix/$file" ] || fail "$file is missing or empty"
done

find "$prefix/share/doc" -name '*.md' >"$prefix/pages"
while IFS= read -r page; do
    for target in $(grep -oE '\]\([^)#]+' "$page" | cut -c 3-); do
        [[ $target == http* || -e $(dirname "$page")/$target ]] || fail "${page#"$prefix/"} links to $target, which is not installed"
    done
done <"$prefix/pages"

"$prefix/bin/ioproof" --version | grep -q '^ioproof [0-9]' || fail "ioproof --version does not work"
"$prefix/bin/sqliosim" --help | grep -q '^Usage: sqliosim' || fail "sqliosim is not SQLIOSim's command line"
"$prefix/bin/diskspd" -? | grep -q '^Usage: ioproof diskspd' || fail "diskspd is not DiskSpd's command line"
"$prefix/bin/sqlio" -? | grep -q '^Usage: ioproof sqlio' || fail "sqlio is not SQLIO's command line"
"$prefix/bin/ioproof" config show -cfg "$prefix/share/ioproof/samples/quick.ini" >/dev/null || fail "a sample cannot be read"

# Completions must work, in the shells that are installed here.
bash -n "$prefix/share/bash-completion/completions/ioproof" || fail "the completion of bash has a mistake"
complete_words() {
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ioproof; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$prefix/share/bash-completion/completions/ioproof" "$@"
}
[ "$(complete_words ioproof pref)" = preflight ] || fail "bash does not complete commands"
[ "$(complete_words ioproof run --ephe)" = --ephemeral ] || fail "bash does not complete switches"
[ "$(complete_words sqliosim -cf)" = -cfg ] || fail "bash does not complete sqliosim's switches"
[ "$(complete_words ioproof run --engine th)" = threads ] || fail "bash does not complete values"
[ "$(complete_words ioproof config explain CacheHit)" = CacheHitRatio ] || fail "bash does not complete parameters"
if command -v zsh >/dev/null; then zsh -n "$prefix/share/zsh/vendor-completions/_ioproof" || fail "the completion of zsh has a mistake"; fi
if command -v fish >/dev/null; then
    fish -n "$prefix/share/fish/vendor_completions.d/ioproof.fish" || fail "the completion of fish has a mistake"
fi

# Manual pages must give no warnings.
if command -v groff >/dev/null; then
    for page in man1/ioproof.1 man5/ioproof.conf.5; do
        [ -z "$(groff -man -Tutf8 -Kutf8 -ww -z "$prefix/share/man/$page" 2>&1)" ] || fail "$page has mistakes"
    done
fi
