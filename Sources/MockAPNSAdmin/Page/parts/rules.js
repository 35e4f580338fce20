// Rules: how often each still decides, taking one away, and the chips of those that were added.

import { action, call, get, h, lasting, manualNow, now, on, refill, tell, watch } from '../base.js';

export const removing = ({ name }) => action('✕', async () => {
  await call('DELETE', `/rules/${encodeURIComponent(name)}`);
  tell('rule');
}, { class: 'quiet', label: `End ${name}` });

/** How often a rule still decides. */
export const left = ({ usedUp, left: times }) => (usedUp ? 'used up' : times === null ? 'until removed' : `${times} left`);

/** Ends all outages. */
export const endingOutages = (label, attributes) => action(label, async () => {
  await call('DELETE', '/outages');
  tell('rule');
}, { label: 'End the outage', ...attributes });

const secondsLeft = ({ until }) => (Date.parse(until) - now()) / 1000;

/** Whether there is a rule of that name. */
export const isTaken = async (name) => (await get(`/rules?name=${encodeURIComponent(name)}`)).total > 0;

/**
 * Draws the first rules of a query, and the outages in progress, each with the time that is left: after changes, and while
 * that passes.
 */
export function watchRules(query, draw) {
  let found = { rules: [], outages: [], total: 0 };
  const drawNow = () => {
    found.outages = found.outages.filter((outage) => secondsLeft(outage) > 0);
    draw(found.rules, found.outages.map((outage) => [outage, `${lasting(secondsLeft(outage))} left${manualNow() ? ' on the manual clock' : ''}`]), found.total);
  };
  watch('rule rows clock scenario', () => get(`/rules?${query}`), (page) => {
    found = page;
    drawNow();
  });
  on('tick', () => found.outages.length && drawNow());
}

/** Rules beside those of the scenario, and how often they still decide, and outages: shown in every view until that is over. */
export function ruleChips() {
  const element = h('ul.rule-chips', { label: 'Faults in force' });
  watchRules('added=true&usedUp=false', (rules, outages) => {
    element.hidden = !rules.length && !outages.length;
    refill(element, outages.map(([{ reason }, time]) => h('li.chip', `Outage, ${reason}: ${time}`, endingOutages('✕', { class: 'quiet' }))),
      rules.map((rule) => h('li.chip', `${rule.name}: ${left(rule)}`, removing(rule))));
  });
  return element;
}
