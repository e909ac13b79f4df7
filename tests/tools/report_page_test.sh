#!/usr/bin/env bash
# report_page_test.sh: checks that a verification's page shows what the ledger demands, and no undefined values. Skipped (77) without a
# browser or the program.
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
"$program" run -dir . -size 8 -d 1 -q --ledger ledger >run.txt 2>&1
"$program" verify -dir . -q --ledger ledger --html verify.html >verify.txt 2>&1
timeout 60 "$browser" --headless --no-sandbox --disable-gpu --dump-dom "file://$folder/verify.html" >dom.html 2>/dev/null
cells=$(grep -o '<td[^>]*>[^<]*</td>' dom.html)
grep -q 'What the ledger or witness demands</h3>' dom.html || { echo "FAILED: the page does not show the ledger"; exit 1; }
if grep -E '>(NaN|undefined|null|\[object Object\])</td>' <<<"$cells"; then
    echo "FAILED: the page shows values that are none"
    exit 1
fi
echo "ok: the page of a verification"
