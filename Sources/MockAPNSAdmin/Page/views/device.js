// One device: its screen, what is stored for it, what it was sent, and what can happen to it.

import {
  action, ago, at, button, call, clockTime, counted, deviceLabel, dotted, everyone, facts, find, foreign, get, go, h, lasting, link,
  manualNow, now, page, post, pushes, pushLink, refill, said, section, timely, watch,
} from '../base.js';
import { faultDialog } from '../parts/faults.js';
import { savePicture } from '../parts/picture.js';
import { activityCard, appIcon, notification, notModeled, permission, screenHeading, signs, stacks } from '../parts/screens.js';
import { statusElement } from '../parts/status.js';

export function open({ path: [name] }) {
  const path = `/devices/${encodeURIComponent(name)}`;
  const element = h('div.device');
  let device = null;
  const read = async () => {
    const found = await get(path).catch((error) => {
      if (error.status === 404) return null;
      throw error;
    });
    const { requests } = found ? await find({ requests: { ...everyone, ...(found.name ? { device: found.name } : { token: found.token }) } }, { limit: 20 }) : {};
    // Activities have the ids of their channels; people know the names.
    const subscribed = found?.activities.filter(({ channel }) => channel) ?? [];
    await Promise.all(subscribed.map(async (each) => {
      each.channelName = (await get(`/channels?name=${encodeURIComponent(each.channel)}`)).channels[0]?.name;
    }));
    return [found, requests, manualNow()];
  };
  const look = watch('rows update device channel clock', read, ([found, history]) => {
    device = found;
    refill(element, device ? drawn(history) : h('div.empty', h('h1', 'No such device'), h('p', link(at('devices'), 'All devices'))));
  });
  const change = (label, body) => action(label, async () => {
    await call('PATCH', path, body);
    look();
  });
  const dismiss = (label, all, attributes) => action(label, async () => {
    for (const { sequence } of all) await call('DELETE', `${path}/displayed/${sequence}`);
    look();
  }, attributes);
  const install = async () => {
    const fresh = await post(`${path}/token`);
    said('Installed again; the old token gets 410.');
    if (fresh.name) look();
    else go(at('devices', fresh.token));
  };
  const became = ({ sequence, replacedBy, delivery }) =>
    device.history.filter((entry) => entry.sequence === sequence).map(({ why }) => why).join(' ') || (replacedBy ? `replaced by ${replacedBy}` : delivery);
  const isOff = () => permission(device) === 'denied';
  const fault = () => device && faultDialog(device);

  function drawn(history) {
    const { app, apps, budgets, online, power, registered, stored, topics } = device;
    return page(device.name ? foreign(device.name) : deviceLabel(device), [h('span.muted', dotted(signs(device))), h('span.grow'),
      ['svg', 'png'].map((kind) => button(kind.toUpperCase(), () => savePicture(device, now(), kind), { title: 'Save the screen' })), link(at('devices'), 'All devices')],
    h('div.columns', screen(history), h('div',
      section('What happens', h('div.actions.start',
        change(online ? 'Go offline' : 'Go online', { online: !online }),
        power === 'saving' ? change('Normal power', { power: 'normal' }) : change('Save power', { power: 'saving' }),
        change(isOff() ? 'Notifications on' : 'Notifications off', { notifications: isOff() }),
        registered === true ? change('Uninstall', { registered: false }) : change('Register again', { registered: true }),
        action('Install as new token', install), action('Fault…', fault))),
      section(counted(stored.length, 'stored push', 'stored pushes'),
        stored.length > 0 && h('p.muted', registered === true ? 'Delivered when online, unless expired.' : 'Will be discarded.'),
        h('ul.stored', stored.map(({ sequence, expiresAt, collapseID }) => h('li', pushLink(sequence), ` expires ${clockTime(expiresAt)}, `, timely(() => `in ${lasting(Math.max(0, (Date.parse(expiresAt) - now()) / 1000))}`),
          collapseID && ` · ${collapseID}`)))),
      section('History', h('ul.history', history.map((row) => h('li', pushLink(row.sequence, row.sequence), statusElement(row),
        row.title ? foreign(row.title) : h('span.muted', row.pushType), h('span.muted', became(row))))),
      h('p', link(at('pushes', { q: device.name ? `device:"${device.name}"` : `token:${device.token}` }), 'All in the log'))),
      section('Registration', facts([['Token', h('span.token', device.token)], ['Topics', topics.join(', ') || 'any'], ['Environment', device.environment], ['App', [app.state, ...Object.entries(apps).map(([id, { state }]) => `${id} ${state}`)].join(', ')], ['Budgets', Object.entries(budgets).map(([kind, { allowed, per }]) => `${kind} ${allowed} per ${per}`).join(', ')], ['System', device.platform], ['Received', pushes(device.received)]])))));
  }
  function screen(history) {
    const { online, power, activities, badge, displayed, topics } = device;
    const all = stacks(device);
    const time = new Date(now());
    const one = ({ shown, displayedAt, sequence }) => notification(shown, timely(() => ago(displayedAt, now())),
      h('p.links', pushLink(sequence), dismiss('Dismiss', [{ sequence }], { class: 'quiet' })));
    return h('section.phone', { label: 'Screen' }, screenHeading(),
      h('div.lock', h('p', time.toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })), h('p.time', timely(() => new Date(now()).toISOString().slice(11, 16))),
        h('p.signs', dotted(!online && 'No connection', power === 'saving' && 'Low Power', isOff() && 'Notifications off'))),
      h('ul', { label: 'Lock Screen, newest first' }, activities.toReversed().map((activity) => h('li', activityCard(activity, history.find(({ sequence }) => sequence === activity.sequence)?.topic))),
        all.map(([first, ...rest]) => h('li', one(first), rest.length > 0 && h('details.stack', h('summary', `${rest.length} more`), rest.map(one))))),
      !all.length && !activities.length && h('p.nothing', 'Nothing on the screen'),
      badge > 0 && h('p.dock', appIcon(all[0]?.[0].shown.app ?? topics[0]?.split('.').pop() ?? 'app', badge), h('span.sr', `The badge is ${badge}`)),
      all.length > 0 && dismiss('Clear', displayed, { class: 'quiet' }), notModeled());
  }
  return { title: name.length > 40 ? `${name.slice(0, 8)}…` : name, element, keys: { Escape: () => go(at('devices')), f: fault } };
}
