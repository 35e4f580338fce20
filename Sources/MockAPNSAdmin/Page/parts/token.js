// The provider token of a push, as a card: whose it is, how old it was, when it ends, and what it holds.

import { at, clockTime, code, get, h, json, lasting, link, now, on, timeElement, timely } from '../base.js';

/** How long APNs takes a token, in seconds, unless the scenario says otherwise. */
const HOUR = 3600;
const UNITS = { ms: 0.001, s: 1, m: 60, h: HOUR, d: 86_400 };
/** The part of its life after which a token should have been replaced: 50 minutes of an hour. */
export const OLD = 5 / 6;

let limits = null;
on('scenario', () => {
  limits = null;
});

/** What the scenario says of tokens: how long they live, and whether its clock judges them. */
export const limitsNow = () => (limits ??= get('/scenario').then(({ authentication, clock }) => {
  const [, number, unit] = /^(\d+)([a-z]+)$/.exec(authentication?.providerTokenLifetime) ?? [0, 1, 'h'];
  return { lifetime: number * UNITS[unit], followsClock: Boolean(clock?.providerTokens) };
}).catch(() => ({ lifetime: HOUR, followsClock: false })));

/** A part of a token, which is JSON in base64. */
function decoded(part) {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** Header and claims of the token that a record has; the server keeps no signatures. */
function contentOf({ headers }) {
  const [, value] = headers.find(([name]) => name === 'authorization') ?? [];
  const [header, claims] = /^bearer (.*)$/i.exec(value)?.[1].split('.').map(decoded) ?? [];
  return header || claims ? { header, claims } : null;
}

/** A value, as a link to all pushes that have it. */
export const like = (key, value) => value && link(at('pushes', { q: `${key}:"${value}"` }), value, { title: 'All with this' });

/** The card; nothing for a push without a token. */
export async function tokenCard(record) {
  const { method, keyID, teamID, issuedAt, verdict } = record.authentication;
  if (method !== 'token') return null;
  const { lifetime, followsClock } = await limitsNow();
  const content = contentOf(record);
  const age = (time) => Math.max(0, time / 1000 - issuedAt);
  const atPush = age(Date.parse(followsClock ? record.clock : record.time));
  const ends = new Date((issuedAt + lifetime) * 1000);
  const left = (seconds) => (seconds < 0 ? `expired ${lasting(-seconds)} ago` : `expires in ${lasting(seconds)}`);
  const said = `${lasting(atPush)} old, ${atPush > lifetime ? `${lasting(atPush - lifetime)} past its end` : `${lasting(lifetime - atPush)} left`}`;
  return h('article.token-card', { label: 'Provider token' }, h('p', h('b', 'Provider token')),
    h('p', 'Key ', like('key', keyID) ?? '?', ', team ', teamID ?? '?', verdict && verdict !== 'valid' && h('b', `, ${verdict}`)),
    issuedAt !== null && !Number.isNaN(ends.getTime()) && [h('p', 'With this push: ', h('b', said)), h('meter', {
      label: `Age of the token: ${said}`, min: 0, max: lifetime, high: lifetime * OLD, optimum: 0, value: Math.min(atPush, lifetime),
    }),
    h('p.muted', 'Now: ', timely(() => left(lifetime - age(followsClock ? now() : Date.now()))), ' (', timeElement(ends.toISOString(), clockTime(ends.toISOString())), ')')],
    content ? h('details', h('summary', 'Decoded'), code(json(content))) : h('p.muted', 'It cannot be decoded.'));
}
