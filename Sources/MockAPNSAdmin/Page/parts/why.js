// Why a push was answered as it was: the checks of APNs, in order, with the one that failed.

import { features, get } from '../base/api.js';
import { fill, h, icon, link } from '../base/dom.js';
import { address } from '../base/router.js';
import { foreign, visible } from '../base/text.js';
import { kindOf, statusWord } from './status.js';

const STATES = {
  passed: ['ok', 'passed'], failed: ['broken', 'failed'], notReached: ['none', 'not reached'], skipped: ['skip', 'not asked'],
};
const MARKS = { documented: 'Apple documents it', observed: 'observed of APNs', guessed: 'a guess' };

/** @param {any} record @param {HTMLElement} element */
export async function why(record, element) {
  const sentence = record.explanation ? h('p.explanation', { class: kindOf(record) }, foreign(record.explanation))
    : h('p.explanation', { class: kindOf(record) }, record.status === 200 ? 'All checks passed.' : statusWord(record));
  const by = record.decidedBy.startsWith('rule:')
    ? h('p', null, 'The rule ', h('b', null, visible(record.decidedBy.slice(5))), ' decided, before any check. ', link(address(['faults']), 'Rules'))
    : record.decidedBy === 'outage' ? h('p', null, 'An outage decided, before any rule or check.') : null;
  const next = record.delivery && h('p', null, h('b', null, 'Delivery: '), record.delivery, record.replacedBy && [', replaced by ', link(address(['pushes', String(record.replacedBy)]), String(record.replacedBy))]);
  const list = h('ol.checks');
  fill(element, sentence, by, next, list);
  if (!features.checks) return;
  const { checks } = await get(`/requests/${record.sequence}/checks`);
  fill(list, checks.map((/** @type {any} */ check) => {
    const [name, word] = STATES[/** @type {keyof STATES} */ (check.state)] ?? ['none', check.state];
    return h('li', { class: check.state }, h('span.mark', { title: word }, icon(name), h('span.sr', null, `${word}: `)),
      h('div', null, h('span', null, check.check), check.state !== 'failed' && check.expected && h('span.rule', null, ` – ${visible(check.expected)}`),
        check.state === 'failed' && h('dl.facts', null,
          check.found !== null && check.found !== undefined && [h('dt', null, 'Found'), h('dd', null, foreign(typeof check.found === 'string' ? check.found : JSON.stringify(check.found)))],
          check.expected && [h('dt', null, 'Expected'), h('dd', null, visible(typeof check.expected === 'string' ? check.expected : JSON.stringify(check.expected)))],
          check.mark && [h('dt', null, 'Basis'), h('dd', null, MARKS[/** @type {keyof MARKS} */ (check.mark)] ?? check.mark, check.source && `: ${check.source}`)])));
  }));
}
