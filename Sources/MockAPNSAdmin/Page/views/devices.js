// All devices, found by any part of what they are called: a few as small screens, many as rows.

import {
  action, ago, arrange, at, button, call, count, counted, deviceLabel, deviceLink, dotted, failed, fill, foreign, get, go, h, input, link, manualNow, on, page, pushLink, refill, select,
  stepping, store, tell, throttled, timely,
} from '../base.js';
import { devicePages, MOST } from '../parts/devicepages.js';
import { faultDialog } from '../parts/faults.js';
import { activityName, signs, smallScreen } from '../parts/screens.js';
import { statusElement } from '../parts/status.js';
import { sendTo } from './device.js';

/** From this number on they are rows. */
const MANY = 30;
const PAGE = 60;

const SORTS = { '': 'Latest push first', name: 'By name', stored: 'Most stored first' };
const SHOWN = { '': 'All devices', offline: 'Offline', gone: 'Gone (410)', stored: 'With stored pushes' };
/** What the API can leave out. */
const ASKED = { offline: '&online=false', gone: '&registered=false' };

export function open(address) {
  let { query } = address;
  let all = [];
  let sought = [];
  let isRead = false;
  let isWhole = true;
  let limit = PAGE;
  /** Elements by token, with what they show; and what is listed, in its order. */
  const drawn = new Map();
  let order = [];
  const list = h('ul.devices', { onpointerleave: () => draw(), onfocusout: () => queueMicrotask(draw) });
  const note = h('div');
  const number = h('span.muted');
  const change = (changes) => go(at('devices', { ...Object.fromEntries(query), ...changes }), true);
  const field = input({
    type: 'search', label: 'Part of a name, token or topic', placeholder: 'Name, token or topic', oninput: () => change({ q: field.value.trim() }),
  });
  const shown = select(Object.entries(SHOWN), { label: 'Show', onchange: () => change({ show: shown.value }) });
  const sort = select(Object.entries(SORTS), { label: 'Order', onchange: () => change({ sort: sort.value }) });
  const look = devicePages(() => ASKED[query.get('show')] ?? '', (devices, whole) => {
    all = devices;
    isRead = true;
    isWhole = whole;
    draw();
  }, (error) => isRead || failed(error));
  /** One that is further back is found by all of its name. */
  const seek = throttled(async () => {
    const given = query.get('q');
    const found = isWhole || !given ? [] : await called(given);
    if (query.get('q') !== given) return;
    sought = found.filter(({ token }) => !all.some((each) => each.token === token));
    draw();
  }, 500);

  function draw() {
    const latest = new Map(store.rows.map((row) => [row.device ?? row.token, row]));
    const text = (query.get('q') ?? '').toLowerCase();
    const isStored = query.get('show') === 'stored';
    const found = all.concat(sought).filter((device) => (!isStored || device.stored.length) && wordsOf(device).includes(text))
      .map((device) => withLatest(device, latest.get(device.name ?? device.token.slice(0, 8)))).sort(COMPARED[query.get('sort')] ?? COMPARED.latest);
    // While the pointer or the focus is on the list, rows stay where they are.
    if (list.matches(':hover, :focus-within')) {
      const places = new Map(order.map((token, index) => [token, index]));
      const placeOf = ({ device }) => places.get(device.token) ?? order.length;
      found.sort((one, other) => placeOf(one) - placeOf(other));
    }
    const isMany = found.length >= MANY;
    list.classList.toggle('many', isMany);
    const inSight = found.slice(0, limit);
    order = inSight.map(({ device }) => device.token);
    const wanted = new Set(order);
    for (const token of drawn.keys()) if (!wanted.has(token)) drawn.delete(token);
    arrange(list, inSight.map((each) => elementOf(each, isMany)));
    fill(number, found.length > 0 && `${found.length < all.length ? `${count(found.length)} of ` : ''}${counted(all.length, 'device')}`);
    fill(note, !found.length && nothing(),
      found.length > limit && button(`${count(found.length - limit)} more`, () => {
        limit += 2 * PAGE;
        draw();
      }), !isWhole && h('p.muted', `Among the first ${count(MOST)}; a whole name or token finds any.`));
  }
  /** The element of a device, which is filled when it shows something else. */
  function elementOf(each, isMany) {
    const { token } = each.device;
    if (!drawn.has(token)) drawn.set(token, { element: h('li') });
    const known = drawn.get(token);
    const content = JSON.stringify([each, isMany, manualNow()]);
    if (known.content !== content) {
      known.element.className = isMany ? '' : 'card';
      refill(known.element, (isMany ? line : card)(each));
    }
    known.content = content;
    return known.element;
  }
  const nothing = () => (all.length || query.get('show') || query.get('q')
    ? h('div.empty', h('h2', 'No device matches'), button('Show all', () => go(at('devices'), true)))
    : h('div.empty', h('h2', 'No devices yet'), h('p', 'One appears with the first push to its token, or in a scenario.')));
  function update(next) {
    const before = query.get('show');
    ({ query } = next);
    if (document.activeElement !== field) field.value = query.get('q') ?? '';
    shown.value = query.get('show') ?? '';
    sort.value = query.get('sort') ?? '';
    limit = PAGE;
    if (before !== query.get('show')) look();
    if (isRead) draw();
    if (!isWhole) seek();
  }
  on('rows update device clock', throttled(look, 1000));
  on('rows clock', throttled(() => isRead && draw(), 1000));
  look();
  update(address);
  /** What has focus is about a device. */
  const act = (what, otherwise) => () => {
    const device = [...all, ...sought].find(({ token }) => drawn.get(token)?.element.contains(document.activeElement));
    return device ? what(device) : otherwise();
  };
  return {
    title: 'Devices', update,
    keys: { '/': () => field.focus(), ...stepping(list, 'h2 a'), s: act((device) => go(sendTo(device)), () => go(at('send'))), f: act(faultDialog, faultDialog) },
    element: page('Devices', [h('form.search', { role: 'search', onsubmit: () => list.querySelector('h2 a')?.click() }, field), shown, sort, number], list, note),
  };
}

/** The device with exactly this name or token, in a list. */
async function called(name) {
  if (!/^[\da-f]{64,}$/i.test(name)) return name ? (await get(`/devices?name=${encodeURIComponent(name)}`)).devices : [];
  return get(`/devices/${name}`).then((device) => [device], () => []);
}

const wordsOf = ({ name, token, topics }) => `${name ?? ''} ${token} ${topics.join(' ')}`.toLowerCase();

/** A device, its latest push, and that one's row if the page has it. */
function withLatest(device, row) {
  const { displayed, stored, activities } = device;
  const others = [displayed.at(-1), stored.at(-1), ...activities].map((each) => each?.sequence ?? 0);
  const latest = Math.max(row?.sequence ?? 0, ...others);
  return { device, latest, row: row?.sequence === latest ? row : null };
}

const byName = (one, other) => deviceLabel(one.device).localeCompare(deviceLabel(other.device), 'en', { numeric: true });
const COMPARED = {
  __proto__: null,
  latest: (one, other) => other.latest - one.latest || byName(one, other), name: byName,
  stored: (one, other) => other.device.stored.length - one.device.stored.length || other.latest - one.latest || byName(one, other),
};

const heading = (device) => h('h2', deviceLink(device));

/** What can be done at once; names for those who do not see beside which device it stands. */
function acts(device) {
  const of = (words) => `${words}: ${deviceLabel(device)}`;
  const { online } = device;
  return h('div.actions', link(sendTo(device), 'Send', { 'aria-label': of('Send') }), action('Fault…', () => faultDialog(device), { label: of('Fault…') }),
    action(online ? 'Go offline' : 'Go online', async () => {
      await call('PATCH', `/devices/${encodeURIComponent(device.name ?? device.token)}`, { online: !online });
      tell('device');
    }, { label: of(online ? 'Go offline' : 'Go online') }));
}

const card = ({ device }) => [heading(device), h('p.muted', dotted(`${count(device.received)} received`, signs(device))), smallScreen(device), acts(device)];

function line({ device, row, latest }) {
  const shown = device.displayed.at(-1);
  const activity = device.activities.find(({ sequence }) => sequence === latest);
  const text = row ? row.title ?? row.pushType : activity ? activityName(activity) : shown?.sequence === latest && (shown.shown.title ?? shown.shown.body);
  return [heading(device), h('p.muted', dotted(`${count(device.received)} received`, signs(device))),
    h('p.latest', latest > 0 && pushLink(latest, latest), row && statusElement(row), text && foreign(text),
      row && h('span.when', timely(() => ago(row.time, Date.now())))), acts(device)];
}
