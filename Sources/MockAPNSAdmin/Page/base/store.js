// What the page knows: the newest rows of the log, totals, the clock, the state of the stream. Views are told of changes.

import { call, everyone, features, find, get, rowOf } from './api.js';
import { throttled } from './dom.js';
import { listen } from './stream.js';

/** @typedef {import('./api.js').Row} Row */
/** @typedef {'rows' | 'changes' | 'summary' | 'clock' | 'state' | 'devices' | 'rules' | 'connections' | 'scenario'} Topic */

/** Rows that are kept, newest last. */
const LIMIT = 5000;
const FIRST = 200;

export const store = {
  /** @type {Row[]} */
  rows: [],
  /** @type {any} */
  summary: null,
  /** @type {any} */
  clock: null,
  /** @type {any} */
  identity: null,
  state: /** @type {import('./stream.js').State} */ ('connecting'),
  /** When it is tried again, while it is offline. */
  retry: 0,
  /** Rows told in the last whole second, and pushes that were left out of the stream in all. */
  toldRate: 0,
  skipped: 0,
  /** Whether the stream leaves out pushes now. */
  isSampling: false,
  /** Whether the beginning of the log has been seen: nothing is older. */
  isWhole: false,
};

const listeners = new Map();

/**
 * Calls a function when something changes; what is returned ends that.
 *
 * @param {Topic | Topic[]} topics
 * @param {(detail?: any) => void} act
 */
export function on(topics, act) {
  const all = Array.isArray(topics) ? topics : [topics];
  for (const topic of all) {
    if (!listeners.has(topic)) listeners.set(topic, new Set());
    listeners.get(topic).add(act);
  }
  return () => {
    for (const topic of all) listeners.get(topic).delete(act);
  };
}

/** @param {Topic} topic @param {any} [detail] */
export function tell(topic, detail) {
  for (const act of listeners.get(topic) ?? []) act(detail);
}

/** @type {Map<number, Row>} */
const bySequence = new Map();

/** @param {Row[]} rows in ascending order. */
function add(rows) {
  let isSorted = true;
  for (const row of rows) {
    const known = bySequence.get(row.sequence);
    if (known) {
      Object.assign(known, row);
      continue;
    }
    const newest = store.rows[store.rows.length - 1];
    if (newest && newest.sequence > row.sequence) isSorted = false;
    bySequence.set(row.sequence, row);
    store.rows.push(row);
  }
  if (!isSorted) store.rows.sort((one, other) => one.sequence - other.sequence);
  const extra = store.rows.length - LIMIT;
  if (extra > 0) {
    for (const row of store.rows.splice(0, extra)) bySequence.delete(row.sequence);
    store.isWhole = false;
  }
}

/** A row that is known, by its sequence number. @param {number} sequence */
export const rowBySequence = (sequence) => bySequence.get(sequence);

let toldThisSecond = 0;
let lagUntil = 0;

/** @param {import('./stream.js').Event[]} events */
function take(events) {
  /** @type {Row[]} */
  const rows = [];
  let changes = false;
  /** @type {Set<Topic>} */
  const others = new Set();
  for (const { name, data } of events) {
    if (name === 'request') rows.push(rowOf(data));
    else if (name === 'update') {
      const row = bySequence.get(data.sequence);
      for (const key of /** @type {const} */ (['delivery', 'replacedBy', 'outcome', 'status', 'reason'])) {
        if (row && key in data) /** @type {any} */ (row)[key] = data[key];
      }
      changes = true;
    } else if (name === 'lagged') {
      store.skipped += Math.max(0, (data.to ?? 0) - (data.from ?? 0) + 1);
      lagUntil = Date.now() + 2500;
    } else if (name === 'device') others.add('devices');
    else if (name === 'connection') others.add('connections');
    else if (name === 'rule') others.add('rules');
    else if (name === 'clock') others.add('clock');
    else if (name === 'scenario' || name === 'reset') others.add('scenario');
  }
  if (rows.length) {
    toldThisSecond += rows.length;
    add(rows);
    tell('rows', rows);
  }
  if (changes) tell('changes');
  if (others.has('scenario')) anew();
  if (others.has('clock')) refreshClock();
  for (const topic of others) if (topic !== 'clock') tell(topic);
  refreshSummary();
}

export const refreshSummary = throttled(async () => {
  try {
    store.summary = await get('/summary');
    tell('summary');
  } catch {
    // The state of the stream says it.
  }
}, 1000);

export const refreshClock = throttled(async () => {
  try {
    store.clock = { ...(await get('/clock')), readAt: Date.now() };
    tell('clock');
  } catch {
    // As above.
  }
}, 250);

/** Reads the newest rows, as at the beginning or after something was missed. */
const refill = throttled(async () => {
  try {
    const page = await find(everyone, { limit: FIRST });
    const rows = page.requests.map(rowOf).reverse();
    // What is not in the log any more was forgotten on purpose.
    if (page.total === 0 || (rows.length && store.rows.length && rows[rows.length - 1].sequence < store.rows[store.rows.length - 1].sequence)) clear();
    if (page.total <= rows.length) store.isWhole = true;
    add(rows);
    tell('rows', rows);
  } catch {
    // As above.
  }
}, 500);

function clear() {
  store.rows.length = 0;
  bySequence.clear();
  store.skipped = 0;
}

/** Forgets everything and reads it again: after a reset, another scenario, deleted requests. */
export function anew() {
  clear();
  tell('rows', []);
  refill();
  refreshClock();
  refreshSummary();
  tell('devices');
  tell('rules');
}

/** Rows before the oldest that is known; whether there were any. */
export async function loadOlder() {
  if (store.isWhole || store.rows.length === 0) return false;
  const page = await find(everyone, { limit: FIRST, before: store.rows[0].sequence });
  if (page.requests.length === 0 || page.total <= page.requests.length) store.isWhole = true;
  for (const record of page.requests) {
    const row = rowOf(record);
    if (bySequence.has(row.sequence)) continue;
    bySequence.set(row.sequence, row);
    store.rows.unshift(row);
  }
  return page.requests.length > 0;
}

/** The hash that this page's files have. */
const version = new URL(import.meta.url).pathname.split('/')[2];

/** Another start of the server: other pushes, perhaps another version of the page. */
async function meet() {
  const identity = await get('/identity');
  if (store.identity && store.identity.pid !== identity.pid) {
    const page = await fetch('/ui/').then((answer) => answer.text());
    if (!page.includes(`/ui/${version}/`)) location.reload();
    clear();
    tell('rows', []);
  }
  store.identity = identity;
  tell('state');
}

/** Begins. */
export function begin() {
  setInterval(() => {
    store.toldRate = toldThisSecond;
    toldThisSecond = 0;
    const isSampling = Date.now() < lagUntil;
    if (isSampling || isSampling !== store.isSampling) {
      store.isSampling = isSampling;
      tell('state');
      if (isSampling) refreshSummary();
      // The last ones may be among those that were left out.
      else refill();
    }
  }, 1000);
  listen({
    onEvents: take,
    onState: (state, retry) => {
      store.state = state;
      store.retry = retry ?? 0;
      tell('state');
      if (state === 'live' || state === 'polling') meet().catch(() => {});
    },
    onGap: () => {
      refill();
      refreshSummary();
      refreshClock();
      tell('devices');
      tell('rules');
      tell('connections');
    },
  });
  refill();
  refreshSummary();
  refreshClock();
}

/** @param {string} method @param {string} path @param {unknown} [body] */
export async function act(method, path, body) {
  const answer = await call(method, path, body);
  refreshSummary();
  return answer;
}

export { features };
