// The scenario: its text, with the mistakes that `check` finds while it is written; playing it, beginning anew.

import {
  action, anew, button, call, confirmed, copy, counted, fill, forbid, get, h, icon, json, on, page, post, said, save, select, text, throttled,
} from '../base.js';
import { differences } from '../parts/compare.js';
import { changes } from '../parts/differences.js';
import { editor } from '../parts/editor.js';

/** A line that nobody has written so. */
const LONG = 160;
/** Changes that are listed. */
const MOST = 200;
/** What was written and is not played yet: it stays while other views are open. */
let draft = null;

export function open() {
  const area = editor('Scenario', () => {
    draft = area.text;
    check();
  });
  const mistakes = h('div', { id: 'mistakes', 'aria-live': 'polite' });
  const list = h('div');
  const changed = h('details', { hidden: true, ontoggle: () => tell() }, h('summary'), list);
  /** The text that is played now. */
  let played = '{}';
  /** What is edited against what is played, once it can be read. */
  const tell = () => {
    let found = [];
    try {
      found = changes(JSON.parse(played), JSON.parse(area.text));
    } catch {
      // The mistakes say it.
    }
    changed.hidden = !found.length;
    fill(changed.firstChild, counted(found.length, 'change'));
    fill(list, changed.open && [differences('Changes of the scenario', ['Played', 'Edited'], found.slice(0, MOST)), found.length > MOST && h('p.muted', `The first ${MOST}.`)]);
  };
  const load = async (from) => {
    const given = readable(await text('GET', from ?? '/scenario'));
    if (from) draft = given;
    else played = given;
    area.text = draft ?? given;
    check();
  };
  const check = throttled(async () => {
    tell();
    const { mistakes: found } = await call('POST', '/scenario/check', area.text);
    area.tell(found);
    for (const each of plays) forbid(each, found.length ? 'The scenario has mistakes' : '');
    fill(mistakes, found.length ? [h('p.verdict.broken', icon('broken'), counted(found.length, 'mistake')), h('ul.results', found.map((one) => h('li',
      button(`${one.line}:${one.column}`, () => area.show(one)), ' ', one.message)))]
      : h('p.verdict.ok', icon('ok'), 'No mistakes'));
  }, 300);
  const download = () => {
    const [, name = 'scenario'] = /"name"\s*:\s*"([\w.-]+)"/.exec(area.text) ?? [];
    save(`${name}.json`, [area.text], 'application/json');
  };
  const begun = (words) => {
    draft = null;
    said(words);
    anew();
  };
  const play = (label, query, question, attributes) => action(label, async () => {
    if (!(await confirmed(question, 'Play'))) return;
    try {
      await call('PUT', `/scenario${query}`, area.text);
      begun('It is played from its beginning.');
    } catch (error) {
      fill(mistakes, h('p.explanation.broken', error.message, error.pointer && h('code', ` ${error.pointer}`)));
    }
  }, attributes);
  const reset = async () => {
    if (!(await confirmed('Start over? The log, devices and rules are cleared.', 'Reset'))) return;
    await post('/reset');
    begun('Started over.');
  };
  const plays = [
    play('Play', '', 'Play this scenario? Devices, screens and rules start over.', { class: 'primary' }),
    play('Play and reset', '?reset=true', 'Play this scenario? The log, devices, screens and rules start over.'),
  ];
  const bundled = select([['', 'Built-in…']], { label: 'Built-in scenarios', onchange: () => bundled.value && load(`/scenarios/${bundled.value}`) });
  get('/scenarios').then(({ scenarios }) => bundled.append(...scenarios.map(({ name, description }) => h('option', { title: description }, name))));
  on('scenario', () => load());
  load();
  return {
    title: 'Scenario',
    element: page('Scenario', [h('span.grow'), bundled, action('Reload current', () => load('/scenario?current=true'), { title: 'With the rules and devices of now' }),
      button('Download', download, { title: 'Save as a file' }),
      button('Copy', () => copy(area.text, 'the scenario')), action('Reset', reset), plays],
    area.element, h('p.muted', 'Keys are offered after a quotation mark, or with Ctrl and Space.'), mistakes, changed),
  };
}

/** A scenario that is one line becomes readable; what somebody has laid out stays as it is. */
const readable = (given) => (given.trim().includes('\n') && given.split('\n').every((line) => line.length < LONG) ? given : json(JSON.parse(given)));
