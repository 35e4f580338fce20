// How a push was answered, in a word and a shape.

import { h, icon } from '../base/dom.js';

/** @typedef {'ok' | 'refused' | 'broken' | 'none'} Kind */

const OUTCOMES = {
  delayed: 'answer delayed', stalled: 'never answered', reset: 'stream reset', goAway: 'GOAWAY', closed: 'connection closed',
  ignored: 'ignored', cancelled: 'cancelled by client',
};

/** @param {{status?: number | null}} of @returns {Kind} */
export function kindOf({ status }) {
  if (!status) return 'none';
  return status < 300 ? 'ok' : status < 500 ? 'refused' : 'broken';
}

/** @param {{status?: number | null, reason?: string | null, outcome?: string}} of */
export function statusWord({ status, reason, outcome }) {
  if (!status) return OUTCOMES[/** @type {keyof OUTCOMES} */ (outcome ?? '')] ?? 'no answer';
  return `${status} ${reason ?? (status < 300 ? 'OK' : '')}`.trim();
}

/** @param {{status?: number | null, reason?: string | null, outcome?: string}} of */
export function statusElement(of) {
  const kind = kindOf(of);
  return h('span.status', { class: kind }, icon(kind), h('span', null, statusWord(of)));
}

/**
 * What is remarkable about a row: stored, replaced, decided by a rule, sent from the page.
 *
 * @param {import('../base/api.js').Row} row
 * @returns {[string, string][]} icon and meaning.
 */
export function marksOf(row) {
  /** @type {[string, string][]} */
  const marks = [];
  if (row.decidedBy?.startsWith('rule:')) marks.push(['rule', `decided by the rule ${row.decidedBy.slice(5)}`]);
  else if (row.decidedBy === 'outage') marks.push(['rule', 'decided by an outage']);
  if (row.delivery?.startsWith('Stored')) marks.push(['stored', row.delivery]);
  else if (row.delivery?.startsWith('Discarded')) marks.push(['trash', row.delivery]);
  else if (row.delivery?.endsWith('(From Storage)')) marks.push(['phone', row.delivery]);
  if (row.replacedBy) marks.push(['replaced', `replaced by ${row.replacedBy}`]);
  if (row.sentBy === 'admin') marks.push(['send', 'sent from the admin port']);
  return marks;
}
