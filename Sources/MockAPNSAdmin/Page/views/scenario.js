// The scenario: its text, what differs from what is played, beginning anew.

import { action, confirmed, counted, fill, get, h, json, on, page, select, text, throttled } from '../base.js';
import { differences } from '../parts/compare.js';
import { changes } from '../parts/differences.js';
import { draft, playing } from '../parts/playing.js';
import { recordButton } from '../parts/recording.js';
import { reset } from '../parts/reset.js';

/** A line this long was not written by hand. */
const LONG = 160;
/** Changes that are listed. */
const MOST = 200;

export function open() {
  const { area, check, mistakes, files, plays } = playing('Scenario', () => {
    draft.text = area.text;
    look();
  });
  const list = h('div');
  const changed = h('details', { hidden: true, ontoggle: () => tell() }, h('summary'), list);
  /** The text that is played now. */
  let played = '{}';
  /** The text as it was before it was edited. */
  let loaded = '';
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
    if (from && area.text !== loaded && !(await confirmed('Discard your edits?', 'Discard'))) {
      bundled.value = '';
      return;
    }
    const given = readable(await text('GET', from ?? '/scenario'));
    if (from) draft.text = given;
    else played = given;
    area.text = given;
    loaded = area.text;
    area.text = draft.text ?? given;
    look();
  };
  const look = throttled(() => {
    tell();
    check();
  }, 300);
  const begin = async () => {
    if (await reset()) draft.text = null;
  };
  const bundled = select([['', 'Built-in…']], { label: 'Built-in scenarios', onchange: () => bundled.value && load(`/scenarios/${bundled.value}`) });
  get('/scenarios').then(({ scenarios }) => bundled.append(...scenarios.map(({ name, description }) => h('option', { title: description }, name))));
  on('scenario', () => load());
  load();
  return {
    title: 'Scenario',
    element: page('Scenario', [h('span.grow'), recordButton(), bundled, action('Reload current', () => load('/scenario?current=true'), { title: 'With the rules and devices of now' }),
      files, action('Reset', begin), plays],
    area.element, h('p.muted', 'Keys are offered after a quotation mark, or by Ctrl+Space.'), mistakes, changed),
  };
}

/** A scenario that is one line becomes readable; what was laid out by hand stays as it is. */
const readable = (given) => (given.trim().includes('\n') && given.split('\n').every((line) => line.length < LONG) ? given : json(JSON.parse(given)));
