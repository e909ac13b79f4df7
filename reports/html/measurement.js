'use strict';
// One measurement: of the storage, by specification ("ioproof measurement"), or of a run's own path ("ioproof bench").
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const own = data.document === 'ioproof bench';
const measured = own || data.duration_ns !== 0;  // or it was stopped during the warm-up
const targets = data.targets || [], rounds = data.rounds, samples = data.samples, total = data.total;
const mb = bytes => (bytes / 1048576).toFixed(1);
const percent = value => value.toFixed(0) + ' %';
const nameOf = (target, i) => [target.class, target.path || `target ${i + 1}`].filter(part => part).join(' ');

// --- what was measured ---
const verdict = data.findings ? ' FAIL' : data.failure || data.stopped || !(own || total) ? ' INCOMPLETE' : '';
const pages = target => (target.verified ? target.pages_verified : 0) + target.pages_read_back;
const verified = own ? (data.verify ? data.pages_verified + data.pages_read_back : 0) : targets.reduce((sum, target) => sum + pages(target), 0);
const notJudged = targets.reduce((sum, target) => sum + target.pages_not_judged, 0);
const rate = own ? data.requests_per_s : total ? total.both.requests_per_s : 0;
const bytes = own ? data.bytes_per_s : total ? total.both.bytes_per_s : 0;
const facts = [data.start_utc ? data.start_utc.slice(0, 19).replace('T', ' ') + ' UTC' : '', data.engine ? 'engine ' + data.engine : '',
  own ? counted(data.cpus, 'CPU') : data.schedulers ? counted(data.schedulers, 'scheduler') : '', data.duration_ns ? `measured for ${(data.duration_ns / 1e9).toFixed(2)} s` : '',
  measured && data.warm_up_s ? `after ${data.warm_up_s} s of warm-up` : '', rounds ? counted(rounds.count, 'round') : ''].filter(part => part).join(', ');
page.append(el('div', {class: 'verdict' + verdict}, el('h1', {}, own ? "Measurement of a run's own path" : 'Measurement'), el('p', {}, own ? data.files.join(', ') : targets.map(nameOf).join(', ')),
  el('p', {class: 'soft'}, facts), own || total && measured ? el('p', {}, el('b', {}, `${count(rate)} requests/s, ${mb(bytes)} MB/s`), rounds && rounds.count > 1 ? ' in the last round' : '') : el('p', {}, `Nothing was measured${rounds && rounds.count ? ' in the last round' : ''}.`),
  data.findings ? el('p', {class: 'poor mark'}, `WRONG: ${counted(data.findings, 'finding')}.`) : null,
  data.failure ? el('p', {class: 'fair'}, data.failure) : null, data.stopped ? el('p', {class: 'fair'}, 'Stopped before its end.') : null,
  data.burst ? el('p', {class: 'fair'}, `After ${count(data.burst.cliff_s)} s the rate fell from ${count(data.burst.before_per_s)} to ${count(data.burst.sustainable_per_s)} requests/s and stayed there, `
    + `as on a disk whose burst credits are used up. ${count(data.burst.sustainable_per_s)} requests/s can be sustained.`) : null,
  el('p', {class: 'soft'}, verified ? `${counted(verified, 'page')} verified` + (notJudged ? `; ${count(notJudged)} not judged: they were being written, or it is not known what they held` : '') + '.' : 'Nothing was verified.')));
for (const limit of data.limits || []) page.append(el('p', {class: limit.outcome === 'kept' ? 'good' : 'poor mark'}, `${limit.expression}: ${limit.outcome}`, limit.where ? `, ${limit.where}` : ''));
if (data.baseline) page.append(el('p', {class: data.baseline.baseline.outcome === 'held' ? 'good' : 'poor mark'}, `Baseline ${data.baseline.before.name}: ${data.baseline.baseline.outcome}`,
  data.baseline.baseline.outcome === 'held' ? '' : '. "ioproof compare" shows both measurements side by side'));

const findings = data.finding_list || [];
if (findings.length) page.append(section('Findings', findings.length < data.findings ? el('p', {class: 'soft'}, `${count(findings.length)} of ${count(data.findings)}, with the first of each kind.`) : null,
  table(['kind', 'file', 'offset', ''], findings.map(f => [f.class.replaceAll('_', ' '), f.file, count(f.byte_offset), el('td', {class: 'wide'}, f.description || f.error || '')]), 2)));

// --- figures ---
// As reports::has_requests_beyond.
const hasBeyond = (latency, p) => latency.count * (100 - p) / 100 >= 1 - 1e-8;
const latencyCells = latency => {
  const within = p => {
    const pair = latency.percentiles_ns.find(each => each[0] === p);
    return pair && hasBeyond(latency, p) ? time(pair[1]) : '-';
  };
  return latency.count ? [time(latency.mean_ns), time(latency.deviation_ns), within(50), within(90), within(99), within(99.9), within(99.99), time(latency.max_ns)] : Array(8).fill('-');
};
const figures = (name, counts) => counts && counts.requests ? [[name, count(counts.requests_per_s), mb(counts.bytes_per_s), ...latencyCells(counts.latency)]] : [];
const both = (name, side) => [...figures(name + ', reads', side.reads), ...figures(name + ', writes', side.writes), ...figures(name + ', both', side.both)];
const titles = ['', 'requests/s', 'MB/s', 'mean', 'deviation', '50 %', '90 %', '99 %', '99.9 %', '99.99 %', 'longest'];
if (own) page.append(section('Figures', table(['', 'value'], [['requests/s', count(rate)], ['MB/s', mb(bytes)], ['mean latency', time(data.latency_mean_us * 1000)],
  ['CPU for a request', count(data.cpu_ns_per_request) + ' ns'], ['operation', `${data.pattern} ${data.op}s`], ['block', data.block_bytes_min === data.block_bytes_max ? size(data.block_bytes_max)
    : `${size(data.block_bytes_min)} to ${size(data.block_bytes_max)}`], ['depth', data.depth], ['durable', data.durable ? 'yes' : 'no'], ['direct', data.direct ? 'yes' : 'no'], ['scattered memory', data.scatter ? 'yes' : 'no']])));
if (total && measured) page.append(section('Figures', rounds && rounds.count > 1 ? el('p', {class: 'soft'}, 'Of the last round.') : null,
  table(titles, [...targets.flatMap((target, i) => both(nameOf(target, i), target)), ...(targets.length > 1 ? both('all', total)
    : targets.length && total.reads.requests && total.writes.requests ? figures(nameOf(targets[0], 0) + ', both', total.both) : [])])));

// --- rounds ---
const interval = (value, half, digits) => value === null ? '-' : value.toFixed(digits) + (half === null ? '' : ` ± ${half.toFixed(digits)}`);
const roundChart = (name, unit, values, hue) => chart(name, () => ({type: 'line', data: {datasets: [line(name, hue, values.map((y, i) => ({x: i + 1, y})).filter(point => point.y !== null), {pointRadius: 3})]},
  options: base('round', unit, {legend: false, x: {ticks: {color: color('soft'), precision: 0}}})}));
if (rounds && rounds.count > 1) page.append(section(counted(rounds.count, 'round'),
  el('p', {}, `${interval(rounds.mean_per_s, rounds.half_interval_95_per_s, 0)} requests/s, standard deviation ${count(rounds.deviation_per_s)}; mean latency ${interval(rounds.latency_mean_of_rounds_us, rounds.latency_half_interval_95_us, 1)}${rounds.latency_mean_of_rounds_us === null ? '' : ' us'}. `
    + '± is the 95 % confidence interval.'), rounds.steady === null ? null : el('p', {class: rounds.steady ? 'good' : 'fair'}, `Steady state (SNIA PTS) ${rounds.steady ? 'is reached' : 'is not reached'}.`),
  table(titles, [...figures('reads of all rounds', rounds.all.reads), ...figures('writes of all rounds', rounds.all.writes)]),
  el('div', {class: 'charts'}, roundChart('Requests per second', 'requests/s', rounds.requests_per_s, 'read'), roundChart('Mean latency', 'us', rounds.latency_mean_us, 'write'))));

// --- latency: of all rounds if there are several ---
const sum = rounds && rounds.all ? rounds.all : total;
const directions = sum ? [['reads', 'read'], ['writes', 'write']].filter(([name]) => sum[name].latency.count) : [];
// Four bars for each doubling: the buckets themselves are too narrow to be seen.
const binOf = ns => Math.floor(Math.log2(Math.max(ns, 1)) * 4);
const histogram = () => {
  const bins = directions.map(([name]) => {
    const found = new Map();
    for (const [low, high, n] of sum[name].latency.buckets_ns) found.set(binOf((low + high) / 2), (found.get(binOf((low + high) / 2)) || 0) + n);
    return found;
  });
  const keys = bins.flatMap(found => [...found.keys()]);
  const first = Math.min(...keys), labels = Array.from({length: Math.max(...keys) - first + 1}, (_, i) => first + i);
  return chart('How many requests took how long', () => ({type: 'bar', data: {labels: labels.map(bin => time(2 ** ((bin + .5) / 4))),
    datasets: directions.map(([name, hue], i) => ({label: name, data: labels.map(bin => (bins[i].get(bin) || 0) * 100 / sum[name].latency.count), backgroundColor: color(hue)}))},
    options: {...base('latency', '% of requests', {x: {type: 'category'}}), parsing: true}}));
};
const percentiles = () => {
  const shown = p => directions.some(([name]) => hasBeyond(sum[name].latency, p));
  const labels = sum[directions[0][0]].latency.percentiles_ns.map(pair => pair[0]).filter(shown);
  const value = (latency, p) => hasBeyond(latency, p) ? latency.percentiles_ns.find(pair => pair[0] === p)[1] / 1e6 : null;
  return chart('Share of requests that took no longer than', () => ({type: 'line', data: {labels: labels.map(p => p + ' %'),
    datasets: directions.map(([name, hue]) => ({...line(name, hue, labels.map(p => value(sum[name].latency, p))), pointRadius: 3}))},
    options: {...base('', 'ms', {x: {type: 'category'}, y: {type: 'logarithmic', beginAtZero: false}}), parsing: true}}));
};
if (directions.length) page.append(section('Latency', el('div', {class: 'charts'}, histogram(), percentiles())));

// --- over time ---
const intervals = data.intervals || {interval_ms: 1000, reads: [], writes: []};
// The last interval may have been cut short, and documents of earlier versions lack those without requests at the end.
const whole = data.intervals && intervals.interval_ms ? Math.floor(data.duration_ns / 1e6 / intervals.interval_ms) : 0;
const over = name => Array.from({length: whole}, (_, i) => ({x: (i + 1) * intervals.interval_ms / 1000, y: (intervals[name][i] || 0) * 1000 / intervals.interval_ms}));
const sampled = values => samples.end_s.map((x, i) => ({x, y: values[i]}));
const timeCharts = [];
if (whole > 1) timeCharts.push(chart('Requests per second', () => ({type: 'line', data: {datasets: [['reads', 'read'], ['writes', 'write']].filter(([name]) => total[name].requests)
  .map(([name, hue]) => line(name, hue, over(name)))}, options: base('seconds', 'requests/s')})));
const area = (label, hue, values) => line(label, hue, sampled(values), {fill: true});
if (samples && samples.end_s.length > 1) {
  timeCharts.push(chart('CPUs of the machine', () => ({type: 'line', data: {datasets: [line('busiest CPU', 'third', sampled(samples.busiest_percent)), area('user', 'read', samples.user_percent),
    area('kernel', 'write', samples.kernel_percent)].map((set, i) => ({...set, fill: i ? set.fill : false, stack: i ? 'cpu' : 'busiest', backgroundColor: i ? set.borderColor + '55' : set.borderColor}))},
    options: base('seconds', '%', {y: {stacked: true, max: 100}})})));
  for (const device of samples.devices) {
    timeCharts.push(chart(`${device.name}: requests in the queue`, () => ({type: 'line', data: {datasets: [line('on average', 'fourth', sampled(device.queue_mean))]}, options: base('seconds', 'requests', {legend: false})})));
    timeCharts.push(chart(`${device.name}: wait of a request`, () => ({type: 'line', data: {datasets: [line('on average', 'fifth', sampled(device.wait_mean_ms))]}, options: base('seconds', 'ms', {legend: false})})));
  }
}
if (timeCharts.length) page.append(section('Over time', rounds && rounds.count > 1 ? el('p', {class: 'soft'}, 'Of the last round.') : null, el('div', {class: 'charts'}, timeCharts)));

// --- the machine ---
const throttling = data.throttling || {};
if (data.cpus && !own && total && measured) page.append(section('Machine', el('p', {}, `${count(data.cpu_ns_per_request)} ns of CPU for a request, user ${duration(data.cpu_user_us)}, kernel ${duration(data.cpu_system_us)} in all.`),
  throttling.cpu_us ? el('p', {class: 'fair'}, `The control group held the CPU back for ${duration(throttling.cpu_us)} (${count(throttling.cpu_periods)} periods): the figures show the limit, not the storage.`) : null,
  data.cpus.length ? table(['CPU', 'user', 'kernel', 'idle', 'taken by the host'], data.cpus.map(cpu => [cpu.id, percent(cpu.user_percent), percent(cpu.kernel_percent), percent(cpu.idle_percent), percent(cpu.steal_percent)])) : null,
  data.devices.length ? table(['device', 'reads', 'merged', 'read', 'writes', 'merged', 'written', 'queue', 'busy', 'wait'], data.devices.map(device => [device.name, count(device.reads), count(device.reads_merged),
    size(device.read_bytes), count(device.writes), count(device.writes_merged), size(device.written_bytes), device.queue_mean.toFixed(1), percent(device.busy_percent), device.wait_mean_ms.toFixed(2) + ' ms'])) : null));

// --- what was asked for, and who did it ---
const rateOf = target => target.thread_requests_per_s ? `${count(target.thread_requests_per_s)} requests/s a thread` : target.thread_bytes_per_s ? `${mb(target.thread_bytes_per_s)} MB/s a thread` : 'none';
const blockOf = target => target.block_bytes_min === target.block_bytes ? size(target.block_bytes) : `${size(target.block_bytes_min)} to ${size(target.block_bytes)}`;
if (targets.length) page.append(section('Settings', table(['target', 'file', 'block', 'access', 'writes', 'contents', 'threads', 'outstanding a thread', 'rate', 'through the cache', 'durable'], targets.map((target, i) => [nameOf(target, i), size(target.size_bytes),
  blockOf(target), target.access === 'mixed' ? `${target.random_percent} % random` : target.access, target.write_percent + ' %', target.contents, target.threads, target.outstanding, rateOf(target),
  target.mapped ? 'mapped' : target.direct ? 'no' : 'yes', target.durable ? 'yes' : 'no']))));
if (data.threads && data.threads.length > 1) page.append(el('details', {}, el('summary', {}, counted(data.threads.length, 'row') + ' of threads'), table(['thread', 'target', 'reads', 'mean', 'writes', 'mean'], data.threads.map(row => [row.thread + 1,
  nameOf(targets[row.target], row.target), count(row.reads), row.reads ? time(row.read_mean_ns) : '-', count(row.writes), row.writes ? time(row.write_mean_ns) : '-']), 2)));
if (data.text_report) page.append(el('details', {}, el('summary', {}, 'As text'), el('pre', {}, document.createTextNode(data.text_report.split('\n').map(printable).join('\n')))));
draw();
