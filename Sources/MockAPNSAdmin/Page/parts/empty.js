// What is said where the log shows nothing.

import { at, button, fill, h, link, post, pushes, root, save, snippet, store } from '../base.js';
import { firstPush } from './copies.js';
import { questionOf } from './query.js';

/** No push has come yet. */
export function noPushes() {
  const { identity } = store;
  // Until the log has been read, it is unknown whether one has come.
  if (!identity || !store.isWhole) return null;
  const { apns, certificateAuthority, keyID, teamID, topic } = identity;
  return h('div.empty', h('h2', 'No pushes yet'),
    h('p', 'Point your provider at ', h('code', apns), ' and let it trust the authority; topic ', h('code', topic), ', key ', h('code', keyID), ', team ', h('code', teamID), '.'),
    h('p', 'Or push from a shell:'), snippet(firstPush(identity), 'the command'),
    h('p.line', link(at('send'), 'Send one from here'), button('Save the authority', () => save('ca.pem', [certificateAuthority], 'application/x-pem-file')),
      link(`${root}/identity?format=shell`, 'Identity as shell variables', { target: '_blank', rel: 'noopener' })));
}

/** How many pushes a search finds. */
const numberOf = async (terms) => (await post('/requests/count', questionOf(terms))).count;

/** Nothing matches: which filter leaves out how many. */
export function noMatch(terms, clear) {
  const list = h('ul');
  Promise.all(terms.map(async (term) =>
    h('li', 'Without ', h('b', term.label), ': ', pushes(await numberOf(terms.filter((other) => other !== term)))))).then((items) => fill(list, items), () => {});
  return h('div.empty', h('h2', 'No push matches'), list, button('Clear all filters', clear));
}
