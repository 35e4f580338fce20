// The log's table: thousands of rows of one height, of which only those in sight are elements.

import { append, fill, h, icon } from '../base/dom.js';
import { ago, deviceLabel, foreign } from '../base/text.js';
import { marksOf, statusElement } from './status.js';

/** @typedef {import('../base/api.js').Row} Row */

const COLUMNS = ['#', 'Time', 'Answer', 'Device', 'Type', 'Topic', 'Text', 'Marks'];
const MORE = 8;

/**
 * @param {{onSelect: (row: Row) => void, onOpen: (row: Row) => void, onScroll: () => void, onEnd: () => void}} listener
 */
export function table(listener) {
  const top = h('tr.spacer', { 'aria-hidden': 'true' }, h('td'));
  const bottom = h('tr.spacer', { 'aria-hidden': 'true' }, h('td'));
  const body = h('tbody', { role: 'rowgroup' }, top, bottom);
  const grid = h('table.log', { role: 'grid', 'aria-label': 'Pushes, newest first', 'aria-colcount': COLUMNS.length },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row', 'aria-rowindex': 1 }, COLUMNS.map((name, index) =>
      h('th', { role: 'columnheader', scope: 'col', class: `c${index}` }, index === 7 ? h('span.sr', null, name) : name)))), body);
  const element = h('div.scroll', { onscroll: () => scrolled(), tabindex: '-1' }, grid);
  /** @type {Row[]} newest first */
  let rows = [];
  /** @type {Map<number, {element: HTMLElement, key: string, time: HTMLElement, row: Row}>} */
  const drawn = new Map();
  /** @type {number | null} */
  let selected = null;
  let height = 32;
  let frame = 0;

  const scrolled = () => {
    listener.onScroll();
    draw();
    if (element.scrollTop + element.clientHeight > element.scrollHeight - 400) listener.onEnd();
  };
  const draw = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      drawNow();
    });
  };
  const drawNow = () => {
    height = parseFloat(getComputedStyle(grid).getPropertyValue('--row')) || 32;
    const first = Math.max(0, Math.floor(element.scrollTop / height) - MORE);
    const last = Math.min(rows.length, Math.ceil((element.scrollTop + (element.clientHeight || 800)) / height) + MORE);
    const wanted = new Set();
    for (let index = first; index < last; index += 1) wanted.add(rows[index].sequence);
    for (const [sequence, { element: row }] of drawn) {
      if (wanted.has(sequence)) continue;
      row.remove();
      drawn.delete(sequence);
    }
    top.style.height = `${first * height}px`;
    bottom.style.height = `${Math.max(0, rows.length - last) * height}px`;
    grid.style.setProperty('--digits', `${Math.max(3, String(rows[0]?.sequence ?? 0).length)}ch`);
    grid.setAttribute('aria-rowcount', String(rows.length + 1));
    let before = top;
    for (let index = first; index < last; index += 1) {
      const row = cellOf(rows[index]);
      row.setAttribute('aria-rowindex', String(index + 2));
      if (before.nextSibling !== row) before.after(row);
      before = row;
    }
    focusable();
  };
  /** @param {Row} row */
  const cellOf = (row) => {
    const key = [row.status, row.reason, row.outcome, row.delivery, row.replacedBy, row.title, row.decidedBy].join('\n');
    let known = drawn.get(row.sequence);
    if (!known) {
      const tr = h('tr', { role: 'row', tabindex: '-1', 'data-sequence': row.sequence, onclick: () => listener.onSelect(row), ondblclick: () => listener.onOpen(row) });
      known = { element: tr, key: '', time: h('time', { datetime: row.time, title: row.time }), row };
      drawn.set(row.sequence, known);
    }
    if (known.key !== key) {
      known.key = key;
      fill(known.element, cells(row, known.time));
    }
    const age = ago(row.time, Date.now());
    if (known.time.textContent !== age) known.time.textContent = age;
    const isSelected = row.sequence === selected;
    known.element.setAttribute('aria-selected', String(isSelected));
    return known.element;
  };
  /** Only one row is on the way of Tab: the selected one, or the first. */
  const focusable = () => {
    const at = selected !== null && drawn.has(selected) ? selected : rows[Math.floor(element.scrollTop / height)]?.sequence;
    for (const [sequence, { element: row }] of drawn) row.tabIndex = sequence === at ? 0 : -1;
  };
  return {
    element,
    get rows() {
      return rows;
    },
    /** @param {Row[]} newest newest first. */
    show(newest) {
      rows = newest;
      draw();
    },
    draw,
    /** Whether the newest rows are in sight. */
    get isAtTop() {
      return element.scrollTop < height / 2;
    },
    toTop() {
      element.scrollTop = 0;
    },
    /**
     * Marks a row, and brings it into sight.
     *
     * @param {number | null} sequence
     * @param {boolean} [takesFocus]
     */
    select(sequence, takesFocus = false) {
      selected = sequence;
      const index = rows.findIndex((row) => row.sequence === sequence);
      if (index >= 0) {
        const from = index * height;
        const head = grid.tHead?.offsetHeight ?? 0;
        if (from < element.scrollTop) element.scrollTop = from;
        else if (from + height + head > element.scrollTop + element.clientHeight) element.scrollTop = from + height + head - element.clientHeight;
      }
      drawNow();
      if (takesFocus && sequence !== null) drawn.get(sequence)?.element.focus({ preventScroll: true });
    },
    end() {
      cancelAnimationFrame(frame);
    },
  };
}

/** @param {Row} row @param {HTMLElement} time */
function cells(row, time) {
  const cell = (/** @type {number} */ index, /** @type {any} */ ...content) => {
    const td = h('td', { role: 'gridcell', class: `c${index}` });
    append(td, content);
    return td;
  };
  return [
    cell(0, row.sequence), cell(1, time), cell(2, statusElement(row)),
    cell(3, h('span', { title: row.token ?? '' }, row.device ? foreign(row.device) : deviceLabel(row))),
    cell(4, row.pushType ?? '–'), cell(5, h('span', { title: row.topic ?? '' }, row.topic ?? '–')),
    cell(6, row.title ? foreign(row.title) : h('span.muted', null, row.pushType === 'background' ? 'background' : 'no text')),
    cell(7, marksOf(row).map(([name, meaning]) => h('span.mark', { title: meaning, role: 'img', 'aria-label': meaning }, icon(name)))),
  ];
}
