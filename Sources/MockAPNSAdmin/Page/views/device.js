// One device: its screen, what is stored for it, what it was sent, and what can happen to it.

import { call, features, find, get, Refusal, rowOf, everyone } from '../base/api.js';
import { failed, said } from '../base/dialogs.js';
import { button, facts, fill, h, link, throttled } from '../base/dom.js';
import { address, go } from '../base/router.js';
import { on, store } from '../base/store.js';
import { ago, clockTime, counted, foreign, visible } from '../base/text.js';
import { activityCard, appIcon, notification, signs, stacks } from '../parts/screens.js';
import { faultDialog } from '../parts/faultDialog.js';
import { statusElement } from '../parts/status.js';

/** @param {import('../base/router.js').Address} at @returns {import('../app.js').View} */
export function open({ path: [name] }) {
  const path = `/devices/${encodeURIComponent(name)}`;
  const element = h('div.page.device');
  /** @type {any} */
  let device = null;
  let last = '';
  const change = async (/** @type {object} */ body, /** @type {string} */ text) => {
    try {
      await call('PATCH', path, body);
      said(text);
      refresh();
    } catch (error) {
      failed(error);
    }
  };
  const dismiss = async (/** @type {any[]} */ all) => {
    try {
      for (const one of all) await call('DELETE', `${path}/displayed/${one.sequence}`);
      refresh();
    } catch (error) {
      failed(error);
    }
  };
  const refresh = throttled(async () => {
    try {
      device = await get(path);
      const { requests } = await find({ ...everyone, token: device.token }, { limit: 20 });
      const key = JSON.stringify([device, requests.map((/** @type {any} */ each) => [each.sequence, each.delivery, each.replacedBy]), store.clock?.now]);
      if (key !== last) draw(requests.map(rowOf));
      last = key;
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) fill(element, h('div.empty', null, h('h1', null, 'No such device'), h('p', null, visible(error.message)), h('p', null, link(address(['devices']), 'All devices'))));
      else if (last === '') failed(error);
    }
  }, 300);
  /** @param {import('../base/api.js').Row[]} history */
  const draw = (history) => {
    const isManual = store.clock?.kind === 'manual';
    const now = isManual ? Date.parse(store.clock.now) : Date.now();
    const all = stacks(device);
    const focus = document.activeElement instanceof HTMLElement && element.contains(document.activeElement) ? document.activeElement.textContent : null;
    const time = new Date(now).toISOString();
    fill(element,
      h('div.toolbar', null, link(address(['devices']), '← Devices'), h('h1', null, device.name ? foreign(device.name) : `${device.token.slice(0, 8)}…`), h('span.muted', null, signs(device).join(' · '))),
      h('div.columns', null,
        h('section.phone', { 'aria-label': 'Screen' },
          h('div.lock', null, h('p.date', null, new Date(now).toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })), h('p.time', null, time.slice(11, 16)),
            h('p.signs', null, [!device.online && 'No connection', device.power === 'saving' && 'Low Power', !device.notifications && 'Notifications off'].filter(Boolean).join(' · '))),
          h('ul', { 'aria-label': 'On the Lock Screen, newest first' },
            (device.activities ?? []).slice().reverse().map((/** @type {any} */ one) => h('li', null, activityCard(one, now))),
            all.map((stack) => h('li', null, stackOf(stack, now, features.dismisses && dismiss)))),
          all.length === 0 && !device.activities?.length && h('p.nothing', null, 'Nothing on the screen'),
          device.badge > 0 && h('p.dock', null, appIcon(all[0]?.[0].shown.app ?? device.topics[0]?.split('.').pop() ?? 'app', device.badge), h('span.sr', null, `The badge is ${device.badge}`)),
          all.length > 0 && features.dismisses && button('Clear', () => dismiss(device.displayed), { class: 'quiet' })),
        h('div.side', null,
          h('section', null, h('h2', null, 'What happens to it'), h('div.actions.start', null,
            device.online ? button('Go offline', () => change({ online: false }, 'It is offline.')) : button('Go online', () => change({ online: true }, 'It is online.')),
            device.power === 'saving' ? button('Normal power', () => change({ power: 'normal' }, 'Power is normal.')) : button('Save power', () => change({ power: 'saving' }, 'It saves power.')),
            device.notifications ? button('Notifications off', () => change({ notifications: false }, 'Notifications are off.')) : button('Notifications on', () => change({ notifications: true }, 'Notifications are on.')),
            device.registered === true ? button('Uninstall', () => change({ registered: false }, 'Uninstalled: pushes get 410 from now on.')) : button('Register again', () => change({ registered: true }, 'The token is registered again.')),
            button('Install as new token', install), button('Fault…', () => faultDialog({ token: device.token, device: device.name }), { icon: 'bolt' }))),
          h('section', null, h('h2', null, counted(device.stored.length, 'stored push', 'stored pushes')),
            device.stored.length > 0 && h('p.muted', null, device.registered !== true ? 'Will be discarded.' : 'Delivered as soon as it is online, unless they expire before.'),
            h('ul.stored', null, device.stored.map((/** @type {any} */ one) => h('li', null, link(address(['pushes', String(one.sequence)]), `Push ${one.sequence}`), ' expires ', clockTime(one.expiresAt), one.collapseID && ` · ${visible(one.collapseID)}`)))),
          h('section', null, h('h2', null, 'History'), h('ul.history', null, history.map((row) => h('li', null,
            link(address(['pushes', String(row.sequence)]), String(row.sequence)), statusElement(row), h('span', null, row.title ? foreign(row.title) : h('span.muted', null, row.pushType ?? '')),
            h('span.muted', null, row.replacedBy ? `replaced by ${row.replacedBy}` : row.delivery ?? '')))),
            h('p', null, link(address(['pushes'], { q: `token:${device.token}` }), 'All in the log'))),
          h('section', null, h('h2', null, 'Registration'), facts([['Token', h('span.token', null, device.token)], ['Topics', device.topics.join(', ') || 'any'], ['Environment', device.environment], ['Received', counted(device.received, 'push', 'pushes')]])))));
    if (focus) [...element.querySelectorAll('button, a')].find((each) => each.textContent === focus)?.focus();
  };
  const install = async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const token = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    try {
      const fresh = await call('POST', '/devices', { token, ...(device.name ? { name: `${device.name} ${token.slice(0, 4)}` } : {}), topics: device.topics.length ? device.topics : undefined, environment: device.environment });
      await call('PATCH', path, { registered: false });
      said('Installed again: the old token gets 410, the new one is this.');
      go(address(['devices', fresh.name ?? fresh.token]));
    } catch (error) {
      failed(error);
    }
  };
  const ends = [on(['devices', 'clock'], refresh), on('changes', refresh), on('rows', (rows) => {
    if (rows.length === 0 || rows.some((/** @type {any} */ row) => device && (row.device === device.name || device.token.startsWith(row.token?.slice(0, 8))))) refresh();
  })];
  refresh();
  return {
    title: name.length > 40 ? `${name.slice(0, 8)}…` : name, element,
    end() {
      for (const end of ends) end();
      refresh.cancel();
    },
    keys: { Escape: () => go(address(['devices'])), f: () => device && faultDialog({ token: device.token, device: device.name }) },
  };
}

/**
 * @param {any[]} stack newest first
 * @param {number} now
 * @param {false | ((all: any[]) => void)} dismiss
 */
function stackOf([first, ...rest], now, dismiss) {
  const one = (/** @type {any} */ each) => notification(each.shown, {
    when: ago(each.displayedAt, now), more: h('p.links', null, link(address(['pushes', String(each.sequence)]), `Push ${each.sequence}`),
      dismiss && button('Dismiss', () => dismiss([each]), { class: 'quiet small' })),
  });
  return [one(first), rest.length > 0 && h('details.stack', null, h('summary', null, `${rest.length} more`), rest.map(one))];
}
