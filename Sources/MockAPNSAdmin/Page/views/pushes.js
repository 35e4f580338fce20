// The log, live: filters, list, and the push that is selected.

import {
  action, anew, at, button, call, confirmed, count, counted, fill, find, forbid, go, h, here, loadOlder, on, post, pushes, reach, said,
  save, select, store, tell, throttled,
} from '../base.js';
import { detail } from '../parts/detail.js';
import { GROUPS, grouped } from '../parts/groups.js';
import { noMatch, noPushes } from '../parts/empty.js';
import { facets } from '../parts/facets.js';
import { searchField } from '../parts/filters.js';
import { holding } from '../parts/hold.js';
import { marking } from '../parts/lint.js';
import { searchOf } from '../parts/parameters.js';
import { parse, questionOf, understood } from '../parts/query.js';
import { reset } from '../parts/reset.js';
import { savePage } from '../parts/savedpage.js';
import { strip } from '../parts/strip.js';
import { table } from '../parts/table.js';

const PAGE = 200;
/** The most records that one call finds. */
const MOST = 1000;
/** Found rows among which the selected one is sought. */
const FAR = 5000;
/** Milliseconds between two sentences for screen readers. */
const BREATH = 5000;
const UNKNOWN = 'A search with a mistake deletes nothing';

export function open(address) {
  let { query } = address;
  let terms = [];
  let search = '';
  /** What was found, newest first; null without a search. */
  let found = null;
  let total = 0;
  let isWhole = true;
  /** The rows that were let in. */
  let shown = [];
  /** The number of the last question, and of the one before which answers come too late. */
  let [turn, taken] = [0, 0];
  /** The row that is not in the list yet. */
  let sought = Number(query.get('at')) || 0;
  let isSeeking = false;
  const folded = new Set();

  const change = (changes) => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) {
      next.delete(name);
      for (const each of [value ?? []].flat()) next.append(name, each);
    }
    return at('pushes', next);
  };
  /** A mark stays until there is a second push. */
  const filter = (changes) => go(change({ ...changes, at: null, with: (query.get('at') ?? query.get('with')) === query.get('with') ? query.get('with') : null }), 'q' in changes);
  const choose = (sequence) => go(change({ at: sequence, ...(sequence === null && { with: null }) }), query.has('at') && sequence !== null);
  /** The one that was chosen before, or is marked, is compared with this one. */
  const chooseSecond = (sequence) => go(change({ at: sequence, with: query.get('with') ?? query.get('at') }), true);
  const mark = () => query.has('at') && go(change({ with: query.get('with') === query.get('at') ? null : query.get('at') }), true);
  const list = table({
    select: (row, isSecond) => (isSecond ? chooseSecond : choose)(row.sequence), open: (row) => go(at('pushes', row.sequence)),
    seen: marking(() => list.draw()), scroll: () => list.isAtTop && arrived(), end: throttled(older, 300),
    fold(group) {
      if (!folded.delete(group)) folded.add(group);
      show();
    },
  });
  const side = detail(() => choose(null));
  const field = searchField(filter, () => list.element.focus());
  const panel = facets(filter);
  const band = strip((after, before) => filter({ q: [
    ...(query.get('q') ?? '').split(/\s+/).filter((term) => !/^(after|before):/.test(term)), after && `after:${after}`, before && `before:${before}`,
  ].filter(Boolean).join(' ') }));
  const news = h('button.news', { type: 'button', hidden: true, title: 'Show them', onclick: () => toTop() });
  const note = h('div.note');
  const live = h('div.sr', { role: 'status' });
  const pause = button('Pause', () => setPaused(!store.isPaused), { 'aria-pressed': false });
  const deleting = action('Delete', remove, { title: 'Key x: the pushes, and nothing else' });
  const group = select([['', 'Not grouped'], ...Object.entries(GROUPS).map(([name, label]) => [name, `By ${label}`])], {
    label: 'Group', onchange: () => go(change({ group: group.value }), true),
  });
  const under = h('div.under', news, h('span.grow'), list.times, group);
  const held = h('div.held', under, list.element);
  const element = h('div.pushes', h('h1.sr', 'Pushes'), panel.element, h('section.list', { label: 'Log' },
    h('div.toolbar', field.element, pause, action('Export', exportLog, { title: 'Save as JSON lines' }),
      action('Save page', () => savePage(terms, search), { title: 'One HTML file that opens without a server' }), deleting,
      action('Reset', reset, { title: 'Pushes, devices, screens and rules start over' })),
    field.chips, band.element, held, note, live), side.element);
  const hold = holding(held, document.documentElement, () => arrived());

  const rowsNow = () => found ?? store.rows.toReversed();
  const isHeld = () => store.isPaused || !list.isAtTop || query.has('at') || hold.is;
  /** Whether focus is nowhere else. */
  const isIdle = () => list.element.contains(document.activeElement) || document.activeElement.matches('body, main');
  const show = (isNow) => list.show(grouped(shown, query.get('group'), folded), isNow);
  /** Lets new rows in. */
  function flow() {
    shown = rowsNow();
    news.hidden = true;
    drawNote(shown);
    show(true);
    seek();
  }
  /** Nothing is selected: no search, of which facets are a part, and no list that stands still. */
  function leave() {
    const searched = [...query.keys()].filter((name) => !['group', 'with'].includes(name));
    filter({ ...Object.fromEntries(searched.map((name) => [name, null])), q: '' });
    list.toTop();
    hold.free();
  }
  function toTop() {
    setPaused(false);
    list.toTop();
    flow();
    list.element.focus();
  }
  /** New rows never move what the user looks at, or aims at: they wait above the list. */
  function arrived() {
    const rows = rowsNow();
    if (!rows.length || !shown.length || !isHeld()) return flow();
    const waiting = new Map(rows.map((row) => [row.sequence, row]));
    shown = shown.map((row) => {
      const known = waiting.get(row.sequence);
      waiting.delete(row.sequence);
      return known ?? row;
    });
    const oldest = shown.at(-1).sequence;
    const older = [...waiting.values()].filter((row) => row.sequence < oldest);
    shown.push(...older);
    // The stream leaves out rows under load, which are new all the same.
    const number = Math.max(waiting.size - older.length, store.isSampling && !found ? rows[0].sequence - shown[0].sequence : 0);
    news.hidden = !number;
    fill(news, `${count(number)} new`);
    show();
    seek();
  }
  /** Reads older rows until the selected one of the address is in the list. */
  async function seek() {
    const { length } = shown;
    if (shown.some((row) => row.sequence === sought)) {
      list.select(sought, isIdle());
      sought = 0;
    } else if (!isSeeking && sought && length) {
      isSeeking = true;
      await (found ? older() : reach(sought).then(arrived)).catch(() => {});
      isSeeking = false;
      if (shown.length > length && length < FAR) seek();
      else sought = 0;
    }
  }
  async function ask() {
    const mine = (turn += 1);
    try {
      const limit = Math.min(MOST, Math.max(PAGE, found.length));
      const page = await find(questionOf(terms), { limit });
      if (mine < taken) return;
      taken = mine;
      total = page.total;
      isWhole = page.total <= page.requests.length;
      const before = isWhole ? [] : found.filter((row) => row.sequence < page.requests.at(-1).sequence);
      found = page.requests.concat(before);
      arrived();
      panel.draw(query, true);
    } catch (error) {
      if (mine < taken) return;
      field.problem(error);
      fill(note);
    }
  }
  async function older() {
    if (!found) await loadOlder();
    else if (!isWhole && found.length) {
      const asked = search;
      const { requests } = await find(questionOf(terms), { limit: PAGE, before: found.at(-1).sequence });
      if (asked !== search) return;
      isWhole = !requests.length;
      found = found.concat(requests.filter(({ sequence }) => sequence < found.at(-1).sequence));
    }
    arrived();
  }
  function drawNote(rows) {
    const dropped = store.summary?.log.dropped;
    element.classList.toggle('has-none', !rows.length);
    fill(note, !rows.length ? (found ? noMatch(terms, () => go(at('pushes', { with: query.get('with') }))) : noPushes())
      : [!query.has('at') && query.has('with') && `Push ${query.get('with')} is marked. `, found && `${pushes(total)} found. `, dropped > 0 && `The oldest ${count(dropped)} were dropped (--log-limit).`]);
  }
  function setPaused(paused) {
    store.isPaused = paused;
    tell('state');
    pause.setAttribute('aria-pressed', paused);
    fill(pause, paused ? 'Go on' : 'Pause');
  }
  async function move(step) {
    const selected = Number(query.get('at'));
    const index = list.rows.findIndex((row) => row.sequence === selected);
    if (step > 0 && index >= 0 && index === list.rows.length - 1) await older();
    const next = index >= 0 ? list.rows[index + step] : list.rows.find((row) => !selected || row.sequence < selected);
    if (next) choose(next.sequence);
  }
  async function remove() {
    if (deleting.disabled) return said(deleting.title);
    const what = found ? `the ${counted(total, 'record')} found` : 'all records';
    if (!(await confirmed(`Delete ${what}? Devices, screens and rules stay.`, 'Delete'))) return;
    const { deleted } = found ? await post('/requests/delete', questionOf(terms)) : await call('DELETE', '/requests');
    said(`${counted(deleted, 'record')} deleted.`);
    choose(null);
    anew();
  }
  async function exportLog() {
    const lines = [];
    for (let after = 0, all = null; all?.length !== 0;) {
      ({ requests: all } = await post('/requests/find', { ...questionOf(terms), limit: MOST, after }));
      lines.push(...all.map((record) => `${JSON.stringify(record)}\n`));
      after = all.at(-1)?.sequence;
    }
    save('pushes.jsonl', lines, 'application/jsonl');
  }
  function update(next) {
    const before = query;
    ({ query } = next);
    const text = searchOf(query);
    const isOther = text !== search;
    if (isOther) {
      search = text;
      terms = understood(parse(text));
      const isUnknown = terms.length < parse(text).length;
      forbid(deleting, isUnknown ? UNKNOWN : '');
      taken = turn + 1;
      shown = [];
      found = terms.length ? [] : null;
      if (found) ask();
      else flow();
    } else if (query.get('group') !== before.get('group')) show();
    group.value = query.get('group') in GROUPS ? query.get('group') : '';
    field.show(query, terms);
    panel.draw(query, found?.length !== 0);
    band.show(...['after', 'before'].map((key) => new RegExp(`(?:^|\\s)${key}:(\\S+)`).exec(query.get('q') ?? '')?.[1] ?? ''));
    const id = query.get('at');
    const isClosed = before.has('at') && !id && (isIdle() || side.element.contains(document.activeElement));
    list.mark(Number(query.get('with')));
    if (shown.length) drawNote(shown);
    list.select(Number(id), isIdle());
    side.show(id, shown.find((row) => row.sequence === Number(id)));
    element.classList.toggle('has-detail', id !== null);
    if (isClosed) list.focus(Number(before.get('at')));
    if (before.get('at') === id) return;
    sought = Number(id) || 0;
    if (!isOther) arrived();
  }
  let announced = 0;
  const announce = throttled(() => {
    const fresh = store.rows.filter((row) => row.sequence > announced);
    const refused = fresh.filter((row) => row.status >= 400).length;
    if (announced && fresh.length) fill(live, `${counted(store.rows.at(-1).sequence - announced, 'new push', 'new pushes')}${refused ? `, ${refused} refused` : ''}`);
    announced = store.rows.at(-1)?.sequence ?? 0;
  }, BREATH);
  const askSoon = throttled(() => found && ask(), 1000);
  on('rows', () => {
    if (found) askSoon();
    else arrived();
    announce();
  });
  on('update', () => (found ? askSoon() : list.draw()));
  on('summary', () => {
    panel.draw(query, true);
    // The rows may be here before the summary is, and held; with none, it is the state that tells what to show.
    if (shown.length) drawNote(shown);
  });
  on('state summary', () => !store.rows.length && !found && flow());
  on('tick', list.draw);
  new ResizeObserver(list.draw).observe(list.element);
  flow();
  queueMicrotask(() => update(here()));
  return {
    title: 'Pushes', element, update,
    keys: {
      j: () => move(1), k: () => move(-1), '/': field.focus, p: () => (store.isPaused ? toTop() : setPaused(true)), x: remove, m: mark,
      Escape: () => (query.get('with') ? go(change({ with: null, all: null }), true) : query.get('at') ? choose(null) : leave()),
      Enter() {
        const id = query.get('at') ?? document.activeElement.dataset.sequence;
        if (id) go(at('pushes', id));
      },
      ...side.keys,
    },
  };
}
