#include "reports/status.hpp"

namespace reports {

std::string status_page() {
    return R"page(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ioproof</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --line: #8884; --accent: #2a78c8; --bad: #c62828; --dim: #777; }
@media (prefers-color-scheme: dark) { :root { --accent: #6db3f2; --bad: #ff6b6b; --dim: #999; } }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem; }
h1 { font-size: 1.3rem; margin: 0; }
.head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1rem; align-items: baseline; }
.dim, .label { color: var(--dim); font-size: .85rem; }
progress { width: 100%; height: .6rem; accent-color: var(--accent); }
.cards { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; }
.card { flex: 1 0 7.5rem; border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; }
.value { font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.bad { color: var(--bad); font-weight: 600; }
.chart { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; margin-bottom: .6rem; }
svg { display: block; width: 100%; height: 6rem; }
polyline { fill: none; stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; white-space: nowrap; padding: .3rem .5rem; }
th, td { border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
#state { margin: .75rem 0; padding: .5rem .75rem; border-radius: .5rem; border: 1px solid var(--bad); }
</style>
</head>
<body>
<div class="head"><h1 id="phase">ioproof</h1><span class="dim" id="run"></span></div>
<progress id="done" max="1" value="0"></progress>
<div class="dim" id="time"></div>
<div id="rehearsal" class="bad" hidden></div>
<div id="state" class="bad" hidden></div>
<noscript><p class="bad">This page shows nothing of the run without JavaScript.</p></noscript>
<div class="cards" id="cards"></div>
<div class="chart"><span class="label">MB/s; highest <span id="mb-max"></span></span>
<svg id="mb" viewBox="0 0 300 100" preserveAspectRatio="none" role="img" aria-label="MB/s"></svg></div>
<div class="chart"><span class="label">requests/s; highest <span id="io-max"></span></span>
<svg id="io" viewBox="0 0 300 100" preserveAspectRatio="none" role="img" aria-label="requests/s"></svg></div>
<div class="scroll"><table>
<thead><tr><th>File</th><th>Average</th><th>Blocks</th></tr></thead>
<tbody id="files"></tbody>
</table></div>
<p class="dim" id="group" hidden></p>
<p class="dim">The same is served as <a href="/status.json">JSON</a> and for <a href="/metrics">Prometheus</a>.</p>
<script>
'use strict';
const at = id => document.getElementById(id);
const count = n => Math.round(n).toLocaleString('en');
const clock = us => {
  const s = Math.floor(us / 1e6), pad = n => String(n).padStart(2, '0');
  return (s >= 3600 ? Math.floor(s / 3600) + ':' : '') + pad(Math.floor(s / 60) % 60) + ':' + pad(s % 60);
};
function size(bytes) {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let i = 0;
  while (bytes >= 1024 && i < units.length - 1) { bytes /= 1024; ++i; }
  return bytes.toLocaleString('en', { maximumFractionDigits: bytes < 10 && i > 0 ? 1 : 0 }) + ' ' + units[i];
}
function card(label, value, bad) {
  const box = document.createElement('div'), name = document.createElement('div'), text = document.createElement('div');
  box.className = 'card'; name.className = 'label'; text.className = bad ? 'value bad' : 'value';
  name.textContent = label; text.textContent = value;
  box.append(name, text);
  return box;
}
function chart(id, samples, key) {
  const highest = Math.max(0, ...samples.map(s => s[key]));
  // The width of a minute at least, then of all that is known.
  const width = Math.max(60, samples.length);
  at(id).setAttribute('viewBox', '0 0 ' + width + ' 100');
  const points = samples.map((s, i) => (width - samples.length + i + .5) + ',' + (98 - 96 * s[key] / (highest || 1)).toFixed(1));
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
  line.setAttribute('points', points.join(' '));
  at(id).replaceChildren(line);
  at(id + '-max').textContent = count(highest);
}
function row(file) {
  const line = document.createElement('tr');
  for (const text of [file.path, (file.average_io_duration_us / 1000).toFixed(1) + ' ms', count(file.request_blocks)]) {
    const cell = document.createElement('td');
    cell.textContent = text;
    line.append(cell);
  }
  return line;
}
function show(s) {
  const last = s.samples[s.samples.length - 1] || { ios_per_second: 0, mb_per_second: 0 };
  const left = s.phase_duration_us > s.phase_elapsed_us ? ', ' + clock(s.phase_duration_us - s.phase_elapsed_us) + ' left' : '';
  at('phase').textContent = s.phase + (s.cycles === 1 ? '' : ', cycle ' + s.cycle + (s.cycles ? ' of ' + s.cycles : ''));
  at('run').textContent = 'ioproof ' + s.ioproof + ', engine ' + s.engine + ', seed ' + s.seed;
  at('time').textContent = clock(s.phase_elapsed_us) + ' in this phase' + left + '; the run began ' + clock(s.run_elapsed_us) + ' ago';
  at('done').value = s.phase_duration_us ? s.phase_elapsed_us / s.phase_duration_us : s.done_fraction;
  at('rehearsal').hidden = !s.rehearsal;
  at('rehearsal').textContent = 'REHEARSAL: faults are injected on purpose: ' + s.rehearsal +
    '. What is found says nothing about the storage.';
  document.title = (s.rehearsal ? 'REHEARSAL, ' : '') + (s.findings ? s.findings + ' FINDINGS, ' : '') + s.phase + ' · ioproof';
  at('cards').replaceChildren(
    card('findings', count(s.findings), s.findings > 0), card('warnings', count(s.warnings)),
    card('pages verified', count(s.pages_verified)),
    card('MB/s', count(last.mb_per_second)), card('requests/s', count(last.ios_per_second)),
    card('transferred', size(s.io_bytes)), card('outstanding', count(s.outstanding_io)), card('throttled', count(s.throttle_count)));
  chart('mb', s.samples, 'mb_per_second');
  chart('io', s.samples, 'ios_per_second');
  at('files').replaceChildren(...s.files.map(row));
  showGroup(s.group);
  const waits = s.long_calls.map(c => c.call + ' of ' + c.path + ' has not returned for ' + clock(c.duration_us) + '.');
  if (s.lost_requests > 0) waits.unshift(count(s.lost_requests) + (s.lost_requests === 1 ? ' request' : ' requests') +
    ' did not come back in two minutes.');
  at('state').hidden = waits.length === 0;
  at('state').textContent = waits.join(' ');
}
function showGroup(g) {
  at('group').hidden = !g;
  if (!g) return;
  at('group').textContent = 'Group ' + g.name + ', ' + g.plan + ', rank ' + g.rank + ' of ' + g.of +
    (g.turns ? ', turn ' + g.turn + ' of ' + g.turns : '') + ': ' +
    g.members.map(m => m.rank + ' ' + m.host + ' ' + m.state).join(', ') +
    (g.missing_ranks.length ? '; MISSING: ' + g.missing_ranks.join(', ') : '');
}
async function refresh() {
  try {
    show(await (await fetch('/status.json', { cache: 'no-store' })).json());
  } catch (error) {
    at('state').hidden = false;
    at('state').textContent = 'The run has ended, or cannot be reached. The page shows the last state that it received.';
  }
  setTimeout(refresh, 1000);
}
refresh();
</script>
</body>
</html>
)page";
}

}  // namespace reports
