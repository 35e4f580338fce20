// One push: Summary, Screen, Payload, Headers, Why, Lint, Use as. Beside the log, or by itself; or two pushes, compared.

import { why } from './why.js';
import { action, at, button, copy, fill, foreign, get, go, h, here, link, on, Refusal, sign, sleep, store, throttled } from '../base.js';
import { adjust, answers, compareAccepted, comparePrevious, comparison, heading } from './compare.js';
import { sendAgain } from './again.js';
import { curl } from './copies.js';
import { faultDialog } from './faults.js';
import { board, handle, wide, widening } from './inspector.js';
import { issue } from './issue.js';
import { known } from './known.js';
import { lint } from './lint.js';
import { presentations } from './presentations.js';
import { screenOf } from './screentab.js';
import { kindOf, statusElement } from './status.js';
import { headers, payload, summary, uses } from './tabs.js';

/** Labels, and what makes the content of a record; that may take a call. */
const TABS = {
  summary: ['Summary', summary], screen: ['Screen', screenOf], payload: ['Payload', payload], headers: ['Headers', headers], why: ['Why', why],
  lint: ['Lint', lint], copy: ['Use as', uses],
};
/** The same without tabs, in the order in which they are read; some with less, or more. */
const BOARD = ['why', 'summary', 'screen', 'payload', 'headers', 'lint', 'copy'];
const ON_BOARD = { why: (record) => why(record, true), summary: (record) => summary(record, true), screen: (record, _, signal) => screenOf(record, presentations, signal) };

/** Milliseconds in which all parts are there, as a rule. */
const BREATH = 200;

/** What the address wants of a push. */
const WANTED = ['with', 'tab', 'all', 'screen'];

/** `close` is for one beside the log; `isCall` is told that it is no push, but a call about broadcast channels. */
export function detail(close, isCall) {
  const inside = h('div.inside');
  const element = h(close ? 'section.detail' : 'article.detail', { label: 'Push' }, inside);
  if (close) element.prepend(handle(element));
  let shown = null;
  let record = null;
  /** The one that is marked: it is compared with the one that is shown. */
  let mate = null;
  let other = null;
  /** What the log knows of it, if its record cannot be read. */
  let row = null;
  let title = '';
  /** What the address wants of it, and whether that is drawn. */
  let address = '';
  let isDrawn = false;
  /** The numbers of the last reading, and of the last drawing. */
  let [readings, turn] = [0, 0];
  /** What is asked for; all of it is abandoned when something else is to be shown. */
  let asking = new AbortController();
  /** Calls about broadcast channels are none. */
  const isPush = () => record?.call === undefined;
  const partner = () => (mate === shown ? null : mate);

  async function load() {
    const [wanted, second, { signal }] = [shown, partner(), asking];
    if (wanted === null) return;
    const mine = (readings += 1);
    try {
      const path = `/requests/${encodeURIComponent(wanted)}`;
      const others = second && get(`/requests/${encodeURIComponent(second)}`, signal).catch(() => null);
      const [next, line, found] = await Promise.all([get(path, signal), get(`${path}?fields=row`, signal), others]);
      if (signal.aborted || mine !== readings || (isDrawn && JSON.stringify([record, other]) === JSON.stringify([next, found]))) return;
      [record, other] = [next, found];
      ({ title } = line);
      if (!isPush()) isCall?.();
      await draw();
    } catch (error) {
      if (signal.aborted || mine !== readings || (record && !(error instanceof Refusal))) return;
      record = null;
      const next = row ? known(row, error, close) : gone(error, close);
      // What is typed in it stays.
      if (inside.textContent !== next.textContent) fill(inside, next);
    }
  }
  async function draw() {
    const mine = ++turn;
    const { signal } = asking;
    const body = await Promise.resolve(other ? comparing() : wide.matches ? boarded(signal) : tabbed(signal)).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (mine !== turn || signal.aborted) return;
    const { activeElement } = document;
    const focused = inside.contains(activeElement) && activeElement.id;
    const { sequence } = record;
    // From one phone to the next, what is looked at stays in its place.
    const of = [here().query.get('screen') ?? sequence, other?.sequence, wide.matches || here().query.get('tab')].join();
    const isSame = inside.dataset.of === of;
    const scrolled = isSame ? inside.querySelector('.panel')?.scrollTop : 0;
    inside.dataset.of = of;
    isDrawn = true;
    fill(inside, h('header',
      h('div.line', h(close ? 'h2' : 'h1', other ? heading(other, record) : `${isPush() ? 'Push' : 'Call'} ${sequence}`),
        !other && statusElement(record),
        close && h('span.line', link(openAddress(), 'Open', { title: 'Enter' }), widening(element), sign('✕', 'Close', close, { id: 'close' }))),
      other ? answers(other, record) : [h('p.title', title ? foreign(title) : h('span.muted', 'No text')), actions(), marked()]), body);
    inside.querySelector('.panel').scrollTop = scrolled;
    if (!isSame) inside.querySelector(`[data-part="${CSS.escape(here().query.get('tab') ?? '')}"]`)?.scrollIntoView();
    if (focused) (activeElement.role === 'tab' ? inside.querySelector('[role=tab][aria-selected=true]') : document.getElementById(focused))?.focus();
  }
  function openAddress() {
    const { query } = here();
    return at('pushes', record.sequence, Object.fromEntries(WANTED.map((name) => [name, query.get(name)])));
  }
  const actions = () => h('div.actions.start', isPush() && [
    action('Send again', acts.sendAgain, { title: 'Key r' }), link(at('send', { like: record.sequence }), 'Edit and send'),
    action('Fault…', acts.fault, { title: 'Key f' }),
    action('Compare', () => comparePrevious(record), { title: 'With the push before it of the same apns-id, else collapse id' }),
    kindOf(record) !== 'ok' && action('What worked?', acts.compareAccepted, { title: 'Key w: compare it with the attempt that was accepted, else the last accepted push of its device and type' }),
    close && button('Mark', () => adjust({ with: isMarked() ? null : record.sequence }), {
      title: 'Key m: compare it with the next one that is chosen', 'aria-pressed': isMarked(), id: 'mark',
    })],
  button('Copy curl', acts.copyCurl, { title: 'Key c' }),
  isPush() && action('Copy for an issue', async () => copy(await issue(record), 'for an issue'), { title: 'Markdown: push, answer, why, payload' }));
  const isMarked = () => mate === String(record.sequence);
  /** What follows from a mark. */
  const marked = () => mate
    && h('p.muted', { role: 'status' }, isMarked() ? 'Marked: choose another push to compare it with.' : `Push ${mate} is not in the log.`);
  const region = (label, content) => h('div.panel', { tabindex: '0', role: 'region', label }, content);
  const comparing = () => region('Comparison', comparison(other, record));
  /** What takes longer than the others comes into its place later. */
  async function boarded(signal) {
    const names = BOARD.filter((name) => isPush() || name !== 'screen');
    const contents = names.map(async (name) => (ON_BOARD[name] ?? TABS[name][1])(record, undefined, signal));
    const parts = board(names.map((name, index) => [name, TABS[name][0], contents[index]]), close ? 'h3' : 'h2');
    await Promise.race([Promise.all(contents), sleep(BREATH)]);
    return region('The whole push', parts);
  }
  async function tabbed(signal) {
    const names = Object.keys(TABS).filter((name) => isPush() || name !== 'screen');
    const tab = here().query.get('tab');
    const chosen = names.includes(tab) ? tab : names[0];
    const choose = (name) => adjust({ tab: name });
    const steer = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: names.length - 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose(names[(names.indexOf(chosen) + step) % names.length]);
    };
    return [h('div.tabs', { role: 'tablist', onkeydown: steer }, names.map((name) => h('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-selected': name === chosen, 'aria-controls': 'panel',
      tabindex: name === chosen ? '0' : '-1', onclick: () => choose(name),
    }, TABS[name][0]))), h('div.panel', { role: 'tabpanel', id: 'panel', tabindex: '0', 'aria-labelledby': `tab-${chosen}` }, await TABS[chosen][1](record, undefined, signal))];
  }
  const acts = {
    copyCurl: () => record && copy(curl(record), 'as curl'),
    toDevice: () => record?.token && go(at('pushes', { device: record.device, token: !record.device && record.token, at: record.sequence })),
    compareAccepted: () => record && isPush() && compareAccepted(record),
    fault: () => isPush() && faultDialog(record ?? {}),
    async sendAgain() {
      if (record && isPush()) await sendAgain(record);
    },
  };
  on('update', throttled(load, 300));
  on('wide', () => record && draw());
  on('state', () => !isDrawn && store.state === 'live' && load());
  return {
    element,
    keys: { c: acts.copyCurl, r: acts.sendAgain, f: acts.fault, w: acts.compareAccepted, d: acts.toDevice },
    /**
     * Shows a record, by its sequence number or apns-id, and what the address wants of it; null for none. `line` is its
     * row, if there is one.
     */
    show(id, line) {
      const { query } = here();
      const next = WANTED.map((name) => query.get(name)).join();
      const isSame = id === shown;
      element.hidden = id === null;
      if (isSame && next === address) return null;
      asking.abort();
      asking = new AbortController();
      [shown, mate, address] = [id, query.get('with'), next];
      row = line;
      if (!partner()) other = null;
      if (isSame && record && partner() === (other && String(other.sequence))) return draw();
      turn += 1;
      isDrawn = false;
      if (!isSame) record = null;
      if (id === null) fill(inside);
      return load();
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
