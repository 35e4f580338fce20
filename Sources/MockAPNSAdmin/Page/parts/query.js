// The search: words as people know them from mail programs. The server reads them; here, they are named, and made into a MATCH.

import { everyone } from '../base.js';
import { meant } from './completion.js';

/** Names of the search, and the fields of a MATCH that they mean. */
const FIELDS = {
  __proto__: null,
  status: 'status', device: 'device', token: 'token', topic: 'topic', type: 'pushType', reason: 'reason', delivery: 'delivery',
  collapse: 'collapseID', id: 'apnsID', rule: 'decidedBy', decided: 'decidedBy', priority: 'priority', key: 'keyID', team: 'teamID', connection: 'connection', outcome: 'outcome', by: 'sentBy',
};
const NUMBERS = ['status', 'priority', 'connection'];
const PRESENT = ['collapse', 'device', 'reason', 'id'];
const QUALITIES = {
  __proto__: null,
  refused: { match: { status: { atLeast: 400 } } }, stored: { match: { delivery: { prefix: 'Stored' } } },
  background: { match: { pushType: 'background' } }, sent: { match: { sentBy: 'admin' } }, linted: { lint: { severity: 'warning' } }, replaced: {},
};

/** A term, in which what stands in quotation marks may have spaces. */
export const TERM = /(?:"[^"]*"?|[^\s"])+/g;

/** The terms of a search. */
export const parse = (text) => (text.match(TERM) ?? []).map((part) => {
  const isNot = part.length > 1 && part.startsWith('-');
  const term = { ...read(isNot ? part.slice(1) : part), text: part };
  if (!isNot) return term;
  const { match, label, lint } = term;
  if (lint) return { ...term, problem: 'works without “-”' };
  return { ...term, label: `not ${label}`, match: match && inverted(match) };
});

/** Those terms in which nothing is mistaken. */
export const understood = (terms) => terms.filter(({ problem, text }) => !problem && !meant(text));

const inverted = (match) => Object.fromEntries(Object.entries(match).map(([field, value]) => [field, field === 'payload' ? inverted(value) : { not: value }]));

/** A term: its label, and the MATCH or the problem; neither for what no MATCH can say. */
function read(part) {
  // The number of a push, which no MATCH has.
  if (/^#\d+$/.test(part)) return { label: part };
  const [, key, rest] = /^(\w+):(.*)$/s.exec(part) ?? [];
  const value = (rest ?? part).replace(/^"|"$/g, '');
  const known = key && (READERS[key] ?? (FIELDS[key] && anyOf(rest)));
  if (!known) return { label: value && !key ? value : part, match: word(key ? part : value) };
  const label = `${key} ${value}`;
  const meaning = value ? known(value, key) : 'a value';
  return typeof meaning === 'string' ? { label, problem: `needs ${meaning}` } : { label, ...meaning };
}

/** What keys mean that name no field. Each gives a match, or says in words what it needs. */
const READERS = {
  __proto__: null,
  is: (value) => (QUALITIES[value] ? { label: value === 'sent' ? 'sent here' : value, ...QUALITIES[value] } : `one of ${Object.keys(QUALITIES).join(', ')}`),
  has: (value) => (PRESENT.includes(value) ? { match: { [FIELDS[value]]: { exists: true } } } : `one of ${PRESENT.join(', ')}`),
  lint: (rule) => ({ lint: { rule } }), agent: () => ({}), larger: size, smaller: size, slower, before: time, after: time, payload,
};

function size(value, key) {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(k?)b?$/i.exec(value) ?? [];
  if (!number) return 'a size, such as 3k';
  return { match: { payloadBytes: { [key === 'larger' ? 'atLeast' : 'atMost']: Math.round(number * (unit ? 1024 : 1)) } } };
}

function slower(value) {
  return /^\d+(ms|[smhd])$/.test(value) ? {} : 'a duration, such as 100ms';
}

function time(value) {
  const moment = Date.parse(/^\d\d:/.test(value) ? `${new Date().toISOString().slice(0, 11)}${value}Z` : value);
  if (Number.isNaN(moment)) return 'a time, such as 12:30 or 2026-01-31';
  return {};
}

function payload(value) {
  const [, pointer, sign, text] = /^(\/[^=<>]*)(?:([=<>])(.*))?$/.exec(value) ?? [];
  const number = text ? Number(text) : NaN;
  if (!pointer || (/[<>]/.test(sign) && Number.isNaN(number))) return 'a JSON Pointer, such as payload:/aps/badge>3';
  const step = Number.isInteger(number) ? 1 : 0;
  // A MATCH knows "at least"; whole numbers are what badges and counts are.
  const wanted = { '>': { atLeast: number + step }, '<': { atMost: number - step }, '=': equal(text, number) }[sign] ?? { exists: true };
  return { label: value, match: { payload: { [pointer]: wanted } } };
}

const equal = (text, number) => (!Number.isNaN(number) ? { oneOf: [number, text] } : /^(true|false)$/.test(text) ? text === 'true' : text);

/** Several values, with commas between them, mean any of these. */
const anyOf = (list) => (whole, key) => {
  if (list.endsWith(',')) return 'a value';
  const values = list.match(/"[^"]*"?|[^,]+/g).map((value) => value.replace(/^"|"$/g, ''));
  if (values.length < 2) return field(values[0], key);
  const all = values.map((value) => field(value, key));
  const wrong = all.find((each) => typeof each === 'string');
  return wrong ?? { label: `${key} ${values.join(' or ')}`, match: { [FIELDS[key]]: { oneOf: all.map(({ match }) => match[FIELDS[key]]) } } };
};

function field(value, key) {
  const name = FIELDS[key];
  if (/^[1-5]xx$/i.test(value)) return { match: { status: { atLeast: value[0] * 100, atMost: value[0] * 100 + 99 } } };
  if (NUMBERS.includes(name)) return /^\d+$/.test(value) ? { match: { [name]: Number(value) } } : 'a number';
  if (name === 'token') return { match: { token: value.length < 64 ? { prefix: value.toLowerCase() } : value.toLowerCase() } };
  return { match: { [name]: key === 'rule' ? `rule:${value}` : name === 'delivery' ? { prefix: value } : value } };
}

/** A word is, for a MATCH, an apns-id, the beginning of a token, or something in the payload. */
function word(text) {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return { apnsID: { matches: `(?i)${text}` } };
  if (/^[\da-f]{8,}$/i.test(text)) return { token: { prefix: text.toLowerCase() } };
  return { body: { matches: `(?si).*${text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&')}.*` } };
}

/** All terms as a question of the API. */
export const questionOf = (terms) => ({ requests: everyone, q: terms.map(({ text }) => text).join(' ') });

/** Terms as a MATCH; those about the same field have to hold together. */
export function matchOf(terms) {
  const all = { ...everyone };
  let lint;
  for (const { match, lint: found } of terms) {
    if (found) lint = { ...lint, ...found };
    for (const [name, value] of Object.entries(match ?? {})) {
      if (name === 'payload') all.payload = { ...all.payload, ...value };
      else if (name === 'sentBy' || !(name in all)) all[name] = value;
      // There is no "and" in a MATCH, but "not (not one or not the other)" is the same.
      else all[name] = { not: { oneOf: [{ not: all[name] }, { not: value }] } };
    }
  }
  return { requests: all, lint };
}
