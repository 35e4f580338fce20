// Sending a push: a form or JSON, through the checks of the server.

import { features, get, post } from '../base/api.js';
import { failed } from '../base/dialogs.js';
import { button, fill, h, link, throttled } from '../base/dom.js';
import { address, here } from '../base/router.js';
import { store } from '../base/store.js';
import { deviceLabel, visible } from '../base/text.js';
import { again } from '../parts/detail.js';
import { statusElement } from '../parts/status.js';

const TYPES = {
  alert: { suffix: '', priority: '10' }, background: { suffix: '', priority: '5' }, voip: { suffix: '.voip', priority: '10', limit: 5120 },
  liveactivity: { suffix: '.push-type.liveactivity', priority: '10' }, location: { suffix: '.location-query', priority: '5' },
  complication: { suffix: '.complication', priority: '10' }, fileprovider: { suffix: '.pushkit.fileprovider', priority: '5' },
  pushtotalk: { suffix: '.voip-ptt', priority: '10' }, widgets: { suffix: '.push-type.widgets', priority: '5' }, controls: { suffix: '.push-type.controls', priority: '5' }, mdm: { suffix: '', priority: '10' },
};

const TEMPLATES = {
  'Alert': ['alert', { aps: { alert: { title: 'Game Request', subtitle: 'Five Card Draw', body: 'Bob wants to play poker' }, sound: 'default' } }],
  'Badge': ['alert', { aps: { badge: 5 } }],
  'Time sensitive': ['alert', { aps: { alert: { title: 'Your ride is here', body: 'Blue Toyota, 4 minutes' }, 'interruption-level': 'time-sensitive', sound: 'default' } }],
  'Category and thread': ['alert', { aps: { alert: { title: 'Meeting', body: 'Today at 15:00' }, category: 'INVITE', 'thread-id': 'calendar' } }],
  'Localised': ['alert', { aps: { alert: { 'title-loc-key': 'GAME_TITLE', 'loc-key': 'GAME_PLAY_REQUEST_FORMAT', 'loc-args': ['Shelly', 'Rick'] } } }],
  'Background': ['background', { aps: { 'content-available': 1 }, news: 12 }],
  'Live Activity': ['liveactivity', { aps: { timestamp: 0, event: 'update', 'content-state': { home: 2, away: 1 } } }],
  'Call': ['voip', { handle: '+1 555 0100', caller: 'Bob' }],
};

/** @param {import('../base/router.js').Address} at @returns {import('../app.js').View} */
export function open(at) {
  const to = h('input', { list: 'known-devices', required: true, spellcheck: 'false', autocomplete: 'off' });
  const known = h('datalist', { id: 'known-devices' });
  const kind = h('select', { onchange: () => suggest() }, Object.keys(TYPES).map((name) => h('option', null, name)));
  const topic = h('input', { spellcheck: 'false' });
  const priority = h('select', null, ['10', '5', '1'].map((value) => h('option', null, value)));
  const expiration = h('input', { type: 'number', placeholder: 'none', min: 0 });
  const collapse = h('input', { placeholder: 'none' });
  const repeat = h('input', { type: 'number', min: 1, max: 1000, value: '1' });
  const every = h('input', { placeholder: '0s', pattern: '\\d+(ms|s|m|h)' });
  const body = h('textarea', { rows: 12, spellcheck: 'false', 'aria-describedby': 'size', oninput: () => measure() });
  const size = h('p.muted', { id: 'size' });
  const sent = h('ul.history', { 'aria-live': 'polite' });
  const suggest = () => {
    const type = TYPES[/** @type {keyof TYPES} */ (kind.value)];
    const base = store.identity?.topic ?? 'com.example.app';
    topic.value = base + type.suffix;
    priority.value = type.priority;
    measure();
  };
  const measure = throttled(() => {
    const bytes = new TextEncoder().encode(body.value).length;
    const limit = /** @type {any} */ (TYPES[/** @type {keyof TYPES} */ (kind.value)]).limit ?? 4096;
    let problem = '';
    try {
      JSON.parse(body.value);
    } catch (error) {
      problem = `Not JSON: ${visible(/** @type {Error} */ (error).message)}`;
    }
    // Layout is not sent; what is typed is shorter on the wire.
    const compact = problem ? bytes : new TextEncoder().encode(JSON.stringify(JSON.parse(body.value))).length;
    fill(size, `${compact} of ${limit} bytes`, problem && h('span.problem', null, ` · ${problem}`), compact > limit && h('span.problem', null, ' · too large'));
    body.setAttribute('aria-invalid', String(Boolean(problem) || compact > limit));
  }, 150);
  const use = (/** @type {keyof TEMPLATES} */ name) => {
    const [type, payload] = TEMPLATES[name];
    kind.value = /** @type {string} */ (type);
    suggest();
    const value = structuredClone(/** @type {any} */ (payload));
    if (value.aps?.timestamp === 0) value.aps.timestamp = Math.floor((store.clock?.kind === 'manual' ? Date.parse(store.clock.now) : Date.now()) / 1000);
    body.value = JSON.stringify(value, null, 2);
    measure();
  };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = body.value;
    /** @type {any} */
    const push = { [/^[0-9a-fA-F]{64,}$/.test(to.value.trim()) ? 'token' : 'device']: to.value.trim(), topic: topic.value, pushType: kind.value, priority: Number(priority.value) };
    if (expiration.value !== '') push.expiration = Number(expiration.value);
    if (collapse.value) push.collapseID = collapse.value;
    try {
      push.payload = JSON.parse(text);
    } catch {
      push.body = text;
    }
    if (Number(repeat.value) > 1) Object.assign(push, { repeat: Number(repeat.value), ...(every.value ? { every: every.value } : {}) });
    try {
      const answer = await post('/pushes', push);
      for (const record of answer.requests ?? [answer]) {
        sent.prepend(h('li', null, link(address(['pushes', String(record.sequence)], { tab: features.screens ? 'screen' : null }), String(record.sequence)), statusElement(record), h('span', null, visible(record.explanation ?? record.delivery ?? '')), h('span')));
        while (sent.childElementCount > 20) sent.lastElementChild?.remove();
      }
    } catch (error) {
      failed(error);
    }
  };
  const prefill = async () => {
    try {
      store.identity ??= await get('/identity');
      const { devices } = await get('/devices?limit=100');
      fill(known, devices.map((/** @type {any} */ each) => h('option', { value: each.name ?? each.token }, deviceLabel(each))));
      const like = here().query.get('like');
      if (!like) {
        to.value ||= at.query.get('to') ?? devices[0]?.name ?? devices[0]?.token ?? '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0';
        return use('Alert');
      }
      const push = again(await get(`/requests/${like}`));
      kind.value = push.pushType ?? 'alert';
      suggest();
      to.value = push.token;
      topic.value = push.topic ?? '';
      if (push.priority) priority.value = String(push.priority);
      collapse.value = push.collapseID ?? '';
      body.value = push.body ?? JSON.stringify(push.payload, null, 2);
      measure();
    } catch (error) {
      failed(error);
    }
  };
  prefill();
  const label = (/** @type {string} */ text, /** @type {HTMLElement} */ field) => h('label', null, h('span', null, text), field);
  return {
    title: 'Send', keys: {},
    element: h('div.page', null, h('div.toolbar', null, h('h1', null, 'Send a push')),
      h('div.line', { role: 'group', 'aria-label': 'Templates' }, Object.keys(TEMPLATES).map((name) => button(name, () => use(/** @type {keyof TEMPLATES} */ (name)), { class: 'small' }))),
      h('form.send', { onsubmit: submit, onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && submit(event) },
        label('Device', to), known, label('Push type', kind), label('Topic', topic), label('Priority', priority), label('Expiration (UNIX seconds)', expiration), label('Collapse id', collapse), label('Times', repeat), label('Every', every),
        h('label.whole', null, h('span', null, 'Payload'), body), h('div.whole.line', null, size, h('span.grow'), h('button.primary', { title: 'Ctrl+Enter' }, 'Send'))),
      h('section', null, h('h2', null, 'Sent from here'), sent, h('p.muted', null, 'These go through the same checks, rules and devices. Expectations count them only if they say "sentBy": "admin".'))),
  };
}
