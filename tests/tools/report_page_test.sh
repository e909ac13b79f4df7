#!/usr/bin/env bash
# report_page_test.sh: the pages of a verification, a measurement and a sweep show what their documents hold, and no value that is none.
# Skipped (77) without a browser or the program.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=${IOPROOF_PROGRAM:-$root/build/ioproof}
browser=$(command -v chromium || command -v chromium-browser || true)
if [[ -z $browser || ! -x $program ]]; then
    echo "skipped: needs chromium and $program"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# check PAGE TEXT...: the page shows each text.
check() {
    local page=$1 text cells
    shift
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=2000 --dump-dom "file://$folder/$page" \
        >dom.html 2>/dev/null
    # What the scripts have made, without the scripts themselves and their data, and the text for browsers that run none.
    sed -e '/<noscript>/,$d' dom.html >shown.html
    for text in "$@"; do
        grep -qF -- "$text" shown.html || { echo "FAILED: $page does not show '$text'"; exit 1; }
    done
    cells=$(grep -oE '<(td|p|h[123]|summary)[^>]*>[^<]*</' shown.html)
    if grep -E 'NaN|undefined|null|\[object Object\]' <<<"$cells"; then
        echo "FAILED: $page shows values that are none"
        exit 1
    fi
    echo "ok: $page"
}

# opened PAGE: the page as a reader sees it who opens each finding, whose details are built only then.
opened() {
    local open='for (const each of document.querySelectorAll("details.finding")) each.open = true;'
    sed -e '/Content-Security-Policy/d' -e "s|</body>|<script>$open</script></body>|" "$1"
}

"$program" run -dir . -size 8 -d 1 -q --ledger ledger >run.txt 2>&1
"$program" verify -dir . -q --ledger ledger --html verify.html --json verify.json >verify.txt 2>&1
check verify.html 'What the ledger or witness demands</h3>'
# A verification of small files: each interval shortened until it is below a millisecond.
sed -E ':again; s/("intervals":\{[^}]*"duration_us":\[[^]]*)[0-9]{4,}/\11/; t again' verify.json >short.json
"$program" report short.json --html short.html >/dev/null
check short.html '>Latency</h3>'
if grep -F '>Over time</h3>' shown.html; then
    echo "FAILED: charts without a point"
    exit 1
fi

# Faults on purpose end the run with 1.
printf '[CONFIG]\nStopOnError=FALSE\n' >go_on.ini
"$program" run -cfg go_on.ini -dir . -size 8 -d 1 -q --inject bit_corruption:0.01 --html rehearsed.html >rehearsed.txt 2>&1 ||
    [[ $? -eq 1 ]]
check rehearsed.html 'REHEARSAL: faults are injected on purpose: bit_corruption:0.01.'
opened rehearsed.html >opened.html
check opened.html '>checksum</dt>' '>wrong</dt>'
if grep -oE '>1 bytes|[ >]1 bits' shown.html; then
    echo "FAILED: a wrong plural"
    exit 1
fi
"$program" run -dir . -size 8 -d 1 -q --inject io_error:0.02 --html failed.html >failed.txt 2>&1 || [[ $? -eq 1 ]]
opened failed.html >opened.html
check opened.html '>error</dt>'
if grep -F '>checksum</dt>' shown.html; then
    echo "FAILED: a request that failed has brought no page"
    exit 1
fi

# Not in the folder of temporary files, which may be in memory, where no disk is.
mkdir -p "$root/build/page_test"
trap 'rm -rf "$folder" "$root/build/page_test"' EXIT
measured=$root/build/page_test/m.mdx
"$program" bench "$measured" --preset oltp --size 8M --depth 8 --threads 2 --seconds 3 --repeat 2 \
    --json oltp.json --html oltp.html >/dev/null
check oltp.html '>2 rounds</h2>' '>Over time</h2>' 'CPUs of the machine' ', reads</td>' 'reads of all rounds</td>' '>Settings</h2>'
"$program" report oltp.json --html again.html
cmp oltp.html again.html
"$program" bench "$measured" --seconds 1 --html own.html >/dev/null
check own.html "Measurement of a run's own path" '>mean latency</td>'
# Through the cache: a disk with 4 KB sectors would refuse these blocks.
"$program" sweep "$measured" --depth 1..4 --block 12800 --buffered --seconds 1 --json sweep.json --html sweep.html >/dev/null
check sweep.html '>Measured</h2>' '>12.5 KB</td>'
"$program" report sweep.json --html sweep_again.html
cmp sweep.html sweep_again.html
