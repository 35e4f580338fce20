// How a push was answered, in a word and a shape; and what is remarkable about it.

import { foreign, h, icon, pushLink } from '../base.js';

/** An answer that is good, though devices ignore the broadcast, is `none`. */
export const kindOf = ({ status, ignored }) => (!status ? 'none' : status < 300 ? (ignored ? 'none' : 'ok') : status < 500 ? 'refused' : 'broken');

export const statusWord = ({ status, reason, outcome, ignored }) =>
  (status ? `${status} ${reason ?? (status < 300 ? (ignored ? 'ignored' : 'OK') : '')}` : `no answer: ${outcome}`);

export function statusElement(row) {
  const kind = kindOf(row);
  return h(`span.status.${kind}`, { title: row.ignored ?? statusWord(row) }, icon(kind), h('span', statusWord(row).split(/(?<=[a-z])(?=[A-Z])/).flatMap((part) => [h('wbr'), part])));
}

/** A line of a history: number, answer, text, and what else there is to say. */
export const entry = (row, ...more) => h('li', pushLink(row.sequence, row.sequence), statusElement(row),
  row.title ? foreign(row.title) : h('span.muted', row.pushType ?? row.call), more);

/** The answer of an upstream, or what mock-apns would have answered: of a stream that was reset, the reason is the error code. */
export const verdict = ({ status, reason }) => ({ status, reason, outcome: `RST_STREAM ${reason}` });

/** Words, each with what it means. */
export function marksOf({ decidedBy, delivery, lint, replacedBy, sentBy }) {
  const [by, rule] = /^rule:(.*)$/s.exec(decidedBy) ?? [];
  return [
    lint && ['lint', `lint finds ${lint.rules.join(', ')} (${lint.severity})`],
    by && ['rule', `decided by the rule ${rule}`], decidedBy === 'outage' && ['outage', 'decided by an outage'],
    delivery?.startsWith('Stored') && !replacedBy && ['stored', delivery], delivery?.startsWith('Discarded') && ['discarded', delivery],
    delivery?.endsWith('(From Storage)') && ['from storage', delivery], replacedBy && ['replaced', `replaced by ${replacedBy}`],
    sentBy === 'admin' && ['sent here', 'sent by the admin API'],
  ].filter(Boolean);
}
