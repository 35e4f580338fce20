// What the tabs of one push show: Summary, Payload, Headers, Copy.

import { copy } from '../base/dialogs.js';
import { button, facts, fill, h, link } from '../base/dom.js';
import { address } from '../base/router.js';
import { counted, expiration, foreign, timeElement, visible } from '../base/text.js';
import { bodyOf, curl, expectation, rule, swift } from './copies.js';
import { tree } from './json.js';
import { kindOf } from './status.js';

const LIMITS = { voip: 5120 };

/** @param {any} record */
export function summary(record) {
  const like = (/** @type {string} */ name, /** @type {any} */ value) => value && link(address(['pushes'], { q: `${name}:${value}` }), visible(value), { title: 'All with this' });
  return [
    record.explanation && h('p.explanation', { class: kindOf(record) }, foreign(record.explanation)),
    facts([
      ['Received', timeElement(record.time, record.time.slice(0, 23).replace('T', ' '))],
      ['Clock', record.clock.slice(0, 16) !== record.time.slice(0, 16) && timeElement(record.clock)],
      ['Device', record.device && link(address(['devices', record.device]), foreign(record.device))],
      ['Token', record.token && h('span.token', null, link(address(['devices', record.token]), record.token))],
      ['Topic', like('topic', record.topic)], ['Push type', like('type', record.pushType)], ['Priority', record.priority],
      ['Expiration', record.expiration !== null && expiration(record.expiration)], ['Collapse id', like('collapse', record.collapseID)],
      ['apns-id', record.apnsID && h('code', null, record.apnsID)], ['Decided by', record.decidedBy.startsWith('rule:') ? ['rule ', link(address(['faults']), visible(record.decidedBy.slice(5)))] : record.decidedBy],
      ['Outcome', record.outcome !== 'responded' && record.outcome], ['Delivery', record.delivery],
      ['Replaced by', record.replacedBy && link(address(['pushes', String(record.replacedBy)]), String(record.replacedBy))],
      ['Payload', counted(record.payloadBytes, 'byte')],
      ['Connection', record.connection && `${record.connection}, stream ${record.stream}`], ['Sent by', record.sentBy === 'admin' && 'the admin port'],
      ['Proof', proof(record.authentication)], ['Decided in', `${record.latencyMicroseconds} µs`],
    ]),
  ];
}

/** @param {any} authentication */
function proof({ method, keyID, teamID, verdict }) {
  if (method === 'none') return 'none';
  const bad = verdict && verdict !== 'valid' ? `, ${verdict}` : '';
  return method === 'token' ? `token of key ${visible(keyID ?? '?')}, team ${visible(teamID ?? '?')}${bad}` : `certificate${bad}`;
}

/** @param {any} record */
export function payload(record) {
  const limit = LIMITS[/** @type {keyof typeof LIMITS} */ (record.pushType)] ?? 4096;
  const text = bodyOf(record);
  const head = h('div.line', null, h('span.muted', null, `${counted(record.payloadBytes, 'byte')} of ${limit}`), h('span.grow'),
    button('Copy', () => copy(record.payloadText ?? JSON.stringify(record.payload, null, 2), 'the payload'), { icon: 'copy', class: 'small' }));
  if (record.payloadBase64) return [head, h('p', null, 'The body is not UTF-8; in base64:'), h('pre.code', { tabindex: '0' }, record.payloadBase64)];
  if (record.payloadText !== null) return [head, h('p', null, 'The body is not JSON:'), h('pre.code', { tabindex: '0', dir: 'auto' }, visible(text))];
  return [head, h('div.tree', null, tree(record.payload))];
}

/** @param {any} record */
export function headers(record) {
  return h('table.plain', null, h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Field'), h('th', { scope: 'col' }, 'Value'))),
    h('tbody', null, [[':method', record.method], [':path', record.path]].filter(([, value]) => value).concat(record.headers).map(([name, value]) =>
      h('tr', null, h('th', { scope: 'row' }, visible(name)), h('td', null, foreign(value, 'span.wrap'))))));
}

/** @param {any} record */
export function copies(record) {
  const forms = {
    curl: () => curl(record), Expectation: () => JSON.stringify(expectation(record), null, 2), Rule: () => JSON.stringify(rule(record), null, 2),
    Swift: () => swift(record), JSON: () => JSON.stringify(record, null, 2), Link: () => `${location.origin}${address(['pushes', String(record.sequence)])}`,
  };
  const text = h('pre.code', { tabindex: '0' });
  const buttons = h('div.segments', { role: 'group', 'aria-label': 'Form' });
  let chosen = '';
  const choose = (/** @type {keyof forms} */ name) => {
    chosen = name;
    fill(text, forms[name]());
    for (const each of buttons.children) each.setAttribute('aria-pressed', String(each.textContent === name));
  };
  fill(buttons, Object.keys(forms).map((name) => button(name, () => choose(/** @type {keyof forms} */ (name)))));
  choose('curl');
  const judge = link(address(['expect'], { try: JSON.stringify(expectation(record), null, 2) }), 'Try the expectation');
  return [h('div.line', null, buttons, h('span.grow'), button('Copy', () => copy(text.textContent ?? '', `as ${chosen}`), { icon: 'copy', class: 'small' })), text, h('p', null, judge)];
}
