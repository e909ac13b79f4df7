'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const shortName = path => path.slice(path.lastIndexOf('/') + 1);
const classNames = {read: 'reads', scatter_read: 'scatter reads', write: 'writes', gather_write: 'gather writes', log_flush: 'log flushes'};
const classColors = {read: 'read', scatter_read: 'fourth', write: 'write', gather_write: 'third', log_flush: 'fifth'};

// --- time series ---
const intervals = data.intervals;
const times = intervals.start_us.map(us => us / 1e6);
const seconds = intervals.duration_us.map(us => us / 1e6);
const endOfRun = times.length ? times[times.length - 1] + seconds[seconds.length - 1] : 0;
// The interval of a phase that ended immediately is too short for a rate.
const points = values => values.map((value, i) => ({x: times[i] + seconds[i] / 2, y: value})).filter((point, i) => seconds[i] >= 0.05);
const perSecond = (values, unit = 1) => points(values.map((value, i) => seconds[i] ? value / seconds[i] / unit : 0));
const phaseSpans = [];
intervals.phase.forEach((phase, i) => {
  const last = phaseSpans[phaseSpans.length - 1];
  if (last && last.phase === phase && last.cycle === intervals.cycle[i]) last.end = times[i] + seconds[i];
  else phaseSpans.push({phase, cycle: intervals.cycle[i], begin: times[i], end: times[i] + seconds[i]});
});
const phaseShades = {id: 'phases', beforeDatasetsDraw(chart) {
  const {ctx, chartArea: area, scales: {x}} = chart;
  ctx.save();
  phaseSpans.forEach((span, i) => {
    const begin = Math.max(x.getPixelForValue(span.begin), area.left), end = Math.min(x.getPixelForValue(span.end), area.right);
    if (i % 2) { ctx.fillStyle = color('shade'); ctx.fillRect(begin, area.top, end - begin, area.bottom - area.top); }
    ctx.font = '10px sans-serif';
    ctx.fillStyle = color('soft');
    if (ctx.measureText(span.phase).width + 6 < end - begin) ctx.fillText(span.phase, begin + 3, area.top + 10);
  });
  ctx.restore();
}};
// Null if there is no point to draw, such as the latency of writes in a file that has none.
const timeChart = (name, unit, datasets, more = {}) => datasets().some(set => set.data.length) ? chart(name, () => ({type: 'line', data: {datasets: datasets()}, plugins: [phaseShades],
  options: base('seconds since the run began', unit, {...more, x: {min: 0, max: endOfRun, ticks: {color: color('soft'), maxTicksLimit: 8}}})})) : null;

// Each cell shows how many requests of that second took that long; the stronger the color, the larger their share of the second.
const bucketUs = i => 0.512 * 2 ** i;
const heatMap = (name, columns) => {
  let low = 31, high = 0;
  columns.forEach(pairs => { for (let k = 0; k < pairs.length; k += 2) { low = Math.min(low, pairs[k]); high = Math.max(high, pairs[k] + 1); } });
  if (low > high) return null;
  const cells = {id: 'cells', beforeDatasetsDraw(chart) {
    const {ctx, scales: {x, y}} = chart;
    ctx.save();
    ctx.fillStyle = color(name.startsWith('Write') ? 'write' : 'read');
    columns.forEach((pairs, i) => {
      let sum = 0;
      for (let k = 1; k < pairs.length; k += 2) sum += pairs[k];
      const left = x.getPixelForValue(times[i]), width = Math.max(x.getPixelForValue(times[i] + seconds[i]) - left, 1);
      for (let k = 0; k < pairs.length; k += 2) {
        const bottom = y.getPixelForValue(bucketUs(pairs[k])), top = y.getPixelForValue(bucketUs(pairs[k] + 1));
        ctx.globalAlpha = 0.12 + 0.88 * Math.sqrt(pairs[k + 1] / sum);
        ctx.fillRect(left, top, width, bottom - top);
      }
    });
    ctx.restore();
  }};
  return chart(name, () => ({type: 'scatter', data: {datasets: [{data: []}]}, plugins: [phaseShades, cells],
    options: base('seconds since the run began', 'latency', {legend: false, tooltip: false, x: {min: 0, max: endOfRun},
      y: {type: 'logarithmic', beginAtZero: false, min: bucketUs(low), max: bucketUs(high), ticks: {color: color('soft'), callback: duration,
        maxTicksLimit: 8}, afterBuildTicks(scale) { scale.ticks = []; for (let us = 1; us <= bucketUs(high); us *= 10) if (us >= bucketUs(low)) scale.ticks.push({value: us});
          if (scale.ticks.length < 2) scale.ticks = [low, high].map(i => ({value: bucketUs(i)})); }}})}));
};

const timeCharts = file => {
  const s = file.series;
  const average = (time, n) => points(time.map((us, i) => n[i] ? us / n[i] / 1000 : null)).filter(point => point.y !== null);
  return el('div', {class: 'charts'},
    timeChart('Requests per second', 'IOPS', () => [line('reads', 'read', perSecond(s.reads)), line('writes', 'write', perSecond(s.writes))]),
    timeChart('Throughput', 'MB/s', () => [line('read', 'read', perSecond(s.read_bytes, 1048576)), line('written', 'write', perSecond(s.written_bytes, 1048576))]),
    timeChart('Average latency', 'ms', () => [line('reads', 'read', average(s.read_time_us, s.reads)), line('writes', 'write', average(s.write_time_us, s.writes))]),
    timeChart('Requests outstanding, and allowed', 'requests', () => [line('outstanding', 'read', points(s.outstanding)),
      line('request blocks', 'third', points(s.request_blocks), {stepped: true})]),
    s.dirty_pages && s.dirty_pages.some(n => n) ? timeChart('Dirty pages in memory', 'pages', () => [line('dirty', 'write', points(s.dirty_pages))], {legend: false}) : null,
    heatMap('Read latency (stronger color: more of that second\'s reads)', s.read_latency),
    heatMap('Write latency (stronger color: more of that second\'s writes)', s.write_latency),
    file.throttle_count ? timeChart('Throttled', 'times per second', () => [line('throttled', 'poor', perSecond(s.throttles), {fill: true})], {legend: false}) : null);
};

// --- latency ---
const latencies = file => Object.keys(classNames).map(name => [name, file.latency[name]]).filter(([, l]) => l.count);
const percentTitle = percent => percent < 99.9 ? percent + ' %' : `${Math.round(-Math.log10(1 - percent / 100))} nines`;
const latencyTable = file => {
  const rows = latencies(file);
  if (!rows.length) return el('p', {class: 'soft'}, 'No requests.');
  const percents = rows[0][1].percentiles_ns.map(pair => pair[0]);
  return table(['', 'count', 'average', 'deviation', 'min', ...percents.map(percentTitle), 'max'], rows.map(([name, l]) =>
    [classNames[name], count(l.count), duration(l.mean_ns / 1000), duration(l.deviation_ns / 1000), duration(l.min_ns / 1000),
      ...l.percentiles_ns.map(pair => duration(pair[1] / 1000)), duration(l.max_ns / 1000)]));
};
const histogram = file => {
  const perOctave = 8;
  const rows = latencies(file);
  if (!rows.length) return null;
  const step = ns => Math.floor(Math.log2(Math.max(ns, 1)) * perOctave + 1e-6);
  const sums = rows.map(([name, l]) => {
    const counts = new Map();
    l.buckets_ns.forEach(([low, , n]) => counts.set(step(low), (counts.get(step(low)) || 0) + n));
    const keys = [...counts.keys()], first = Math.min(...keys) - 1, last = Math.max(...keys) + 1, list = [];
    for (let k = first; k <= last; ++k) list.push({x: 2 ** ((k + .5) / perOctave) / 1000, y: 100 * (counts.get(k) || 0) / l.count});
    return [name, list];
  });
  return chart('How long requests took (share of each kind)', () => ({type: 'line',
    data: {datasets: sums.map(([name, list]) => line(classNames[name], classColors[name], list, {pointRadius: 0, cubicInterpolationMode: 'monotone'}))},
    options: base('latency', '% of requests', {tooltip: false, x: {type: 'logarithmic', ticks: {color: color('soft'), callback: duration},
      afterBuildTicks(scale) { scale.ticks = []; for (let us = .1; us <= scale.max; us *= 10) if (us >= scale.min) scale.ticks.push({value: us}); }}})}));
};
const percentileChart = file => {
  const rows = latencies(file);
  if (!rows.length) return null;
  return chart('Percentiles', () => ({type: 'line', data: {labels: rows[0][1].percentiles_ns.map(pair => percentTitle(pair[0])),
    datasets: rows.map(([name, l]) => ({...line(classNames[name], classColors[name], l.percentiles_ns.map(pair => pair[1] / 1000)), pointRadius: 2}))},
    options: (() => { const o = base('', 'latency', {x: {type: 'category'}, y: {type: 'logarithmic', beginAtZero: false,
      ticks: {color: color('soft'), callback: value => Math.abs(Math.log10(value) % 1) < 1e-9 ? duration(value) : ''}}, tip: {callbacks: {label: item => `${item.dataset.label}: ${duration(item.parsed.y)}`}}});
      o.parsing = true; return o; })()}));
};

// --- sections ---
const blocksRange = file => file.request_blocks_max > 0
  ? `${Math.round(file.request_blocks_mean)} (${file.request_blocks_min} to ${file.request_blocks_max})` : '-';
const fileSection = (file, i) => {
  const verdict = data.verdict.files[i];
  const facts = [['size', size(file.size_bytes)], ['target', file.target_io_duration_ms + ' ms'], ['running average at the end', duration(file.average_io_duration_us)],
    ['throttled', count(file.throttle_count)], ['request blocks at the end', count(file.request_blocks)],
    ['in the main run', blocksRange(file)], ['reads', count(file.reads)], ['scatter reads', count(file.scatter_reads)],
    ['writes', count(file.writes)], ['gather writes', count(file.gather_writes)], ['read', size(file.read_bytes)], ['written', size(file.written_bytes)],
    ['total I/O time', duration(file.total_io_time_us)], ['longest', latencies(file).length ? duration(file.max_io_time_us) : '-'], ['pages verified', count(file.pages_verified)],
    ['over 15 s', count(file.long_ios)], ['writes repeated', count(file.write_retries)], ['grown / shrunk', `${file.grown_count} / ${file.shrunk_count}`], ['findings', count(file.findings)]];
  return section((file.is_log ? 'Log file ' : 'Data file ') + file.path,
    verdict && verdict.remarks.length ? el('ul', {class: 'remarks'}, verdict.remarks.map(entry => el('li', {}, el('span', {class: 'grade ' + entry.grade}, entry.grade + ' '), remark(entry)))) : null,
    el('h3', {}, 'Summary'), el('div', {class: 'scroll'}, table(facts.slice(0, 10).map(f => f[0]), [facts.slice(0, 10).map(f => f[1])], 0), table(facts.slice(10).map(f => f[0]), [facts.slice(10).map(f => f[1])], 0)),
    el('h3', {}, 'Latency'), latencyTable(file), el('div', {class: 'charts'}, histogram(file), percentileChart(file)),
    points(times).length ? [el('h3', {}, 'Over time'), timeCharts(file)] : null);
};
const rate = (pages, us) => us && pages ? mbRate(pages * 8192 / 1048576 / (us / 1e6)) : '-';
const some = n => n ? count(n) : '-';
// Null if there is nothing to show, as for a run that could not begin.
const part = (title, titles, list, row) => list.length ? [el('h3', {}, title), table(titles, list.map(row))] : null;
const runSection = () => data.phases.length ? section('What the run did',
  part('Phases', ['phase', 'cycle', 'time', 'pages read', 'MB/s', 'pages written', 'MB/s', 'log MB/s', 'verified'], data.phases.filter(p => p.duration_us), p =>
    [p.count > 1 ? `${p.phase}, ${count(p.count)} together` : p.phase, p.count > 1 ? `from ${p.cycle}` : p.cycle, duration(p.duration_us), some(p.pages_read), rate(p.pages_read, p.duration_us), some(p.pages_written), rate(p.pages_written, p.duration_us),
      rate(p.log_bytes_written / 8192, p.duration_us), some(p.pages_verified)]),
  part('Users and system tasks', ['user', 'tasks', 'cycles', 'pages read', 'pages changed', 'rollbacks', 'log'], data.users, u =>
    [u.name, some(u.count), some(u.cycles), some(u.pages_read), some(u.pages_updated), some(u.rollbacks), u.log_bytes ? size(u.log_bytes) : '-']),
  part('Waits', ['wait type', 'count', 'total', 'average', 'longest', 'average signal'], [...data.waits].sort((a, b) => b.wait_us - a.wait_us), w =>
    [w.type, count(w.count), duration(w.wait_us), duration(w.count ? w.wait_us / w.count : 0), duration(w.max_wait_us), duration(w.count ? w.signal_wait_us / w.count : 0)]),
  part('Schedulers', ['scheduler', 'switches', 'yields', 'quantum overruns', 'idle', 'I/O requests'], data.schedulers, s =>
    [s.id, count(s.switches), count(s.yields), count(s.quantum_overruns), data.run.duration_us ? (100 * s.idle_us / data.run.duration_us).toFixed(1) + ' %' : '-', count(s.io_requests)])) : null;
const yes = value => value ? 'yes' : 'no';
const storageSection = () => data.files.length ? section('The storage below', table(['file', 'device', 'driver', 'size', 'sectors', 'rotates', 'write cache', 'FUA', 'reads', 'read time', 'writes', 'write time', 'idle'],
  data.files.map(file => file.drive ? [file.path, file.drive.name, file.drive.manager, size(file.drive.size_bytes), `${file.drive.logical_sector_bytes} / ${file.drive.physical_sector_bytes}`,
    yes(file.drive.rotational), yes(file.drive.write_cache), yes(file.drive.fua), count(file.drive.reads), duration(file.drive.read_time_ms * 1000), count(file.drive.writes),
    duration(file.drive.write_time_ms * 1000), duration(file.drive.idle_time_ms * 1000)] : [file.path, 'not known: a network file system, an overlay, or in memory', ...Array(11).fill('')]), 2),
  el('p', {class: 'soft'}, 'The device\'s counters are the kernel\'s since the run began, with the requests of all programs.')) : null;
const order = ['fail', 'warn', 'ok'], grades = {ok: 'good', warn: 'fair', fail: 'poor'};
const preflightSection = () => data.preflight && data.preflight.length ? section('Before the run: what SQL Server will meet there',
  table(['folder', 'topic', '', 'found', 'reason and fix'], [...data.preflight].sort((a, b) => order.indexOf(a.grade) - order.indexOf(b.grade)).map(l =>
    [l.folder, l.topic, el('span', {class: 'grade ' + grades[l.grade]}, l.grade.toUpperCase()), el('td', {class: 'left wide'}, l.found),
    el('td', {class: 'left wide'}, l.reason, l.cure ? el('div', {}, 'Fix: ', el('code', {}, l.cure)) : null, l.source ? el('div', {class: 'source'}, 'Source: ' + l.source) : null)]), 5)) : null;

const sectorMap = sectors => el('span', {class: 'map'}, sectors.map((s, i) => el('i', {class: 's-' + s.state, title: `sector ${i}: ${s.state.replace('_', ' ')}, version ${s.version}`})));
const findingNode = f => {
  const place = !['read', 'write'].includes(f.operation) ? f.operation : f.file_is_log ? `offset 0x${f.byte_offset.toString(16)}` : `page ${f.page} (offset 0x${f.byte_offset.toString(16)})`;
  const node = el('details', {class: 'finding'}, el('summary', {}, `#${f.number}  `, el('b', {class: 'poor'}, f.class.replaceAll('_', ' ')), ` ${shortName(f.file)} ${place} `,
    f.sectors ? sectorMap(f.sectors) : null));
  // There may be thousands, so their details are built only when opened.
  node.addEventListener('toggle', () => {
    if (node.childElementCount > 1) return;
    const facts = [['file', f.file], ['at', f.utc + ', ' + f.phase], ['by', `${f.user}, CPU ${f.cpu}`], ['persistence', f.persistence], [f.operation === 'read' ? 'reads until decided' : 'tries until decided', f.reads]];
    // A request that failed brought no page, and of a block of the log nothing is expected: the document has zeros there.
    // A verification may not know what was written: it expects version 0 of nothing.
    const isKnown = !data.durability || f.expected_version > 0;
    if (f.sectors) facts.push(['version', `${isKnown ? `expected ${f.expected_version}, ` : ''}received ${f.received_version}`],
      ['checksum', `${isKnown ? `expected ${f.expected_checksum}, ` : ''}received ${f.received_checksum}, calculated ${f.calculated_checksum}`]);
    else if (Number(f.received_checksum) || Number(f.calculated_checksum)) facts.push(['checksum', `received ${f.received_checksum}, calculated ${f.calculated_checksum}`]);
    if (f.sectors) facts.push(['sectors', f.sectors.map((s, i) => `${i}: ${s.state.replace('_', ' ')} (v${s.version})`).join(', ')]);
    if (f.wrong_bytes) facts.push(['wrong', `${counted(f.wrong_bytes, 'byte')}, ${counted(f.wrong_bits, 'bit')}, first at 0x${f.first_wrong_byte.toString(16)}`]);
    if (f.other) facts.push(['other place', `page ${f.other.page} of ${f.other.file}`]);
    if (f.error) facts.push(['error', `${f.error} (${f.errno})`]);
    if (f.device) facts.push(['on the device', `${f.device.name}, offset ${f.device.offset}`]);
    if (f.dump) facts.push(['dump', fileLink(f.dump)]);
    node.append(el('div', {}, el('p', {}, f.description), el('dl', {class: 'facts'}, facts.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
      f.reasoning.length ? el('ul', {}, f.reasoning.map(sentence => el('li', {}, sentence))) : null));
  });
  return node;
};
const findingsSection = () => {
  if (data.run.unfinished) return section('Findings', el('p', {class: 'soft'}, 'Not known before the end of the run: the XML log has those up to now.'));
  if (!data.finding_count) return section('Findings', data.files.some(file => file.pages_verified) ? el('p', {class: 'good'}, 'None.') : el('p', {class: 'soft'}, 'None, but no page was read back.'));
  const shown = data.findings.filter(f => !f.warning);
  if (!shown.length) return section('Findings', el('p', {}, data.finding_count === 1 ? '1 finding: the XML log has it.' : `${count(data.finding_count)} findings: the XML log has them.`));
  const states = ['expected', 'older', 'newer', 'other_page', 'foreign', 'zero', 'not_read', 'damaged'];
  return section('Findings',
    el('p', {}, shown.length < data.finding_count ? `${count(data.finding_count)} findings; ${count(shown.length)} follow, with the first of each kind. The JSON file and the XML log have more.` : `${count(data.finding_count)} finding${data.finding_count === 1 ? '' : 's'}.`),
    kindsTable(data.findings_by_kind, data.finding_count, entry => entry.class),
    el('p', {class: 'legend soft'}, 'The 16 sectors of a page: ', states.map(state => el('span', {}, el('span', {class: 'map'}, el('i', {class: 's-' + state})), ' ' + state.replace('_', ' ')))),
    shown.map(findingNode));
};
const thresholdsSection = () => data.thresholds && data.thresholds.length ? section('Limits that were set (--fail-on)',
  table(['limit', '', 'measured', 'where'], data.thresholds.map(t => [t.expression, el('span', {class: 'grade ' + ({kept: 'good', exceeded: 'poor'}[t.outcome] || 'fair')}, t.outcome.replace('_', ' ')),
    t.measured || '-', (t.io_class ? t.io_class.replaceAll('_', ' ') + ' of ' : '') + t.file]), 4)) : null;
const provenValue = (name, value) => typeof value === 'boolean' ? (value ? 'yes' : 'no') : typeof value === 'string' ? value || '-' :
  name.endsWith('_utc_us') ? (value ? new Date(value / 1000).toISOString() : '-') : count(value);
const provenTable = facts => table(['', ''], Object.entries(facts).map(([name, value]) => [name.replaceAll('_', ' ').replace(' utc us', ''), provenValue(name, value)]), 1);
const durabilitySection = () => {
  if (!data.durability) return null;
  const {promises, ...proven} = data.durability;
  return section('What the files prove', provenTable(proven), promises ? [el('h3', {}, 'What the ledger or witness demands'), provenTable(promises)] : null);
};
const resumedSection = () => data.resumed ? section('What the crash had left', table(['', ''], Object.entries(data.resumed).map(([name, value]) =>
  [name.replaceAll('_', ' '), count(value)]), 1)) : null;
const promisingSection = () => {
  if (!data.promising) return null;
  const {keeper, ...promised} = data.promising;
  return section(`Promised to ${keeper}`, provenTable(promised));
};
const backupSection = () => data.backup ? section('Backups', table(['work', 'number', 'pages', 'log', 'took', 'longest', 'MB/s'], data.backup.works.filter(w => w.count).map(w =>
  [w.work, count(w.count), count(w.pages), size(w.log_bytes), duration(w.duration_us), duration(w.max_duration_us), mbRate(w.bytes_per_s / 1048576)]), 1),
  el('p', {}, `${count(data.backup.pages_redone)} pages were brought to the end of the backup by its log. Requests of up to ${size(data.backup.transfer_bytes)}.` + (data.backup.broken_chains ? ` Chains that could not continue: ${count(data.backup.broken_chains)}.` : '')),
  table(['file', 'role', 'size', 'read', 'written', 'findings'], data.backup.files.map(f => [f.file, f.role, size(f.size_bytes), size(f.read_bytes), size(f.written_bytes), count(f.findings)]), 2)) : null;
const warningsSection = () => data.warning_count ? section('Warnings', el('p', {}, `${count(data.warning_count)} request${data.warning_count === 1 ? '' : 's'} came back late, after more than 15 s.`),
  table(['#', 'file', 'request', 'took', 'at'], data.warnings.map(w => [w.number, w.file, w.description, duration(w.duration_us), w.utc + ', ' + w.phase]), 3)) : null;
const configurationSection = () => section('Configuration', data.run.repeat_command && !data.durability ? el('p', {}, 'Repeat with: ', el('code', {}, data.run.repeat_command)) : null,
  data.configuration.map(part => el('details', {}, el('summary', {}, part.section), table(['parameter', 'value'], Object.entries(part.values), 2))));
// The place of the run in its group.
const group = data.group;
const groupFacts = !group ? [] : [['group', group.name], ['plan', group.plan], ['rank', `${group.rank} of ${group.of}, on ${group.host}`], ['witness', group.witness], ['bursts', group.bursts],
  ['coherence', group.coherence], ['turn', group.turn ? `${group.turn.number} of ${group.turn.turns}` : ''], ['ranks not there at the end', group.missing_ranks.join(', ')]];

const groupSection = () => group && group.turn && group.turn.previous ? section('Verified before the first write of this turn', provenTable(group.turn.verified))
  : group && group.reader ? section('What this reader read', provenTable(group.reader)) : null;

const facts = [['started', data.run.start_utc.slice(0, 19).replace('T', ' ') + ' UTC'], ['took', duration(data.run.duration_us)], ['engine', data.run.engine + (data.run.engine_reason ? ` (${data.run.engine_reason})` : '')],
  ['CPUs', data.run.cpu_count], ['buffer pool', data.run.buffer_pool_bytes && !data.durability ? size(data.run.buffer_pool_bytes) : ''], ['run', data.run.run_id], ['seed', data.durability ? '' : data.run.seed], ['log', data.run.log_file || '-'], ['version', 'ioproof ' + data.version], ...groupFacts].filter(([name, value]) => value !== '' && !(name === 'engine' && !data.run.engine) && !(name === 'run' && !Number('0x' + value)));
page.append(data.run.rehearsal ? el('p', {class: 'poor mark'}, `REHEARSAL: faults are injected on purpose: ${data.run.rehearsal}. What is found says nothing about the storage.`) : '',
  verdictBox(data.verdict, data.durability ? 'Is everything that was acknowledged still there?' : 'Can this storage be trusted with SQL Server?'), el('dl', {class: 'facts'}, facts.map(([name, value]) => [el('dt', {}, name), el('dd', {}, String(value))])),
  ...[durabilitySection(), groupSection(), resumedSection(), promisingSection(), ...data.files.map(fileSection), backupSection(), runSection(), storageSection(), preflightSection(), thresholdsSection(), warningsSection(), findingsSection(), configurationSection()].filter(node => node));
draw();
