// The page's program: the frame, and which view is in it.

import { access, askForToken, at, begin, failed, fill, go, h, keys, nextView, start } from './base.js';
import { frame } from './parts/frame.js';

/**
 * What modules hand to each other; members that have the API's names are what its document says.
 *
 * @typedef {{path: string[], query: URLSearchParams}} Address where the page is: its parts, without the view's name.
 * @typedef {{title: string, element: HTMLElement, update?: (address: Address) => void, keys?: Record<string, () => void>}}
 *   View what `open(address)` of a module in `views` makes; `update` is for another query of the same path.
 * @typedef {object} Row a line of the log: a `RequestRow` of the API.
 * @typedef {{text: string, label: string, problem?: string, match?: object, test?: (row: Row) => boolean}} Term
 *   a part of a search, as a MATCH or, if the API knows none for it, as a test.
 * @typedef {{name: string, then: object, when?: object, times: number | null}} Fault
 *   what can be made to happen, as members of a rule; with `times: null` that is not counted.
 */

const VIEWS = ['pushes', 'devices', 'faults', 'expect', 'send', 'scenario', 'reasons'];
/** Views that show one of a list when the address goes on. */
const ONE_OF = { pushes: 'push', devices: 'device' };

const main = h('main', { id: 'main', tabindex: '-1' });
let open = {};

async function show({ path: [name, ...path], query }) {
  if (!name) return go(`${at('pushes')}${location.search}`, true);
  const address = { path, query };
  const key = [name, ...path].join('/');
  if (open.key === key && open.view?.update) return open.view.update(address);
  const mine = open = { key };
  const file = (path.length && ONE_OF[name]) || name;
  const module = VIEWS.includes(name) ? await import(`./views/${file}.js`) : { open: unknown };
  if (mine !== open) return;
  nextView();
  open.view = module.open(address);
  keys.view = open.view.keys ?? {};
  document.title = `${open.view.title} · mock-apns`;
  bar.select(name);
  fill(main, open.view.element);
  main.scrollTop = 0;
}

const unknown = () => ({
  title: 'Not found', element: h('div.empty', h('h1', 'There is nothing here'), h('p', h('a', { href: at('pushes') }, 'To the pushes'))),
});

access.ask = askForToken;
addEventListener('unhandledrejection', (event) => failed(event.reason));
const bar = frame();
fill(document.getElementById('app'), bar.banner, bar.element, main);
keys.listen();
begin();
start(show);
