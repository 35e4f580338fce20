// The search: words as people know them from mail programs, made into a MATCH of the API.

import { everyone } from '../base.js';

/** Names of the search, and the fields of a MATCH that they mean. */
const FIELDS = {
  __proto__: null,
  status: 'status', device: 'device', token: 'token', topic: 'topic', type: 'pushType', reason: 'reason', delivery: 'delivery',
  collapse: 'collapseID', id: 'apnsID', rule: 'decidedBy', priority: 'priority', key: 'keyID', connection: 'connection', outcome: 'outcome', by: 'sentBy',
};
const NUMBERS = ['status', 'priority', 'connection'];
const PRESENT = ['collapse', 'device', 'reason', 'id'];
const QUALITIES = {
  __proto__: null,
  refused: { match: { status: { atLeast: 400 } } }, stored: { match: { delivery: { prefix: 'Stored' } } },
  background: { match: { pushType: 'background' } }, sent: { match: { sentBy: 'admin' } }, linted: { lint: { severity: 'warning' } }, replaced: { test: (row) => Boolean(row.replacedBy) },
};

/** What can be written, for the help. */
export const SYNTAX = {
  goal: 'in the payload, in any case', '"two words"': 'exactly this', '-word': 'not this',
  'status:410, status:4xx': 'status, or its class', 'device:alice, token:00fc': 'name, or beginning of a token',
  'topic:, type:, reason:, rule:': 'what the record says', 'is:refused': 'also stored, replaced, background, sent (from here), linted', 'lint:badge-type': 'found by this rule of lint',
  'has:collapse': 'also device, id, reason', 'larger:3k, smaller:100': 'bytes of the payload', 'after:12:30, before:2026-01-31': 'time of day, or date',
  'payload:/aps/badge>3': 'also =, <, or just there',
};

/** The terms of a search. */
export const parse = (text) => (text.match(/-?(?:\w+:)?"[^"]*"?|\S+/g) ?? []).map((part) => {
  const isNot = part.length > 1 && part.startsWith('-');
  const term = { ...read(isNot ? part.slice(1) : part), text: part };
  if (!isNot) return term;
  const { match, test, label, lint } = term;
  if (lint) return { ...term, problem: 'works without “-”' };
  return { ...term, label: `not ${label}`, match: match && inverted(match), test: test && ((row) => !test(row)) };
});

const inverted = (match) => Object.fromEntries(Object.entries(match).map(([field, value]) => [field, field === 'payload' ? inverted(value) : { not: value }]));

/** A term: its label, and the MATCH, the test or the problem. */
function read(part) {
  const [, key, rest] = /^(\w+):(.*)$/s.exec(part) ?? [];
  const value = (rest ?? part).replace(/^"|"$/g, '');
  const known = key && (READERS[key] ?? (FIELDS[key] && field));
  if (!known) return { label: value && !key ? value : part, match: word(key ? part : value) };
  const label = `${key} ${value}`;
  const meaning = value ? known(value, key) : 'a value';
  return typeof meaning === 'string' ? { label, problem: `needs ${meaning}` } : { label, ...meaning };
}

/** What keys mean that name no field. Each gives a match or a test, or says in words what it needs. */
const READERS = {
  __proto__: null,
  is: (value) => (QUALITIES[value] ? { label: value === 'sent' ? 'sent here' : value, ...QUALITIES[value] } : `one of ${Object.keys(QUALITIES).join(', ')}`),
  has: (value) => (PRESENT.includes(value) ? { match: { [FIELDS[value]]: { exists: true } } } : `one of ${PRESENT.join(', ')}`),
  lint: (rule) => ({ lint: { rule } }), larger: size, smaller: size, before: time, after: time, payload,
};

function size(value, key) {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(k?)b?$/i.exec(value) ?? [];
  if (!number) return 'a size, such as 3k';
  return { match: { payloadBytes: { [key === 'larger' ? 'atLeast' : 'atMost']: Math.round(number * (unit ? 1024 : 1)) } } };
}

function time(value, key) {
  const moment = Date.parse(/^\d\d:/.test(value) ? `${new Date().toISOString().slice(0, 11)}${value}Z` : value);
  if (Number.isNaN(moment)) return 'a time, such as 12:30 or 2026-01-31';
  return { test: (row) => (Date.parse(row.time) < moment) === (key === 'before') };
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

function field(value, key) {
  const name = FIELDS[key];
  if (/^[1-5]xx$/i.test(value)) return { match: { status: { atLeast: value[0] * 100, atMost: value[0] * 100 + 99 } } };
  if (NUMBERS.includes(name)) return /^\d+$/.test(value) ? { match: { [name]: Number(value) } } : 'a number';
  if (name === 'token') return { match: { token: value.length < 64 ? { prefix: value.toLowerCase() } : value.toLowerCase() } };
  return { match: { [name]: name === 'decidedBy' ? `rule:${value}` : name === 'delivery' ? { prefix: value } : value } };
}

/** A word is an apns-id, the beginning of a token, or something in the payload. */
function word(text) {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return { apnsID: { matches: `(?i)${text}` } };
  if (/^[\da-f]{8,}$/i.test(text)) return { token: { prefix: text.toLowerCase() } };
  return { body: { matches: `(?si).*${text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&')}.*` } };
}

/** Those rows that pass what only the page can judge of a search. */
export const passing = (terms, rows) => rows.filter((row) => terms.every(({ test }) => test?.(row) ?? true));

/** All terms as a question of the API; those about the same field have to hold together. */
export function questionOf(terms) {
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
