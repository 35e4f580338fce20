// The scenario's clock: shown where it is real, and moved where it is moved by hand.

import { post, Refusal } from '../base/api.js';
import { failed, said, sheet } from '../base/dialogs.js';
import { button, fill, h, icon } from '../base/dom.js';
import { anew, on, refreshClock, store } from '../base/store.js';
import { clockTime } from '../base/text.js';

const WHAT = { expiry: 'expiry', registration: 'registration', timeline: 'timeline' };

/** Moves the clock. @param {string} by */
async function advance(by) {
  try {
    await post('/clock/advance', { by });
    refreshClock();
    said(`The clock was moved by ${by}.`);
  } catch (error) {
    failed(error instanceof Refusal && error.status === 409 ? new Error('The clock is real; a scenario with "clock": {"manual": "now"} has one that can be moved.') : error);
    anew();
  }
}

/** The clock's button in the frame. */
export function clock() {
  const element = h('button.clock.quiet', { type: 'button', 'aria-label': 'Clock', onclick: open }, icon('clock'));
  const draw = () => {
    const { clock: now } = store;
    if (!now) return;
    const isManual = now.kind === 'manual';
    element.title = isManual ? `The scenario's clock: ${now.now}` : 'The clock is real (UTC)';
    element.setAttribute('aria-label', isManual ? `Clock, moved by hand: ${now.now}` : 'Clock: real time');
    fill(element, icon('clock'), h('span', null, isManual ? clockTime(now.now) : 'real'));
  };
  on('clock', draw);
  return element;
}

function open() {
  const now = store.clock;
  if (!now) return;
  if (now.kind !== 'manual') {
    sheet('The clock is real', h('p', null, 'Devices, expiry and the timeline follow the time of day (UTC). A scenario can have a clock that only moves when you say so:'),
      h('pre.code', null, '"clock": { "manual": "now" }'));
    return;
  }
  const next = now.next;
  const dialog = sheet('Move the clock', h('p', null, 'It is ', h('b', null, clockTime(now.now)), '. Everything that is due on the way happens, in order.'),
    h('div.actions.start', null, ['1m', '10m', '1h', '1d'].map((by) => button(`+${by}`, () => {
      dialog.close();
      advance(by);
    }))),
    next && h('p', null, 'Next: ', WHAT[/** @type {keyof WHAT} */ (next.what)], ' at ', clockTime(next.at), ' ',
      button('Move there', () => {
        dialog.close();
        advance(`${Math.max(0, Date.parse(next.at) - Date.parse(now.now))}ms`);
      })));
}
