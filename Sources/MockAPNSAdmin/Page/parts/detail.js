// One push: Summary, Screen, Payload, Headers, Why, Lint, Use as. Beside the log, or by itself.

import { why } from './why.js';
import { action, at, button, copy, fill, foreign, get, go, h, here, link, on, post, Refusal, said, sign, throttled } from '../base.js';
import { again, curl } from './copies.js';
import { faultDialog } from './faults.js';
import { lint } from './lint.js';
import { screenOf } from './screens.js';
import { statusElement, statusWord } from './status.js';
import { headers, payload, summary, uses } from './tabs.js';

/** Labels, and what makes the content of a record; that may take a call. */
const TABS = {
  summary: ['Summary', summary], screen: ['Screen', screenOf], payload: ['Payload', payload], headers: ['Headers', headers], why: ['Why', why],
  lint: ['Lint', lint], copy: ['Use as', uses],
};

/** `close` is for one beside the log; `isCall` is told that it is no push, but a call about broadcast channels. */
export function detail(close, isCall) {
  const element = h(close ? 'section.detail' : 'article.detail', { label: 'Push' });
  let shown = null;
  let record = null;
  let title = '';
  /** As in the address. */
  let tab;
  let turn = 0;
  /** Calls about broadcast channels are none. */
  const isPush = () => record?.call === undefined;

  async function load() {
    const wanted = shown;
    if (wanted === null) return;
    try {
      const path = `/requests/${encodeURIComponent(wanted)}`;
      const [next, row] = await Promise.all([get(path), get(`${path}?fields=row`)]);
      if (wanted !== shown || JSON.stringify(record) === JSON.stringify(next)) return;
      record = next;
      ({ title } = row);
      if (!isPush()) isCall?.();
      await draw();
    } catch (error) {
      if (wanted !== shown || (record && !(error instanceof Refusal))) return;
      record = null;
      fill(element, gone(error, close));
    }
  }
  async function draw() {
    const mine = ++turn;
    const names = Object.keys(TABS).filter((name) => isPush() || name !== 'screen');
    const chosen = names.includes(tab) ? tab : names[0];
    const steer = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: names.length - 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose(names[(names.indexOf(chosen) + step) % names.length]);
    };
    const panel = h('div.panel', { role: 'tabpanel', id: 'panel', tabindex: '0', 'aria-labelledby': `tab-${chosen}` });
    const hadFocus = element.contains(document.activeElement) && document.activeElement.role === 'tab';
    const content = await TABS[chosen][1](record);
    if (mine !== turn) return;
    fill(panel, content);
    fill(element, h('header',
      h('div.line', h(close ? 'h2' : 'h1', `${isPush() ? 'Push' : 'Call'} ${record.sequence}`), statusElement(record), h('span.grow'),
        close && [link(at('pushes', record.sequence, { tab }), 'Open', { title: 'Enter' }), sign('✕', 'Close', close)]),
      h('p.title', title ? foreign(title) : h('span.muted', 'No text')),
      h('div.actions.start', isPush() && [action('Send again', acts.sendAgain, { title: 'Key r' }), link(at('send', { like: record.sequence }), 'Edit and send'),
        action('Fault…', acts.fault, { title: 'Key f' })], button('Copy curl', acts.copyCurl, { title: 'Key c' })),
      h('div.tabs', { role: 'tablist', onkeydown: steer }, names.map((name) => h('button', {
        type: 'button', role: 'tab', id: `tab-${name}`, 'aria-selected': name === chosen, 'aria-controls': 'panel',
        tabindex: name === chosen ? '0' : '-1', onclick: () => choose(name),
      }, TABS[name][0])))), panel);
    if (hadFocus) document.getElementById(`tab-${chosen}`).focus();
  }
  function choose(name) {
    const { path, query } = here();
    query.set('tab', name);
    go(at(...path, query), true);
  }
  const acts = {
    copyCurl: () => record && copy(curl(record), 'as curl'),
    fault: () => isPush() && faultDialog(record ?? {}),
    async sendAgain() {
      if (!record || !isPush()) return;
      const sent = await post('/pushes', again(record));
      said(`Sent again as ${sent.sequence}: ${statusWord(sent)}`);
    },
  };
  on('update', throttled(load, 300));
  return {
    element,
    keys: { c: acts.copyCurl, r: acts.sendAgain, f: acts.fault },
    /** Shows a record, by its sequence number or apns-id; null for none. */
    show(id) {
      const before = tab;
      tab = here().query.get('tab');
      element.hidden = id === null;
      if (id === shown) return tab !== before && record && draw();
      shown = id;
      record = null;
      turn += 1;
      if (id === null) fill(element);
      load();
    },
  };
}

/** What is said of a push that cannot be shown. */
function gone(error, close) {
  const isGone = error.status === 404;
  const id = h('input', { type: 'search', placeholder: 'apns-id', label: 'apns-id', required: true });
  return h('div.empty', h(close ? 'h2' : 'h1', isGone ? 'That push is not in the log' : 'It cannot be shown'),
    h('p', isGone ? 'Deleted, dropped (--log-limit), or not here yet.' : error.message),
    isGone && h('form.line', { onsubmit: () => go(at('pushes', id.value.trim())) }, id, h('button', 'Find by apns-id')), close && button('Close', close));
}
