// One push, by itself.

import { at, go, h, link, store } from '../base.js';
import { adjust } from '../parts/compare.js';
import { detail } from '../parts/detail.js';

export function open({ path: [id], query }) {
  const back = link(at('pushes', { at: id }), '← Pushes');
  const push = detail(null, () => {
    back.href = at('channels');
    back.textContent = '← Channels';
  });
  const step = (by) => {
    const next = Number(id) + by;
    if (!(next >= 1 && (by < 0 || next <= store.rows.at(-1)?.sequence))) return;
    view.goesOn = true;
    go(at('pushes', next, query));
    view.goesOn = false;
  };
  push.show(id);
  const view = {
    get title() {
      return `Push ${id}`;
    },
    element: h('div.single', h('p', back), push.element),
    update(address) {
      ({ path: [id], query } = address);
      push.show(id);
    },
    // The log has the newest at the top, so the next one down is older.
    keys: { j: () => step(-1), k: () => step(1), Escape: () => (query.get('with') ? adjust({ with: null, all: null }) : go(back.getAttribute('href'))), ...push.keys },
  };
  return view;
}
