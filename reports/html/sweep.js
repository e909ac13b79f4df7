'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const names = ['read', 'write', 'third', 'fourth', 'fifth', 'good', 'fair', 'poor'];
const hue = i => names[i % names.length];
const values = (series, of) => series.points.map(p => ({x: p.depth, y: of(p)}));
// Depths usually double: each doubling is as wide as the one before. A tick at each, and nothing beyond them.
const measured = [...new Set(data.points.map(p => p.depth))].sort((a, b) => a - b);
const depths = {type: 'logarithmic', min: measured[0], max: measured[measured.length - 1], ticks: {color: color('soft'), autoSkip: true, callback: value => value},
  afterBuildTicks: axis => { axis.ticks = measured.map(value => ({value})); }};
const curves = (title, unit, of) => chart(title, () => ({type: 'line', data: {datasets: data.series.map((s, i) => line(s.name, hue(i), values(s, of),
  {pointRadius: s.points.map(p => s.has_knee && p.depth === s.knee_depth ? 6 : 2)}))}, options: base('outstanding requests', unit, {x: depths})}));
page.append(section('Sweep', el('p', {}, data.files.join(', ')), el('p', {class: 'soft'}, data.asked.join(' ')),
  data.findings ? el('p', {class: 'poor mark'}, `WRONG: ${counted(data.findings, 'finding')} ended the sweep.`) : null, data.failure ? el('p', {class: 'fair'}, data.failure) : null,
  data.is_complete ? null : el('p', {class: 'fair'}, `Not complete: ${count(data.points.length)} of ${count(data.combinations)} combinations were measured.`),
  data.series.map(s => el('p', {}, el('b', {}, s.name), ': ', s.text))));
page.append(el('div', {class: 'charts'}, curves('Throughput in requests/s', 'requests/s', p => p.requests_per_s), curves('Average latency', 'ms', p => p.latency_mean_us / 1000),
  curves('99.9 % of requests within', 'ms', p => p.latency_p999_us === null ? null : p.latency_p999_us / 1000), curves('Throughput in MB/s', 'MB/s', p => p.bytes_per_s / 1048576)));
page.append(section('Measured', table(['depth', 'threads', 'block', 'writes', 'requests/s', 'MB/s', 'mean', '50 %', '99 %', '99.9 %', 'longest', 'in flight', 'CPU/request', 'busiest CPU'],
  data.series.flatMap(s => s.points.map(p => [p.depth, p.threads, size(p.block_bytes), p.write_percent + ' %', count(p.requests_per_s), (p.bytes_per_s / 1048576).toFixed(1),
    ...[p.latency_mean_us, p.latency_p50_us, p.latency_p99_us, p.latency_p999_us, p.latency_max_us].map(us => us === null ? '-' : time(us * 1000)), p.in_flight.toFixed(1),
    count(p.cpu_ns_per_request) + ' ns', p.cpu_busiest_percent.toFixed(0) + ' %'])), 4)));
page.append(el('p', {class: 'soft'}, 'The knee, a large point, is the last depth before the average latency rises faster than the throughput. In flight: rate times latency (Little).'));
draw();
