// Rules as sentences: what happens, to whom, and how often still.

import { dotted, get, shownValue, text } from '../base.js';

let reasons = null;
/** The status of each reason; asked for once. */
export async function statuses() {
  reasons ??= get('/reasons').then(({ reasons: all }) => Object.fromEntries(all.map(({ reason, status }) => [reason, status])));
  return reasons.catch(() => {
    reasons = null;
    return {};
  });
}

/** The texts of rules by their names, as in a scenario; they are in no list. */
export async function ruleTexts() {
  const { rules = [] } = JSON.parse(await text('GET', '/scenario?current=true'));
  return new Map(rules.map((rule) => [rule.name, rule]));
}

const ENDINGS = { end: 'closed', truncate: 'closed without close_notify', reset: 'reset', silent: 'silent from then on' };

const STEPS = {
  // Devices come first: what follows is what the provider sees.
  deliver: (isTaken) => isTaken && 'taken by the device', reject: (reason, of) => `${of[reason] ?? ''} ${reason}`.trim(),
  respond: (answer) => `answered ${shownValue(answer?.status ?? answer)}`,
  outage: ({ reason, for: time }, of) => `${of[reason] ?? ''} ${reason} for ${time}`.trim(),
  pass: () => 'answered by the checks', stall: () => 'no answer', ignore: () => 'not answered',
  close: (ending) => `connection ${ENDINGS[ending] ?? 'closed'}`, resetStream: (code) => (typeof code === 'string' ? code : 'stream reset'),
  goAway: (frame) => `GOAWAY${[frame].flat()[0]?.reason ? ` ${[frame].flat()[0].reason}` : ''}`,
  settings: ({ maxConcurrentStreams }) => `stream limit ${maxConcurrentStreams}`,
  retryAfter: (time) => `retry-after ${time}`,
};
const ORDER = Object.keys(STEPS);

function step({ $comment, delay, ...each }, of) {
  const members = Object.entries(each).sort(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other));
  return members.map(([name, value]) => (STEPS[name] ?? ((given) => `${name} ${shownValue(given)}`))(value, of)).filter(Boolean).join(', ') + (delay ? ` after ${delay}` : '');
}

/** What happens; later matches of a rule with several steps get the later ones. */
const what = (then, of) => [then].flat().map((each) => step(each, of)).join(', then ');

const KINDS = { connect: 'each new connection', ping: 'PING', broadcast: 'broadcasts', channels: 'calls about channels' };
const FIELDS = { device: '', token: '', pushType: 'type', collapseID: 'collapse id', apnsID: 'apns-id', keyID: 'key', teamID: 'team' };

/** A value of `when`: a text, or what it has to be like. */
function like(value) {
  if (value?.constructor !== Object) return shownValue(value);
  const [[kind, given], ...others] = Object.entries(value);
  const known = {
    oneOf: () => given.map(like).join(' or '), not: () => `not ${like(given)}`, prefix: () => `${given}…`, atLeast: () => `≥ ${given}`,
    atMost: () => `≤ ${given}`,
  };
  return others.length || !known[kind] ? shownValue(value) : known[kind]();
}

function whom({ on, ...when } = {}) {
  const fields = Object.entries(when).filter(([name]) => name !== '$comment')
    .map(([name, value]) => `${FIELDS[name] ?? name} ${name === 'token' ? shortened(value) : like(value)}`.trim());
  const kind = KINDS[on] ?? (fields.length ? '' : 'every push');
  return `${on === 'ping' || on === 'connect' ? 'on' : 'to'} ${[kind, fields.join(' and ')].filter(Boolean).join(' of ')}`;
}

const shortened = (value) => (typeof value === 'string' && value.length > 12 ? `${value.slice(0, 8)}…` : like(value));

/** How often a rule still decides. */
export const left = ({ usedUp, left: times, decided }) => (usedUp ? `used up${decided ? ` after ${decided}` : ''}`
  : times === null ? `until removed${decided ? `, ${decided} so far` : ''}` : `${times} of ${times + decided} left`);

/** `429 TooManyRequests · to alice · 2 of 3 left`; a rule whose text is not known has its name. */
export const sentence = (rule, given, of) => dotted(given ? [what(given.then, of), whom(given.when), ...whenOf(given)] : rule.name, left(rule));

const whenOf = ({ skip, every, probability, countPer, times, then }) => [
  skip && `after the first ${skip}`, every > 1 && `every ${every}`, probability < 1 && `${probability * 100} % of them`, countPer && `${times ?? then.length ?? ''} for each ${FIELDS[countPer] || countPer}`.trim(),
];
