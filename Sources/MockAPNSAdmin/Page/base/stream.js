// What happens, as it happens. One tab of a browser reads the stream of events and tells the others, since a browser opens
// only a few connections to one server. Where tabs cannot agree on one (plain HTTP to another machine), each asks again
// and again.

import { features, get, home, request } from './api.js';

/** @typedef {{name: string, id: string, data: any}} Event */
/** @typedef {'connecting' | 'live' | 'polling' | 'offline' | 'asleep'} State */
/** @typedef {{onEvents: (events: Event[]) => void, onState: (state: State, retry?: number) => void, onGap: () => void}} Listener */

/** A tab that nobody has looked at for so long leaves the stream to others. */
const SLEEP = 60_000;
const POLL = 2_000;
const LONGEST_PAUSE = 15_000;
/** Rows that are told each second; nobody reads more. */
const RATE = 50;

const channel = 'BroadcastChannel' in window ? new BroadcastChannel(`mock-apns ${home}`) : null;
let last = '';
/** @type {State} */
let state = 'connecting';
let isLeader = false;
/** @type {(() => void) | null} */
let wake = null;
/** @type {AbortController | null} */
let stop = null;
let sleepTimer = 0;

/**
 * Begins to listen.
 *
 * @param {Listener} listener
 */
export function listen(listener) {
  /** @param {State} next @param {number} [retry] */
  const say = (next, retry) => {
    state = next;
    listener.onState(next, retry);
    if (isLeader) channel?.postMessage({ state: next, retry });
  };
  /** @param {Event[]} events */
  const tell = (events) => {
    if (events.length === 0) return;
    last = events[events.length - 1].id || last;
    listener.onEvents(events);
    if (isLeader) channel?.postMessage({ events, last });
  };
  channel?.addEventListener('message', ({ data }) => {
    if (data.hello && isLeader) channel.postMessage({ state });
    if (isLeader) return;
    if (data.events) {
      last = data.last;
      listener.onEvents(data.events);
    }
    if (data.gap) listener.onGap();
    if (data.state) {
      state = data.state;
      listener.onState(data.state, data.retry);
    }
  });
  const gap = () => {
    listener.onGap();
    if (isLeader) channel?.postMessage({ gap: true });
  };
  const run = async () => {
    stop = new AbortController();
    const { signal } = stop;
    if (!navigator.locks || !channel) return poll(say, listener, signal);
    channel.postMessage({ hello: true });
    try {
      await navigator.locks.request(`mock-apns ${home}`, { signal }, async () => {
        isLeader = true;
        await read(say, tell, gap, signal);
      });
    } catch {
      // Not wanted any more.
    }
    isLeader = false;
  };
  document.addEventListener('visibilitychange', () => {
    clearTimeout(sleepTimer);
    if (document.hidden) {
      sleepTimer = window.setTimeout(() => {
        stop?.abort();
        listener.onState('asleep');
      }, SLEEP);
    } else if (stop?.signal.aborted) {
      run();
    }
  });
  addEventListener('pagehide', () => stop?.abort());
  run();
}

/** Tries again at once. */
export function retryNow() {
  wake?.();
  channel?.postMessage({ retry: true });
}
channel?.addEventListener('message', ({ data }) => {
  if (data.retry === true && isLeader) wake?.();
});

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', wake, { once: true });
  });
}

/**
 * Reads the stream until it is not wanted any more; begins again when it ends.
 *
 * @param {(state: State, retry?: number) => void} say
 * @param {(events: Event[]) => void} tell
 * @param {() => void} gap
 * @param {AbortSignal} signal
 */
async function read(say, tell, gap, signal) {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const query = features.rows ? `?fields=row&rate=${RATE}` : '';
      const answer = await request(`/events${query}`, { headers: last ? { 'Last-Event-ID': last } : {}, signal });
      if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
      // What happened while nobody listened is in the log.
      if (failures > 0 || last === '') gap();
      failures = 0;
      say('live');
      await parse(answer.body, tell);
    } catch {
      // It is told below, and tried again.
    }
    if (signal.aborted) return;
    failures += 1;
    const wait = Math.min(1000 * 2 ** (failures - 1), LONGEST_PAUSE);
    say('offline', Date.now() + wait);
    await pause(wait, signal);
  }
}

/**
 * Takes a stream of server-sent events apart; what comes in one piece is told as one list.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @param {(events: Event[]) => void} tell
 */
async function parse(body, tell) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let id = last;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    /** @type {Event[]} */
    const events = [];
    for (const block of blocks) {
      let name = 'message';
      let data = '';
      for (const line of block.split('\n')) {
        if (line.startsWith('data: ')) data += line.slice(6);
        else if (line.startsWith('event: ')) name = line.slice(7);
        else if (line.startsWith('id: ')) id = line.slice(4);
      }
      if (data) events.push({ name, id, data: JSON.parse(data) });
    }
    if (id) last = id;
    tell(events);
  }
}

/**
 * @param {(state: State, retry?: number) => void} say
 * @param {Listener} listener
 * @param {AbortSignal} signal
 */
async function poll(say, listener, signal) {
  let before = -1;
  while (!signal.aborted) {
    try {
      const { requests } = await get('/summary', signal);
      say('polling');
      if (requests !== before) listener.onGap();
      before = requests;
    } catch {
      if (!signal.aborted) say('offline', Date.now() + POLL);
    }
    await pause(POLL, signal);
  }
}
