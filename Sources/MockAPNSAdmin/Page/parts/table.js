// The log's table: thousands of rows of one height, of which only those in sight are elements.

import { ago, deviceLabel, fill, foreign, h } from '../base.js';
import { marksOf, statusElement } from './status.js';

const COLUMNS = ['#', 'Time', 'Answer', 'Device', 'Type', 'Topic', 'Text', 'Marks'];
/** Rows that are elements before and after those in sight. */
const MORE = 8;

/**
 * What is shown are rows, and heads of groups: `{group, label, isOpen}`. `act` has what is done: `select(row)`,
 * `open(row)`, `fold(group)`, `scroll()`, `end()` when older rows are wanted, and `seen(rows)` before they are drawn.
 */
export function table(act) {
  const [top, bottom] = [0, 0].map(() => h('tr.spacer', { 'aria-hidden': 'true' }, h('td')));
  const body = h('tbody', { role: 'rowgroup' }, top, bottom);
  const log = h('table.log', { role: 'grid', label: 'Pushes, newest first', 'aria-colcount': COLUMNS.length },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row', 'aria-rowindex': 1 },
      COLUMNS.map((name, index) => h(`th.c${index}`, { role: 'columnheader', scope: 'col' }, name)))), body);
  const element = h('div.scroll', { tabindex: '-1', onscroll: scrolled, oncopy: copied }, log);
  let items = [];
  let selected = null;
  let height = 32;
  let frame = 0;
  /** Elements by their keys. */
  const drawn = new Map();

  const keyOf = (item) => item.group ?? item.sequence;

  function scrolled() {
    act.scroll();
    draw();
    if (element.scrollTop + element.clientHeight > element.scrollHeight - 400) act.end();
  }
  function draw() {
    frame ||= requestAnimationFrame(drawNow);
  }
  function drawNow() {
    frame = 0;
    height = parseFloat(getComputedStyle(log).getPropertyValue('--row'));
    const first = Math.max(0, Math.floor(element.scrollTop / height) - MORE);
    const last = Math.min(items.length, Math.ceil((element.scrollTop + (element.clientHeight || 800)) / height) + MORE);
    const inSight = items.slice(first, last);
    act.seen(inSight.filter((item) => !item.group));
    const wanted = new Set(inSight.map(keyOf));
    for (const [key, { element: row }] of drawn) {
      if (wanted.has(key)) continue;
      row.remove();
      drawn.delete(key);
    }
    top.style.height = `${first * height}px`;
    bottom.style.height = `${(items.length - last) * height}px`;
    log.style.setProperty('--digits', `${Math.max(3, String(items[0]?.sequence ?? 1000).length)}ch`);
    log.setAttribute('aria-rowcount', items.length + 1);
    // Only one row is on the way of Tab: the selected one, or the first.
    const onTheWay = wanted.has(selected) ? selected : items.slice(Math.floor(element.scrollTop / height)).find((item) => !item.group)?.sequence;
    let before = top;
    inSight.forEach((item, index) => {
      const row = item.group ? head(item) : line(item);
      row.setAttribute('aria-rowindex', first + index + 2);
      if (!item.group) row.tabIndex = item.sequence === onTheWay ? 0 : -1;
      if (before.nextSibling !== row) before.after(row);
      before = row;
    });
  }
  /** The element of an item; it is filled when the content differs. */
  function elementOf(item, make, refill) {
    const key = keyOf(item);
    if (!drawn.has(key)) drawn.set(key, { element: make() });
    const known = drawn.get(key);
    const content = JSON.stringify(item);
    if (known.content !== content) fill(known.element, refill());
    known.content = content;
    return known.element;
  }
  function line(row) {
    const tr = elementOf(row, () => h('tr', {
      role: 'row', 'data-sequence': row.sequence, onclick: () => act.select(row), ondblclick: () => act.open(row),
    }), () => cells(row));
    const time = tr.querySelector('time');
    const age = ago(row.time, Date.now());
    if (time.textContent !== age) time.textContent = age;
    tr.setAttribute('aria-selected', row.sequence === selected);
    return tr;
  }
  const head = (item) => elementOf(item, () => h('tr.group', { role: 'row' }), () => h('td', { role: 'gridcell', colspan: COLUMNS.length },
    h('button.quiet', { type: 'button', 'aria-expanded': item.isOpen, onclick: () => act.fold(item.group) }, item.isOpen ? '▾ ' : '▸ ', item.label)));

  return {
    element, draw,
    /** Rows that can be selected, newest first but for groups. */
    get rows() {
      return items.filter((item) => !item.group);
    },
    /** Whether the newest rows are in sight. */
    get isAtTop() {
      return element.scrollTop < height / 2;
    },
    show(next) {
      items = next;
      draw();
    },
    toTop() {
      element.scrollTop = 0;
    },
    /** Marks a row, and brings it into sight. */
    select(sequence, takesFocus) {
      selected = sequence;
      const index = items.findIndex((item) => item.sequence === sequence);
      if (index >= 0) {
        const hidden = (index + 1) * height + log.tHead.offsetHeight - element.clientHeight;
        element.scrollTop = Math.max(hidden, Math.min(element.scrollTop, index * height));
      }
      drawNow();
      if (takesFocus) drawn.get(sequence)?.element.focus({ preventScroll: true });
    },
  };
}

/** What is copied of rows has their whole times, and tabs between its columns. */
function copied(event) {
  const part = getSelection().getRangeAt(0).cloneContents();
  const rows = [...part.querySelectorAll('tr')];
  if (!rows.length) return;
  for (const each of part.querySelectorAll('time')) each.textContent = each.dateTime;
  event.clipboardData.setData('text/plain', rows.map((row) => [...row.cells].map((cell) => cell.textContent).join('\t')).join('\n'));
  event.preventDefault();
}

const cells = (row) => [
  row.sequence, h('time', { datetime: row.time, title: row.time }), statusElement(row), h('span', { title: row.token }, deviceLabel(row)),
  row.pushType ?? '–', h('span', { title: row.topic }, row.topic ?? '–'),
  row.title ? foreign(row.title) : h('span.muted', row.pushType === 'background' ? 'background' : 'no text'),
  marksOf(row).map(([word, meaning]) => [h('span.mark', { title: meaning }, word), ' ']),
].map((content, index) => h(`td.c${index}`, { role: 'gridcell' }, content));
