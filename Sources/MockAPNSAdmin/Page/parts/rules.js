// Rules: how often each still decides, taking one away, and the chips of those that were added.

import { action, call, get, h, lasting, manualNow, now, on, refill, tell, watch } from '../base.js';

async function remove(name) {
  await call('DELETE', `/rules/${encodeURIComponent(name)}`);
  tell('rules');
}

export const removing = ({ name }) => action('✕', () => remove(name), { class: 'quiet', label: `Remove ${name}` });

/** How often a rule still decides. */
export const left = ({ usedUp, left: times }) => (usedUp ? 'used up' : times === null ? 'until removed' : `${times} left`);

export async function allRules() {
  return (await get('/rules')).rules;
}

/** Ends all outages. */
export const endingOutages = (label, attributes) => action(label, async () => {
  await call('DELETE', '/outages');
  tell('rules');
}, { label: 'End the outage', ...attributes });

const secondsLeft = ({ until }) => (Date.parse(until) - now()) / 1000;

/** Draws those outages that are not over, each with the time that is left, while that passes. */
export function watchOutages(draw) {
  let running = [];
  const drawNow = () => {
    running = running.filter((outage) => secondsLeft(outage) > 0);
    draw(running.map((outage) => [outage, `${lasting(secondsLeft(outage))} left${manualNow() ? ' on the manual clock' : ''}`]));
  };
  watch('rules rows clock', async () => (await get('/rules')).outages, (found) => {
    running = found;
    drawNow();
  });
  on('tick', () => running.length && drawNow());
}

/** Rules beside those of the scenario, and how often they still decide, and outages: shown in every view until that is over. */
export function ruleChips() {
  const element = h('ul.rule-chips', { label: 'Faults in force' });
  let added = [];
  let running = [];
  const draw = () => {
    element.hidden = !added.length && !running.length;
    refill(element, running.map(([{ reason }, time]) => h('li.chip', `Outage, ${reason}: ${time}`, endingOutages('✕', { class: 'quiet' }))), added.map((rule) => h('li.chip', `${rule.name}: ${left(rule)}`,
      action('✕', () => remove(rule.name), { class: 'quiet', label: `End ${rule.name}` }))));
  };
  watch('rules rows', async () => (await allRules()).filter((rule) => rule.added && !rule.usedUp), (found) => {
    added = found;
    draw();
  });
  watchOutages((found) => {
    running = found;
    draw();
  });
  return element;
}
