// Why a push was answered as it was: the checks of APNs, in order, with the one that failed; and what happens next.

import { at, facts, foreign, get, h, icon, link, pushLink } from '../base.js';
import { kindOf, statusWord } from './status.js';
import { decider, delivery as deliveryOf, explanation } from './tabs.js';

const STATES = { passed: ['ok', 'passed'], failed: ['broken', 'failed'], notReached: ['none', 'not reached'], skipped: ['none', 'not asked'] };
const MARKS = { documented: 'Apple documents it', observed: 'observed of APNs', guessed: 'a guess' };

/** `isBrief` folds the checks that did not fail. */
export async function why(record, isBrief) {
  const { delivery, reason, replacedBy } = record;
  const { checks: all } = await get(`/requests/${record.sequence}/checks`);
  const isScripted = all.every(({ state }) => state === 'skipped');
  const checks = isScripted ? [] : all;
  const failed = checks.filter(({ state }) => state === 'failed');
  const others = checks.length > 0 && h('ol.checks', checks.filter(({ state }) => state !== 'failed').map(line));
  return [
    explanation(record, record.explanation ?? record.ignored ?? (kindOf(record) === 'ok' ? 'All checks passed.' : statusWord(record))),
    isScripted && h('p', 'Decided by ', decider(record), ', before any check.'),
    reason && h('p', link(at('reasons', { reason }), `About ${reason}`)),
    delivery && h('p', h('b', 'Delivery: '), deliveryOf(record), replacedBy && [', replaced by ', pushLink(replacedBy)]),
    failed.length > 0 && h('ol.checks', failed.map(line)), others && (isBrief ? h('details', h('summary', counts(checks)), others) : others),
  ];
}

/** How many passed, and so on: `12 passed, 3 not reached`. */
const counts = (checks) => Object.entries(STATES).filter(([state]) => state !== 'failed')
  .map(([state, [, word]]) => [checks.filter((each) => each.state === state).length, word]).filter(([number]) => number).map((each) => each.join(' ')).join(', ');

function line({ check, state, expected, found, mark, source }) {
  const [shape, word] = STATES[state];
  return h(`li.${state}`, h('span.mark', { title: word }, icon(shape), h('span.sr', `${word}: `)),
    h('details', { open: state === 'failed' }, h('summary', check, ` – ${expected}`), facts([
      ['Found', found === null ? 'nothing' : foreign(found)], ['Expected', expected], ['Basis', `${MARKS[mark]}${source ? `: ${source}` : ''}`]])));
}
