// Two pushes side by side: what differs, or all of both.

import { apart, at, button, check, everyone, find, foreign, go, h, here, pushLink, said, shownValue } from '../base.js';
import { compared, differs, GROUPS } from './differences.js';
import { statusElement } from './status.js';

/** The same place with other parameters, and perhaps another push. */
export function adjust(changes, id) {
  const { path, query } = here();
  for (const [name, value] of Object.entries(changes)) query.set(name, value ?? '');
  if (id) path.length > 1 ? path.splice(1, 1, id) : query.set('at', id);
  go(at(...path, query), true);
}

/** Compares with the latest other push of the first question that has one, or says why not. */
async function compareWith(own, questions, problem) {
  for (const [like, before] of questions) {
    const { requests } = await find({ requests: { ...everyone, ...like } }, { limit: 2, before });
    const found = requests.find(({ sequence }) => sequence !== own);
    if (found) return adjust({ with: found.sequence });
  }
  return said(problem);
}

/** Compares with the push before it of the same apns-id, else of the same collapse id for that token. */
export const comparePrevious = ({ sequence, apnsID, collapseID, token }) => compareWith(
  sequence, [{ apnsID }, ...collapseID ? [{ collapseID, token }] : []].map((like) => [like, sequence]), `No push before it has the same apns-id${collapseID ? ' or collapse id' : ''}.`,
);

/**
 * Compares with what worked: the accepted attempt with its apns-id; else the accepted push before it, else the latest, of the
 * same device and type, else of its type, else of its device.
 */
export const compareAccepted = ({ sequence, apnsID, device, token, pushType }) => {
  const to = device ? { device } : { token: token ?? undefined };
  // A type that there is not is no value for a MATCH, but may be the beginning of one.
  const like = pushType && { pushType: { prefix: pushType } };
  const others = [{ ...to, ...like }, like ?? to, to].flatMap((each) => [sequence, undefined].map((before) => [{ status: 200, ...each }, before]));
  return compareWith(sequence, [...apnsID ? [[{ status: 200, apnsID }]] : [], ...others], 'No such push was accepted.');
};

/** The heading of two records: `312 | 316 · +1.6 s`. */
export const heading = (one, other) => `${one.sequence} | ${other.sequence} · ${apart(Date.parse(other.time) - Date.parse(one.time))}`;

/** The answers of both. */
export const answers = (one, other) => h('p.versus', statusElement(one), h('span.muted', { 'aria-hidden': 'true' }, '|'), h('span.sr', ' and '),
  statusElement(other));

const shown = (sign, word, value) => (value === undefined ? h('span.muted', 'none')
  : [sign && [h('span', { 'aria-hidden': 'true' }, `${sign} `), h('span.sr', `${word} `)], foreign(shownValue(value))]);

function row({ name, from, to }) {
  const isChanged = differs({ from, to });
  return h('tr', { class: isChanged ? 'changed' : '' }, h('th', { scope: 'row' }, foreign(name || 'all')),
    h('td', { class: isChanged && from !== undefined ? 'gone' : '' }, shown(isChanged && '−', 'removed:', from)),
    h('td', { class: isChanged && to !== undefined ? 'new' : '' }, shown(isChanged && '+', 'added:', to)));
}

/** A table of values: `heads` are of the one and of the other side, `bodies` are made of rows. */
const sides = (caption, heads, bodies) => h('table.plain.compared', h('caption.sr', caption),
  h('thead', h('tr', ['Field', ...heads].map((head) => h('th', { scope: 'col' }, head)))), bodies);

/** The values in which two documents differ. */
export const differences = (caption, heads, rows) => sides(caption, heads, h('tbody', rows.map(row)));

/** The table of both, older attempt on the left; `all` of the address has what is equal, too. */
export function comparison(one, other) {
  const isAll = here().query.has('all');
  const rows = compared(one, other).filter((each) => isAll || differs(each));
  const box = h('input', { type: 'checkbox', checked: !isAll, onchange: () => adjust({ all: isAll ? null : 1 }) });
  return [h('div.line', check('Only differences', box), h('span.grow'), button('Swap', () => adjust({ with: other.sequence }, one.sequence)),
    button('End', () => adjust({ with: null, all: null }), { title: 'Esc' })),
  rows.length ? sides('Both pushes', [one, other].map(({ sequence }) => pushLink(sequence, String(sequence))), Object.entries(GROUPS).map(([group, title]) => {
    const own = rows.filter((each) => each.group === group);
    return own.length > 0 && h('tbody', h('tr', h('th.rowgroup', { scope: 'rowgroup', colspan: 3 }, title)), own.map(row));
  })) : h('p.explanation.ok', 'Nothing differs but the time and the numbers.')];
}
