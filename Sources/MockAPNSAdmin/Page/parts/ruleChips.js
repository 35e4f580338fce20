// What the page has made fail, and how often it still will: shown in every view until it is over.

import { call, get } from '../base/api.js';
import { failed } from '../base/dialogs.js';
import { button, fill, h, icon, throttled } from '../base/dom.js';
import { on, tell } from '../base/store.js';
import { visible } from '../base/text.js';

/** Takes a rule away. @param {string} name */
export async function removeRule(name) {
  try {
    await call('DELETE', `/rules/${encodeURIComponent(name)}`);
  } catch (error) {
    failed(error);
  }
  tell('rules');
}

/** How often a rule still decides. @param {any} rule */
export function left(rule) {
  if (rule.usedUp) return 'used up';
  if (typeof rule.left === 'number') return `${rule.left} left`;
  return 'until removed';
}

export function ruleChips() {
  const element = h('ul.rule-chips', { 'aria-label': 'Faults in force', hidden: true });
  let last = '';
  const refresh = throttled(async () => {
    try {
      const { rules } = await get('/rules');
      const own = rules.filter((/** @type {any} */ rule) => rule.name.startsWith('page: ') && !rule.usedUp);
      const key = JSON.stringify(own);
      if (key === last) return;
      last = key;
      element.hidden = own.length === 0;
      fill(element, own.map((/** @type {any} */ rule) => h('li.chip', null, icon('bolt'), h('span', null, `${visible(rule.name.slice(6).replace(/ #\w+$/, ''))}: ${left(rule)}`),
        button(null, () => removeRule(rule.name), { icon: 'close', 'aria-label': `End ${rule.name}` }))));
    } catch {
      // The state of the stream says it.
    }
  }, 500);
  on(['rules', 'rows'], refresh);
  refresh();
  return element;
}
