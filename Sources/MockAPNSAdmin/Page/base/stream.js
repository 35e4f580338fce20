// What happens, as it happens. One tab of a browser reads the stream of events and tells the others, since a browser opens
// only a few connections to one server. Where tabs cannot agree on one (plain HTTP to another machine), each asks again
// and again.

import { get, home, Refusal, request } from './api.js';

/** Time after which a hidden tab leaves the stream to others. */
const SLEEP = 60_000;
const POLL = 2_000;
const LONGEST_PAUSE = 15_000;
/** Maximum number of rows sent per second; a person reads no more. */
const RATE = 50;

const channel = 'BroadcastChannel' in window ? new BroadcastChannel(`mock-apns ${home}`) : null;
let deliver = null;
let isLeader = false;
let stop = null;
let wake = null;
/** The last event that was read, and the state that was reported. */
let last = '';
let state = 'connecting';

/**
 * Begins to listen. News have `events`, each with name and data; or `isGap`, when something may have been missed; or
 * `state`: `live`, `polling`, `asleep`, or `offline` with the `problem`.
 */
export function listen(act) {
  deliver = (news) => {
    last = news.last ?? last;
    state = news.state ?? state;
    act(news);
  };
  let timer = 0;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) return stop.signal.aborted && run();
    timer = setTimeout(() => {
      stop.abort();
      deliver({ state: 'asleep' });
    }, SLEEP);
  });
  addEventListener('pagehide', () => stop.abort());
  channel?.addEventListener('message', ({ data }) => {
    if (!isLeader) return !data.question && deliver(data);
    if (data.question === 'retry') wake?.();
    if (data.question === 'state') channel.postMessage({ state });
  });
  run();
}

/** Tells this tab, and all others when this one reads for them. */
function tell(news) {
  deliver(news);
  if (isLeader) channel.postMessage(news);
}

/** Tries again at once. */
export function retryNow() {
  wake?.();
  channel?.postMessage({ question: 'retry' });
}

async function run() {
  stop = new AbortController();
  const { signal } = stop;
  if (!navigator.locks || !channel) return poll(signal);
  channel.postMessage({ question: 'state' });
  try {
    await navigator.locks.request(`mock-apns ${home}`, { signal }, async () => {
      isLeader = true;
      await read(signal);
    });
  } catch {
    // Not wanted any more.
  }
  isLeader = false;
}

const pause = (milliseconds, signal) => new Promise((resolve) => {
  setTimeout(resolve, milliseconds);
  wake = resolve;
  signal.addEventListener('abort', resolve, { once: true });
});

const offline = (error) => tell({ state: 'offline', problem: error instanceof Refusal ? error.message : 'Server unreachable.' });

/** Reads the stream until it is not wanted any more; begins again when it ends. */
async function read(signal) {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const answer = await request(`/events?fields=row&rate=${RATE}`, { headers: last ? { 'Last-Event-ID': last } : {}, signal });
      // What happened in between is in the log.
      if (failures > 0 || !last) tell({ isGap: true });
      failures = 0;
      tell({ state: 'live' });
      await parse(answer.body);
      offline();
    } catch (error) {
      if (!signal.aborted) offline(error);
    }
    await pause(Math.min(1000 * 2 ** failures, LONGEST_PAUSE), signal);
  }
}

/** Takes a stream of server-sent events apart; what comes in one piece is passed on as one list. */
async function parse(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    const events = [];
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
      last = fields.id ?? last;
      if (fields.data) events.push({ name: fields.event, data: JSON.parse(fields.data) });
    }
    if (events.length) tell({ events, last });
  }
}

async function poll(signal) {
  for (let before = -1; !signal.aborted; await pause(POLL, signal)) {
    try {
      const { requests, requestsByAdmin } = await get('/summary', signal);
      tell({ state: 'polling' });
      if (requests + requestsByAdmin !== before) tell({ isGap: true });
      before = requests + requestsByAdmin;
    } catch (error) {
      if (!signal.aborted) offline(error);
    }
  }
}
