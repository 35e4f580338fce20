// Addresses: all that is to be seen is in the URL, so that a link opens the same view.

import { home } from './api.js';
import { link } from './dom.js';
import { channelKey, deviceLabel, foreign } from './text.js';

let show = null;

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Where the page is. */
export const here = () => ({
  path: location.pathname.slice(home.length).split('/').filter(Boolean).map(decoded), query: new URLSearchParams(location.search),
});

/** The address of a view: `at('pushes', 7, { tab: 'why' })`. Parameters that are empty are left out. */
export function at(...path) {
  const query = typeof path.at(-1) === 'object' ? path.pop() : {};
  const given = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const search = new URLSearchParams(given.filter(([, value]) => value || value === 0));
  return `${home}/${path.map(encodeURIComponent).join('/')}${search.size ? `?${search}` : ''}`;
}

export const pushLink = (sequence, label = `Push ${sequence}`, query = {}) => link(at('pushes', sequence, query), label);

/** A broadcast channel of the API: its id and, if it has one, its name. */
export const channelLink = (channelID, name) => link(at('channels', channelKey({ name, channelID })), foreign(name ?? channelID));

/** A device of the API, by its name or the first digits of its token. */
export const deviceLink = ({ name, token }) => link(at('devices', name ?? token), name ? foreign(name) : deviceLabel({ token }));

/** Goes to an address of the page; `replace` leaves no trace of this one for “back”. */
export function go(to, replace = false) {
  if (to === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  show(here());
}

/** Shows where the page is, now and whenever that changes. */
export function start(act) {
  show = act;
  addEventListener('popstate', () => show(here()));
  document.addEventListener('click', (event) => {
    const target = event.target.closest('a[href]');
    const to = target?.getAttribute('href') ?? '';
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (!`${to}/`.startsWith(`${home}/`) || target.download || target.target) return;
    event.preventDefault();
    go(to);
  });
  show(here());
}
