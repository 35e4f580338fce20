// Faults: those in force as sentences, in the order in which they are tried, with what each decided; and quick ones.

import { action, arrange, at, button, code, count, everyone, fill, find, foreign, h, json, link, page, section, timeElement } from '../base.js';
import { begin, faultDialog, FAULTS, labelOf } from '../parts/faults.js';
import { recordButton } from '../parts/recording.js';
import { endingOutages, outageSentence, removing, texting, watchRules } from '../parts/rules.js';
import { sentence } from '../parts/sentences.js';
import { entry } from '../parts/status.js';

/** Rules that one call lists, those that are shown at first, and the pushes of each. */
const MOST_RULES = 1000;
const PAGE = 60;
const MOST = 10;

export function open() {
  const outageList = h('ul.results');
  const outages = section('Outages', outageList);
  const [inForce, usedUp] = [ruleList(), ruleList()];
  const none = h('p.muted');
  const more = h('p.muted');
  const past = h('details', { hidden: true }, h('summary', 'Used up'), usedUp.element);
  let found = { rules: [], outages: [], total: 0 };
  const write = texting((texts, of) => {
    outages.hidden = !found.outages.length;
    fill(outageList, found.outages.map(([outage, time]) => h('li.line', h('b', outageSentence(outage, time, of)),
      h('span.muted', `by ${outage.rule ?? 'the timeline'}`), h('span.grow'), endingOutages('End'))));
    const told = (rule) => ({ rule, given: texts.get(rule.name), words: sentence(rule, texts.get(rule.name), of) });
    inForce.show(found.rules.filter((rule) => !rule.usedUp).map(told));
    const old = found.rules.filter((rule) => rule.usedUp);
    usedUp.show(old.map(told));
    past.hidden = !old.length;
    fill(past.firstChild, `Used up: ${count(old.length)}`);
    fill(none, !found.rules.length ? 'No rules: every push is decided by the checks of APNs.' : old.length === found.rules.length && 'All rules are used up.');
    fill(more, found.total > found.rules.length && `The first ${count(found.rules.length)} of ${count(found.total)}.`);
  });
  watchRules(`limit=${MOST_RULES}`, (rules, running, total) => {
    found = { rules, outages: running, total };
    write(rules);
  });
  return {
    title: 'Faults',
    element: page('Faults', [action('Fault…', () => faultDialog(), { class: 'primary' }), recordButton()], h('div.flow',
      section('Quick, for all pushes', h('div.actions.start', FAULTS.map((each) => action(labelOf(each), () => begin(each)))),
        h('p.muted', 'GOAWAY and close of a connection are at ', link(at('providers'), 'Providers'), '.')),
      h('div', h('div', outages), h('section.rules', h('h2', 'Rules, tried in this order'), none, inForce.element, more, past)))),
  };
}

/** Rules, each unfolded to its JSON and the pushes that it decided; those that stay keep their elements, and stay open. */
function ruleList() {
  const list = h('ul.results');
  const rest = h('div');
  const drawn = new Map();
  let all = [];
  let limit = PAGE;
  function show(rules) {
    all = rules;
    const wanted = rules.slice(0, limit).map((each) => {
      const key = JSON.stringify([each.rule.name, each.given]);
      if (!drawn.has(key)) drawn.set(key, ruleLine(each));
      const known = drawn.get(key);
      known.update(each);
      return [key, known];
    });
    const keys = new Set(wanted.map(([key]) => key));
    for (const key of drawn.keys()) if (!keys.has(key)) drawn.delete(key);
    arrange(list, wanted.map(([, { element }]) => element));
    fill(rest, rules.length > limit && button(`${count(rules.length - limit)} more`, () => {
      limit += 4 * PAGE;
      show(all);
    }));
  }
  return { element: h('div', list, rest), show };
}

function ruleLine({ rule, given }) {
  const words = h('b');
  const pushes = h('div');
  /**
   * How many it had decided when its pushes were read: earlier ones belong to a previous rule of its name. A rule that counts
   * for each value does not say how many.
   */
  let decided;
  let latest = rule;
  const look = async () => {
    if (!details.open || decided === latest.decided) return null;
    decided = latest.decided;
    const isCall = ['broadcast', 'channels'].includes(rule.on);
    const wanted = { ...everyone, decidedBy: `rule:${rule.name}`, ...(isCall && { call: { exists: true } }) };
    const { requests, total } = decided === 0 ? { requests: [] } : await find({ requests: wanted }, { limit: Math.min(MOST, decided ?? MOST) });
    if (!requests.length) return fill(pushes, h('p.muted', 'It has decided nothing in the log.'));
    return fill(pushes, h('ul.history', requests.map((row) => entry(row, timeElement(row.time)))),
    h('p', link(at('pushes', { q: `rule:"${rule.name}"` }), total > requests.length ? `All ${count(total)} by this name` : 'In the log')));
  };
  const details = h('details', { ontoggle: look }, h('summary', words, ' ', foreign(rule.name)),
    h('div.decided', pushes, given ? code(json(given)) : h('p.muted', 'Its text is not known here.')));
  return {
    element: h('li.line', details, removing(rule)),
    update(each) {
      latest = each.rule;
      if (words.textContent !== each.words) fill(words, each.words);
      look();
    },
  };
}
