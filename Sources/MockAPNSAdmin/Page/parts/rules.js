// Rules: what they do in sentences, how often each still decides, taking one away, and the chip of those that were added.

import { action, at, call, counted, dropdown, fill, get, h, lasting, link, manualNow, now, on, refill, tell, watch } from '../base.js';
import { ruleTexts, sentence, statuses } from './sentences.js';

export const removing = ({ name }) => action('✕', async () => {
  await call('DELETE', `/rules/${encodeURIComponent(name)}`);
  tell('rule');
}, { class: 'quiet', label: `End ${name}` });

/** Ends all outages. */
export const endingOutages = (label, attributes) => action(label, async () => {
  await call('DELETE', '/outages');
  tell('rule');
}, { label: 'End the outage', ...attributes });

const secondsLeft = ({ until }) => (Date.parse(until) - now()) / 1000;

/** Whether there is a rule of that name. */
export const isTaken = async (name) => (await get(`/rules?name=${encodeURIComponent(name)}`)).total > 0;

/** `503 ServiceUnavailable · to every push · 12 s left`. */
export const outageSentence = ({ reason }, time, of) => `${of[reason] ?? ''} ${reason} · to every push · ${time}`.trim();

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

/** Reads what sentences are made of when there are other rules than before; then calls `draw(texts, statuses)`. */
export function texting(draw) {
  let known = null;
  let texts = new Map();
  let of = {};
  on('rule scenario', () => {
    known = null;
  });
  return async (rules) => {
    const names = JSON.stringify(rules.map(({ name }) => name));
    if (known !== names) {
      known = names;
      // A replica of a fleet may not tell; then rules have their names.
      [texts, of] = await Promise.all([rules.length ? ruleTexts().catch(() => new Map()) : new Map(), statuses()]);
    }
    draw(texts, of);
  };
}

/** Rules beside those of the scenario that still decide, and outages: one chip in every view, which opens their list. */
export function ruleChip() {
  const list = h('ul.results');
  const chip = h('button.chip', { type: 'button', title: 'Faults in force' }, 'Faults');
  const element = dropdown(chip, 'Faults in force', () => write(shown[0]), list, h('p', link(at('faults'), 'All faults')));
  const panel = element.lastChild;
  element.className = 'fault-chip';
  panel.className += ' in-force';
  let shown = [[], []];
  const write = texting((texts, of) => refill(list,
    shown[1].map(([outage, time]) => h('li.line', outageSentence(outage, time, of), h('span.grow'), endingOutages('✕', { class: 'quiet' }))),
    shown[0].map((rule) => h('li.line', h('span', { title: rule.name }, sentence(rule, texts.get(rule.name), of)), h('span.grow'), removing(rule)))));
  watchRules('added=true&usedUp=false', (rules, outages, total) => {
    shown = [rules, outages];
    const number = total + outages.length;
    if (!number && panel.matches(':popover-open')) panel.hidePopover();
    element.hidden = !number;
    fill(chip, counted(number, 'fault'));
    if (panel.matches(':popover-open')) write(rules);
  });
  return element;
}
