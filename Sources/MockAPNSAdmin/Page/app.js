// The page's program: the frame, and which view is in it.

import { discover, home, tokens } from './base/api.js';
import { askForToken, failed } from './base/dialogs.js';
import { fill, h } from './base/dom.js';
import { keys } from './base/keys.js';
import { go, start } from './base/router.js';
import { begin } from './base/store.js';
import { theme } from './base/theme.js';
import { frame } from './parts/frame.js';

/**
 * A view: what it is called, what it shows, and what it does when it is left.
 *
 * @typedef {{title: string, element: HTMLElement, update?: (address: import('./base/router.js').Address) => void,
 *   end?: () => void, keys?: Record<string, () => void>}} View
 */

/** @type {Record<string, () => Promise<{open: (address: import('./base/router.js').Address) => View}>>} */
const VIEWS = {
  pushes: () => import('./views/pushes.js'),
  push: () => import('./views/push.js'),
  devices: () => import('./views/devices.js'),
  device: () => import('./views/device.js'),
  faults: () => import('./views/faults.js'),
  expect: () => import('./views/expect.js'),
  send: () => import('./views/send.js'),
  scenario: () => import('./views/scenario.js'),
};

const main = h('main', { id: 'main', tabindex: '-1' });
/** @type {{key: string, view: View} | null} */
let open = null;
let turn = 0;

/** @param {import('./base/router.js').Address} address */
async function show(address) {
  const [name = 'pushes', ...rest] = address.path;
  if (address.path.length === 0) return go(`${home}/pushes${location.search}`, { replace: true });
  const kind = name === 'pushes' && rest.length ? 'push' : name === 'devices' && rest.length ? 'device' : name;
  const key = [kind, ...rest].join('/');
  if (open?.key === key && open.view.update) return open.view.update(address);
  const mine = ++turn;
  const known = VIEWS[kind];
  const view = known ? (await known()).open({ ...address, path: rest }) : unknown(location.pathname);
  if (mine !== turn) return view.end?.();
  open?.view.end?.();
  open = { key, view };
  keys.view = view.keys ?? {};
  document.title = `${view.title} · mock-apns`;
  bar.select(name);
  fill(main, view.element);
  main.scrollTop = 0;
}

/** @param {string} path @returns {View} */
function unknown(path) {
  return {
    title: 'Not found',
    element: h('div.empty', null, h('h1', null, 'There is nothing here'), h('p', null, `The page has no view ${path}.`),
      h('p', null, h('a', { href: `${home}/pushes` }, 'To the pushes'))),
  };
}

theme.begin();
tokens.ask = askForToken;
addEventListener('unhandledrejection', (event) => failed(event.reason));
const bar = frame();
fill(/** @type {Element} */ (document.getElementById('app')), bar.banner, bar.element, main);
keys.begin();
try {
  await discover();
} catch (error) {
  failed(error);
}
bar.ready();
begin();
start(show);
