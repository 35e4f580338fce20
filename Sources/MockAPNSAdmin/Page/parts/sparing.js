// What takes long is asked seldom.

import { on, throttled } from '../base.js';

/** Of the time that passes, a question that takes long takes at most this part. */
const SHARE = 1 / 50;

/** Calls a function that promises at most once per this number of milliseconds: the less often, the longer it takes, until the log begins anew. */
export function sparing(act, pause) {
  let rested = 0;
  on('scenario', () => {
    rested = 0;
  });
  const soon = throttled(async () => {
    const began = performance.now();
    if (began < rested) return setTimeout(soon, rested - began);
    rested = 1;
    await act();
    if (rested) rested = performance.now() + (performance.now() - began) / SHARE;
  }, pause);
  return soon;
}
