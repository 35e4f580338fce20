// What lint finds: marks in the log, the tab of one push, and the findings of what is written.

import { at, foreign, get, h, icon, link, on, store, throttled } from '../base.js';

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
    for (const row of rows) row.lint = marks.get(row.sequence);
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
