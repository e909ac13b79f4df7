'use strict';
// Several hosts as one result: a row for each, all of them on one time axis.
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const names = ['read', 'write', 'third', 'fourth', 'fifth'];
const grades = {PASS: 'good', FAIL: 'poor', INCOMPLETE: 'fair'};
const classNames = {read: 'reads', scatter_read: 'scatter reads', write: 'writes', gather_write: 'gather writes', log_flush: 'log flushes'};
const verdict = {judgement: data.verdict, reasons: [data.headline].concat(data.remarks).map(text => ({text}))};
const signed = us => (us < 0 ? '-' : '+') + duration(Math.abs(us));
const offset = host => host.clock_offset_us === null ? 'not measured' : `${signed(host.clock_offset_us)} (± ${duration(host.clock_error_us)})`;
const percentile = (latency, percent) => latency.count ? duration(latency.percentiles_ns.find(pair => pair[0] === percent)[1] / 1000) : '-';
const end = data.duration_us / 1e6;

// --- the time axis ---
const points = (host, of) => {
  const s = host.series;
  return s.start_us.map((us, i) => ({x: (us + s.duration_us[i] / 2) / 1e6, y: of(s, i, s.duration_us[i] / 1e6)})).filter((point, i) => s.duration_us[i] >= 5e4 && point.y !== null);
};
// When the colors run out, the lines of further hosts are dashed.
const hostLine = (host, i, of) => line(host.name, names[i % names.length], points(host, of), {borderDash: i < names.length ? [] : [2 * Math.floor(i / names.length), 3]});
const marks = {id: 'findings', afterDatasetsDraw(chart) {
  const {ctx, chartArea: area, scales: {x}} = chart;
  ctx.save();
  ctx.strokeStyle = color('poor');
  ctx.setLineDash([3, 3]);
  data.findings.forEach(each => {
    const at = x.getPixelForValue(each.at_us / 1e6);
    if (at < area.left || at > area.right) return;
    ctx.beginPath(); ctx.moveTo(at, area.top); ctx.lineTo(at, area.bottom); ctx.stroke();
  });
  ctx.restore();
}};
const timeChart = (name, unit, of) => chart(name, () => ({type: 'line', data: {datasets: data.hosts.map((host, i) => hostLine(host, i, of))}, plugins: [marks],
  options: base(data.clock === 'witness' ? 'seconds since the first host began, by the witness\'s clock' : 'seconds since the first one began, by the hosts\' own clocks', unit,
    {x: {min: 0, max: end, ticks: {color: color('soft'), maxTicksLimit: 8}}})}));
const rate = (value, s) => s ? value / s / 1048576 : null;
const average = (time, n) => n ? time / n / 1000 : null;
// When each host worked: a bar from its begin to its end.
const spans = () => chart('At work', () => ({type: 'bar', data: {labels: data.hosts.map(host => host.name),
  datasets: [{label: 'at work', data: data.hosts.map(host => [host.begin_us / 1e6, (host.begin_us + host.duration_us) / 1e6]), backgroundColor: data.hosts.map(host => color(grades[host.judgement])), borderSkipped: false, barPercentage: .6}]},
  options: {animation: false, responsive: true, maintainAspectRatio: false, indexAxis: 'y', plugins: {legend: {display: false}},
    scales: {x: axis('seconds', {min: 0, max: end}), y: {ticks: {color: color('text')}, grid: {display: false}}}}}));

// --- tables ---
const hostsTable = () => table(['host', 'result', 'began', 'took', 'clock of the witness minus the host\'s', 'reads verified', 'read', 'written', 'read p99', 'log flush p99', 'findings', 'warnings', 'file'], data.hosts.map(host => [host.name,
  el('td', {class: 'mark ' + grades[host.judgement]}, host.judgement), signed(host.begin_us), duration(host.duration_us), offset(host), count(host.counters.pages_verified), size(host.counters.read_bytes), size(host.counters.written_bytes),
  percentile(host.latency.read, 99), percentile(host.latency.log_flush, 99), count(host.finding_count), count(host.warning_count), host.results_file]), 1);
const latencyTable = () => {
  const rows = Object.entries(data.latency).filter(([, latency]) => latency.count);
  return rows.length ? table(['all hosts', 'count', 'average', 'min', '50 %', '90 %', '99 %', '99.9 %', '99.99 %', 'max'], rows.map(([name, l]) => [classNames[name], count(l.count), duration(l.mean_ns / 1000), duration(l.min_ns / 1000),
    ...[50, 90, 99, 99.9, 99.99].map(percent => percentile(l, percent)), duration(l.max_ns / 1000)])) : el('p', {class: 'soft'}, 'No requests.');
};
const factText = fact => fact ? [el('p', {class: 'mark'}, fact.title), fact.hint ? el('p', {class: 'next'}, fact.hint) : null] : null;
// A log has no pages: its page is 0, its offset is not.
const placeOf = f => !['read', 'write'].includes(f.operation) ? f.operation : f.byte_offset === f.page * 8192 ? `page ${f.page} (offset 0x${f.byte_offset.toString(16)})` : `offset 0x${f.byte_offset.toString(16)}`;
const findingsSection = () => data.findings.length ? section('Findings',
  el('p', {}, data.findings.length < data.finding_count ? `${count(data.finding_count)} findings; ${count(data.findings.length)} follow, with the first of each kind.` : `${count(data.finding_count)} finding${data.finding_count === 1 ? '' : 's'}, by time.`),
  kindsTable(data.findings_by_kind, data.finding_count, entry => entry.kind),
  data.findings.map(each => el('details', {class: 'finding'}, el('summary', {}, `${signed(each.at_us)}  ${data.hosts[each.host].name}: ${each.finding.class.replaceAll('_', ' ')}, ${each.finding.file}, ${placeOf(each.finding)}`),
    factText(each.finding.group_fact), el('p', {}, each.finding.description), el('ul', {class: 'remarks'}, each.finding.reasoning.map(reason => el('li', {}, reason))),
    each.finding.dump ? el('p', {class: 'soft'}, 'Dump on that host: ' + each.finding.dump) : null))) : section('Findings', el('p', {class: data.counters.pages_verified ? 'good' : 'soft'}, data.counters.pages_verified ? 'None.' : 'None, but no page was read back.'));
const sums = () => table(['together', ''], [['page reads verified', count(data.counters.pages_verified)], ['reads', count(data.counters.reads + data.counters.scatter_reads)], ['writes', count(data.counters.writes + data.counters.gather_writes)],
  ['read', size(data.counters.read_bytes)], ['written', size(data.counters.written_bytes)], ['requests that took over 15 s', count(data.counters.long_ios)], ['throttled', count(data.counters.throttle_count)]]);
const facts = [['begun', data.begin_utc.slice(0, 19).replace('T', ' ') + ' UTC'], ['times by', data.clock === 'witness' ? 'the clock of the witness' : 'the hosts\' own clocks, which were not compared'],
  ...(data.group ? [['group', data.group.name], ['plan', data.group.plan], ['ranks', String(data.group.of)], ['witness', data.group.witness]] : []), ['version', 'ioproof ' + data.program_version]];

page.append(verdictBox(verdict, `Can this storage be trusted with SQL Server? ${data.hosts.length} results as one`), el('dl', {class: 'facts'}, facts.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
  section('Hosts', hostsTable()),
  section('One time axis', el('p', {class: 'soft'}, 'A dashed red line is a finding.'), el('div', {class: 'charts'}, spans(),
    timeChart('Read', 'MB/s', (s, i, seconds) => rate(s.read_bytes[i], seconds)), timeChart('Written', 'MB/s', (s, i, seconds) => rate(s.written_bytes[i], seconds)),
    timeChart('Average latency of reads', 'ms', (s, i) => average(s.read_time_us[i], s.reads[i])), timeChart('Average latency of writes', 'ms', (s, i) => average(s.write_time_us[i], s.writes[i])))),
  section('Together', sums(), latencyTable()), findingsSection());
draw();
