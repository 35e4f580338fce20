// What needs a look in other views, beside their names: expectations that fail, findings of lint, devices offline.

import { count, counted, fill, get, h, on, post, store } from '../base.js';
import { holding } from './hold.js';
import { sparing } from './sparing.js';

/** What the server says of an expectation that it cannot judge. */
export const UNKNOWN = /^unknown: |cannot be judged/;
/** The shortest pause between two questions, in milliseconds. */
const BREATH = 2000;
/** Devices that are counted. */
const MOST = 100;

/** Each promises a short text and what it means, or null if there is nothing to tell. */
const QUESTIONS = {
  async expect() {
    const { results } = await post('/verify', {});
    const number = results.filter(({ passed, seen }) => !passed && !UNKNOWN.test(seen)).length;
    return number && [`${count(number)} ✕`, `${counted(number, 'expectation fails', 'expectations fail')}`, 'broken'];
  },
  async lint() {
    const { findings } = await get('/lint?sentBy=any&severity=warning');
    return findings.length && [count(findings.length), counted(findings.length, 'error or warning', 'errors and warnings'), 'refused'];
  },
  async devices() {
    const { devices, next } = await get(`/devices?online=false&limit=${MOST}`);
    return devices.length && [`${devices.length}${next === null ? '' : '+'} offline`, 'No connection', 'none'];
  },
  async differences() {
    const { relayed, agreed } = store.summary?.relay ?? {};
    return relayed > agreed && [count(relayed - agreed), counted(relayed - agreed, 'other answer'), 'refused'];
  },
};

/** Writes into elements of the navigation, by the names of views; `tell` gets what the window's title begins with. */
export function badges(nav, elements, tell) {
  /** What is not written yet: names under the pointer stay in their place. */
  const waiting = new Map();
  const write = () => {
    for (const each of waiting.values()) each();
    waiting.clear();
  };
  const hold = holding(nav, nav, write);
  /** The first rows of the log come before all this. */
  let isReady = false;
  const watching = (name, topics) => {
    const ask = sparing(async () => {
      // Under full load there are too many pushes to be judged all the time.
      if (name === 'lint' && (store.isSampling || document.hidden)) return;
      const said = await QUESTIONS[name]().catch(() => null);
      const [text, meaning, kind] = said || [];
      if (name === 'expect') tell(text ? `(${text}) ` : '');
      waiting.set(name, () => fill(elements[name], text && [' ', h(`span.alarm.${kind}`, { title: meaning }, text)]));
      if (!hold.is) write();
    }, BREATH);
    on(topics, () => isReady && ask());
    return ask;
  };
  const asks = [watching('expect', 'rows update device clock scenario connection rule'), watching('devices', 'device scenario'), watching('differences', 'summary')];
  const lint = watching('lint', 'rows scenario');
  on('summary', () => {
    if (isReady || !store.summary) return;
    isReady = true;
    for (const ask of [...asks, lint]) ask();
  });
  let wasSampling = false;
  on('state', () => {
    if (wasSampling && !store.isSampling) lint();
    wasSampling = store.isSampling;
  });
  document.addEventListener('visibilitychange', lint);
}
