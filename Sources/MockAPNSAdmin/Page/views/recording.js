// What was recorded: its steps and answers, of which some can be left out, beside the scenario that they make.

import { at, button, check, deviceLabel, dotted, fill, foreign, go, h, json, link, on, page, refill, section } from '../base.js';
import { linked } from '../parts/numbers.js';
import { draft, playing } from '../parts/playing.js';
import { assembled, latest, recordButton, WHAT } from '../parts/recording.js';
import { statusWord } from '../parts/status.js';

/** Boxes that are shown at first. */
const PAGE = 100;
/** Numbers of equal answers. */
const MOST = 10;

export function open() {
  const element = h('div');
  const draw = () => fill(element, latest?.steps.length || latest?.answers.length ? recorded(latest) : page('Recording', null, h('div.empty',
    h('h2', latest ? 'Nothing was recorded' : 'There is no recording here'),
    h('p', `${WHAT} between “Record” and “Stop” become a scenario. A reload of the page forgets it.`), latest?.notes.map((note) => h('p', note)),
    h('div.line', recordButton(), link(at('scenario'), 'To the scenario')))));
  on('recorded', draw);
  draw();
  return { title: 'Recording', element };
}

function recorded(recording) {
  const { steps, answers, notes } = recording;
  const { area, check: judge, mistakes, files, plays } = playing('Scenario of the recording');
  const write = () => {
    const text = json(assembled(recording));
    // Browsers are slow with many lines: then each element of a list is one.
    area.text = steps.length > PAGE ? text.replace(/\n( {6,}| {4}(?=[\]}]))/g, ' ') : text;
    judge();
  };
  write();
  return page('Recording', [h('span.grow'), button('Open in the editor', () => {
    draft.text = area.text;
    go(at('scenario'));
  }), files, plays],
  h('div.flow', h('div',
    boxes('Steps', inTime(steps), write, ({ text, list, sequence }) => [text, sequence > 0 && `${list === 'workload' ? '' : 'after '}push ${sequence}`]),
    answers.length > 0 && boxes('Expect what I saw', answers, write, ({ element: { requests: { pushType, collapseID, ...all } }, sequences }) => [
      dotted(statusWord(all), `${pushType ?? 'push'} to ${deviceLabel(all)}`, collapseID), `push ${sequences.slice(0, MOST).join(', ')}${sequences.length > MOST ? ' …' : ''}`]),
    notes.length > 0 && section('Left out', h('ul.results', notes.map((note) => h('li', linked(note)))))),
  h('div.stays', area.element, mistakes)));
}

const isRule = ({ list }) => list === 'rules';
const isPush = ({ list }) => list === 'workload';
/** Rules are in the order in which they are tried, the last one first. What has the number of a push comes after it. */
const inTime = (steps) => [...steps.filter(isRule).toReversed(), ...steps.filter((step) => !isRule(step))]
  .sort((one, other) => one.sequence - other.sequence || isPush(other) - isPush(one));

/** What can be wanted or not, each with its words, and of which pushes it is. */
function boxes(title, items, changed, words) {
  const list = h('ul.boxes');
  let limit = PAGE;
  const draw = () => refill(list, items.slice(0, limit).map((item) => {
    const [label, where] = words(item);
    return h('li.line', check(foreign(label), h('input', { type: 'checkbox', checked: item.isOn, onchange: ({ target }) => {
      item.isOn = target.checked;
      changed();
    } })), h('span.muted', where && linked(where)));
  }), items.length > limit && h('li', button(`${items.length - limit} more`, () => {
    limit += 4 * PAGE;
    draw();
  })));
  const all = (isOn) => () => {
    for (const item of items) item.isOn = isOn;
    draw();
    changed();
  };
  draw();
  return h('section', h('div.line', h('h2', title), button('All', all(true), { label: `${title}: all` }), button('None', all(false), { label: `${title}: none` })), list);
}
