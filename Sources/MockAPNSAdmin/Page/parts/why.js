// Why a push was answered as it was: the checks of APNs, in order, with the one that failed; and what happens next.

import { at, facts, foreign, get, h, icon, link, pushLink } from '../base.js';
import { kindOf, statusWord } from './status.js';
import { decider, explanation } from './tabs.js';

const STATES = { passed: ['ok', 'passed'], failed: ['broken', 'failed'], notReached: ['none', 'not reached'], skipped: ['none', 'not asked'] };
const MARKS = { documented: 'Apple documents it', observed: 'observed of APNs', guessed: 'a guess' };

export async function why(record) {
  const { checks } = await get(`/requests/${record.sequence}/checks`);
  const { decidedBy, delivery, reason, replacedBy } = record;
  const isScripted = decidedBy === 'outage' || decidedBy.startsWith('rule:');
  return [
    explanation(record, record.explanation ?? record.ignored ?? (kindOf(record) === 'ok' ? 'All checks passed.' : statusWord(record))),
    isScripted && h('p', 'Decided by ', decider(record), ', before any check.'),
    reason && h('p', link(at('reasons', { reason }), `About ${reason}`)),
    delivery && h('p', h('b', 'Delivery: '), delivery, replacedBy && [', replaced by ', pushLink(replacedBy)]),
    h('ol.checks', checks.toSorted((one, other) => (other.state === 'failed') - (one.state === 'failed')).map(line)),
  ];
}

function line({ check, state, expected, found, mark, source }) {
  const [shape, word] = STATES[state];
  return h(`li.${state}`, h('span.mark', { title: word }, icon(shape), h('span.sr', `${word}: `)),
    h('details', { open: state === 'failed' }, h('summary', check, ` – ${expected}`), facts([
      ['Found', found === null ? 'nothing' : foreign(found)], ['Expected', expected], ['Basis', `${MARKS[mark]}${source ? `: ${source}` : ''}`]])));
}
