// A fault in one line: what, whom, how often. It becomes a rule.

import { post } from '../base/api.js';
import { copy, failed, said, sheet } from '../base/dialogs.js';
import { button, fill, h } from '../base/dom.js';
import { tell } from '../base/store.js';
import { freshName } from '../base/text.js';

/** @typedef {{name: string, label: string, then: any, when?: any, times?: number | null}} Fault */

/** @type {Fault[]} */
export const FAULTS = [
  { name: '429', label: '429 TooManyRequests', then: { reject: 'TooManyRequests' }, times: 3 },
  { name: '410', label: '410 Unregistered', then: { reject: 'Unregistered' }, times: 1 },
  { name: '503 for 30 s', label: '503 ServiceUnavailable, an outage of 30 s', then: { outage: { reason: 'ServiceUnavailable', for: '30s' } }, times: null },
  { name: '500', label: '500 InternalServerError', then: { reject: 'InternalServerError' }, times: 1 },
  { name: 'slow answer', label: 'Slow: the answer takes 2 s', then: { pass: true, delay: '2s' }, times: 3 },
  { name: 'lost answer', label: 'Lost answer: taken, then the connection is closed', then: { close: 'reset', deliver: true }, times: 1 },
  { name: 'no answer', label: 'No answer at all', then: { stall: true }, times: 1 },
  { name: 'REFUSED_STREAM', label: 'REFUSED_STREAM', then: { resetStream: 'REFUSED_STREAM' }, times: 1 },
  { name: 'GOAWAY', label: 'GOAWAY with Shutdown', then: { goAway: { reason: 'Shutdown' } }, times: 1 },
  { name: 'expired token', label: '403 ExpiredProviderToken', then: { reject: 'ExpiredProviderToken' }, times: 1 },
  { name: 'PING unanswered', label: 'PING frames are not answered', when: { on: 'ping' }, then: { ignore: true }, times: null },
];

/**
 * @param {Fault} fault
 * @param {any} whom fields of `when`.
 * @param {number | null} times
 */
export function ruleOf(fault, whom, times) {
  const when = fault.when ?? whom;
  return {
    name: freshName(`page: ${times ? `next ${times === 1 ? '' : `${times} `}` : ''}${fault.name}`),
    ...(Object.keys(when).length ? { when } : {}), times: fault.times === null ? undefined : times || undefined,
    then: fault.then, ...(fault.then.outage ? { times: 1 } : {}),
  };
}

/** Makes it so. @param {any} rule */
export async function begin(rule) {
  try {
    await post('/rules', rule);
    tell('rules');
    said(`From now on: ${rule.name}`);
    return true;
  } catch (error) {
    failed(error);
    return false;
  }
}

/**
 * Asks what, whom and how often.
 *
 * @param {any} [like] a record or a device; without one, everybody.
 * @param {string} [name] of the fault that is proposed.
 */
export function faultDialog(like = {}, name = '429') {
  const whoms = [
    (like.device || like.token) && [`this device (${like.device ?? `${like.token.slice(0, 8)}…`})`, like.device ? { device: like.device } : { token: like.token }],
    like.topic && [`topic ${like.topic}`, { topic: like.topic }], like.pushType && [`push type ${like.pushType}`, { pushType: like.pushType }],
    like.collapseID && [`collapse id ${like.collapseID}`, { collapseID: like.collapseID }], ['all pushes', {}],
  ].filter(Boolean);
  const what = h('select', { 'aria-label': 'What', autofocus: true }, FAULTS.map((fault, index) => h('option', { value: index, selected: fault.name === name }, fault.label)));
  const whom = h('select', { 'aria-label': 'Whom' }, whoms.map(([label], index) => h('option', { value: index }, label)));
  const times = h('input', { type: 'number', min: 1, max: 1000000, 'aria-label': 'How often', value: '3' });
  const often = h('label.line', null, 'next', times);
  const text = h('pre.code');
  const fault = () => FAULTS[Number(what.value)];
  const rule = () => ruleOf(fault(), whoms[Number(whom.value)][1], fault().times === null ? null : Number(times.value) || null);
  const draw = () => {
    often.hidden = fault().times === null;
    whom.disabled = Boolean(fault().when);
    fill(text, JSON.stringify({ ...rule(), name: rule().name.replace(/ #\w+$/, '') }, null, 2));
  };
  what.addEventListener('change', () => {
    if (fault().times) times.value = String(fault().times);
    draw();
  });
  whom.addEventListener('change', draw);
  times.addEventListener('input', draw);
  times.value = String(fault().times ?? 1);
  draw();
  const dialog = sheet('Make pushes fail', h('form', {
    method: 'dialog',
    onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (await begin(rule())) dialog.close();
    },
  }, h('div.line.fault', null, what, h('span', null, 'to'), whom, often),
  h('details', null, h('summary', null, 'As a rule of a scenario'), text, button('Copy', () => copy(text.textContent ?? '', 'the rule'), { icon: 'copy', class: 'small' })),
  h('div.actions', null, button('Cancel', () => dialog.close()), h('button.primary', null, 'Begin'))));
}
