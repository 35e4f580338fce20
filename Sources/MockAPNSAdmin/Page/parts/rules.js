// Rules: how often each still decides, taking one away, and the chips of those that the page has made.

import { action, call, fill, get, h, tell, watch } from '../base.js';

/** What the names of rules begin with that the page makes. */
export const OWN = 'page: ';

/** A rule's name for people: without what tells those that the page makes from others. */
export const ruleName = (name) => name.replace(/^page: (.*) #\w+$/s, '$1');

async function remove(name) {
  await call('DELETE', `/rules/${encodeURIComponent(name)}`);
  tell('rules');
}

export const removing = ({ name }) => action('Remove', () => remove(name), { label: `Remove ${ruleName(name)}` });

/** How often a rule still decides. */
export const left = ({ usedUp, left: times }) => (usedUp ? 'used up' : times === null ? 'until removed' : `${times} left`);

export async function allRules() {
  return (await get('/rules')).rules;
}

/** What the page has made fail, and how often it still will: shown in every view until it is over. */
export function ruleChips() {
  const element = h('ul.rule-chips', { label: 'Faults in force', hidden: true });
  watch('rules rows', async () => (await allRules()).filter((rule) => rule.name.startsWith(OWN) && !rule.usedUp), (own) => {
    element.hidden = !own.length;
    fill(element, own.map((rule) => h('li.chip', `${ruleName(rule.name)}: ${left(rule)}`,
      action('✕', () => remove(rule.name), { class: 'quiet', label: `End ${ruleName(rule.name)}` }))));
  });
  return element;
}
