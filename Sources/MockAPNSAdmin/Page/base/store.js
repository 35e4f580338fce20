// What the page knows: the newest rows of the log, totals, the clock, the state of the stream. Views are told of changes.

import { everyone, find, get, home, post } from './api.js';
import { failed } from './dialogs.js';
import { h, sleep, throttled } from './dom.js';
import { listen } from './stream.js';

/** Rows that are kept. */
const LIMIT = 5000;
const FIRST = 200;
/** The most that one call finds. */
const MOST = 1000;
/** Those that are read before all else: as many as a window shows. */
const SHOWN = 40;
/** What these take to be drawn, in milliseconds. */
const BREATH = 30;
/** How long the stream has to leave out nothing before the page says that it shows everything, in milliseconds. */
const CALM = 2500;

export const store = {
  /** Newest last. */
  rows: [],
  /** Totals since the start; `counts` are those of the log, unless that has dropped some or they change too quickly. */
  summary: null, counts: null, clock: null, identity: null,
  /** Of the stream; `problem` is why it is `offline`. */
  state: 'connecting', problem: '',
  /** Whether the stream leaves out pushes now, and the number of rows sent in the last whole second. */
  isSampling: false, toldRate: 0,
  /** Whether the user has paused the log that is open. */
  isPaused: false,
  /** Whether `rows` are all that is in the log. */
  isWhole: false,
};

const listeners = {};
/** How what the open view listens to is ended; null before there is a view. */
let ends = null;
/** Settled when the first rows are drawn. */
let first = null;

/**
 * Calls a function when something changes: `rows`, `summary`, the `state` of the stream, what the API's events are about
 * (`update` of rows, `clock`, `device`, `rule`, `connection`, `channel`, `scenario`), a second passes (`tick`), or another
 * server has taken its place (`restart`). It ends with the view that is open.
 */
export function on(topics, act) {
  for (const topic of topics.split(' ')) {
    (listeners[topic] ??= new Set()).add(act);
    leaving(() => listeners[topic].delete(act));
  }
}

/** Calls a function when another view opens. */
export function leaving(act) {
  ends?.push(act);
}

/** Another view opens: what the one before listened to ends. */
export function nextView() {
  for (const end of ends ?? []) end();
  ends = [];
  store.isPaused = false;
}

export function tell(topic, detail) {
  for (const act of listeners[topic] ?? []) act(detail);
}

/** Reads something, and draws it whenever it differs: now, and after changes. What is returned does so at once. */
export function watch(topics, read, draw, pause = 500) {
  let last;
  let [asked, drawn] = [0, 0];
  const look = async () => {
    const mine = (asked += 1);
    try {
      const value = await read();
      // What was asked later may be here sooner.
      if (mine < drawn) return;
      drawn = mine;
      const key = JSON.stringify(value);
      if (key === last) return;
      last = key;
      draw(value);
    } catch (error) {
      // Later the state of the stream says it.
      if (last === undefined) failed(error);
    }
  };
  on(topics, throttled(look, pause));
  // What is around the view comes after the first rows.
  if (ends) look();
  else first.then(look);
  return look;
}

/** A text that changes with time: it is made again each second. */
export const timely = (make) => Object.assign(h('span.timely', make()), { make });

/** Who the server is, as soon as that is known. */
export const identity = async () => (store.identity ??= await get('/identity'));

/** The time of devices, in milliseconds: a manual clock is later than this computer's, or earlier. */
export const now = () => (store.clock?.kind === 'manual' ? Date.parse(store.clock.now) : Date.now());

/** The same if the clock is manual, to be drawn when it was moved; else false. */
export const manualNow = () => store.clock?.kind === 'manual' && now();

const bySequence = new Map();

/** Takes rows in, and forgets the oldest beyond the limit. */
function add(rows, most = LIMIT) {
  for (const row of rows) {
    const known = bySequence.get(row.sequence);
    if (known) Object.assign(known, row);
    else {
      bySequence.set(row.sequence, row);
      store.rows.push(row);
    }
  }
  store.rows.sort((one, other) => one.sequence - other.sequence);
  for (const row of store.rows.splice(0, store.rows.length - most)) {
    bySequence.delete(row.sequence);
    store.isWhole = false;
  }
  tell('rows', rows);
}

let toldThisSecond = 0;
let sampledUntil = 0;

function take(events) {
  const rows = [];
  const topics = new Set();
  for (const { name, data } of events) {
    // Calls about channels are no pushes to devices, nor is what fits none of these calls.
    if ('call' in data) topics.add('channel');
    else if (name === 'request') rows.push(data);
    else if (name === 'lagged') {
      sampledUntil = Date.now() + CALM;
      store.isWhole = false;
    } else {
      // The time is when that happened, not when the push came.
      const { time, ...changes } = data;
      if (name === 'update') Object.assign(bySequence.get(data.sequence) ?? {}, changes);
      topics.add(name === 'reset' ? 'scenario' : name);
    }
  }
  toldThisSecond += rows.length;
  if (topics.delete('scenario')) anew();
  if (topics.delete('clock')) refreshClock();
  if (rows.length) add(rows);
  for (const topic of topics) tell(topic);
  refreshSummary();
}

const refreshSummary = throttled(async () => {
  const before = Math.max(store.rows.length, store.counts?.count ?? 0);
  try {
    const summary = await get('/summary');
    const isCounted = !store.isSampling && !summary.log.dropped;
    // The collector of a fleet may not have all records to count.
    const counts = isCounted ? await post('/requests/count', { requests: everyone, by: ['status', 'reason', 'topic'] }).catch(() => null) : null;
    Object.assign(store, { summary, counts });
    if (counts?.count < before) await forget();
  } catch {
    // If there is none, the state of the stream says it.
  }
  tell('summary');
}, 1000);

/** Forgets those of the newest rows that were deleted elsewhere. */
async function forget() {
  const newest = store.rows.at(-1)?.sequence;
  const { requests, total } = await find({ requests: everyone }, { limit: MOST });
  const left = new Set(requests.map(({ sequence }) => sequence));
  const oldest = total > requests.length ? requests.at(-1).sequence : 0;
  const isGone = ({ sequence }) => sequence >= oldest && sequence <= newest && !left.has(sequence);
  for (const { sequence } of store.rows.filter(isGone)) bySequence.delete(sequence);
  store.rows = store.rows.filter((row) => !isGone(row));
  tell('rows', []);
}

/** How many pushes there are, of each kind: in the log, or of providers since the start. */
export function totals() {
  const { summary, counts } = store;
  if (!counts) return { ...summary, number: (summary?.requests ?? 0) + (summary?.requestsByAdmin ?? 0) };
  return { number: counts.count, byStatus: counts.by.status, byReason: counts.by.reason, byTopic: counts.by.topic };
}

export const refreshClock = throttled(async () => {
  store.clock = await get('/clock').catch(() => store.clock);
  tell('clock');
}, 250);

/** Reads the newest rows. */
async function readNewest(limit) {
  // Others may come meanwhile.
  const newest = store.rows.at(-1)?.sequence;
  const page = await find({ requests: everyone }, { limit }).catch(() => null);
  if (!page) return;
  const rows = page.requests.reverse();
  // What is not in the log any more was forgotten on purpose.
  if (newest > (rows.at(-1)?.sequence ?? 0)) clear();
  add(rows);
  store.isWhole = store.rows.findLastIndex(({ sequence }) => sequence <= rows.at(-1)?.sequence) + 1 >= page.total;
}

/** The same after something was missed. */
const refill = throttled(async () => {
  await readNewest(FIRST);
  tell('summary');
}, 500);

function clear() {
  store.rows.length = 0;
  bySequence.clear();
  store.isWhole = false;
}

function refresh() {
  refill();
  refreshSummary();
  refreshClock();
  for (const topic of ['device', 'rule', 'connection', 'channel']) tell(topic);
}

/** Forgets everything and reads it again: after a reset, another scenario, deleted requests. */
export function anew() {
  clear();
  tell('rows', []);
  tell('scenario');
  refresh();
}

/** Reads rows before the oldest that is known. */
export async function loadOlder() {
  if (store.isWhole || !store.rows.length) return;
  const { requests, total } = await find({ requests: everyone }, { limit: FIRST, before: store.rows[0].sequence });
  add(requests, Infinity);
  store.isWhole = !requests.length || store.rows.length >= total;
}

/** Reads rows until one is known. One that is far from those that are known is read with its neighbors only. */
export async function reach(sequence) {
  while (!bySequence.has(sequence) && !store.isWhole && store.rows[0]?.sequence > sequence && store.rows.length < LIMIT - FIRST) await loadOlder();
  if (bySequence.has(sequence) || !(store.rows[0]?.sequence > sequence)) return;
  add((await find({ requests: everyone }, { limit: FIRST, before: sequence + FIRST / 2 })).requests, Infinity);
}

/** The hash that this page's files have. */
const version = new URL(import.meta.url).pathname.split('/').at(-2);

/** What another start of the server has other than this one. */
const startOf = ({ pid, signingKey, certificateAuthority }) => [pid, signingKey, certificateAuthority].join();

/** Another start of the server: other pushes, perhaps another version of the page. */
async function meet() {
  const before = store.identity;
  store.identity = await get('/identity');
  if (before && startOf(before) !== startOf(store.identity)) {
    const page = await (await fetch(`${home}/`)).text();
    if (!page.includes(`/ui/${version}/`)) location.reload();
    anew();
    tell('restart');
  }
  tell('state');
}

/** Begins: asks for the rows that are seen first; for the rest when these are there. */
export function begin() {
  first = readNewest(SHOWN).then(() => sleep(BREATH));
  first.then(refresh);
  setInterval(() => {
    store.toldRate = toldThisSecond;
    toldThisSecond = 0;
    const isSampling = Date.now() < sampledUntil;
    // The rate falls by itself.
    if (isSampling || (store.state !== 'offline' && store.summary?.requestsPerSecond.last10Seconds)) refreshSummary();
    // The last ones may be among those that were left out.
    if (store.isSampling && !isSampling) refill();
    if (isSampling || store.isSampling) {
      store.isSampling = isSampling;
      tell('state');
    }
    for (const element of document.querySelectorAll('.timely')) element.textContent = element.make();
    tell('tick');
  }, 1000);
  listen(({ events, state, problem, isGap }) => {
    if (events) take(events);
    if (isGap) refresh();
    if (!state) return;
    Object.assign(store, { state, problem });
    tell('state');
    if (state === 'live' || state === 'polling') meet().catch(() => {});
  });
}
