// The last minutes as a strip above the log: answers by class, how long they took, and what was going on. Dragging, or two
// fields, choose a part of it, as `after:` and `before:` of the search.

import { count, counted, fill, get, h, input, lasting, millis, on, store, svg } from '../base.js';
import { BANDS, bandWords } from './lanes.js';
import { sparing } from './sparing.js';

const CLASSES = ['2xx', '4xx', '5xx', 'none'];
/** Of the strip, in pixels: its height, that of the bands at its lower edge, and of a drag at least. */
const [HEIGHT, BAND, DRAG] = [64, 6, 4];
/** The times that can be shown, in seconds: the shortest that has all there is. And the pixels of one bar at least. */
const SPANS = [60, 120, 300, 600];
const [LONGEST, BAR] = [600, 1.5];
/** So much is shown in the narrowest window. */
const LEAST = 120;
const KINDS = { __proto__: null, ...BANDS, reset: 'reset', scenario: 'scenario' };

const dayOf = (moment) => new Date(moment).toISOString().slice(0, 10);
/** A moment as the search knows it: the time of today, or all of it. */
const termOf = (moment) => (dayOf(moment) === dayOf(Date.now()) ? new Date(moment).toISOString().slice(11, 19) : new Date(moment).toISOString());
/** What a term or a field says, in milliseconds. */
const momentOf = (text) => Date.parse(/^\d\d:/.test(text) ? `${dayOf(Date.now())}T${text}Z` : text);

/** `choose(after, before)` gets texts for the search, empty for none. */
export function strip(choose) {
  const shape = svg('svg', { role: 'img', height: HEIGHT });
  const reading = h('p.reading', { 'aria-hidden': 'true' });
  const [after, before] = ['After', 'Before'].map((name) => input({
    label: `${name}, a time in UTC`, placeholder: name.toLowerCase(), onchange: () => choose(after.value.trim(), before.value.trim()),
  }));
  const chart = h('div.chart', shape, reading);
  const element = h('div.strip', chart, h('div.range', after, before));
  let found = null;
  let chosen = {};
  /** What is drawn, in milliseconds; and where a drag began, in pixels. */
  let [from, to, width] = [0, 0, 0];
  let start = null;
  let isMissing = false;

  /** Milliseconds that are shown. */
  const span = () => {
    const [first] = [...found.buckets.map(({ at }) => at), ...found.marks.map((mark) => mark.from)];
    const whole = SPANS.find((seconds) => to - seconds * 1000 <= Date.parse(first)) ?? LONGEST;
    return 1000 * Math.min(whole, Math.max(LEAST, Math.floor(width / BAR)));
  };
  const x = (moment) => (moment - from) / (to - from) * width;
  const momentAt = (place) => from + Math.min(1, Math.max(0, place / width)) * (to - from);
  const ask = sparing(async () => {
    if (isMissing || document.hidden || !element.isConnected) return;
    try {
      found = await get(`/timeline?last=${LONGEST}s&bucket=1s`);
    } catch (error) {
      // Earlier servers have none.
      isMissing = element.hidden = error.status === 404;
    }
    draw();
  }, 1000);

  function draw() {
    // What the pointer is on stays where it is.
    if (!found || start !== null || chart.matches(':hover') && to) return;
    width = chart.clientWidth;
    to = Math.ceil(Date.now() / 1000) * 1000;
    from = to - span();
    const buckets = found.buckets.map((each) => ({ ...each, time: Date.parse(each.at) })).filter(({ time }) => time >= from);
    const sum = (each) => CLASSES.reduce((all, kind) => all + (each[kind] ?? 0), 0);
    const most = Math.max(1, ...buckets.map(sum));
    const slowest = Math.max(1, ...buckets.map(({ p99 }) => p99 ?? 0));
    const size = Math.max(1, x(from + 1000) - 0.5);
    const space = HEIGHT - BAND - 4;
    const bars = CLASSES.map((kind, index) => svg(`path.s${kind[0]}`, { d: buckets.filter((each) => each[kind]).map((each) => {
      const below = CLASSES.slice(0, index).reduce((all, other) => all + (each[other] ?? 0), 0);
      // What there is can be seen.
      const height = Math.max(2, each[kind] / most * space);
      return `M${x(each.time).toFixed(1)} ${(HEIGHT - BAND - below / most * space).toFixed(1)}h${size.toFixed(1)}v${-height.toFixed(1)}h${-size.toFixed(1)}z`;
    }).join('') }));
    const lines = ['p50', 'p99'].map((name) => svg(`path.${name}`, { d: buckets.map((each, index) => {
      const isNext = each.time - buckets[index - 1]?.time <= 1000;
      return `${isNext ? 'L' : 'M'}${x(each.time).toFixed(1)} ${(HEIGHT - BAND - (each[name] ?? 0) / slowest * space).toFixed(1)}h${size.toFixed(1)}`;
    }).join('') }));
    const total = buckets.reduce((all, each) => all + sum(each), 0);
    const words = `${counted(total, 'request')} in ${lasting((to - from) / 1000)}${total ? `, at most ${count(most)}/s, p99 at most ${millis(slowest)}` : ''}`;
    shape.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    shape.setAttribute('aria-label', `${words}, from ${termOf(from)} UTC`);
    reading.dataset.words = words;
    fill(reading, words);
    fill(shape, bars, lines, found.marks.map(markOf), svg('text', { x: 6, y: HEIGHT - BAND - 4 }, termOf(from)), svg('rect.chosen', { y: 0, height: HEIGHT }));
    drawChosen(chosen.after, chosen.before);
  }
  function markOf({ kind, name, from: begin, to: end }) {
    const left = Math.max(0, x(Date.parse(begin)));
    const right = Math.min(width, end ? x(Date.parse(end)) : width);
    if (!KINDS[kind] || right < 0 || left > width) return null;
    const isMoment = !['rule', 'outage'].includes(kind);
    return svg(`rect.mark.${kind}`, {
      x: left, width: isMoment ? 2 : Math.max(2, right - left), y: isMoment ? 0 : HEIGHT - BAND, height: isMoment ? HEIGHT : BAND,
    }, svg('title', bandWords({ kind, name })));
  }
  function drawChosen(begin, end) {
    const [left, right] = [begin ? x(begin) : 0, end ? x(end) : width].map((place) => Math.min(width, Math.max(0, place)));
    const rect = shape.querySelector('.chosen');
    rect?.setAttribute('x', left);
    rect?.setAttribute('width', begin || end ? Math.max(0, right - left) : 0);
  }
  const place = (event) => event.clientX - chart.getBoundingClientRect().left;
  function read(event) {
    const moment = momentAt(place(event));
    const bucket = found.buckets.find(({ at }) => moment - Date.parse(at) >= 0 && moment - Date.parse(at) < 1000);
    const marks = found.marks.filter((mark) => Date.parse(mark.from) <= moment + 1000 && moment <= (mark.to ? Date.parse(mark.to) : Infinity) + 1000);
    fill(reading, [`${new Date(moment).toISOString().slice(11, 19)} UTC`, bucket && CLASSES.filter((kind) => bucket[kind]).map((kind) => `${count(bucket[kind])} ${kind === 'none' ? 'without answer' : kind}`).join(', '),
      bucket && `p50 ${millis(bucket.p50)}, p99 ${millis(bucket.p99)}`, ...marks.map(bandWords)].filter(Boolean).join(' · '));
    if (start !== null) drawChosen(momentAt(Math.min(start, place(event))), momentAt(Math.max(start, place(event))));
  }
  chart.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    start = place(event);
    chart.setPointerCapture(event.pointerId);
  });
  chart.addEventListener('pointermove', read);
  chart.addEventListener('pointerup', (event) => {
    const [left, right] = [start, place(event)].toSorted((one, other) => one - other);
    start = null;
    if (right - left < DRAG) return drawChosen(chosen.after, chosen.before);
    // Whole seconds, as bars are.
    choose(termOf(Math.floor(momentAt(left) / 1000) * 1000), termOf(Math.ceil(momentAt(right) / 1000) * 1000));
  });
  chart.addEventListener('pointercancel', () => {
    start = null;
    draw();
  });
  chart.addEventListener('pointerleave', () => fill(reading, reading.dataset.words));
  // It follows whatever happens, and comes after the first rows.
  on('summary', ask);
  on('tick', () => store.state !== 'offline' && draw());
  on('restart', () => {
    isMissing = element.hidden = false;
    ask();
  });
  new ResizeObserver(draw).observe(chart);
  // At the beginning, the first rows come before this.
  if (store.rows.length) ask();
  return {
    element,
    /** Shows what part is chosen: texts of the search, empty for none. */
    show(begin, end) {
      chosen = { after: momentOf(begin), before: momentOf(end) };
      if (document.activeElement !== after) after.value = begin;
      if (document.activeElement !== before) before.value = end;
      drawChosen(chosen.after, chosen.before);
    },
  };
}
