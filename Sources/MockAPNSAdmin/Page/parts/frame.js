// What is around every view: where one can go, the clock, totals, the state of the stream.

import { features, home, session } from '../base/api.js';
import { button, fill, h, icon } from '../base/dom.js';
import { keys } from '../base/keys.js';
import { retryNow } from '../base/stream.js';
import { on, store } from '../base/store.js';
import { count, counted } from '../base/text.js';
import { theme } from '../base/theme.js';
import { clock } from './clock.js';
import { ruleChips } from './ruleChips.js';

/** @type {{name: string, label: string, icon: string, isThere?: () => boolean}[]} */
const PLACES = [
  { name: 'pushes', label: 'Pushes', icon: 'bell' },
  { name: 'devices', label: 'Devices', icon: 'phone' },
  { name: 'faults', label: 'Faults', icon: 'bolt' },
  { name: 'expect', label: 'Expectations', icon: 'target' },
  { name: 'send', label: 'Send', icon: 'send', isThere: () => features.sends },
  { name: 'scenario', label: 'Scenario', icon: 'script' },
];

const STATES = {
  connecting: 'connecting', live: 'live', polling: 'every 2 s', offline: 'offline', asleep: 'asleep',
};

/** The frame; `select` marks the view that is open. */
export function frame() {
  const nav = h('nav', { 'aria-label': 'Views' });
  const state = h('span.state', { role: 'status' });
  const totals = h('span.totals');
  const banner = h('div.banner', { role: 'alert', hidden: true });
  const themeButton = button(null, () => {
    theme.next();
    nameTheme();
  }, { icon: 'theme', class: 'quiet' });
  const nameTheme = () => {
    themeButton.setAttribute('aria-label', `Theme: ${theme.value}`);
    themeButton.title = `Theme: ${theme.value}`;
  };
  nameTheme();
  const element = h('header.bar', null,
    h('a.brand', { href: `${home}/pushes` }, icon('bell'), h('span', null, 'mock-apns'), session && h('span.session', null, session)),
    nav,
    h('div.meters', null, clock(), totals, state, themeButton,
      button(null, () => keys.help(), { icon: 'help', class: 'quiet', 'aria-label': 'Keys', title: 'Keys (?)' })),
    h('div.in-force'));

  const drawState = () => {
    const isLagging = store.state === 'live' && store.isSampling;
    const rate = store.summary?.requestsPerSecond?.last10Seconds ?? 0;
    const word = isLagging ? `showing ${count(store.toldRate)} of ${count(rate)}/s` : STATES[store.state];
    state.className = `state ${isLagging ? 'lagging' : store.state}`;
    fill(state, h('span.dot'), word);
    document.body.classList.toggle('is-offline', store.state === 'offline');
    banner.hidden = store.state !== 'offline';
    if (store.state === 'offline') {
      fill(banner, h('span', null, 'The server cannot be reached; what is shown is what was last known. It is tried again by itself.'), button('Try now', retryNow));
    }
  };
  const drawTotals = () => {
    const summary = store.summary;
    if (!summary) return;
    const classes = { 2: 0, 4: 0, 5: 0 };
    for (const [status, number] of Object.entries(summary.byStatus)) {
      const kind = /** @type {2 | 4 | 5} */ (Number(status[0]));
      if (kind in classes) classes[kind] += Number(number);
    }
    const rate = summary.requestsPerSecond.last10Seconds;
    fill(totals, sparkline(rate), h('span', { title: counted(summary.requests, 'push', 'pushes') }, count(summary.requests)),
      [2, 4, 5].map((kind) => classes[/** @type {2 | 4 | 5} */ (kind)] > 0 && h(`a.total.s${kind}`, {
        href: `${home}/pushes?status=${kind}xx`, title: `${counted(classes[/** @type {2 | 4 | 5} */ (kind)], 'push', 'pushes')} answered ${kind}xx`,
      }, `${kind}xx `, count(classes[/** @type {2 | 4 | 5} */ (kind)]))));
    if (store.isSampling) drawState();
  };
  on('state', drawState);
  on('summary', drawTotals);
  drawState();
  return {
    element,
    banner,
    /** The views that this server's API has something for. */
    ready() {
      element.querySelector('.in-force')?.replaceWith(ruleChips());
      fill(nav, PLACES.filter((place) => place.isThere?.() ?? true).map((place) =>
        h('a', { href: `${home}/${place.name}`, 'data-view': place.name }, icon(place.icon), h('span', null, place.label))));
    },
    /** @param {string} name */
    select(name) {
      for (const each of nav.querySelectorAll('a')) {
        if (each.dataset.view === name) each.setAttribute('aria-current', 'page');
        else each.removeAttribute('aria-current');
      }
    },
  };
}

/** @type {number[]} */
const rates = Array(30).fill(0);

/** The last half minute of pushes a second, as a line. @param {number} rate */
function sparkline(rate) {
  rates.push(rate);
  rates.shift();
  const most = Math.max(...rates, 1);
  const points = rates.map((each, index) => `${(60 - (rates.length - 1 - index) * 2).toFixed(0)},${(15 - (each / most) * 13).toFixed(1)}`);
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'sparkline');
  svg.setAttribute('viewBox', '0 0 60 16');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${rate} pushes a second`);
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
  line.setAttribute('points', points.join(' '));
  svg.append(line);
  return svg;
}
