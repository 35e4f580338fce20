// Addresses: all that is to be seen is in the URL, so that a link opens the same view.

import { home } from './api.js';

/** @typedef {{path: string[], query: URLSearchParams}} Address */

/** @type {(address: Address) => void} */
let show = () => {};

/** Where the page is. @returns {Address} */
export function here() {
  const rest = location.pathname.slice(home.length).split('/').filter(Boolean);
  return { path: rest.map(decode), query: new URLSearchParams(location.search) };
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The address of a view.
 *
 * @param {string[]} path
 * @param {Record<string, string | number | null | undefined> | URLSearchParams} [query] what is empty is left out.
 */
export function address(path, query = {}) {
  const given = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const parameters = new URLSearchParams();
  for (const [name, value] of given) if (value !== null && value !== undefined && value !== '') parameters.append(name, String(value));
  const search = parameters.toString();
  return `${home}/${path.map(encodeURIComponent).join('/')}${search ? `?${search}` : ''}`;
}

/**
 * Goes to an address of the page.
 *
 * @param {string} to
 * @param {{replace?: boolean}} [options]
 */
export function go(to, { replace = false } = {}) {
  if (to === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  show(here());
}

/**
 * Shows where the page is, now and whenever that changes.
 *
 * @param {(address: Address) => void} act
 */
export function start(act) {
  show = act;
  addEventListener('popstate', () => show(here()));
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!target || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const to = target.getAttribute('href') ?? '';
    if (!(to === home || to.startsWith(`${home}/`)) || target.hasAttribute('download') || target.hasAttribute('target')) return;
    event.preventDefault();
    go(to);
  });
  show(here());
}
