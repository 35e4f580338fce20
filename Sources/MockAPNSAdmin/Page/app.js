// The page's program: the frame, and which view is in it.

// Neighbours are similar, which compresses better.
import { faultDialog } from './parts/faults.js';
import { frame } from './parts/frame.js';
import { open as scenario } from './views/scenario.js';
import { open as recording } from './views/recording.js';
import { open as providers } from './views/providers.js';
import { open as faults } from './views/faults.js';
import { open as lint } from './views/lint.js';
import { open as differences } from './views/differences.js';
import { open as expect } from './views/expect.js';
import { open as device } from './views/device.js';
import { open as reasons } from './views/reasons.js';
import { open as send } from './views/send.js';
import { access, askForToken, at, begin, failed, fill, go, h, here, keys, link, nextView, on, settled, start, store } from './base.js';
import { open as channels } from './views/channels.js';
import { open as channel } from './views/channel.js';
import { open as devices } from './views/devices.js';
import { open as pushes } from './views/pushes.js';
import { open as push } from './views/push.js';

/**
 * What modules hand to each other; members that have the API's names are what its document says.
 *
 * @typedef {{path: string[], query: URLSearchParams}} Address where the page is: its parts, without the view's name.
 * @typedef {{title: string, element: HTMLElement, update?: (address: Address) => void, keys?: Record<string, () => void>}}
 *   View what `open(address)` of a module in `views` makes; `update` is for another query of the same path, or while the view `goesOn`.
 * @typedef {object} Row a line of the log: a `RequestRow` of the API.
 * @typedef {{text: string, label: string, problem?: string, match?: object, lint?: object, test?: (row: Row) => boolean}} Term
 *   a part of a search, as a MATCH, as what lint finds or, if the API knows neither for it, as a test.
 * @typedef {{name: string, then: object, when?: object, times: number | null}} Fault
 *   what can be made to happen, as members of a rule; with `times: null` that is not counted.
 */

const VIEWS = { __proto__: null, pushes, devices, providers, faults, expect, lint, channels, send, scenario, differences, reasons };
/** Views that show one of a list when the address goes on. */
const ONE_OF = { __proto__: null, pushes: push, devices: device, channels: channel, scenario: recording };

const main = h('main', { id: 'main', tabindex: '-1' });
let open = {};

function show({ path: [name, ...path], query }) {
  if (!name) return go(`${at('pushes')}${location.search}`, true);
  const address = { path, query };
  const key = [name, ...path].join('/');
  if (open.view?.update && (open.key === key || open.view.goesOn)) {
    open.view.update(address);
    if (open.key !== key) bar.select(name, open.view.title);
    open.key = key;
    return null;
  }
  const isFirst = !open.key;
  nextView();
  const view = ((path.length && ONE_OF[name]) || VIEWS[name] || unknown)(address);
  open = { key, view, isBlind: store.state === 'offline' };
  keys.view = { f: faultDialog, ...view.keys };
  bar.select(name, view.title);
  settled();
  fill(main, open.isBlind && h('p.banner', 'Opened without the server: what was not read before is missing.'), view.element);
  main.scrollTop = 0;
  // From one view to the next, Tab goes on in that, not in what is around it.
  if (!isFirst && document.activeElement === document.body) main.focus();
}

const unknown = () => ({
  title: 'Not found', element: h('div.empty', h('h1', 'There is nothing here'), h('p', link(at('pushes'), 'To the pushes'))),
});

access.ask = askForToken;
addEventListener('unhandledrejection', (event) => failed(event.reason));
// What was opened without the server is read once that is back.
on('state', () => {
  if (!open.isBlind || store.state === 'offline') return;
  open = {};
  show(here());
});
begin();
const bar = frame();
fill(document.getElementById('app'), bar.banners, bar.element, main);
keys.listen();
start(show);
