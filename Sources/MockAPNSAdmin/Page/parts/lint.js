// What lint finds: marks in the log, the tab of one push, and the findings of what is written.

import { at, count, foreign, get, h, icon, link, on, pushLink, store, throttled } from '../base.js';

/** Rows in sight are judged together, unless more pushes than these are between them. */
const RANGE = 2000;
/** Milliseconds between two questions of the log. */
const BREATH = 2000;
/** Pushes whose marks are kept. */
const MOST = 20_000;

/** Severities, the worst first, and their icons. */
export const SHAPES = { error: 'broken', warning: 'refused', note: 'none' };

const rank = ({ severity }) => Object.keys(SHAPES).indexOf(severity);

export const worstFirst = (findings) => findings.sort((one, other) => rank(one) - rank(other));

export const severityMark = (severity) => h(`b.status.${SHAPES[severity]}`, icon(SHAPES[severity]), severity);

/**
 * What the log does with rows in sight: those with errors or warnings get `lint`; after others were
 * asked for, `draw` is called.
 */
export function marking(draw) {
  /** By sequence number: what lint finds, or null. */
  const marks = new Map();
  let wanted = [];
  const ask = throttled(async () => {
    const last = wanted[0];
    const first = wanted.findLast((sequence) => last - sequence < RANGE);
    // Under full load, no row stays in sight for long.
    if (!last || document.hidden || store.isSampling) return;
    wanted = [];
    const { pushes } = await get(`/lint/pushes?sentBy=any&severity=warning&limit=1000&after=${first - 1}&before=${last + 1}`).catch(() => ({}));
    if (!pushes) return;
    if (marks.size > MOST) marks.clear();
    for (let sequence = first; sequence <= last; sequence += 1) marks.set(sequence, null);
    for (const push of pushes) marks.set(push.sequence, push);
    if (pushes.length) draw();
  }, BREATH);
  on('scenario', () => marks.clear());
  return (rows) => {
    for (const row of rows) row.lint = marks.get(row.sequence) ?? undefined;
    wanted = rows.map((row) => row.sequence).filter((sequence) => !marks.has(sequence)).sort((one, other) => other - one);
    if (wanted.length) ask();
  };
}

/** The tab Lint of one push. */
export async function lint({ sequence }) {
  const { findings } = await get(`/lint?sequence=${sequence}`);
  return findings.length ? findingList(findings) : h('p.explanation.ok', 'Lint finds nothing.');
}

/** Where something was found, unless the message begins with it. */
export const pointerOf = ({ pointer, message }) => !message.startsWith(pointer) && h('code', { dir: 'auto' }, pointer, ' ');

/** Findings, each with where it is and what it means. */
export const findingList = (findings) => h('ul.results', worstFirst(findings).map((finding) => h('li',
  h('p.verdict', severityMark(finding.severity), link(at('lint', { rule: finding.rule }), finding.rule)), h('p', pointerOf(finding), foreign(finding.message)), h('p.muted', finding.source))));

/** What rules count that are about no single push, by the beginning of their names, and the address of it. */
const OTHERS = [
  [/^(connection-|not-multiplexed)/, 'Connections', ['providers', { closed: 1 }]], [/^(token-per-|provider-token)/, 'Provider tokens', ['providers', { closed: 1 }]],
  [/^channel/, 'Channels', ['channels']], [/^answer-not-awaited/, 'Canceled pushes', ['pushes', { q: 'outcome:cancelled' }]],
];

/** What is counted by findings of a rule that lists no pushes: its name, and links to it. */
export function othersOf(rule, { firstSequence, lastSequence }) {
  const [, name, address] = OTHERS.find(([names]) => names.test(rule)) ?? [];
  const each = (sequence) => pushLink(sequence, `${name === 'Channels' ? 'Call' : 'Push'} ${sequence}`);
  return [name && link(at(...address), name), firstSequence > 0 && [each(firstSequence), lastSequence > firstSequence && [' to ', each(lastSequence)]]];
}

/** The pushes of a rule, with links; what it counts beside them are calls about channels. */
export function countedOf(rule, all, { pushes, total }) {
  const number = all.reduce((sum, finding) => sum + finding.count, 0);
  const inLog = total > 0 && link(at('pushes', { q: `lint:${rule}` }), total > pushes.length ? `and ${count(total - pushes.length)} before them` : 'In the log');
  const calls = !total && number > 0 && [link(at('channels'), 'Calls about channels'), all.map(({ sequence }) => sequence && pushLink(sequence, `Call ${sequence}`))];
  return [pushes.reverse().map(({ sequence }) => [pushLink(sequence, sequence, { tab: 'lint' }), ' ']), inLog, calls];
}
