// All devices, each with its screen in small.

import { get } from '../base/api.js';
import { failed } from '../base/dialogs.js';
import { button, fill, h, icon, link, throttled } from '../base/dom.js';
import { address, go } from '../base/router.js';
import { on, store } from '../base/store.js';
import { counted, deviceLabel, foreign } from '../base/text.js';
import { signs, smallScreen } from '../parts/screens.js';

const PAGE = 24;

/** @returns {import('../app.js').View} */
export function open() {
  const grid = h('ul.devices');
  const note = h('div.note');
  let limit = PAGE;
  let last = '';
  const field = h('input', { type: 'search', 'aria-label': 'Name or token of a device', placeholder: 'Name or token', spellcheck: 'false' });
  const refresh = throttled(async () => {
    try {
      const { devices, next } = await get(`/devices?limit=${limit}`);
      const key = JSON.stringify(devices);
      if (key === last) return;
      last = key;
      // A manual clock is later than this computer's, or earlier.
      const now = store.clock?.kind === 'manual' ? Date.parse(store.clock.now) : Date.now();
      const focused = document.activeElement?.closest('li')?.dataset.token;
      fill(grid, devices.map((/** @type {any} */ device) => card(device, now)));
      if (focused) grid.querySelector(`[data-token="${focused}"] a`)?.focus();
      fill(note, devices.length === 0 && h('div.empty', null, h('h2', null, 'No devices yet'), h('p', null, 'A device appears with the first push to its token, or when a scenario declares it.')),
        next !== null && button('More', () => {
          limit = Math.min(1000, limit + 4 * PAGE);
          refresh();
        }));
    } catch (error) {
      if (last === '') failed(error);
    }
  }, 1000);
  const ends = [on(['rows', 'changes', 'devices', 'clock'], refresh)];
  refresh();
  return {
    title: 'Devices',
    element: h('div.page', null, h('div.toolbar', null, h('h1', null, 'Devices'), h('form.search', {
      role: 'search', onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        if (field.value.trim()) go(address(['devices', field.value.trim()]));
      },
    }, icon('search'), field)), grid, note),
    end() {
      for (const end of ends) end();
      refresh.cancel();
    },
    keys: { '/': () => field.focus() },
  };
}

/** @param {any} device @param {number} now */
function card(device, now) {
  const name = device.name ?? device.token;
  return h('li.card', { 'data-token': device.token },
    h('h2', null, link(address(['devices', name]), device.name ? foreign(device.name) : deviceLabel(device))),
    h('p.muted', null, [counted(device.received, 'push', 'pushes'), ...signs(device)].join(' · ')), smallScreen(device, now));
}
