// All devices, each with its screen in small.

import { at, button, count, deviceLabel, dotted, fill, foreign, get, go, h, input, link, manualNow, page, refill, stepping, watch } from '../base.js';
import { signs, smallScreen } from '../parts/screens.js';

const PAGE = 24;
const MOST = 1000;

export function open() {
  const list = h('ul.devices');
  const note = h('div');
  let limit = PAGE;
  const field = input({ type: 'search', label: 'Name or token of a device', placeholder: 'Name or token' });
  const look = watch('rows update device clock', async () => [await get(`/devices?limit=${limit}`), manualNow()], ([{ devices, next }]) => {
    refill(list, devices.map(card));
    fill(note, !devices.length && h('div.empty', h('h2', 'No devices yet'), h('p', 'One appears with the first push to its token, or in a scenario.')),
      next !== null && limit < MOST && button('More', () => {
        limit = Math.min(MOST, limit + 4 * PAGE);
        look();
      }));
  }, 1000);
  return {
    title: 'Devices', keys: { '/': () => field.focus(), ...stepping(list, 'h2 a') },
    element: page('Devices', h('form.search', { role: 'search', onsubmit: () => field.value.trim() && go(at('devices', field.value.trim())) }, field), list, note),
  };
}

const card = (device) => h('li.card', h('h2', link(at('devices', device.name ?? device.token), device.name ? foreign(device.name) : deviceLabel(device))),
  h('p.muted', dotted(`${count(device.received)} received`, signs(device))), smallScreen(device));
