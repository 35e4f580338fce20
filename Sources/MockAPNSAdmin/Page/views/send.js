// Sending a push: a form or JSON, through the checks of the server.

import {
  action, button, deviceLabel, field, fill, get, h, input, json, now, page, post, pushLink, section, select, store, throttled,
} from '../base.js';
import { again, SAMPLE_TOKEN } from '../parts/copies.js';
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
  'Time sensitive': () => alert({ title: 'Your ride is here', body: 'Blue Toyota, 4 minutes' }, { 'interruption-level': 'time-sensitive', sound: 'default' }),
  Localised: () => alert({ 'title-loc-key': 'GAME_TITLE', 'loc-key': 'GAME_PLAY_REQUEST_FORMAT', 'loc-args': ['Shelly', 'Rick'] }),
  Background: () => ['background', { aps: { 'content-available': 1 }, news: 12 }],
  'Live Activity': () => ['liveactivity', { aps: { timestamp: Math.floor(now() / 1000), event: 'update', 'content-state': { home: 2, away: 1 } } }],
  Call: () => ['voip', { handle: '+1 555 0100', caller: 'Bob' }],
};
/** Answers that are shown. */
const MOST = 20;
/** What was typed, and at which address: it stays while other views are open. */
let draft = {};

export function open({ query }) {
  const to = input({ list: 'known-devices', required: true });
  const known = h('datalist', { id: 'known-devices' });
  const kind = select(Object.keys(SUFFIXES), { onchange: () => suggest() });
  const topic = input();
  const priority = select(['10', '5', '1']);
  const expiration = input({ type: 'number', placeholder: 'none', min: 0 });
  const collapse = input({ placeholder: 'none' });
  const repeat = input({ type: 'number', min: 1, max: 1000, value: '1' });
  const every = input({ placeholder: '0s', pattern: '\\d+(ms|s|m|h)' });
  const size = h('p.muted', { id: 'size' });
  const body = h('textarea', { rows: 12, spellcheck: 'false', 'aria-describedby': 'size', oninput: throttled(() => measure(), 150) });
  const sent = h('ul.history', { 'aria-live': 'polite' });
  const fields = [to, kind, topic, priority, expiration, collapse, repeat, every, body];
  const keep = () => {
    draft = { at: String(query), values: fields.map(({ value }) => value) };
  };

  const suggest = () => {
    topic.value = (store.identity?.topic ?? 'com.example.app') + SUFFIXES[kind.value];
    priority.value = UNHURRIED.includes(kind.value) ? '5' : '10';
    measure();
  };
  const measure = () => {
    let wire = body.value;
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
  };
  const use = (name) => {
    const [type, payload] = TEMPLATES[name]();
    kind.value = type;
    body.value = json(payload);
    suggest();
  };
  const submit = async () => {
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
    const answer = await post('/pushes', push);
    for (const record of answer.requests ?? [answer]) {
      sent.prepend(h('li', pushLink(record.sequence, record.sequence, { tab: 'screen' }), statusElement(record), h('span', record.explanation ?? record.delivery ?? '')));
      if (sent.childElementCount > MOST) sent.lastElementChild.remove();
    }
  };
  const begin = async () => {
    const isKept = draft.values && (!query.size || draft.at === String(query));
    if (isKept) fields.forEach((each, index) => {
      each.value = draft.values[index];
    });
    store.identity ??= await get('/identity');
    const { devices } = await get('/devices?limit=100');
    fill(known, devices.map((each) => h('option', { value: each.name ?? each.token }, deviceLabel(each))));
    if (isKept) return measure();
    if (!query.has('like')) {
      to.value ||= query.get('to') ?? devices[0]?.name ?? devices[0]?.token ?? SAMPLE_TOKEN;
      return use('Alert');
    }
    const like = again(await get(`/requests/${query.get('like')}`));
    kind.value = like.pushType ?? 'alert';
    body.value = like.body ?? json(like.payload);
    suggest();
    to.value = like.token;
    topic.value = like.topic ?? '';
    priority.value = like.priority ?? '10';
    collapse.value = like.collapseID ?? '';
  };
  begin();
  return {
    title: 'Send',
    element: page('Send a push', null,
      h('div.line', { role: 'group', label: 'Templates' }, Object.keys(TEMPLATES).map((name) => button(name, () => keep(use(name))))),
      h('form.send', { onsubmit: submit, oninput: keep, onchange: keep },
        field('Device', to), known, field('Push type', kind), field('Topic', topic), field('Priority', priority), field('Expiration (UNIX seconds)', expiration),
        field('Collapse id', collapse), field('Times', repeat), field('Every', every), h('div.whole', field('Payload', body)), h('div.whole.line', size, h('span.grow'), action('Send', null, { type: 'submit', class: 'primary' }))),
      section('Sent from here', sent, h('p.muted', 'Expectations count these only with "sentBy": "admin".'))),
  };
}
