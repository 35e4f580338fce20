// How wide the columns of the log are: as wide as what they hold, however a browser draws it.

import { deviceLabel, h } from '../base.js';
import { statusWord } from './status.js';

/** Columns, each with what is measured, as a style sheet's variable; a class for those that are drawn in another way. */
const COLUMNS = {
  digits: [({ sequence }) => '0'.repeat(Math.max(3, String(sequence).length))], answer: [statusWord, 'status'], device: [deviceLabel, ''],
  type: [({ pushType }) => pushType ?? '–'], topic: [({ topic }) => topic ?? '–'],
};
/** The widest that a column becomes, in pixels; and the number of values that are measured. */
const WIDEST = 320;
const MOST = 1000;

/** What makes columns fit: it is given rows, and widens columns for values that were not there before. */
export function fitting(log) {
  const known = new Set();
  const widths = {};
  return (rows) => {
    const probes = rows.filter((row) => !row.group).flatMap((row) => Object.entries(COLUMNS).map(([name, [valueOf, style]]) => [name, valueOf(row), style]))
      .filter(([name, value]) => (known.size < MOST || name === 'digits') && known.size < known.add(`${name} ${value}`).size)
      .map(([name, value, style]) => [name, h('span.probe', { class: style }, value)]);
    if (!probes.length) return;
    // All at once, so that the page is laid out once.
    const place = h('div', { 'aria-hidden': 'true' }, probes.map(([, element]) => element));
    log.after(place);
    for (const [name, element] of probes) widths[name] = Math.max(widths[name] ?? 0, Math.min(WIDEST, Math.ceil(element.offsetWidth) + 1));
    place.remove();
    for (const name of Object.keys(widths)) log.style.setProperty(`--${name}`, `${widths[name]}px`);
  };
}
