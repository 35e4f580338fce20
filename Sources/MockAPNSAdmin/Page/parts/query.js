// The search: words as people know them from mail programs, made into a MATCH of the API.

import { everyone } from '../base/api.js';

/** @typedef {{text: string, label: string, problem?: string, match?: Record<string, any>, test?: (row: any) => boolean}} Term */

const NAMES = {
  status: 'status', device: 'device', token: 'token', topic: 'topic', type: 'pushType', pushType: 'pushType', reason: 'reason',
  delivery: 'delivery', collapse: 'collapseID', id: 'apnsID', rule: 'decidedBy', priority: 'priority', key: 'keyID', connection: 'connection',
  outcome: 'outcome', by: 'sentBy',
};
const NUMBERS = new Set(['status', 'priority', 'connection']);
const PRESENT = { collapse: 'collapseID', device: 'device', expiration: 'expiration', reason: 'reason', id: 'apnsID' };

/** What can be written, for the help. */
export const SYNTAX = [
  ['goal', 'the payload has this word, in any case'], ['"two words"', 'the payload has exactly this'],
  ['-word', 'and not this; works with all of these'], ['status:410, status:4xx', 'the status, or its class'],
  ['device:alice, token:00fc', 'the device by name, or the beginning of its token'],
  ['topic:, type:, reason:, rule:', 'the topic, push type, reason, or the rule that decided'],
  ['is:refused', 'also is:stored, is:replaced, is:background, is:sent (from this page)'],
  ['has:collapse', 'also has:expiration, has:id'], ['larger:3k, smaller:100', 'size of the payload'],
  ['after:12:30, before:2026-01-31', 'time of day, or date'],
  ['payload:/aps/badge>3', 'also = and <; without them, the member is there'],
];

/**
 * Reads a search.
 *
 * @param {string} text
 * @returns {Term[]}
 */
export function parse(text) {
  const parts = text.match(/-?(?:[\w]+:)?"[^"]*"?|\S+/g) ?? [];
  return parts.map((part) => {
    const isNot = part.length > 1 && part.startsWith('-');
    const term = read(isNot ? part.slice(1) : part);
    return isNot ? negated(term, part) : { ...term, text: part };
  });
}

/** @param {Term} term @param {string} text @returns {Term} */
function negated(term, text) {
  const { match, test } = term;
  return {
    ...term, text, label: `not ${term.label}`,
    match: match && invert(match),
    test: test && ((row) => !test(row)),
  };
}

/** @param {Record<string, any>} match @returns {Record<string, any>} */
function invert(match) {
  return Object.fromEntries(Object.entries(match).map(([field, value]) =>
    [field, field === 'payload' || field === 'header' ? invert(value) : { not: value }]));
}

/** @param {string} part @returns {Term} */
function read(part) {
  const colon = part.indexOf(':');
  const key = part.startsWith('"') ? '' : part.slice(0, Math.max(0, colon));
  const value = (key ? part.slice(colon + 1) : part).replace(/^"|"$/g, '');
  const base = { text: part, label: key ? `${key} ${value}` : value };
  const wrong = (/** @type {string} */ problem) => ({ ...base, problem });
  if (!key) return { ...base, match: word(value) };
  if (!value) return wrong('needs a value');
  if (key === 'is') return quality(value, base) ?? wrong('is: takes refused, stored, replaced, background or sent');
  if (key === 'has') {
    const field = PRESENT[/** @type {keyof PRESENT} */ (value)];
    return field ? { ...base, match: { [field]: { exists: true } } } : wrong('has: takes collapse, expiration, device, reason or id');
  }
  if (key === 'larger' || key === 'smaller') {
    const size = value.match(/^(\d+(?:\.\d+)?)(k?)b?$/i);
    if (!size) return wrong('needs a size, such as 3k');
    const bytes = Math.round(Number(size[1]) * (size[2] ? 1024 : 1));
    return { ...base, match: { payloadBytes: key === 'larger' ? { atLeast: bytes } : { atMost: bytes } } };
  }
  if (key === 'before' || key === 'after') {
    const time = moment(value);
    if (Number.isNaN(time)) return wrong('needs a time, such as 12:30 or 2026-01-31');
    return { ...base, test: (row) => (key === 'before' ? Date.parse(row.time) < time : Date.parse(row.time) >= time) };
  }
  if (key === 'payload') return payload(value, base) ?? wrong('needs a JSON Pointer, such as payload:/aps/badge>3');
  const field = NAMES[/** @type {keyof NAMES} */ (key)];
  if (!field) return { ...base, label: part, match: word(part) };
  if (field === 'status') {
    const kind = value.match(/^([1-5])xx$/i);
    if (kind) return { ...base, label: `status ${kind[1]}xx`, match: { status: { atLeast: kind[1] * 100, atMost: kind[1] * 100 + 99 } } };
  }
  if (NUMBERS.has(field)) return /^\d+$/.test(value) ? { ...base, match: { [field]: Number(value) } } : wrong('needs a number');
  if (field === 'token') return { ...base, match: { token: value.length < 64 ? { prefix: value.toLowerCase() } : value.toLowerCase() } };
  if (field === 'decidedBy') return { ...base, match: { decidedBy: `rule:${value}` } };
  if (field === 'delivery') return { ...base, match: { delivery: { prefix: value } } };
  return { ...base, match: { [field]: value } };
}

/** @param {string} text */
function word(text) {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)) return { apnsID: { matches: `(?i)${text}` } };
  if (/^[0-9a-f]{8,}$/i.test(text)) return { token: { prefix: text.toLowerCase() } };
  return { body: { matches: `(?si).*${escaped(text)}.*` } };
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');
}

/** @param {string} value @param {{text: string, label: string}} base @returns {Term | null} */
function quality(value, base) {
  switch (value) {
    case 'refused': return { ...base, label: 'refused', match: { status: { atLeast: 400 } } };
    case 'stored': return { ...base, label: 'stored', match: { delivery: { prefix: 'Stored' } } };
    case 'background': return { ...base, label: 'background', match: { pushType: 'background' } };
    case 'sent': return { ...base, label: 'sent here', match: { sentBy: 'admin' } };
    case 'replaced': return { ...base, label: 'replaced', test: (row) => Boolean(row.replacedBy) };
    default: return null;
  }
}

/** @param {string} value @param {{text: string, label: string}} base @returns {Term | null} */
function payload(value, base) {
  const parts = value.match(/^(\/[^=<>]*)(?:([=<>])(.*))?$/);
  if (!parts) return null;
  const [, pointer, sign, text] = parts;
  const number = Number(text);
  let wanted;
  if (!sign) wanted = { exists: true };
  else if (sign === '=') wanted = text !== '' && !Number.isNaN(number) ? { oneOf: [number, text] } : /^(true|false)$/.test(text) ? text === 'true' : text;
  else if (text === '' || Number.isNaN(number)) return null;
  // A MATCH knows "at least"; whole numbers are what badges and counts are.
  else wanted = sign === '>' ? { atLeast: Number.isInteger(number) ? number + 1 : number } : { atMost: Number.isInteger(number) ? number - 1 : number };
  return { ...base, label: value, match: { payload: { [pointer]: wanted } } };
}

/** @param {string} value */
function moment(value) {
  if (/^\d\d?:\d\d(:\d\d)?$/.test(value)) {
    const [hours, minutes, seconds = 0] = value.split(':').map(Number);
    const date = new Date();
    return date.setUTCHours(hours, minutes, Number(seconds), 0);
  }
  return Date.parse(value);
}

/**
 * The MATCH of all terms; those that say the same field twice hold together where they can.
 *
 * @param {Term[]} terms
 * @returns {Record<string, any>}
 */
export function matchOf(terms) {
  /** @type {Record<string, any>} */
  const all = { ...everyone };
  for (const { match } of terms) {
    for (const [field, value] of Object.entries(match ?? {})) {
      if (field === 'payload' || field === 'header') all[field] = { ...all[field], ...value };
      else if (field === 'sentBy' || !(field in all)) all[field] = value;
      else all[field] = both(all[field], value);
    }
  }
  return all;
}

/**
 * One condition for two: "not neither nor".
 *
 * @param {any} one
 * @param {any} other
 */
function both(one, other) {
  return { not: { oneOf: [{ not: one }, { not: other }] } };
}
