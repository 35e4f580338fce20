// One push, by itself.

import { h, link } from '../base/dom.js';
import { address, go } from '../base/router.js';
import { store } from '../base/store.js';
import { detail } from '../parts/detail.js';

/** @param {import('../base/router.js').Address} at @returns {import('../app.js').View} */
export function open({ path: [id] }) {
  const content = detail({});
  const sequence = /^\d+$/.test(id) ? Number(id) : null;
  const step = (/** @type {number} */ by) => {
    if (sequence === null) return;
    const next = sequence + by;
    if (next < 1 || (by > 0 && next > (store.rows[store.rows.length - 1]?.sequence ?? 0))) return;
    go(address(['pushes', String(next)], new URLSearchParams(location.search)));
  };
  const back = () => go(address(['pushes'], { at: sequence }));
  content.show(id);
  return {
    title: `Push ${id}`,
    element: h('div.single', null, h('p.back', null, link(address(['pushes'], { at: sequence }), '← Pushes')), content.element),
    update: () => content.show(id),
    end: content.end,
    keys: {
      // The log has the newest at the top, so the next one down is older.
      j: () => step(-1), k: () => step(1), Escape: back, c: content.copyCurl, r: content.sendAgain, f: content.fault,
    },
  };
}
