// What lint finds in the log, by rule, with the pushes.

import {
  at, count, counted, dotted, fill, foreign, get, go, h, link, on, page, pushLink, pushes, refill, select,
} from '../base.js';
import { countedOf, othersOf, pointerOf, severityMark, SHAPES, worstFirst } from '../parts/lint.js';
import { sparing } from '../parts/sparing.js';

const SEVERITIES = [['', 'Everything'], ['warning', 'Errors and warnings'], ['error', 'Errors']];
/** The shortest pause between two questions, in milliseconds. */
const BREATH = 2000;

export function open({ query }) {
  const list = h('div');
  /** What is unfolded stays so. */
  const open = new Set();
  let shown;
  const severity = select(SEVERITIES, { label: 'Severity', onchange: () => go(at('lint', { ...Object.fromEntries(query), severity: severity.value }), true) });
  const look = async () => {
    const asked = String(query);
    const { findings } = await get(`/lint?sentBy=any&${new URLSearchParams([...query].filter(([name, value]) => value && ['rule', 'severity'].includes(name)))}`);
    const key = JSON.stringify([asked, findings]);
    if (asked !== String(query) || key === shown) return;
    shown = key;
    draw(findings);
  };
  const soon = sparing(async () => document.hidden || look(), BREATH);
  function draw(findings) {
    const rules = Map.groupBy(worstFirst(findings), ({ rule }) => rule);
    refill(list, findings.length ? [h('p.verdict', dotted(Object.keys(SHAPES).map((each) => {
      const number = findings.filter((finding) => finding.severity === each).length;
      return number && counted(number, each);
    }))), query.get('rule') && h('p', link(at('lint'), 'All rules')), h('ul.results', [...rules].map(ruleOf))] : h('div.empty', h('h2', 'Lint finds nothing')));
  }
  function ruleOf([rule, all]) {
    const links = h('p.line');
    const more = h('details', { open: open.has(rule), async ontoggle() {
      open[more.open ? 'add' : 'delete'](rule);
      if (!more.open) return;
      try {
        fill(links, countedOf(rule, all, await get(`/lint/pushes?sentBy=any&rule=${rule}`)));
      } catch {
        fill(links, othersOf(rule, all[0]));
      }
    } }, h('summary', all.length === 1 ? pushes(all[0].count) : 'Pushes'), links);
    return h('li', h('h2.verdict', severityMark(all[0].severity), rule), all.map((finding) =>
      h('p', pointerOf(finding), foreign(finding.message), finding.count > 1 && h('span.muted', ` ×${count(finding.count)}`),
        finding.sequence && h('span', ' ', pushLink(finding.sequence, `${finding.count > 1 ? 'first: ' : ''}push ${finding.sequence}`, { tab: 'lint' })))), h('p.muted', all[0].source), more);
  }
  on('rows scenario', soon);
  severity.value = query.get('severity') ?? '';
  look();
  return {
    title: 'Lint',
    update(address) {
      ({ query } = address);
      severity.value = query.get('severity') ?? '';
      look();
    },
    element: page('Lint', severity, list),
  };
}
