// The log, live: filters, list, and the push that is selected.

import { find, rowOf } from '../base/api.js';
import { confirmed, failed, said } from '../base/dialogs.js';
import { button, fill, h, icon, throttled } from '../base/dom.js';
import { address, go, here } from '../base/router.js';
import { act, anew, loadOlder, on, store } from '../base/store.js';
import { count, counted } from '../base/text.js';
import { exportLog } from '../parts/exports.js';
import { facets } from '../parts/facets.js';
import { detail } from '../parts/detail.js';
import { empty } from '../parts/empty.js';
import { matchOf, parse } from '../parts/query.js';
import { searchField } from '../parts/search.js';
import { table } from '../parts/table.js';

/** @typedef {import('../base/api.js').Row} Row */

/** Parameters of the address that are filters, and the word of the search that says the same. */
const PARAMETERS = { status: 'status', device: 'device', topic: 'topic', reason: 'reason', pushType: 'type', delivery: 'delivery' };
const PAGE = 200;

/** @param {import('../base/router.js').Address} at @returns {import('../app.js').View} */
export function open(at) {
  let query = at.query;
  /** @type {import('../parts/query.js').Term[]} */
  let terms = [];
  /** @type {Row[] | null} what was found; null without a search. */
  let found = null;
  let total = 0;
  let isPaused = false;
  let isWhole = true;
  let newest = 0;
  let turn = 0;
  const news = h('button.news', { type: 'button', hidden: true, onclick: () => flow(true) });
  const note = h('div.note');
  const list = table({
    onSelect: (row) => select(row.sequence),
    onOpen: (row) => go(address(['pushes', String(row.sequence)])),
    onScroll: () => list.isAtTop && !isPaused && flow(),
    onEnd: () => older(),
  });
  const side = detail({ close: () => select(null), isAside: true });
  const search = searchField((text) => go(changed({ q: text, at: null }), { replace: true }));
  const panel = facets((name, value) => go(changed({ [name]: query.get(name) === value ? null : value, at: null })));
  const pause = button('Pause', () => setPaused(!isPaused), { icon: 'pause', 'aria-pressed': 'false' });
  const live = h('div.sr', { role: 'status', 'aria-live': 'polite' });
  const list_ = h('section.list', { 'aria-label': 'Log' },
    h('div.toolbar', null, search.element, pause,
      button('Export', () => exportLog(matchOf(terms)).catch(failed), { icon: 'download', title: 'Save these records as JSON lines' }),
      button('Delete', () => remove(), { icon: 'trash', title: 'Forget these records (x)' })),
    search.chips, news, list.element, note, live);
  const element = h('div.pushes', null, h('h1.sr', null, 'Pushes'), panel.element, list_, side.element);

  /** @param {Record<string, string | null>} changes */
  const changed = (changes) => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) value === null || value === '' ? next.delete(name) : next.set(name, value);
    return address(['pushes'], next);
  };
  const newestFirst = () => (found ? found : store.rows.slice().reverse());
  /** Lets new rows in, unless that would move what somebody looks at. @param {boolean} [isAsked] */
  const flow = (isAsked = false) => {
    if (isAsked) {
      setPaused(false, true);
      list.toTop();
    }
    const rows = newestFirst();
    newest = rows[0]?.sequence ?? 0;
    news.hidden = true;
    list.show(rows);
    drawNote(rows);
  };
  const isHeld = () => isPaused || !list.isAtTop || query.get('at') !== null;
  const arrived = () => {
    const rows = found ?? store.rows;
    const latest = (found ? rows[0] : rows[rows.length - 1])?.sequence ?? 0;
    if (rows.length === 0 || newest === 0 || !isHeld()) return flow();
    if (latest > newest) {
      const more = found ? rows.filter((row) => row.sequence > newest).length : latest - newest;
      fill(news, `${count(more)} new`);
      news.hidden = false;
    } else if (list.rows.length < rows.length) {
      list.show(newestFirst());
    }
    list.draw();
  };
  const ask = throttled(async () => {
    if (found === null) return;
    const mine = turn;
    try {
      const tests = terms.flatMap((term) => term.test ?? []);
      const page = await find(matchOf(terms), { limit: tests.length ? 1000 : Math.max(PAGE, Math.min(found.length, 1000)) });
      if (mine !== turn) return;
      const isFirst = newest === 0;
      total = page.total;
      isWhole = page.total <= page.requests.length;
      found = page.requests.map(rowOf).filter((row) => tests.every((test) => test(row)));
      if (isFirst) flow();
      else arrived();
    } catch (error) {
      search.problem(error);
    }
  }, 1000);
  const older = throttled(async () => {
    if (found ? isWhole || found.length === 0 : store.isWhole) return;
    try {
      if (found) {
        const page = await find(matchOf(terms), { limit: PAGE, before: found[found.length - 1].sequence });
        if (page.requests.length === 0) isWhole = true;
        const tests = terms.flatMap((term) => term.test ?? []);
        found = found.concat(page.requests.map(rowOf).filter((row) => tests.every((test) => test(row))));
      } else if (!(await loadOlder())) return drawNote(list.rows);
      list.show(newestFirst());
    } catch {
      // The state of the stream says it.
    }
  }, 300);
  /** @param {Row[]} rows */
  const drawNote = (rows) => {
    const dropped = store.summary?.log?.dropped ?? 0;
    fill(note, rows.length === 0 ? (found ? empty.noMatch(terms, () => go(address(['pushes']))) : empty.noPushes())
      : [found && `${counted(total, 'push', 'pushes')} found. `, dropped > 0 && `The oldest ${count(dropped)} were dropped (--log-limit).`]);
    element.classList.toggle('has-none', rows.length === 0);
    panel.draw(query);
  };
  /** @param {boolean} paused @param {boolean} [isQuiet] */
  const setPaused = (paused, isQuiet = false) => {
    isPaused = paused;
    pause.setAttribute('aria-pressed', String(paused));
    fill(pause, icon(paused ? 'play' : 'pause'), h('span', null, paused ? 'Go on' : 'Pause'));
    if (!paused && !isQuiet) flow(true);
  };
  /** @param {number | null} sequence */
  const select = (sequence) => go(changed({ at: sequence === null ? null : String(sequence) }), { replace: query.has('at') && sequence !== null });
  /** @param {1 | -1} step */
  const move = (step) => {
    const rows = list.rows;
    const at = rows.findIndex((row) => row.sequence === Number(query.get('at')));
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
    if (next) select(next.sequence);
  };
  const remove = async () => {
    const text = filterText(query);
    // What the API cannot find by itself, it cannot delete: it would be more than is shown.
    if (parse(text).some((term) => term.problem || term.test)) {
      return failed(new Error('This search cannot be used to delete: the server does not know "before:", "after:", "is:replaced", or a word with a mistake.'));
    }
    const what = found ? `the ${counted(total, 'record')} found` : 'all records';
    if (!(await confirmed(`Forget ${what}?`, 'Delete', found ? 'delete' : 'delete all'))) return;
    try {
      const { deleted } = await (found ? act('POST', '/requests/delete', { requests: matchOf(terms) }) : act('DELETE', '/requests'));
      said(`${counted(deleted, 'record')} deleted.`);
      if (query.has('at')) select(null);
      anew();
      ask();
    } catch (error) {
      failed(error);
    }
  };
  /** @param {import('../base/router.js').Address} next */
  const update = (next) => {
    const before = query;
    query = next.query;
    const isOther = filterText(before) !== filterText(query) || terms.length === 0;
    if (isOther) {
      terms = parse(filterText(query)).filter((term) => !term.problem);
      search.show(query.get('q') ?? '', [...query].flatMap(([name, value]) => (name in PARAMETERS ? [{ name, value }] : [])), terms,
        (name) => go(changed({ [name]: null })));
      turn += 1;
      newest = 0;
      found = terms.length ? [] : null;
      if (found) {
        ask.now();
      } else flow();
    }
    const at = query.get('at');
    const hadFocus = list.element.contains(document.activeElement) || document.activeElement === document.body;
    list.select(at ? Number(at) : null, hadFocus);
    side.show(at ? Number(at) : null);
    element.classList.toggle('has-detail', at !== null);
    if (before.has('at') && !at && list.isAtTop && !isPaused) flow();
  };
  let announced = 0;
  const announce = throttled(() => {
    const latest = store.rows[store.rows.length - 1]?.sequence ?? 0;
    if (announced && latest > announced) {
      const refused = store.rows.filter((row) => row.sequence > announced && (row.status ?? 0) >= 400).length;
      live.textContent = `${counted(latest - announced, 'new push', 'new pushes')}${refused ? `, ${refused} refused` : ''}`;
    }
    announced = latest;
  }, 5000);
  const ends = [
    on('rows', () => {
      if (found) ask();
      else arrived();
      announce();
    }),
    on('changes', () => (found ? ask() : list.draw())),
    on('summary', () => panel.draw(query)),
  ];
  const tick = setInterval(() => list.draw(), 1000);
  const resize = new ResizeObserver(() => list.draw());
  resize.observe(list.element);
  queueMicrotask(() => update(at));
  return {
    title: 'Pushes', element, update,
    end() {
      for (const end of ends) end();
      clearInterval(tick);
      resize.disconnect();
      list.end();
      side.end();
    },
    keys: {
      j: () => move(1), k: () => move(-1), '/': () => search.focus(), p: () => setPaused(!isPaused), x: () => remove(),
      Enter: () => {
        const at = here().query.get('at');
        if (at) go(address(['pushes', at]));
      },
      Escape: () => select(null),
      c: () => side.copyCurl(), r: () => side.sendAgain(), f: () => side.fault(),
    },
  };
}

/** All filters of an address as one search. @param {URLSearchParams} query */
function filterText(query) {
  const words = [...query].flatMap(([name, value]) =>
    name === 'q' ? [value] : name in PARAMETERS ? [`${PARAMETERS[/** @type {keyof PARAMETERS} */ (name)]}:${/\s/.test(value) ? `"${value}"` : value}`] : []);
  return words.join(' ').trim();
}
