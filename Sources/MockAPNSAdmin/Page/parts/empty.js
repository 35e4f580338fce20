// What is said where there is nothing yet.

import { features, home, post } from '../base/api.js';
import { copy } from '../base/dialogs.js';
import { button, fill, h, link } from '../base/dom.js';
import { store } from '../base/store.js';
import { counted } from '../base/text.js';
import { firstPush } from './copies.js';
import { matchOf } from './query.js';

export const empty = {
  /** Nobody has pushed. */
  noPushes() {
    const identity = store.identity;
    const line = identity ? firstPush(identity) : '';
    return h('div.empty', null, h('h2', null, 'No pushes yet'),
      h('p', null, 'Point your provider at ', h('code', null, identity?.apns ?? 'the provider port'),
        ' and let it trust the server\'s authority; topic ', h('code', null, identity?.topic), ', key ', h('code', null, identity?.keyID), ', team ', h('code', null, identity?.teamID), '.'),
      h('p', null, 'Or push from a shell:'),
      h('div.snippet', null, h('pre.code', { tabindex: '0' }, line), button('Copy', () => copy(line, 'the command'), { icon: 'copy' })),
      h('p', null, features.sends && [link(`${home}/send`, 'Send a push from here'), ' · '],
        link(`/api/v1${home.slice(3)}/identity?format=shell`, 'identity as shell variables', { target: '_blank', rel: 'noopener' })));
  },
  /**
   * Nothing matches: which filter leaves out how many.
   *
   * @param {import('./query.js').Term[]} terms
   * @param {() => void} clear
   */
  noMatch(terms, clear) {
    const list = h('ul');
    const asked = terms.filter((term) => term.match);
    Promise.all(asked.map(async (term) => {
      const { count } = await post('/requests/count', { requests: matchOf(terms.filter((other) => other !== term)) });
      return h('li', null, 'Without ', h('b', null, term.label), ': ', counted(count, 'push', 'pushes'));
    })).then((items) => fill(list, items), () => {});
    return h('div.empty', null, h('h2', null, 'No push matches'), list, button('Clear all filters', clear));
  },
};
