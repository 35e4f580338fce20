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

/**
 * Draws the rules, and those outages that are not over, each with the time that is left: after changes, and while that
 * passes.
 */
export function watchRules(draw) {
  let found = { rules: [], outages: [] };
  const drawNow = () => {
    found.outages = found.outages.filter((outage) => secondsLeft(outage) > 0);
    draw(found.rules, found.outages.map((outage) => [outage, `${lasting(secondsLeft(outage))} left${manualNow() ? ' on the manual clock' : ''}`]));
  };
  watch('rule rows clock scenario', () => get('/rules'), (rules) => {
    found = rules;
    drawNow();
  });
  on('tick', () => found.outages.length && drawNow());
}

/** Rules beside those of the scenario, and how often they still decide, and outages: shown in every view until that is over. */
export function ruleChips() {
  const element = h('ul.rule-chips', { label: 'Faults in force' });
  watchRules((rules, outages) => {
    const added = rules.filter((rule) => rule.added && !rule.usedUp);
    element.hidden = !added.length && !outages.length;
    refill(element, outages.map(([{ reason }, time]) => h('li.chip', `Outage, ${reason}: ${time}`, endingOutages('✕', { class: 'quiet' }))),
      added.map((rule) => h('li.chip', `${rule.name}: ${left(rule)}`, removing(rule))));
  });
  return element;
}
