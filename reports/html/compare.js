'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const number = value => value === 0 ? '0' : Math.abs(value) >= 1000 ? count(value) : value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
const percent = (value, sign) => value === null ? '-' : (sign && value >= 0 ? '+' : '') + value.toFixed(1) + ' %';
const grades = {better: 'good', worse: 'poor', same: 'soft', unknown: 'soft'};
const words = {better: 'better', worse: 'worse', same: 'within the noise', unknown: ''};
const side = (title, run) => el('div', {class: 'verdict ' + run.judgement}, el('h1', {}, title), el('p', {}, el('span', {class: 'word'}, run.judgement)),
  run.rehearsal ? el('p', {class: 'poor mark'}, `REHEARSAL: faults are injected on purpose: ${run.rehearsal}. What is found says nothing about the storage.`) : null,
  el('p', {}, run.name), el('p', {class: 'soft'}, `${run.start_utc.slice(0, 19).replace('T', ' ')} UTC, ${run.engine}, ioproof ${run.version}, findings: ${count(run.finding_count)}`));
const curve = (curves, name) => curves.seconds.map((x, i) => ({x, y: curves[name][i]})).filter(point => point.y !== null);
const both = (file, title, unit, name) => chart(title, () => ({type: 'line', data: {datasets: [line('before', 'read', curve(file.before, name)), line('after', 'write', curve(file.after, name))]},
  options: base('seconds of the main run', unit)}));
page.append(el('div', {class: 'charts'}, side('Before', data.before), side('After', data.after)));
if (data.configuration.length) page.append(section('Different configuration', el('p', {}, 'The runs had different settings; the differences below may come from that.'), table(['parameter', 'before', 'after'], data.configuration.map(c => [c.parameter, c.before, c.after]), 3)));
for (const file of data.files) {
  page.append(section((file.is_log ? 'Log file ' : 'Data file ') + (file.before_path === file.after_path ? file.before_path : `${file.before_path} → ${file.after_path}`),
    table(['figure', 'before', 'after', 'change', 'noise', ''], file.rows.map(row => [`${row.figure} ${row.unit}`, number(row.before), number(row.after), percent(row.change_percent, true),
      percent(row.noise_percent, false), el('td', {class: 'left ' + grades[row.verdict] + (row.verdict === 'better' || row.verdict === 'worse' ? ' mark' : '')}, words[row.verdict])])),
    el('div', {class: 'charts'}, both(file, 'Requests per second', 'IOPS', 'requests_per_s'), both(file, 'Average latency', 'ms', 'latency_ms'))));
}
if (data.unpaired.length) page.append(section('Only in one of the two runs', el('ul', {}, data.unpaired.map(path => el('li', {}, path)))));
page.append(el('p', {class: 'soft'}, 'The figures are those of the main runs; only percentiles are of the whole runs, with initial update and final audit. Better and worse mark differences that exceed the noise: how much the figure varies within the two main runs. Nothing is marked where no noise is given.'));
draw();
