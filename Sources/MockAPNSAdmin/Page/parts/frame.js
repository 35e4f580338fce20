// What is around every view: where one can go, the clock, totals, the state of the stream, faults in force.

import {
  at, away, button, count, dropdown, field, fill, get, h, keys, on, pushes, remember, remembered, retryNow, select, session, settled, sign, store, svg, totals, VIEWS, watch,
} from '../base.js';
import { badges } from './badges.js';
import { clock } from './clock.js';
import { recordButton, watchRecording } from './recording.js';
import { ruleChip } from './rules.js';

/** Below it, the header has two rows: where one can go, and all else. */
const narrow = matchMedia('(max-width: 43.6875em)');
/** Pixels that stay free at the end of the header. */
const EDGE = 12;

/** The frame; `select` marks the view that is open, and writes its title. */
export function frame() {
  const state = h('span.state', { role: 'status' });
  const numbers = h('span.totals');
  const banner = h('div.banner', { role: 'alert', hidden: true });
  const warning = h('div.banner', { hidden: true }, 'Other machines can use this page and get keys; --admin-token prevents it.', sign('✕', 'Close', () => {
    warning.hidden = true;
    remember('warned', true, 'sessionStorage');
  }));
  const restarted = h('div.banner', { role: 'status', hidden: true });
  on('restart', () => {
    restarted.hidden = false;
    fill(restarted, h('span', `The server was restarted, seen at ${new Date().toISOString().slice(11, 19)} UTC; its log begins anew.`), sign('✕', 'Close', () => {
      restarted.hidden = true;
    }));
  });
  const settings = dropdown(sign('⋮', 'Theme and keys'), 'Theme and keys', null, field('Theme', themes()), h('div', { onclick: () => settings.lastChild.hidePopover() }, recordButton()), button('Keys', () => {
    settings.lastChild.hidePopover();
    keys.help();
  }, { title: 'Key ?' }));
  const alarms = Object.fromEntries(Object.keys(VIEWS).map((name) => [name, h('span')]));
  const views = Object.entries(VIEWS).map(([name, label]) => h('a', { href: at(name), 'data-view': name }, label, alarms[name]));
  // Only a relay has the last one.
  const relay = views.pop();
  const hidden = () => views.filter((each) => each.hidden);
  const more = button('More', null, { class: 'quiet more' });
  const others = dropdown(more, 'More views', () => fill(others.lastChild, hidden().map((each) => {
    const copy = each.cloneNode(true);
    copy.hidden = false;
    return h('p', copy);
  })));
  const nav = h('nav', { label: 'Views' }, views, others);
  let [alarm, title] = ['', ''];
  const entitle = () => {
    document.title = `${alarm}${title} · mock-apns`;
  };
  badges(nav, alarms, (text) => {
    alarm = text;
    entitle();
  });
  const kind = h('span.session');
  const brand = h('a.brand', { href: at('pushes') }, 'mock-apns', session && h('span.session', session), kind);
  const meters = h('div.meters', recordButton(true), ruleChip(), clock(), sparkline(), numbers, state, settings);
  watchRecording();
  const bar = h('header.bar', brand, nav, meters);
  /** Whether there is too little room for an element and those beside it. */
  const isOver = (each) => {
    if (!narrow.matches) return meters.offsetLeft + meters.offsetWidth > bar.clientWidth - EDGE;
    return (meters.contains(each) ? meters : nav).offsetHeight > 1.5 * settings.offsetHeight;
  };
  /** No row is longer than the window: what matters least goes first; then views go into a list, the last ones first, and their badges beside it. */
  const fit = () => {
    const spare = [...meters.querySelectorAll('.total'), ...meters.querySelectorAll('.real, .totals > span'), kind, ...views.toReversed(), brand];
    for (const each of spare) each.hidden = false;
    others.hidden = true;
    for (const each of spare) {
      if (!isOver(each)) continue;
      each.hidden = each.ariaCurrent !== 'page';
      if (!views.includes(each)) continue;
      others.hidden = false;
      fill(more, 'More', hidden().map((view) => view.querySelector('.alarm')?.cloneNode(true)));
    }
  };
  watch('scenario', () => get('/identity'), ({ environment, adminIsPublic }) => {
    fill(kind, environment === 'serverName' ? 'by server name' : environment);
    warning.hidden = !adminIsPublic || remembered('warned', false, 'sessionStorage');
  });
  const fitting = new ResizeObserver(fit);
  for (const each of [bar, kind, ...meters.children]) fitting.observe(each);
  const badged = new MutationObserver(fit);
  for (const each of Object.values(alarms)) badged.observe(each, { childList: true });
  on('state', () => drawState(state, banner));
  on('summary', () => {
    if (store.summary) drawTotals(numbers);
    if (!store.summary?.relay || views.includes(relay)) return;
    views.push(relay);
    others.before(relay);
    fit();
  });
  return {
    banners: [banner, restarted, warning],
    element: bar,
    select(name, view) {
      title = view;
      entitle();
      for (const each of [...views, relay]) each.setAttribute('aria-current', each.dataset.view === name ? 'page' : 'false');
      // Not now: the page would be laid out for it before the view is there.
      requestAnimationFrame(fit);
      drawState(state, banner);
    },
  };
}

function drawState(state, banner) {
  const isOffline = store.state === 'offline';
  const shown = store.state !== 'live' ? store.state : store.isPaused ? 'paused' : store.isSampling ? 'sampling' : 'live';
  state.className = `state ${shown}`;
  // Numbers that change every second are not read out.
  state.ariaLive = shown === 'sampling' ? 'off' : 'polite';
  fill(state, h('span.dot'), { sampling: `showing ${count(store.toldRate)} of ${count(rate())}/s`, polling: 'every 2 s' }[shown] ?? shown);
  away(isOffline);
  if (!isOffline && !banner.hidden) settled();
  banner.hidden = !isOffline;
  if (isOffline) fill(banner, h('span', store.problem, ' Showing the last known state; retrying.'), button('Try now', retryNow));
}

const rate = () => store.summary?.requestsPerSecond.last10Seconds ?? 0;

/** The rate of the last minute, as a line; the number beside it says it in words. */
function sparkline() {
  const line = svg('polyline');
  const rates = Array(60).fill(0);
  const draw = () => {
    rates.shift();
    rates.push(rate());
    const most = Math.max(...rates, 1);
    line.setAttribute('points', rates.map((each, index) => `${index},${15 - 14 * each / most}`).join(' '));
  };
  on('tick', draw);
  draw();
  return svg('svg.sparkline', { viewBox: '0 0 60 16', 'aria-hidden': 'true' }, line);
}

function drawTotals(element) {
  const { byStatus, number } = totals();
  const ofClass = (kind) => Object.entries(byStatus).reduce((sum, [status, number]) => sum + (status[0] === kind ? number : 0), 0);
  fill(element, h('span.rate', `${count(rate())}/s`), h('span', { title: pushes(number) }, count(number)),
    ['2', '4', '5'].filter(ofClass).map((kind) => h(`a.total.s${kind}`, {
      href: at('pushes', { status: `${kind}xx` }), title: `${pushes(ofClass(kind))} answered ${kind}xx`,
    }, `${kind}xx `, count(ofClass(kind)))));
}

function themes() {
  const theme = select([['light dark', 'system'], 'light', 'dark'], { onchange: () => set() });
  const set = () => {
    document.documentElement.style.colorScheme = theme.value;
    remember('theme', theme.value);
  };
  theme.value = remembered('theme', 'light dark');
  set();
  return theme;
}
