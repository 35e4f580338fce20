// A list, or the navigation, that stands still: as long as a pointer moves, or a row of it has focus.

import { leaving } from '../base.js';

/** How long a pointer that rests still holds a list, in milliseconds; and one that is beside it, as it may be on its way to a row. */
const REST = 3000;
const TRAVEL = 1000;

/**
 * Tells whether an area is held, as `is`, until it is set `free`; `release` is called when it may not be any more. A pointer that
 * moves anywhere `around` it holds it.
 */
export function holding(area, around, release) {
  const listening = new AbortController();
  let timer = 0;
  let [x, y] = [0, 0];
  /** Whether focus that is in the area does not hold it. */
  let isFree = false;
  const end = () => {
    clearTimeout(timer);
    timer = 0;
    release();
  };
  const moved = (event) => {
    // Browsers tell of moves that are none, when something moved below the pointer.
    if (event.type === 'pointermove' && event.screenX === x && event.screenY === y) return;
    [x, y] = [event.screenX, event.screenY];
    clearTimeout(timer);
    timer = setTimeout(end, area.contains(event.target) ? REST : TRAVEL);
  };
  for (const type of ['pointermove', 'pointerdown', 'wheel']) around.addEventListener(type, moved, { passive: true, signal: listening.signal });
  // A finger leaves before its click is told.
  around.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && end(), { signal: listening.signal });
  leaving(() => {
    clearTimeout(timer);
    listening.abort();
  });
  area.addEventListener('focusout', () => setTimeout(release));
  area.addEventListener('focusin', () => {
    isFree = false;
  });
  return {
    free() {
      isFree = true;
      end();
    },
    get is() {
      return timer > 0 || Boolean(!isFree && area.contains(document.activeElement) && document.activeElement.closest('tbody'));
    },
  };
}
