// The filters beside the log: what there is, how often, and saved searches.

import { button, fill, h, icon } from '../base/dom.js';
import { here, address } from '../base/router.js';
import { store } from '../base/store.js';
import { count } from '../base/text.js';
import { remember, remembered } from '../base/theme.js';
import { kindOf } from './status.js';

const MOST = 8;

/** @param {(name: string, value: string) => void} toggle */
export function facets(toggle) {
  const lists = h('div.lists');
  const element = h('aside.facets', { 'aria-label': 'Filters' }, h('details', { open: matchMedia('(min-width: 1100px)').matches },
    h('summary', null, icon('filter'), 'Filters'), lists));
  let shown = '';
  /** @param {URLSearchParams} query */
  const draw = (query) => {
    const summary = store.summary;
    const saved = remembered('searches', []);
    const key = JSON.stringify([String(query), summary?.byStatus, summary?.byReason, summary?.byTopic, saved]);
    if (key === shown) return;
    shown = key;
    const group = (/** @type {string} */ title, /** @type {string} */ name, /** @type {[string, number][]} */ values, mark = false) => {
      const chosen = query.get(name);
      if (chosen && !values.some(([value]) => value === chosen)) values = [...values, [chosen, 0]];
      return values.length > 0 && h('section', null, h('h2', null, title), h('ul', null, values.map(([value, number]) => h('li', null,
        h('button.facet', { type: 'button', 'aria-pressed': String(chosen === value), onclick: () => toggle(name, value), title: value },
          mark && icon(kindOf({ status: Number(value[0]) * 100 })), h('span.name', null, value), h('span.count', null, number ? count(number) : ''))))));
    };
    const byClass = new Map();
    for (const [status, number] of Object.entries(summary?.byStatus ?? {})) {
      const kind = `${status[0]}xx`;
      byClass.set(kind, (byClass.get(kind) ?? 0) + Number(number));
    }
    const most = (/** @type {Record<string, number>} */ of = {}) => Object.entries(of).sort((one, other) => other[1] - one[1]).slice(0, MOST);
    const q = query.get('q') ?? '';
    fill(lists,
      group('Answer', 'status', [...byClass].sort(), true), group('Reason', 'reason', most(summary?.byReason)),
      group('Topic', 'topic', most(summary?.byTopic)),
      group('Delivery', 'delivery', [['Delivered', 0], ['Stored', 0], ['Discarded', 0]]),
      group('Push type', 'pushType', [['alert', 0], ['background', 0], ['liveactivity', 0], ['voip', 0]]),
      h('section', null, h('h2', null, 'Saved'), h('ul', null, saved.map((/** @type {string} */ search) => h('li.saved', null,
        h('a.facet', { href: address(['pushes'], new URLSearchParams(search)), 'aria-current': search === text(query) ? 'true' : null }, h('span.name', null, nameOf(search))),
        button(null, () => save(saved.filter((/** @type {string} */ each) => each !== search)), { icon: 'close', class: 'quiet', 'aria-label': `Forget ${nameOf(search)}` })))),
      text(query) && !saved.includes(text(query))
        ? button('Save this search', () => save([...saved, text(query)]), { icon: 'plus', class: 'quiet small' })
        : !saved.length && h('p.muted', null, q ? '' : 'Search or filter, then save it here.')));
  };
  /** @param {string[]} searches */
  const save = (searches) => {
    remember('searches', searches);
    draw(here().query);
  };
  return { element, draw };
}

/** @param {URLSearchParams} query */
function text(query) {
  const filters = new URLSearchParams(query);
  filters.delete('at');
  return filters.toString();
}

/** @param {string} search */
function nameOf(search) {
  return [...new URLSearchParams(search)].map(([name, value]) => (name === 'q' ? value : `${name} ${value}`)).join(', ');
}
