// A fault in one line: what, whom, how often. It becomes a rule. And GOAWAY to one connection.

import { counted, deviceLabel, field, fill, form, h, json, post, said, select, snippet, tell } from '../base.js';
import { isTaken } from './rules.js';

const refusal = (name, times = 1) => ({ name, then: { reject: name.slice(4) }, times });

export const FAULTS = [
  refusal('429 TooManyRequests', 3), refusal('410 Unregistered'), refusal('500 InternalServerError'), refusal('403 ExpiredProviderToken'),
  { name: '503 ServiceUnavailable for 30 s, from the next push', then: { outage: { reason: 'ServiceUnavailable', for: '30s' } }, times: 1 },
  { name: 'slow answer, 2 s', then: { pass: true, delay: '2s' }, times: 3 },
  { name: 'lost answer: taken, then closed', then: { close: 'reset', deliver: true }, times: 1 },
  { name: 'no answer', then: { stall: true }, times: 1 },
  { name: 'REFUSED_STREAM', then: { resetStream: 'REFUSED_STREAM' }, times: 1 },
  { name: 'GOAWAY with Shutdown', then: { goAway: { reason: 'Shutdown' } }, times: 1 },
  { name: 'PING not answered', when: { on: 'ping' }, then: { ignore: true }, times: null },
];

/** `next 3: 429`. */
export const labelOf = ({ name, then, times }, number = times) => (!number || then.outage ? name : `next ${number}: ${name}`);

/** `whom` are fields of `when`. */
function ruleOf(fault, whom, times) {
  const when = fault.when ?? whom;
  return { name: labelOf(fault, times), ...(Object.keys(when).length && { when }), ...(times && { times }), then: fault.then };
}

/** Makes it so. */
export async function begin(fault, whom = {}, times = fault.times) {
  const rule = ruleOf(fault, whom, times);
  const stem = rule.name;
  for (let number = 2; await isTaken(rule.name); number += 1) rule.name = `${stem} (${number})`;
  await post('/rules', rule);
  tell('rule');
  said(`Added: ${rule.name}`);
}

/** Asks what, whom and how often, about a record or a device; without one, about all pushes. */
export function faultDialog({ device, name = device, token, topic, pushType, collapseID } = {}) {
  const whoms = [
    (name || token) && [`this device (${deviceLabel({ name, token })})`, name ? { device: name } : { token }], topic && [`topic ${topic}`, { topic }],
    pushType && [`push type ${pushType}`, { pushType }], collapseID && [`collapse id ${collapseID}`, { collapseID }], ['all pushes', {}],
  ].filter(Boolean);
  const what = select(FAULTS.map((fault, index) => [index, fault.name]), { label: 'What', autofocus: true, onchange: () => propose() });
  const whom = select(whoms.map(([label], index) => [index, label]), { label: 'Whom', onchange: () => draw() });
  const times = h('input', { type: 'number', min: 1, max: 1000000, label: 'How often', oninput: () => draw() });
  const often = h('label.line', 'next', times);
  const preview = h('div');
  const chosen = () => {
    const fault = FAULTS[what.value];
    return [fault, whoms[whom.value][1], fault.times && (Number(times.value) || null)];
  };
  const draw = () => {
    const [fault] = chosen();
    often.hidden = !fault.times || Boolean(fault.then.outage);
    whom.disabled = Boolean(fault.when);
    fill(preview, snippet(json(ruleOf(...chosen())), 'the rule'));
  };
  const propose = () => {
    times.value = FAULTS[what.value].times ?? 1;
    draw();
  };
  propose();
  form('Make pushes fail', 'Begin', () => begin(...chosen()), h('div.line.fault', what, 'to', whom, often),
    h('details', h('summary', 'Use as a scenario rule'), preview));
}

/** Those that are about a whole connection. */
const CODES = ['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'ENHANCE_YOUR_CALM'];

/** Asks how to send GOAWAY to a connection, by its id, or to `all`. */
export function goAwayDialog(id) {
  const reason = select(['Shutdown', 'IdleTimeout', 'BadCertificate', 'BadCertificateEnvironment', 'ExpiredProviderToken', 'InvalidProviderToken', ['', 'no reason']], { autofocus: true });
  const errorCode = select(CODES);
  const lastStream = select([['this', 'the last one'], ['previous', 'the one before it'], ['all', 'all, 2³¹−1'], ['zero', 'none, 0']]);
  const then = select([['drain', 'close after the answers'], ['close', 'close at once'], ['stayOpen', 'leave it open']]);
  form(id === 'all' ? 'GOAWAY to all connections' : `GOAWAY to connection ${id}`, 'Send GOAWAY', async () => {
    const frame = { errorCode: errorCode.value, lastStream: lastStream.value, then: then.value, ...(reason.value && { reason: reason.value }) };
    const { connections } = await post(`/connections/${id}/goaway`, frame);
    said(`GOAWAY sent: ${counted(connections.length, 'connection')}.`);
    tell('connection');
  }, h('div.send', field('Reason', reason), field('Error code', errorCode), field('Last stream', lastStream), field('Then', then)));
}
