// One device: its screen, what is stored for it, what it was sent, and what can happen to it.

import {
  action, at, button, call, clockTime, counted, deviceLabel, dotted, everyone, facts, find, foreign, get, go, h, lasting, link,
  manualNow, now, page, post, pushes, pushLink, refill, said, section, timely, watch,
} from '../base.js';
import { withNames } from '../parts/channels.js';
import { faultDialog } from '../parts/faults.js';
import { lanesOf, marksBetween, retries } from '../parts/lanes.js';
import { phone } from '../parts/phone.js';
import { savePicture } from '../parts/picture.js';
import { permission, signs } from '../parts/screens.js';
import { entry } from '../parts/status.js';

/** Pushes among which attempts are sought, and those that the history shows. */
const RECENT = 200;
const MOST = 20;

export function open({ path: [name] }) {
  const path = `/devices/${encodeURIComponent(name)}`;
  const element = h('div.device');
  let device = null;
  const read = async () => {
    const found = await get(path).catch((error) => {
      if (error.status === 404) return null;
      throw error;
    });
    const requests = found && await pushesTo(found);
    await withNames(found);
    return [found, requests, manualNow(), requests && lanesOf(requests).length > 0 ? await marksBetween(requests) : []];
  };
  const look = watch('rows update device channel clock', read, ([found, recent, , marks]) => {
    device = found;
    refill(element, device ? drawn(recent, marks) : h('div.empty', h('h1', 'No such device'), h('p', link(at('devices'), 'All devices'))));
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

  function drawn(recent, marks) {
    const history = recent.slice(0, MOST);
    const { app, apps, budgets, online, power, registered, stored, topics } = device;
    return page(device.name ? foreign(device.name) : deviceLabel(device), [h('span.muted', dotted(signs(device))), h('span.grow'), link(at('devices'), 'All devices'),
      h('div.actions.start', { role: 'group', label: 'What happens' }, link(sendTo(device), 'Send to this device', { title: 'Key s' }), action('Fault…', fault, { title: 'Key f' }),
        change(online ? 'Go offline' : 'Go online', { online: !online }),
        power === 'saving' ? change('Normal power', { power: 'normal' }) : change('Save power', { power: 'saving' }),
        change(isOff() ? 'Notifications on' : 'Notifications off', { notifications: isOff() }),
        registered === true ? change('Uninstall', { registered: false }) : change('Register again', { registered: true }),
        action('Install as new token', install),
        ['svg', 'png'].map((kind) => button(kind.toUpperCase(), () => savePicture(device, now(), kind), { title: 'Save the screen' })))],
    h('div.columns', phone(device, dismiss), h('div.flow', h('div', section(counted(stored.length, 'stored push', 'stored pushes'),
      stored.length > 0 && h('p.muted', fateOf(device)),
      h('ul.stored', stored.map(({ sequence, expiresAt, collapseID }) => h('li', pushLink(sequence), ` expires ${clockTime(expiresAt)}, `, timely(() => `in ${lasting(Math.max(0, (Date.parse(expiresAt) - now()) / 1000))}`),
        collapseID && ` · ${collapseID}`)))),
    retries(recent, marks),
    section('History', h('ul.history', history.map((row) => entry(row, h('span.muted', became(row))))),
    h('p', link(at('pushes', { q: device.name ? `device:"${device.name}"` : `token:${tokensOf(device)}` }), 'All in the log')))),
    section('Registration', facts([['Token', h('span.token', device.token)], ['Topics', topics.join(', ') || 'any'], ['Environment', device.environment], ['App', [conditionOf(app), ...Object.entries(apps).map(([id, each]) => `${id} ${conditionOf(each)}`)].join(', ')], ['Notifications', allowed(device)], ['Budgets', Object.entries(budgets).map(([kind, { allowed, per }]) => `${kind} ${allowed} per ${per}`).join(', ')], ['System', device.platform], ['Received', pushes(device.received)]])))));
  }
  return {
    title: name.length > 40 ? `${name.slice(0, 8)}…` : name, element,
    keys: { Escape: () => go(at('devices')), f: fault, s: () => go(device ? sendTo(device) : at('send')) },
  };
}

/** All tokens of a device: its own, those that start Live Activities, those that update them. */
const tokensOf = ({ token, pushToStartToken: start, activities }) =>
  [token, ...typeof start === 'string' ? [start] : Object.values(start ?? {}), ...activities.map((each) => each.token)].filter(Boolean);

/** Its latest pushes. Those to Live Activities that are gone are known by its history alone. */
async function pushesTo(device) {
  const { requests } = await find({ requests: { ...everyone, ...(device.name ? { device: device.name } : { token: { oneOf: tokensOf(device) } }) } }, { limit: RECENT });
  const known = new Set(requests.map(({ sequence }) => sequence));
  const others = [...new Set(device.history.map(({ sequence }) => sequence))].slice(-MOST).filter((sequence) => !known.has(sequence));
  const rows = await Promise.all(others.map((sequence) => get(`/requests/${sequence}?fields=row`).catch(() => [])));
  return [...requests, ...rows.flat()].sort((one, other) => other.sequence - one.sequence);
}

/** The view that sends, addressed to a device. */
export const sendTo = ({ name, token }) => at('send', { to: name ?? token });

const conditionOf = ({ state, backgroundRefresh, presentsInForeground }) =>
  dotted(state, !backgroundRefresh && 'no background refresh', presentsInForeground && 'presents in the foreground');

/** What the user allows, in which only what is switched off stands by itself. */
const allowed = (device) => dotted(permission(device), ['alert', 'badge', 'sound'].map((kind) => device.notifications[kind] === false && `no ${kind}`));

/** What becomes of what is stored: each state that keeps it has its own end. */
function fateOf({ registered, online, power }) {
  if (registered !== true) return 'Will be discarded.';
  const saving = online ? 'Delivered at normal power' : 'Delivered when online; of priority 5 or 1, at normal power';
  return `${power === 'saving' ? saving : 'Delivered when online'}, unless expired.`;
}
