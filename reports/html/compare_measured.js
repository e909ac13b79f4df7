'use strict';
// Two measurements or two sweeps, before and after.
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const isSweep = data.kind === 'sweeps';
const number = value => value === 0 ? '0' : Math.abs(value) >= 1000 ? count(value) : value.toFixed(Math.abs(value) >= 100 ? 0 : 1);
const percent = (value, sign) => value === null ? '-' : (sign && value >= 0 ? '+' : '') + value.toFixed(1) + ' %';
const grades = {better: 'good', worse: 'poor', same: 'soft', unknown: 'soft'};
const words = {better: 'better', worse: 'worse', same: 'within the noise', unknown: ''};
const withInterval = (value, half) => number(value) + (half === null ? '' : ' ± ' + number(half));
const side = (title, each) => el('div', {class: 'verdict' + (each.findings ? ' FAIL' : each.is_whole ? '' : ' INCOMPLETE')}, el('h1', {}, title), el('p', {}, each.name),
  el('p', {class: 'soft'}, [isSweep ? '' : counted(each.rounds, 'round'), each.engine, each.start_utc ? each.start_utc.slice(0, 19).replace('T', ' ') + ' UTC' : '',
    each.is_whole ? '' : 'not measured to its end', each.findings ? counted(each.findings, 'finding') : ''].filter(part => part).join(', ')));
const title = group => [group.class, group.before_path === group.after_path ? group.before_path : `${group.before_path} → ${group.after_path}`].filter(part => part).join(' ');
const pair = (name, before, after, options, more) => chart(name, () => ({type: 'line', data: {datasets: [line('before', 'read', before, more), line('after', 'write', after, more)]}, options: options()}));

// --- charts of a group, of what its rows have ---
const inRounds = values => values.map((y, i) => ({x: i + 1, y}));
const roundsChart = group => group.rows.filter(row => row.judged && Math.max(row.before_values.length, row.after_values.length) > 1).map(row =>
  pair(`${row.figure}: each round`, inRounds(row.before_values), inRounds(row.after_values),
    () => base('round', row.unit === '/s' ? 'requests/s' : row.unit, {y: {beginAtZero: false}, x: {ticks: {color: color('soft'), precision: 0}}}), {pointRadius: 3}));
const percentiles = (group, direction) => group.rows.map(row => [row, row.figure.match(/^(\w+), ([\d.]+) %$/)]).filter(([, found]) => found && found[1] === direction).map(([row, found]) => [found[2] + ' %', row]);
const percentileChart = (group, direction) => {
  const rows = percentiles(group, direction);
  if (rows.length < 2) return null;
  const points = name => rows.map(([, row]) => row[name] / 1000);
  return chart(`${direction}: share of requests that took no longer than`, () => ({type: 'line', data: {labels: rows.map(([label]) => label),
    datasets: [{...line('before', 'read', points('before')), pointRadius: 3}, {...line('after', 'write', points('after')), pointRadius: 3}]},
    options: {...base('', 'ms', {x: {type: 'category'}}), parsing: true}}));
};
const byDepth = (group, name, ending) => group.rows.map(row => [row, row.figure.match(/^depth (\d+)(.*)$/)]).filter(([row, found]) => found && found[2] === ending)
  .map(([row, found]) => ({x: Number(found[1]), y: row[name] / (ending ? 1000 : 1)}));
const depthChart = (group, name, ending, unit) => {
  const before = byDepth(group, 'before', ending), after = byDepth(group, 'after', ending);
  if (before.length < 2) return null;
  const depths = before.map(point => point.x);
  return pair(name, before, after, () => base('outstanding requests', unit, {x: {type: 'logarithmic', min: Math.min(...depths), max: Math.max(...depths),
    ticks: {color: color('soft'), callback: value => value}, afterBuildTicks: scale => { scale.ticks = depths.map(value => ({value})); }}}), {pointRadius: 3});
};
const groupCharts = group => [isSweep ? [depthChart(group, 'Throughput', '', 'requests/s'), depthChart(group, 'Average latency', ', average', 'ms'), depthChart(group, '99 % within', ', 99 %', 'ms')]
  : [roundsChart(group), percentileChart(group, 'reads'), percentileChart(group, 'writes')]].flat(2).filter(node => node);

// --- the page ---
page.append(el('div', {class: 'charts'}, side('Before', data.before), side('After', data.after)));
if (data.asked.length) page.append(section('Different settings', el('p', {}, 'The settings differ; the differences below may come from that.'),
  table(['target', 'setting', 'before', 'after'], data.asked.map(each => [each.group, each.name, each.before, each.after]), 4)));
const curve = each => each.intervals ? each.intervals.requests.map((n, i) => ({x: (i + 1) * each.intervals.interval_ms / 1000, y: n * 1000 / each.intervals.interval_ms})) : [];
const curves = [curve(data.before), curve(data.after)];
if (curves[0].length > 1 && curves[1].length > 1) page.append(section('Over time', el('p', {class: 'soft'}, 'All requests of the last round.'),
  el('div', {class: 'charts'}, pair('Requests per second', curves[0], curves[1], () => base('seconds', 'requests/s')))));
for (const group of data.groups) {
  const charts = groupCharts(group);
  page.append(section(title(group), table(['', 'before', 'after', 'change', 'noise', ''], group.rows.map(row => [`${row.figure} ${row.unit === '/s' ? isSweep ? 'requests per second' : 'per second' : row.unit}`,
    withInterval(row.before, row.before_half_interval_95), withInterval(row.after, row.after_half_interval_95), percent(row.change_percent, true), percent(row.noise_percent, false),
    el('td', {class: 'left ' + grades[row.verdict] + (row.verdict === 'better' || row.verdict === 'worse' ? ' mark' : '')}, words[row.verdict])])),
    charts.length ? el('div', {class: 'charts'}, charts) : null));
}
if (data.unpaired.length) page.append(section('Only in one of the two', el('ul', {}, data.unpaired.map(name => el('li', {}, name)))));
page.append(el('p', {class: 'soft'}, isSweep ? 'A sweep measures each point once, so the noise is not known, and nothing is marked.' : '± is the 95 % confidence interval of the mean of the rounds. Better and worse mark differences that exceed the noise: how far the means of the rounds may lie apart by chance in 95 of 100 cases (Welch\'s test). '
  + 'Where a side has one round, the noise is not known, and nothing is marked.'));
draw();
