// What is around every view: where one can go, the clock, totals, the state of the stream, faults in force.

import { at, away, button, count, fill, h, keys, on, pushes, remember, remembered, retryNow, select, session, sign, store } from '../base.js';
import { clock } from './clock.js';
import { ruleChips } from './rules.js';

const VIEWS = { pushes: 'Pushes', devices: 'Devices', faults: 'Faults', expect: 'Expectations', send: 'Send', scenario: 'Scenario' };

/** The frame; `select` marks the view that is open. */
export function frame() {
  const state = h('span.state', { role: 'status' });
  const totals = h('span.totals');
  const banner = h('div.banner', { role: 'alert', hidden: true });
  const nav = h('nav', { label: 'Views' }, Object.entries(VIEWS).map(([name, label]) => h('a', { href: at(name), 'data-view': name }, label)));
  on('state', () => drawState(state, banner));
  on('summary', () => store.summary && drawTotals(totals));
  return {
    banner,
    element: h('header.bar', h('a.brand', { href: at('pushes') }, 'mock-apns', session && h('span.session', session)), nav,
      h('div.meters', clock(), totals, state, themes(), sign('?', 'Keys', keys.help)), ruleChips()),
    select(name) {
      for (const each of nav.children) each.setAttribute('aria-current', each.dataset.view === name ? 'page' : 'false');
    },
  };
}

function drawState(state, banner) {
  const isSampling = store.state === 'live' && store.isSampling;
  const isOffline = store.state === 'offline';
  state.className = `state ${isSampling ? 'sampling' : store.state}`;
  fill(state, h('span.dot'), isSampling ? `showing ${count(store.toldRate)} of ${count(store.summary?.requestsPerSecond.last10Seconds ?? 0)}/s`
    : store.state === 'polling' ? 'every 2 s' : store.state);
  away(isOffline);
  banner.hidden = !isOffline;
  if (isOffline) fill(banner, h('span', store.problem, ' Showing the last known state; retrying.'), button('Try now', retryNow));
}

function drawTotals(totals) {
  const { byStatus, requests, requestsPerSecond } = store.summary;
  const ofClass = (kind) => Object.entries(byStatus).reduce((sum, [status, number]) => sum + (status[0] === kind ? number : 0), 0);
  fill(totals, h('span.rate', `${count(requestsPerSecond.last10Seconds)}/s`), h('span', { title: pushes(requests) }, count(requests)),
    ['2', '4', '5'].filter(ofClass).map((kind) => h(`a.total.s${kind}`, {
      href: at('pushes', { status: `${kind}xx` }), title: `${pushes(ofClass(kind))} answered ${kind}xx`,
    }, `${kind}xx `, count(ofClass(kind)))));
}

function themes() {
  const theme = select(['system', 'light', 'dark'], { label: 'Theme', class: 'quiet', onchange: () => set() });
  const set = () => {
    document.documentElement.dataset.theme = theme.value;
    remember('theme', theme.value);
  };
  theme.value = remembered('theme', 'system');
  set();
  return theme;
}
