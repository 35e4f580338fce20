// The log, live: filters, list, and the push that is selected.

import {
  action, anew, at, button, call, confirmed, count, counted, fill, find, forbid, go, h, here, loadOlder, on, post, pushes, said,
  save, select, store, tell, throttled,
} from '../base.js';
import { detail } from '../parts/detail.js';
import { GROUPS, grouped } from '../parts/groups.js';
import { noMatch, noPushes } from '../parts/empty.js';
import { facets, searchField, searchOf } from '../parts/filters.js';
import { marking } from '../parts/lint.js';
import { parse, passing, questionOf } from '../parts/query.js';
import { table } from '../parts/table.js';

const PAGE = 200;
/** The most records that one call finds. */
const MOST = 1000;
/** Milliseconds between two sentences for screen readers. */
const BREATH = 5000;
const UNKNOWN = 'before:, after:, is:replaced and mistakes cannot be deleted';

export function open(address) {
  let { query } = address;
  let terms = [];
  let search = '';
  /** What was found, newest first; null without a search. */
  let found = null;
  let total = 0;
  let isWhole = true;
  /** The newest row that was let in, and the number of the search, which tells its answers from older ones. */
  let newest = 0;
  let turn = 0;
  const folded = new Set();

  const change = (changes) => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) next.set(name, value ?? '');
    return at('pushes', next);
  };
  const filter = (changes) => go(change({ ...changes, at: null }), 'q' in changes);
  const choose = (sequence) => go(change({ at: sequence }), query.has('at') && sequence !== null);
  const list = table({
    select: (row) => choose(row.sequence), open: (row) => go(at('pushes', row.sequence)),
    seen: marking(() => list.draw()), scroll: () => list.isAtTop && !store.isPaused && flow(), end: throttled(older, 300),
    fold(group) {
      if (!folded.delete(group)) folded.add(group);
      show();
    },
  });
  const side = detail(() => choose(null));
  const field = searchField(filter, () => list.element.focus());
  const panel = facets(filter);
  const news = h('button.news', { type: 'button', hidden: true, onclick: () => toTop() });
  const note = h('div.note');
  const live = h('div.sr', { role: 'status' });
  const pause = button('Pause', () => setPaused(!store.isPaused), { 'aria-pressed': false });
  const deleting = action('Delete', remove, { title: 'Key x' });
  const group = select([['', 'Not grouped'], ...Object.entries(GROUPS).map(([name, label]) => [name, `By ${label}`])], {
    label: 'Group', onchange: () => go(change({ group: group.value }), true),
  });
  const element = h('div.pushes', h('h1.sr', 'Pushes'), panel.element, h('section.list', { label: 'Log' },
    h('div.toolbar', field.element, group, pause, action('Export', exportLog, { title: 'Save as JSON lines' }), deleting),
    field.chips, news, list.element, note, live), side.element);

  const rowsNow = () => found ?? store.rows.toReversed();
  const show = (rows = rowsNow()) => list.show(grouped(rows, query.get('group'), folded));
  /** Lets new rows in. */
  function flow() {
    const rows = rowsNow();
    newest = rows[0]?.sequence ?? 0;
    news.hidden = true;
    show(rows);
    drawNote(rows);
  }
  function toTop() {
    setPaused(false);
    list.toTop();
    flow();
  }
  /** New rows never move what somebody looks at. */
  function arrived() {
    const rows = rowsNow();
    const isHeld = store.isPaused || !list.isAtTop || query.get('at');
    if (!rows.length || !newest || !isHeld) return flow();
    const latest = rows[0].sequence;
    news.hidden = latest <= newest;
    fill(news, `${count(found ? rows.filter((row) => row.sequence > newest).length : latest - newest)} new`);
    if (news.hidden) show(rows);
    else list.draw();
  }
  async function ask() {
    const mine = turn;
    try {
      const limit = terms.some((term) => term.test) ? MOST : Math.min(MOST, Math.max(PAGE, found.length));
      const page = await find(questionOf(terms), { limit });
      if (mine !== turn) return;
      total = page.total;
      isWhole = page.total <= page.requests.length;
      found = passing(terms, page.requests);
      arrived();
    } catch (error) {
      if (mine !== turn) return;
      field.problem(error);
      fill(note);
    }
  }
  async function older() {
    if (!found) await loadOlder();
    else if (!isWhole && found.length) {
      const { requests } = await find(questionOf(terms), { limit: PAGE, before: found.at(-1).sequence });
      isWhole = !requests.length;
      found = found.concat(passing(terms, requests));
    }
    show();
  }
  function drawNote(rows) {
    const dropped = store.summary?.log.dropped;
    element.classList.toggle('has-none', !rows.length);
    fill(note, !rows.length ? (found ? noMatch(terms, () => go(at('pushes'))) : noPushes())
      : [found && (terms.some((term) => term.test) ? `${pushes(found.length)} found${isWhole ? '' : ' so far'}. ` : `${pushes(total)} found. `), dropped > 0 && `The oldest ${count(dropped)} were dropped (--log-limit).`]);
  }
  function setPaused(paused) {
    store.isPaused = paused;
    tell('state');
    pause.setAttribute('aria-pressed', paused);
    fill(pause, paused ? 'Go on' : 'Pause');
  }
  function move(step) {
    const { rows } = list;
    const index = rows.findIndex((row) => row.sequence === Number(query.get('at')));
    const next = rows[index < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, index + step))];
    if (next) choose(next.sequence);
  }
  async function remove() {
    if (deleting.disabled) return said(deleting.title);
    const what = found ? `the ${counted(total, 'record')} found` : 'all records';
    if (!(await confirmed(`Delete ${what}?`, 'Delete'))) return;
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
    if (text !== search) {
      search = text;
      terms = parse(text).filter((term) => !term.problem);
      const isUnknown = terms.some((term) => term.test) || terms.length < parse(text).length;
      forbid(deleting, isUnknown ? UNKNOWN : '');
      turn += 1;
      newest = 0;
      found = terms.length ? [] : null;
      if (found) ask();
      else flow();
    } else if (query.get('group') !== before.get('group')) show();
    group.value = query.get('group') ?? '';
    field.show(query, terms);
    panel.draw(query);
    const id = query.get('at');
    list.select(Number(id), list.element.contains(document.activeElement) || document.activeElement.matches('body, main'));
    side.show(id);
    element.classList.toggle('has-detail', id !== null);
    if (before.has('at') && !id && list.isAtTop && !store.isPaused) flow();
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
  on('summary', () => panel.draw(query));
  on('state summary', () => !store.rows.length && !found && flow());
  on('tick', list.draw);
  new ResizeObserver(list.draw).observe(list.element);
  flow();
  queueMicrotask(() => update(here()));
  return {
    title: 'Pushes', element, update,
    keys: {
      j: () => move(1), k: () => move(-1), '/': field.focus, p: () => (store.isPaused ? toTop() : setPaused(true)), x: remove, Escape: () => (query.get('at') ? choose(null) : filter({ q: '' })),
      Enter() {
        const id = query.get('at') ?? document.activeElement.dataset.sequence;
        if (id) go(at('pushes', id));
      },
      ...side.keys,
    },
  };
}
