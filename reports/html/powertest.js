'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const outcomes = {intact: 'good', findings: 'poor', nothing: 'soft'};
const moments = {any: 'at any moment', checkpoint: 'in a checkpoint', flush: 'after a log flush', growth: 'in a growth'};
const ms = value => duration(value * 1000);
const verdict = {judgement: data.verdict, reasons: [{text: data.headline.replace(/^[A-Z]+: /, '')}].concat(data.cycles.filter(c => c.outcome === 'findings').map(c => ({text: `Cycle ${c.number}: ${c.said}`})))};
const bars = (label, name, of) => ({label, data: data.cycles.map(c => of(c)), backgroundColor: color(name)});
const stacked = (yTitle, datasets) => ({type: 'bar', data: {labels: data.cycles.map(c => c.number), datasets},
  options: {animation: false, responsive: true, maintainAspectRatio: false, plugins: {legend: {labels: {color: color('text'), boxWidth: 12}}},
    scales: {x: axis('cycle', {stacked: true}), y: axis(yTitle, {stacked: true, beginAtZero: true})}}});
const seconds = outcome => c => c.outcome === outcome ? c.load_ms / 1000 : 0;
page.append(verdictBox(verdict, 'Campaign of power cuts'),
  section('Cuts', el('p', {}, `${count(data.cuts)} of ${count(data.cuts_wanted)} cuts were made; after ${count(data.cuts_intact)} nothing acknowledged was missing, after ${count(data.cuts_nothing)} the files said nothing. `
    + `${count(data.cuts_with_torn_pages)} left torn pages, ${count(data.torn_pages)} in all.`),
  el('div', {class: 'charts'},
    chart('Time under load before each cut', () => stacked('s', [bars('intact', 'good', seconds('intact')), bars('findings', 'poor', seconds('findings')), bars('nothing can be said', 'soft', seconds('nothing'))])),
    chart('Torn pages: in flight at the cut, no fault', () => stacked('pages', [bars('torn pages', 'fair', c => c.torn_pages)])))),
  section('Cycles', table(['cycle', 'cut', 'under load', 'outcome', 'findings', 'torn pages', 'blocks after the end', 'verified in'], data.cycles.map(c => [c.number,
    c.was_cut ? moments[c.moment] : 'ended, not cut', ms(c.load_ms), el('td', {class: 'mark ' + outcomes[c.outcome]}, c.outcome), count(c.finding_count), count(c.torn_pages), count(c.blocks_behind), ms(c.verify_ms)]), 2)),
  el('p', {class: 'soft'}, `ioproof ${data.program_version}. Not proven: that each cut really took the power from the storage while it had something to lose.`));
draw();
