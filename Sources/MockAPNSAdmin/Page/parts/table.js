// The log's table: thousands of rows of one height, of which only those in sight are elements.

import { ago, apart, button, deviceLabel, fill, foreign, h, remember, remembered } from '../base.js';
import { fitting } from './columns.js';
import { tailed } from './facets.js';
import { lane } from './lanes.js';
import { marksOf, statusElement } from './status.js';

const COLUMNS = ['#', 'Time', 'Answer', 'Device', 'Type', 'Topic', 'Text', 'Marks'];
/** Milliseconds between two drawings at least. */
const FRAME = 16;
/** Rows that are elements before and after those in sight. */
const MORE = 8;

/**
 * What is shown are rows, and heads of groups: `{group, label, isOpen, attempts}`. `act` has what is done: `select(row)`,
 * or `select(row, true)` with Ctrl, `open(row)`, `fold(group)`, `scroll()`, `end()` when older rows are wanted, and `seen(rows)` before they are drawn.
 */
export function table(act) {
  const [top, bottom] = [0, 0].map(() => h('tr.spacer', { 'aria-hidden': 'true' }, h('td')));
  const body = h('tbody', { role: 'rowgroup' }, top, bottom);
  const log = h('table.log', { role: 'grid', label: 'Pushes, newest first', 'aria-colcount': COLUMNS.length },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row', 'aria-rowindex': 1 },
      COLUMNS.map((name, index) => h(`th.c${index}`, { role: 'columnheader', scope: 'col' }, name)))), body);
  const element = h('div.scroll', { tabindex: '-1', onscroll: scrolled, oncopy: copied }, log);
  const fit = fitting(log);
  let items = [];
  let selected = null;
  let marked = null;
  let height = 32;
  let frame = 0;
  let drawnAt = 0;
  let isRelative = remembered('ago', false);
  const times = button('ago', () => {
    remember('ago', isRelative = !isRelative);
    times.ariaPressed = isRelative;
    draw();
  }, { 'aria-pressed': isRelative, title: 'Times as how long ago they were' });
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
    cancelAnimationFrame(frame);
    frame = 0;
    drawnAt = performance.now();
    height = parseFloat(getComputedStyle(log).getPropertyValue('--row'));
    const first = Math.max(0, Math.floor(element.scrollTop / height) - MORE);
    const last = Math.min(items.length, Math.ceil((element.scrollTop + (element.clientHeight || 800)) / height) + MORE);
    const inSight = items.slice(first, last);
    act.seen(inSight.filter((item) => !item.group));
    // Measuring lays the page out: with rows gone and others not yet there, it would be too short to stay scrolled.
    fit(inSight);
    const wanted = new Set(inSight.map(keyOf));
    for (const [key, { element: row }] of drawn) {
      if (wanted.has(key)) continue;
      row.remove();
      drawn.delete(key);
    }
    top.style.height = `${first * height}px`;
    bottom.style.height = `${(items.length - last) * height}px`;
    log.setAttribute('aria-rowcount', items.length + 1);
    // Only one row is on the way of Tab: the selected one, or the first.
    const onTheWay = wanted.has(selected) ? selected : items.slice(Math.floor(element.scrollTop / height)).find((item) => !item.group)?.sequence;
    let before = top;
    inSight.forEach((item, index) => {
      const row = item.group ? head(item) : line(item, items[first + index + 1]);
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
    const content = JSON.stringify(item, shortened);
    if (known.content !== content) fill(known.element, refill());
    known.content = content;
    return known.element;
  }
  function line(row, below) {
    const tr = elementOf(row, () => h('tr', {
      role: 'row', 'data-sequence': row.sequence, onclick: (event) => act.select(row, event.ctrlKey || event.metaKey), ondblclick: () => act.open(row),
    }), () => cells(row));
    const [time, distance] = tr.querySelector('.c1').children;
    write(time, isRelative ? ago(row.time, Date.now()) : row.time.slice(11, -1));
    write(distance, below?.time ? apart(Date.parse(row.time) - Date.parse(below.time)) : '');
    tr.setAttribute('aria-selected', row.sequence === selected);
    tr.classList.toggle('marked', row.sequence === marked);
    tr.ariaDescription = row.sequence === marked ? 'marked' : null;
    return tr;
  }
  const head = (item) => elementOf(item, () => h('tr.group', { role: 'row' }), () => h('td', { role: 'gridcell', colspan: COLUMNS.length },
    h('button.quiet', { type: 'button', 'aria-expanded': item.isOpen, onclick: () => act.fold(item.group) }, item.isOpen ? '▾ ' : '▸ ', item.label),
    item.attempts && lane(item.attempts)));

  return {
    element, draw,
    /** Switches between times of the day and how long ago they were. */
    times,
    /** Rows that can be selected, newest first but for groups. */
    get rows() {
      return items.filter((item) => !item.group);
    },
    /** Whether the newest rows are in sight. */
    get isAtTop() {
      return element.scrollTop < height / 2;
    },
    /** Rows that are let in do not wait for the next frame: they would still move when a hand has begun to. */
    show(next, isNow) {
      items = next;
      // Where nothing is seen, nothing can be measured.
      if (isNow && items.length && performance.now() - drawnAt > FRAME && element.clientHeight) drawNow();
      else draw();
    },
    /** Gives focus to a row, or else to the list. */
    focus(sequence) {
      (drawn.get(sequence)?.element ?? element).focus({ preventScroll: true });
    },
    toTop() {
      element.scrollTop = 0;
    },
    /** Shows that a row is the one to compare with; `select` draws it. */
    mark(sequence) {
      marked = sequence;
    },
    /** Selects a row, and brings it into sight: to the middle if it was far from it. */
    select(sequence, takesFocus) {
      selected = sequence;
      // The list has to be as high as its rows before it can be scrolled to one.
      drawNow();
      const index = items.findIndex((item) => item.sequence === sequence);
      if (index >= 0) {
        const space = element.clientHeight - log.tHead.offsetHeight;
        const [highest, lowest] = [(index + 1) * height - space, index * height];
        const { scrollTop } = element;
        const isFar = scrollTop < highest - 2 * height || scrollTop > lowest + 2 * height;
        element.scrollTop = isFar ? (highest + lowest) / 2 : Math.max(highest, Math.min(scrollTop, lowest));
      }
      drawNow();
      if (takesFocus) drawn.get(sequence)?.element.focus({ preventScroll: true });
    },
  };
}

/** Of the attempts of a group, those that a lane shows. */
const shortened = (name, value) => (name === 'attempts' && value ? [value.length, value[0], ...value.slice(-12)] : value);

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** What is copied of rows has their whole times, and tabs between its columns. */
function copied(event) {
  const part = getSelection().getRangeAt(0).cloneContents();
  const rows = [...part.querySelectorAll('tr')];
  if (!rows.length) return;
  for (const each of part.querySelectorAll('time')) each.parentElement.textContent = each.dateTime;
  event.clipboardData.setData('text/plain', rows.map((row) => [...row.cells].map((cell) => cell.textContent).join('\t')).join('\n'));
  event.preventDefault();
}

const cells = (row) => [
  row.sequence, [h('time', { datetime: row.time, title: row.time }), h('span.distance', { title: 'since the row below' })], statusElement(row), h('span', { title: row.token }, deviceLabel(row)),
  row.pushType ?? '–', h('span', { title: row.topic }, tailed(row.topic ?? '–')),
  row.title ? foreign(row.title) : h('span.muted', row.pushType === 'background' ? 'background' : 'no text'),
  marksOf(row).map(([word, meaning]) => [h('span.mark', { title: meaning }, word), ' ']),
].map((content, index) => h(`td.c${index}`, { role: 'gridcell' }, content));
