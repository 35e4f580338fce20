// Devices, read page by page: each page is taken apart by itself, and only when it has changed, so that nothing takes long.

import { sleep, text, throttled } from '../base.js';

const SIZE = 100;
/** The most devices that are read. */
export const MOST = 1000;
/** The pause after a reading, as a multiple of the time that it took. */
const REST = 4;

/**
 * A function that reads again, at once or after the reading in progress. `filter()` is the query; `draw(devices, isWhole)` is
 * called when something differs; `failed(error)` when it cannot be read.
 */
export function devicePages(filter, draw, failed) {
  let known = [];
  async function read() {
    const before = known;
    const asked = filter();
    const pages = [];
    for (let after = 0; after !== null && pages.length < MOST / SIZE;) {
      const raw = await text('GET', `/devices?limit=${SIZE}&after=${after}${asked}`);
      const same = before[pages.length];
      pages.push(same?.raw === raw ? same : { raw, ...JSON.parse(raw) });
      after = pages.at(-1).next;
    }
    if (asked !== filter()) return;
    known = pages;
    const isSame = before.length === pages.length && pages.every((each, index) => each === before[index]);
    if (!isSame) draw(pages.flatMap(({ devices }) => devices), pages.at(-1).next === null);
  }
  return throttled(async () => {
    const began = performance.now();
    await read().catch(failed);
    await sleep(REST * (performance.now() - began));
  }, 0);
}
