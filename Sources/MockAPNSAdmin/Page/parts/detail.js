// One push: Summary, Screen, Payload, Headers, Why, Copy. Beside the log, or by itself.

import { features, get, post, Refusal, rowOf } from '../base/api.js';
import { copy, failed, said } from '../base/dialogs.js';
import { button, fill, h, icon, throttled } from '../base/dom.js';
import { address, go, here } from '../base/router.js';
import { on } from '../base/store.js';
import { foreign, visible } from '../base/text.js';
import { bodyOf, curl } from './copies.js';
import { copies, headers, payload, summary } from './tabs.js';
import { faultDialog } from './faultDialog.js';
import { screenOf } from './screens.js';
import { statusElement } from './status.js';
import { why } from './why.js';

/** @type {{name: string, label: string, isThere?: () => boolean, draw: (record: any, element: HTMLElement) => void}[]} */
const TABS = [
  { name: 'summary', label: 'Summary', draw: (record, element) => fill(element, summary(record)) },
  { name: 'screen', label: 'Screen', isThere: () => features.screens, draw: screenOf },
  { name: 'payload', label: 'Payload', draw: (record, element) => fill(element, payload(record)) },
  { name: 'headers', label: 'Headers', draw: (record, element) => fill(element, headers(record)) },
  { name: 'why', label: 'Why', draw: why },
  { name: 'copy', label: 'Copy as', draw: (record, element) => fill(element, copies(record)) },
];

/** @param {{close?: () => void, isAside?: boolean}} options */
export function detail({ close, isAside = false }) {
  const element = h(isAside ? 'section.detail' : 'article.detail', { 'aria-label': 'Push' });
  /** @type {number | string | null} */
  let shown = null;
  /** @type {any} */
  let record = null;
  let tab = 'summary';

  const load = async () => {
    const wanted = shown;
    if (wanted === null) return;
    try {
      const next = await get(`/requests/${encodeURIComponent(String(wanted))}`);
      if (wanted !== shown) return;
      const isSame = record && JSON.stringify(record) === JSON.stringify(next);
      record = next;
      if (!isSame) draw();
    } catch (error) {
      if (wanted !== shown) return;
      record = null;
      fill(element, gone(error, close));
    }
  };
  const draw = () => {
    const there = TABS.filter((each) => each.isThere?.() ?? true);
    if (!there.some((each) => each.name === tab)) tab = 'summary';
    const row = rowOf(record);
    const panel = h('div.panel', { role: 'tabpanel', id: 'panel', tabindex: '0', 'aria-labelledby': `tab-${tab}` });
    const hadFocus = element.contains(document.activeElement) && document.activeElement?.getAttribute('role') === 'tab';
    const tabs = h('div.tabs', { role: 'tablist', onkeydown: steer }, there.map(({ name, label }) => h('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-selected': String(name === tab), 'aria-controls': 'panel',
      tabindex: name === tab ? '0' : '-1', onclick: () => choose(name),
    }, label)));
    fill(element,
      h('header', null,
        h('div.line', null,
          h(isAside ? 'h2' : 'h1', null, `Push ${record.sequence}`), statusElement(row), h('span.grow'),
          isAside && h('a.icon-link', { href: address(['pushes', String(record.sequence)], { tab: tab === 'summary' ? null : tab }), 'aria-label': 'Open by itself', title: 'Open by itself (Enter)' }, icon('link')),
          close && button(null, close, { icon: 'close', class: 'quiet', 'aria-label': 'Close', title: 'Close (Esc)' })),
        h('p.title', null, row.title ? foreign(row.title) : h('span.muted', null, 'No text')),
        h('div.actions.start', null,
          features.sends && button('Send again', sendAgain, { icon: 'send', title: 'Send again (r)' }),
          features.sends && h('a.icon-link', { href: address(['send'], { like: record.sequence }) }, 'Edit and send'),
          button('Fault…', fault, { icon: 'bolt', title: 'Make the next ones fail (f)' }),
          button('curl', copyCurl, { icon: 'copy', title: 'Copy as curl (c)' })),
        tabs),
      panel);
    there.find((each) => each.name === tab)?.draw(record, panel);
    if (hadFocus) document.getElementById(`tab-${tab}`)?.focus();
  };
  /** @param {string} name */
  const choose = (name) => {
    tab = name;
    const query = new URLSearchParams(location.search);
    if (name === 'summary') query.delete('tab');
    else query.set('tab', name);
    go(address(here().path, query), { replace: true });
    draw();
  };
  /** @param {KeyboardEvent} event */
  const steer = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const there = TABS.filter((each) => each.isThere?.() ?? true);
    const at = there.findIndex((each) => each.name === tab);
    choose(there[(at + step + there.length) % there.length].name);
    document.getElementById(`tab-${tab}`)?.focus();
  };
  const copyCurl = () => record && copy(curl(record), 'as curl');
  const fault = () => record && faultDialog(record);
  const sendAgain = async () => {
    if (!record || !features.sends) return;
    try {
      const sent = await post('/pushes', again(record));
      said(`Sent again as ${sent.sequence}: ${sent.status} ${sent.reason ?? ''}`);
    } catch (error) {
      failed(error);
    }
  };
  const soon = throttled(load, 300);
  const end = on('changes', () => shown !== null && soon());
  return {
    element, copyCurl, sendAgain, fault,
    /** @param {number | string | null} sequence */
    show(sequence) {
      const wanted = here().query.get('tab') ?? 'summary';
      const isOther = wanted !== tab;
      tab = wanted;
      element.hidden = sequence === null;
      if (sequence === shown) {
        if (isOther && record) draw();
        return;
      }
      shown = sequence;
      if (sequence === null) {
        record = null;
        fill(element);
      } else load();
    },
    end() {
      end();
      soon.cancel();
      shown = null;
    },
  };
}

/** What sends a push like that record. @param {any} record */
export function again(record) {
  const sent = { token: record.token, topic: record.topic, pushType: record.pushType };
  const headers = Object.fromEntries(record.headers.map(([/** @type {string} */ name, /** @type {string} */ value]) => [name.toLowerCase(), value]));
  if (headers['apns-priority'] !== undefined) Object.assign(sent, { priority: record.priority });
  if (headers['apns-expiration'] !== undefined) Object.assign(sent, { expiration: record.expiration });
  if (record.collapseID) Object.assign(sent, { collapseID: record.collapseID });
  return { ...sent, ...(record.payloadText === null ? { payload: record.payload } : { body: bodyOf(record) }) };
}

/** @param {any} error @param {() => void} [close] */
function gone(error, close) {
  const isGone = error instanceof Refusal && error.status === 404;
  const field = h('input', { type: 'search', placeholder: 'apns-id', 'aria-label': 'apns-id', required: true });
  return h('div.empty', null, h('h2', null, isGone ? 'That push is not in the log' : 'It cannot be shown'),
    h('p', null, isGone ? 'It was deleted, or dropped because the log was full (--log-limit), or has not come yet.' : visible(error?.message ?? error)),
    isGone && h('form.line', {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        go(address(['pushes', field.value.trim()]));
      },
    }, field, h('button', null, 'Find by apns-id')),
    close && button('Close', close));
}
