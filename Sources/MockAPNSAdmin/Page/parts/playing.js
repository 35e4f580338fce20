// A scenario's text, with the mistakes that `check` finds in it, and what can be done with it.

import { action, anew, button, call, confirmed, copy, counted, fill, forbid, h, icon, pushes, said, save, throttled } from '../base.js';
import { editor } from './editor.js';

/** What was written and is not played yet: it stays while other views are open. */
export const draft = { text: null };

/** `changed()` is called after each edit; without it, the text is read-only. */
export function playing(label, changed) {
  const area = editor(label, changed);
  const mistakes = h('div', { id: 'mistakes', 'aria-live': 'polite' });
  const check = throttled(async () => {
    const { mistakes: found } = await call('POST', '/scenario/check', area.text);
    area.tell(found);
    for (const each of plays) forbid(each, found.length ? 'The scenario has mistakes' : '');
    fill(mistakes, found.length ? [h('p.verdict.broken', icon('broken'), counted(found.length, 'mistake')), h('ul.results', found.map((one) => h('li',
      button(`${one.line}:${one.column}`, () => area.show(one)), ' ', one.message)))]
      : h('p.verdict.ok', icon('ok'), 'No mistakes'));
  }, 300);
  const play = (label, query, question, attributes) => action(label, async () => {
    if (!(await confirmed(question, 'Play'))) return;
    try {
      await call('PUT', `/scenario${query}`, area.text);
      if (draft.text === area.text) draft.text = null;
      const number = (JSON.parse(area.text).workload ?? []).reduce((sum, { times = 1 }) => sum + times, 0);
      said(`It is played from its beginning${number ? `; a provider has to send its ${pushes(number)}` : ''}.`);
      anew();
    } catch (error) {
      fill(mistakes, h('p.explanation.broken', error.message, error.pointer && h('code', ` ${error.pointer}`)));
    }
  }, attributes);
  const plays = [
    play('Play', '', 'Play this scenario? Devices, screens and rules start over.', { class: 'primary' }),
    play('Play and reset', '?reset=true', 'Play this scenario? The log, devices, screens and rules start over.'),
  ];
  const download = () => {
    const [, name = 'scenario'] = /"name"\s*:\s*"([\w.-]+)"/.exec(area.text) ?? [];
    save(`${name}.json`, [area.text], 'application/json');
  };
  return {
    area, check, mistakes, plays,
    files: [button('Download', download, { title: 'Save as a file' }), button('Copy', () => copy(area.text, 'the scenario'))],
  };
}
