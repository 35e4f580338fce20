// What the tabs of one push show: Summary, Payload, Headers, Use as.

import {
  action, apart, at, button, channelLink, code, copy, counted, dotted, everyone, expiration, facts, fill, find, foreign, go, grid, h, json, lasting, link, millis, post,
  pushLink, said, tell, timeElement,
} from '../base.js';
import { curl, expectation, rule, swift } from './copies.js';
import { issue } from './issue.js';
import { tree } from './json.js';
import { kindOf, statusWord, verdict } from './status.js';
import { like, tokenCard } from './token.js';

/** The largest payload, in bytes: of a push, or of a call about broadcast channels. */
export const limitOf = (pushType, isOfCall) => (isOfCall || pushType === 'voip' ? 5120 : 4096);

export const explanation = (record, text = record.explanation) => h(`p.explanation.${kindOf(record)}`, foreign(text));

/** What decided, with a link to it when it was a rule. */
export function decider({ decidedBy }) {
  const [, name] = /^rule:(.*)$/s.exec(decidedBy) ?? [];
  return name ? ['the rule ', link(at('faults'), name)] : decidedBy;
}

/** `isBrief` leaves out why, which is said beside it. */
export async function summary(record, isBrief) {
  const { time, clock, device, token, authentication, connection, relayed, own, agrees } = record;
  const [, agent] = record.headers.find(([name]) => name === 'user-agent') ?? [];
  const attempts = record.apnsID ? (await find({ requests: { ...everyone, apnsID: record.apnsID } })).requests : [];
  const place = attempts.findIndex(({ sequence }) => sequence === record.sequence);
  return [!isBrief && record.explanation && explanation(record), facts([
    ['Received', timeElement(time, time.slice(0, 23).replace('T', ' '))], ['Clock', clock.slice(0, 16) !== time.slice(0, 16) && timeElement(clock)],
    ['Device', device && link(at('devices', device), device)], ['Token', token && h('span.token', link(at('devices', token), token))],
    ['Call', record.call], ['Channel', record.channel && channelLink(record.channel, record.channelName)],
    ['Subscribers', record.subscribers], ['Delivered', record.delivered], ['Stored', record.stored ? 'yes' : record.stored === false && 'no'], ['Ignored', record.ignored],
    ['Topic', like('topic', record.topic)], ['Push type', like('type', record.pushType)], ['Priority', record.priority],
    ['Expiration', record.expiration !== null && expiration(record.expiration)], ['Collapse id', like('collapse', record.collapseID)],
    ['apns-id', record.apnsID && h('code', record.apnsID)],
    ['Attempt', attempts.length > 1 && [`${attempts.length - place} of ${attempts.length}: `, attempts.toSpliced(place, 1).reverse().map((row) => [pushLink(row.sequence), ` (${statusWord(row)}, ${apart(Date.parse(row.time) - Date.parse(time))}) `])]], ['Decided by', decider(record)], ['Upstream', relayed && `${statusWord(verdict(relayed))} in ${millis(relayed.latencyMicroseconds)}`],
    ['mock-apns', own && [statusWord(verdict(own)), ' ', agrees ? 'as well' : h('mark', 'differs')]], ['Outcome', record.outcome !== 'responded' && record.outcome],
    ['Delivery', delivery(record)], ['Replaced by', record.replacedBy && pushLink(record.replacedBy)],
    ['Payload', counted(record.payloadBytes, 'byte')], ['Connection', connection && [like('connection', String(connection)), `, stream ${record.stream}`]], ['User agent', agent && foreign(agent)],
    ['Sent by', record.sentBy === 'admin' ? 'the admin API' : 'a provider'], ['Authentication', proof(authentication)], ['Decided in', record.latencyMicroseconds < 1000 ? `${record.latencyMicroseconds} µs` : millis(record.latencyMicroseconds)],
  ]), await tokenCard(record)];
}

/** What became of it, and how long that took if it was not at once. */
export function delivery({ clock, delivery, deliveries }) {
  const seconds = (Date.parse(deliveries?.at(-1)?.clock) - Date.parse(clock)) / 1000;
  return dotted(delivery, seconds >= 1 && `after ${lasting(seconds)}`);
}

/** What is no token, which has a card. */
const proof = ({ method, verdict }) => method !== 'token' && (verdict && verdict !== 'valid' ? `${method}, ${verdict}` : method);

export function payload({ payload, payloadText, payloadBase64, payloadBytes, pushType, call }) {
  return [h('div.line', h('span.muted', `${counted(payloadBytes, 'byte')} of ${limitOf(pushType, call !== undefined)}`), h('span.grow'),
    button('Copy', () => copy(payloadText ?? json(payload), 'the payload'))),
  payloadBase64 ? [h('p', 'The body is not UTF-8; in base64:'), code(payloadBase64)]
    : payloadText !== null ? [h('p', 'The body is not JSON:'), code(payloadText, { dir: 'auto' })] : h('div.tree', tree(payload))];
}

export const headers = ({ method, path, headers }) => grid('Headers', ['Field', 'Value'],
  [[':method', method], [':path', path]].filter(([, value]) => value).concat(headers).map(([name, value]) => [name, foreign(value)]));

/** The push in other words, and what can be made of it at once. */
export function uses(record) {
  const forms = {
    curl: () => curl(record),
    // What fits none of the calls about channels has no name for a MATCH.
    ...(record.call !== null && { Expectation: () => json(expectation(record)), Rule: () => json(rule(record)), Swift: () => swift(record) }),
    ...(record.call === undefined && { Issue: () => issue(record) }), JSON: () => json(record), Link: () => location.origin + at('pushes', record.sequence),
  };
  const more = {
    Expectation: () => button('Try it', () => go(at('expect', { try: json(expectation(record)) })), { title: 'Judge it against the log' }),
    Rule: () => action('Add this rule', async () => {
      const { name } = await post('/rules', rule(record));
      tell('rule');
      said(`The rule “${name}” decides from now on.`);
    }),
  };
  const text = code('');
  const buttons = h('div.line', { role: 'group', label: 'Form' });
  const extra = h('span.line');
  let chosen = '';
  let words = '';
  const choose = async (name) => {
    chosen = name;
    const made = await forms[name]();
    if (chosen !== name) return;
    words = made;
    fill(text, words);
    fill(extra, more[name]?.());
    for (const each of buttons.children) each.setAttribute('aria-pressed', each.textContent === name);
  };
  fill(buttons, Object.keys(forms).map((name) => button(name, () => choose(name))));
  choose('curl');
  return [buttons, text, h('div.line', button('Copy', () => copy(words, `as ${chosen}`)), extra)];
}
