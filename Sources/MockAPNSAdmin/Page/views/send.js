// Sending a push: a form or JSON, through the checks of the server.

import {
  action, at, button, deviceLabel, deviceLink, dotted, field, fill, find, get, h, identity, input, json, now, page, post, pushLink, refill, section,
  select, store, throttled, watch,
} from '../base.js';
import { again, SAMPLE_TOKEN } from '../parts/copies.js';
import { withNames } from '../parts/channels.js';
import { findingList } from '../parts/lint.js';
import { phone } from '../parts/phone.js';
import { signs } from '../parts/screens.js';
import { statusElement } from '../parts/status.js';
import { limitOf } from '../parts/tabs.js';

/** What push types append to the topic, and those of which APNs wants priority 5. */
const SUFFIXES = {
  alert: '', background: '', voip: '.voip', liveactivity: '.push-type.liveactivity', location: '.location-query', complication: '.complication',
  fileprovider: '.pushkit.fileprovider', pushtotalk: '.voip-ptt', widgets: '.push-type.widgets', controls: '.push-type.controls', mdm: '',
};
const UNHURRIED = ['background', 'location', 'fileprovider', 'widgets', 'controls'];

const alert = (alert, more) => ['alert', { aps: { alert, ...more } }];
const TEMPLATES = {
  Alert: () => alert({ title: 'Game Request', subtitle: 'Five Card Draw', body: 'Bob wants to play poker' }, { sound: 'default' }),
  Badge: () => ['alert', { aps: { badge: 5 } }],
  'Time sensitive': () => alert({ title: 'Your ride is here', body: 'Blue car' }, { 'interruption-level': 'time-sensitive', sound: 'default' }),
  Localized: () => alert({ 'title-loc-key': 'GAME_TITLE', 'loc-key': 'GAME_PLAY_REQUEST_FORMAT', 'loc-args': ['Shelly', 'Rick'] }),
  Background: () => ['background', { aps: { 'content-available': 1 }, news: 12 }],
  'Live Activity': () => ['liveactivity', { aps: { timestamp: Math.floor(now() / 1000), event: 'update', 'content-state': { home: 2, away: 1 } } }],
  Call: () => ['voip', { handle: '+1 555 0100', caller: 'Bob' }],
};
/** Pushes that are shown. */
const MOST = 20;
/** What was typed, and at which address: it stays while other views are open. */
let draft = {};

export function open({ query }) {
  let devices = [];
  const sentTo = new Set();
  const to = input({
    list: 'known-devices', required: true, oninput: throttled(() => see(), 250),
    onchange: () => chosen()?.topics.length && !chosen().topics.includes(topic.value) && suggest(),
  });
  const known = h('datalist', { id: 'known-devices' });
  const kind = select(Object.keys(SUFFIXES), { onchange: () => {
    suggest();
    aimed = aim();
  } });
  const topic = input({ oninput: () => judge() });
  const priority = select(['10', '5', '1'], { onchange: () => judge() });
  const expiration = input({ type: 'number', oninput: () => judge(), placeholder: 'none', min: 0 });
  const collapse = input({ placeholder: 'none' });
  const repeat = input({ type: 'number', min: 1, max: 1000, value: '1' });
  const every = input({ placeholder: '0s', pattern: '\\d+(ms|s|m|h)' });
  const size = h('p.muted', { id: 'size' });
  const findings = h('div', { 'aria-live': 'polite' });
  const body = h('textarea', { rows: 12, spellcheck: 'false', 'aria-describedby': 'size', oninput: throttled(() => measure(), 150) });
  const sent = h('ul.history', { 'aria-live': 'polite' });
  const screen = h('div.beside');
  const fields = [to, kind, topic, priority, expiration, collapse, repeat, every, body];
  const keep = () => {
    draft = { at: String(query), values: fields.map(({ value }) => value) };
  };

  const suggest = () => {
    topic.value = topicFor(chosen()?.topics ?? [], kind.value);
    priority.value = UNHURRIED.includes(kind.value) ? '5' : '10';
    measure();
  };
  const chosen = () => devices.find(({ name, token }) => [name, token].includes(to.value.trim()));
  /** The token of another app or purpose would be refused: one that fits is proposed, unless the device was asked for. */
  const aim = async () => {
    ({ devices } = await get('/devices?limit=100'));
    const fits = ({ topics }) => !topics.length || topics.includes(topic.value);
    if (query.has('to') || !chosen() || fits(chosen())) return;
    const other = devices.find(fits);
    to.value = other ? other.name ?? other.token : Object.keys(SUFFIXES).indexOf(kind.value).toString(16).padStart(2, '0') + SAMPLE_TOKEN.slice(2);
    if (draft.values) keep();
  };
  let aimed;
  let wire;
  const measure = () => {
    wire = body.value;
    let problem = '';
    try {
      // Layout is not sent; what is typed is shorter on the wire.
      wire = JSON.stringify(JSON.parse(wire));
    } catch (error) {
      problem = `Not JSON: ${error.message}`;
    }
    const bytes = new TextEncoder().encode(wire).length;
    const limit = limitOf(kind.value);
    if (bytes > limit) problem ||= 'too large';
    fill(size, `${bytes} of ${limit} bytes`, problem && h('span.problem', ` · ${problem}`));
    body.setAttribute('aria-invalid', Boolean(problem));
    judge();
  };
  let judged;
  const judge = throttled(async () => {
    const headers = { 'apns-priority': priority.value, 'apns-expiration': expiration.value || undefined };
    const asked = judged = { body: wire, pushType: kind.value, topic: topic.value, headers };
    const { findings: found } = await post('/lint', asked);
    if (asked === judged) fill(findings, findingList(found));
  }, 400);
  const use = (name) => {
    const [type, payload] = TEMPLATES[name]();
    kind.value = type;
    body.value = json(payload);
    suggest();
    aimed = aim();
  };
  const submit = async () => {
    await aimed;
    const target = to.value.trim();
    const push = {
      [/^[\da-f]{64,}$/i.test(target) ? 'token' : 'device']: target, topic: topic.value, pushType: kind.value, priority: Number(priority.value),
      ...(expiration.value && { expiration: Number(expiration.value) }), ...(collapse.value && { collapseID: collapse.value }),
      ...(repeat.value > 1 && { repeat: Number(repeat.value), every: every.value || undefined }),
    };
    try {
      push.payload = JSON.parse(body.value);
    } catch {
      push.body = body.value;
    }
    await post('/pushes', push);
    sentTo.add(target);
    look();
    see();
  };
  /** The device that is written. Tokens that may have none are not asked about. */
  const nowOf = async (name) => {
    const known = chosen()?.token ?? (sentTo.has(name) || query.get('to') === name ? name : null);
    if (known) return get(`/devices/${known}`).catch(() => null);
    return /^[\da-f]{64,}$/i.test(name) ? null : (await get(`/devices?limit=1&name=${encodeURIComponent(name)}`)).devices[0] ?? null;
  };
  /** The device's screen, now and after each push. */
  const see = watch('rows update device clock', async () => withNames(await nowOf(to.value.trim())), (device) => refill(screen, device ? [h('p', deviceLink(device),
    h('span.muted', ` ${dotted('now', signs(device))}`)), phone(device)] : h('p.muted', 'No device has it; a push to a token makes one.')));
  const look = watch('rows scenario', () => find({ requests: { sentBy: 'admin' } }, { limit: MOST, whole: true }), ({ requests }) => refill(sent, requests.map((record) =>
    h('li', pushLink(record.sequence, record.sequence, { tab: 'screen' }), statusElement(record), h('span', record.explanation ?? record.delivery ?? '')))));
  const begin = async () => {
    const isKept = draft.values && (!query.size || draft.at === String(query));
    if (isKept) fields.forEach((each, index) => {
      each.value = draft.values[index];
    });
    await identity();
    ({ devices } = await get('/devices?limit=100'));
    if (query.has('to') && !isKept) {
      to.value = query.get('to');
      const device = !chosen() && await nowOf(to.value);
      if (device) devices.push(device);
    }
    see();
    fill(known, devices.map((each) => h('option', { value: each.name ?? each.token }, deviceLabel(each))));
    if (isKept) return measure();
    if (!query.has('like')) {
      to.value ||= devices[0]?.name ?? devices[0]?.token ?? SAMPLE_TOKEN;
      return use('Alert');
    }
    const like = again(await get(`/requests/${query.get('like')}`));
    kind.value = like.pushType ?? 'alert';
    body.value = like.body ?? json(like.payload);
    suggest();
    to.value = like.token;
    see();
    topic.value = like.topic ?? '';
    priority.value = like.priority ?? '10';
    collapse.value = like.collapseID ?? '';
  };
  begin();
  return {
    title: 'Send',
    element: page('Send a push', null,
      h('div.sending', h('div',
        h('div.line', { role: 'group', label: 'Templates' }, Object.keys(TEMPLATES).map((name) => button(name, () => keep(use(name))))),
        h('form.send', { onsubmit: submit, oninput: keep, onchange: keep },
          field('Device', to), known, field('Push type', kind), field('Topic', topic), field('Priority', priority), field('Expiration (UNIX seconds)', expiration),
          field('Collapse id', collapse), field('Times', repeat), field('Every', every), h('div.whole', field('Payload', body)), h('div.whole.line', size, h('span.grow'), action('Send', null, { type: 'submit', class: 'primary' })), h('div.whole', findings)),
        section('Sent from here', sent, h('p.muted', 'Expectations count these only with "sentBy": "admin".'))),
      screen)),
  };
}

/** The topic of a push of a type to a device that takes these topics. */
function topicFor(topics, kind) {
  const suffix = SUFFIXES[kind];
  const others = Object.values(SUFFIXES).filter(Boolean);
  const isPlain = (topic) => !others.some((each) => topic.endsWith(each));
  return topics.find((topic) => (suffix ? topic.endsWith(suffix) : isPlain(topic))) ?? (topics.find(isPlain) ?? store.identity?.topic ?? 'com.example.app') + suffix;
}
