// Attempts: pushes of one apns-id, else of one collapse id, in the order of their times, with the gaps between.

import { apart, foreign, get, h, icon, pushes, pushLink, section } from '../base.js';
import { kindOf, statusWord } from './status.js';

/** Attempts of one lane that are drawn: the first, and the latest. */
const MOST = 12;
/** Lanes that are drawn. */
const LANES = 10;
/** Marks of the server's timeline that are bands, and their words. */
export const BANDS = { __proto__: null, rule: 'rule', outage: 'outage', goAway: 'GOAWAY' };
/** What a mark of the timeline is, in words. */
export const bandWords = ({ kind, name }) => [BANDS[kind] ?? kind, name].filter(Boolean).join(' ');

/** What has no end goes on, or was a moment. */
const endOf = ({ kind, from, to }) => (to ? Date.parse(to) : kind === 'goAway' ? Date.parse(from) : Infinity);
const timeOf = (row) => Date.parse(row.time);

/** Pushes that belong together, those with one attempt left out; the newest lane comes first. Rows are newest first. */
export function lanesOf(rows) {
  const lanes = new Map();
  // An apns-id that the server made is of one push.
  const counts = Map.groupBy(rows, ({ apnsID }) => apnsID);
  for (const row of rows) {
    const name = row.apnsID && counts.get(row.apnsID).length > 1 ? `apns-id ${row.apnsID}` : row.collapseID && `collapse id ${row.collapseID}`;
    if (!name) continue;
    if (!lanes.has(name)) lanes.set(name, []);
    lanes.get(name).unshift(row);
  }
  return [...lanes].filter(([, attempts]) => attempts.length > 1);
}

/** Marks of the server's timeline, for the time of these rows; none if it knows no timeline. */
export async function marksBetween(rows) {
  if (rows.length < 2) return [];
  try {
    return (await get(`/timeline?bucket=1m&from=${rows.at(-1).time}&to=${rows[0].time}`)).marks;
  } catch {
    return [];
  }
}

/** One lane, oldest first: shapes of the answers, and what lies between them. */
export function lane(attempts, marks = []) {
  const shown = attempts.length > MOST ? [attempts[0], ...attempts.slice(1 - MOST)] : attempts;
  return h('ol.lane', shown.map((row, index) => [
    index > 0 && gap(shown[index - 1], row, marks, index === 1 && attempts.length - shown.length),
    h('li', attempt(row)),
  ]));
}

const attempt = (row) => {
  const link = pushLink(row.sequence, '', { tab: 'why' });
  link.title = `Push ${row.sequence}: ${statusWord(row)}`;
  link.className = `status ${kindOf(row)}`;
  link.append(icon(kindOf(row)), h('span.sr', `Push ${row.sequence}: `), String(row.status ?? '–'));
  return link;
};

function gap(one, other, marks, left) {
  const [from, to] = [timeOf(one), timeOf(other)];
  const length = Math.max(to - from, 1);
  const element = h('li.between', h('span', left > 0 && `${pushes(left)} · `, apart(to - from)), marks.filter(({ kind }) => BANDS[kind]).map((mark) => {
    const begin = Math.max(0, (Date.parse(mark.from) - from) / length);
    const end = Math.min(1, (endOf(mark) - from) / length);
    if (begin >= 1 || end < 0) return null;
    const words = bandWords(mark);
    const band = h(`span.band.${mark.kind}`, { title: words }, h('span.sr', words));
    band.style.left = `${begin * 100}%`;
    band.style.width = `${Math.max(0, end - begin) * 100}%`;
    return band;
  }));
  // Longer gaps are wider, but not so much that the others cannot be seen.
  element.style.flexGrow = Math.log10(length + 10);
  return element;
}

/** All lanes of rows, as a section; nothing without any. */
export function retries(rows, marks) {
  const lanes = lanesOf(rows);
  return lanes.length > 0 && section('Retries and updates', h('ul.lanes', lanes.slice(0, LANES).map(([name, attempts]) =>
    h('li', h('p', foreign(name), h('span.muted', ` · ${pushes(attempts.length)}`)), lane(attempts, marks)))),
  lanes.length > LANES && h('p.muted', `The latest ${LANES} of ${lanes.length}.`));
}
