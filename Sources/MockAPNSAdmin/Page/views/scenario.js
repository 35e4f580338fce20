// The scenario: its text, with the mistakes that `check` finds while it is written; playing it, beginning anew.

import { call, features, post, Refusal, text } from '../base/api.js';
import { confirmed, copy, failed, said } from '../base/dialogs.js';
import { button, fill, h, icon, throttled } from '../base/dom.js';
import { anew, on } from '../base/store.js';
import { counted, visible } from '../base/text.js';

/** @returns {import('../app.js').View} */
export function open() {
  const area = h('textarea.editor', { rows: 24, spellcheck: 'false', 'aria-label': 'Scenario', 'aria-describedby': 'mistakes', oninput: () => {
    isChanged = true;
    check();
  } });
  const mistakes = h('div', { id: 'mistakes', 'aria-live': 'polite' });
  let isChanged = false;
  const load = async () => {
    try {
      const now = await text('/scenario');
      if (isChanged) return;
      area.value = pretty(now);
      check();
    } catch (error) {
      failed(error);
    }
  };
  const check = throttled(async () => {
    if (!features.checksScenarios) return;
    try {
      const found = (await call('POST', '/scenario/check', area.value)).mistakes;
      fill(mistakes, found.length === 0 ? h('p.verdict.ok', null, icon('ok'), 'No mistakes')
        : [h('p.verdict.broken', null, icon('broken'), counted(found.length, 'mistake')), h('ul.results', null, found.map((/** @type {any} */ one) => h('li', null,
          button(`${one.line}:${one.column}`, () => show(one), { class: 'small' }), ' ', visible(one.message))))]);
      area.setAttribute('aria-invalid', String(found.length > 0));
    } catch {
      // The state of the stream says it.
    }
  }, 300);
  /** Puts the cursor where a mistake is. @param {{line: number, column: number}} at */
  const show = ({ line, column }) => {
    const before = area.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(before + column - 1, before + column);
  };
  const play = async (/** @type {boolean} */ isAnew) => {
    const question = isAnew ? 'Play this scenario, and forget log, devices and rules?' : 'Play this scenario instead of what is played now?';
    if (!(await confirmed(question, 'Play', isAnew ? 'play-reset' : 'play'))) return;
    try {
      await call('PUT', `/scenario${isAnew ? '?reset=true' : ''}`, area.value);
      isChanged = false;
      said('The scenario is played from its beginning.');
      anew();
    } catch (error) {
      fill(mistakes, h('p.explanation.broken', null, visible(/** @type {Error} */ (error).message), error instanceof Refusal && error.pointer && h('code', null, ` ${error.pointer}`)));
    }
  };
  const reset = async () => {
    if (!(await confirmed('Begin anew? Log, devices and rules are forgotten.', 'Reset', 'reset'))) return;
    try {
      await post('/reset');
      said('Everything begins anew.');
      anew();
    } catch (error) {
      failed(error);
    }
  };
  const current = async () => {
    try {
      area.value = pretty(await text('/scenario?current=true'));
      isChanged = true;
      check();
    } catch (error) {
      failed(error);
    }
  };
  const end = on('scenario', load);
  load();
  return {
    title: 'Scenario',
    element: h('div.page', null, h('div.toolbar', null, h('h1', null, 'Scenario'), h('span.grow'),
      features.current && button('As it is now', current, { title: 'The scenario with the rules and devices of this moment' }), button('Copy', () => copy(area.value, 'the scenario'), { icon: 'copy' }),
      button('Reset', reset, { icon: 'reset' }), button('Play', () => play(false), { icon: 'play', class: 'primary' }), button('Play and reset', () => play(true), { icon: 'reset' })), area, mistakes),
    end() {
      end();
      check.cancel();
    },
  };
}

/** A scenario that is one line becomes readable; what somebody has laid out stays as it is. @param {string} json */
function pretty(json) {
  try {
    return json.split('\n').every((line) => line.length < 160) && json.trim().includes('\n') ? json : JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
