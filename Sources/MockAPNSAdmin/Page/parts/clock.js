// The scenario's clock: shown where it is real, and moved where it is moved by hand.

import { button, clockTime, code, fill, h, on, post, refreshClock, said, sheet, store } from '../base.js';

/** The clock's button in the frame. */
export function clock() {
  const element = button('', open, { class: 'clock quiet' });
  const draw = () => {
    const isManual = store.clock?.kind === 'manual';
    element.classList.toggle('real', !isManual);
    element.hidden = false;
    element.title = isManual ? store.clock.now : 'The clock';
    fill(element, h('span.sr', 'Clock: '), isManual ? clockTime(store.clock.now) : 'real time');
  };
  on('clock', draw);
  draw();
  return element;
}

function open() {
  if (store.clock?.kind !== 'manual') {
    return sheet('The clock is real', h('p', 'A scenario can have one that you move:'),
      code('"clock": { "manual": "now" }'));
  }
  const { now, next } = store.clock;
  const mover = (label, by) => button(label, async () => {
    dialog.close();
    await post('/clock/advance', { by });
    refreshClock();
    said(`Moved by ${by}.`);
  });
  const dialog = sheet('Move the clock', h('p', 'It is ', h('b', clockTime(now)), '. What is due on the way happens.'),
    h('div.actions.start', ['1m', '10m', '1h', '1d'].map((by) => mover(`+${by}`, by))),
    next && h('p', `Next: ${next.what.replace('E', ' e')} at ${clockTime(next.at)} `, mover('Move there', `${Math.max(0, Date.parse(next.at) - Date.parse(now))}ms`)));
}
