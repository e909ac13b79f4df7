'use strict';
// Shared by all pages: elements, numbers as the text report writes them, charts.
// As ums::printable: characters that would hide or reverse the letters of a name are shown by their numbers.
const printable = text => String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g,
  c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) node.setAttribute(name, value);
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined).map(child => child instanceof Node ? child : printable(child)));
  return node;
};
// A link only to a file: no name can act as a scheme ("javascript:...") or as another machine ("//...").
const fileLink = path => el('a', {href: (path.startsWith('/') ? '' : './') + encodeURI(path).replace(/^\/+/, '/').replaceAll('#', '%23').replaceAll('?', '%3F')}, path);
const color = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const cut = (value, digits) => (Math.floor(value * 10 ** digits + 1e-9) / 10 ** digits).toFixed(digits);
const count = n => Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
const counted = (n, noun) => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
const duration = us => {
  if (us > 0 && us < 1) return cut(us * 1000, 0) + ' ns';
  if (us < 1000) return cut(us, 0) + ' us';
  if (us < 1e4) return cut(us / 1e3, 1) + ' ms';
  if (us < 1e6) return cut(us / 1e3, 0) + ' ms';
  if (us < 6e7) return cut(us / 1e6, 1) + ' s';
  const s = Math.floor(us / 1e6), two = n => String(n).padStart(2, '0');
  return s < 3600 ? `${Math.floor(s / 60)} min ${two(s % 60)} s` : `${Math.floor(s / 3600)} h ${two(Math.floor(s % 3600 / 60))} min`;
};
// As reports::mb_rate_text.
const mbRate = mb => mb.toFixed(mb < 99.95 ? 1 : 0);
// Of measurements, whose differences may be smaller than a unit of duration().
const time = ns => ns < 1000 ? ns.toFixed(0) + ' ns' : ns < 1e7 ? (ns / 1000).toFixed(1) + ' us' : duration(ns / 1000);
const size = bytes => {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  while (bytes >= 1024 && unit < 5) { bytes /= 1024; ++unit; }
  return (unit === 0 || bytes >= 100 || bytes % 1 === 0 ? cut(bytes, 0) : cut(bytes, 1)) + ' ' + units[unit];
};
const table = (titles, rows, left = 1) => el('div', {class: 'scroll'}, el('table', {},
  el('thead', {}, el('tr', {}, titles.map((title, i) => el('th', i < left ? {class: 'left'} : {}, title)))),
  el('tbody', {}, rows.map(row => el('tr', {}, row.map((cell, i) => cell instanceof Node && cell.tagName === 'TD' ? cell
    : el('td', i < left ? {class: 'left'} : {}, cell instanceof Node ? cell : String(cell))))))));
// Findings beyond the first ten thousand of a run are counted, but of no known kind.
const kindsTable = (kinds, all, nameOf) => table(['kind', kinds.reduce((sum, entry) => sum + entry.count, 0) < all ? 'at least' : 'count'],
  kinds.map(entry => [nameOf(entry).replaceAll('_', ' '), count(entry.count)]));
const section = (title, ...children) => el('section', {}, el('h2', {}, title), children.flat());

const charts = [];
// `configure()` is called again when the colors change.
const chart = (name, configure) => {
  const canvas = el('canvas', {role: 'img', 'aria-label': name});
  const node = el('div', {class: 'chart'}, el('div', {class: 'name'}, name), el('div', {class: 'box'}, canvas));
  charts.push({canvas, configure, drawn: null});
  return node;
};
const axis = (title, more = {}) => ({title: {display: true, text: title, color: color('soft')}, ticks: {color: color('soft'), maxTicksLimit: 7},
  grid: {color: color('line')}, ...more});
const base = (xTitle, yTitle, more = {}) => ({animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
  interaction: {mode: 'index', intersect: false},
  plugins: {legend: {labels: {color: color('text'), boxWidth: 12}, display: more.legend !== false}, tooltip: {enabled: more.tooltip !== false, ...more.tip}},
  scales: {x: axis(xTitle, {type: 'linear', ...more.x}), y: axis(yTitle, {beginAtZero: true, ...more.y})}});
const line = (label, name, points, more = {}) => ({label, data: points, borderColor: color(name), backgroundColor: color(name), borderWidth: 1.3,
  pointRadius: points.length < 3 ? 2 : 0, ...more});
const draw = () => charts.forEach(entry => {
  if (entry.drawn) entry.drawn.destroy();
  entry.drawn = new Chart(entry.canvas, entry.configure());
});
const resize = () => charts.forEach(entry => entry.drawn && entry.drawn.resize());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
matchMedia('print').addEventListener('change', draw);
addEventListener('beforeprint', () => { draw(); resize(); });
addEventListener('afterprint', () => { draw(); resize(); });

const verdictBox = (verdict, title) => el('div', {class: 'verdict ' + verdict.judgement},
  el('h1', {}, title), el('div', {class: 'word'}, verdict.judgement), verdict.reasons.map(remark));
const remark = entry => el('div', {}, el('p', {}, entry.text), entry.next ? el('p', {class: 'next'}, entry.next) : null,
  entry.source ? el('p', {class: 'source'}, 'Source: ' + entry.source) : null);
