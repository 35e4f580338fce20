// The search field with what it was understood as; and beside the log what there is, how often, and saved searches.

import { at, button, count, fill, h, here, icon, input, json, refill, remember, remembered, section, sheet, sign, snippet, store, throttled, totals } from '../base.js';
import { parse, questionOf, SYNTAX } from './query.js';
import { kindOf } from './status.js';

/** Parameters of the address that are filters, and the key of the search that says the same. */
export const PARAMETERS = { __proto__: null, status: 'status', device: 'device', topic: 'topic', reason: 'reason', pushType: 'type', delivery: 'delivery' };
/** Facets of one kind that are shown. */
const MOST = 8;

/** All filters of an address as one search. */
export const searchOf = (query) => [...query].flatMap(([name, value]) =>
  (name === 'q' ? value : PARAMETERS[name] ? `${PARAMETERS[name]}:${/\s/.test(value) ? `"${value}"` : value}` : [])).join(' ').trim();

/** The field, and its chips. `change` gets parameters of the address, with null for one that is dropped; `toList` leaves the field. */
export function searchField(change, toList) {
  const search = (text) => change({ q: text.trim() });
  const keyed = ({ key }) => {
    if (key === 'Enter') toList();
    if (key === 'Escape') search(field.value = '');
  };
  const field = input({
    type: 'search', placeholder: 'Search', label: 'Search the pushes', oninput: throttled(() => search(field.value), 250),
    onkeydown: keyed,
  });
  const chips = h('div.chips');
  const chip = (label, drop) => h('span.chip', h('span', { dir: 'auto' }, label), sign('✕', `Remove the filter ${label}`, drop));
  return {
    element: h('div.search', { role: 'search' }, field, sign('?', 'What can be searched for', help)), chips,
    focus: () => field.select(),
    show(query, terms) {
      const text = query.get('q') ?? '';
      if (document.activeElement !== field) field.value = text;
      const own = parse(text);
      field.setAttribute('aria-invalid', own.some((term) => term.problem));
      fill(chips, [...query].filter(([name]) => PARAMETERS[name]).map(([name, value]) => chip(`${PARAMETERS[name]} ${value}`, () => change({ [name]: null }))),
        own.map((term) => (term.problem ? h('span.chip.wrong', `${term.text}: ${term.problem}`)
          : chip(term.label, () => search(own.filter((other) => other !== term).map((other) => other.text).join(' '))))),
        terms.length > 0 && button('As MATCH', () => showMatch(terms), { class: 'quiet', title: 'For tests and scenarios' }));
    },
    problem: (error) => fill(chips, h('span.chip.wrong', error.message)),
  };
}

const help = () => sheet('Search', h('dl.keys', Object.entries(SYNTAX).map(([example, what]) => [h('dt', h('code', example)), h('dd', what)])));

const showMatch = (terms) => sheet('This search, for a test', terms.some((term) => term.test) && h('p', 'Without times and “replaced”.'),
  snippet(json(questionOf(terms)), 'the MATCH'));

/** What there is, and how often. */
export function facets(change) {
  const lists = h('div.lists');
  let shown = '';
  const draw = (query) => {
    const { byStatus = {}, byReason, byTopic } = totals();
    const isSinceStart = store.summary && !store.counts;
    const saved = remembered('searches', []);
    const key = JSON.stringify([String(query), byStatus, byReason, byTopic, saved, isSinceStart]);
    if (key === shown) return;
    shown = key;
    const byClass = {};
    for (const [status, number] of Object.entries(byStatus)) byClass[`${status[0]}xx`] = (byClass[`${status[0]}xx`] ?? 0) + number;
    const group = (title, name, numbers = {}) => {
      const chosen = query.get(name);
      const values = Object.entries({ ...numbers, ...(chosen && { [chosen]: numbers[chosen] ?? 0 }) }).sort((one, other) => other[1] - one[1])
        .filter(([value], index) => index < MOST || value === chosen);
      return values.length > 0 && section(title, h('ul', values.map(([value, number]) => h('li', h('button.facet', {
        type: 'button', 'aria-pressed': chosen === value, title: value, onclick: () => change({ [name]: chosen === value ? null : value }),
      }, name === 'status' && icon(kindOf({ status: value[0] * 100 })), h('span.name', value), number > 0 && h('span.count', count(number)))))));
    };
    const now = filtersOf(query);
    refill(lists, group('Answer', 'status', byClass), group('Reason', 'reason', byReason), group('Topic', 'topic', byTopic),
      group('Delivery', 'delivery', { Delivered: 0, Stored: 0, Discarded: 0 }),
      isSinceStart && h('p.muted', 'Counted since the start.'),
      section('Saved', h('ul', saved.map((search) => h('li.line', h('a.facet', { href: at('pushes', new URLSearchParams(search)) }, nameOf(search)),
        sign('✕', `Forget ${nameOf(search)}`, () => keep(saved.filter((each) => each !== search)))))),
      now && !saved.includes(now) ? button('Save this search', () => keep([...saved, now]))
        : !saved.length && h('p.muted', 'No search yet.')));
  };
  const keep = (searches) => {
    remember('searches', searches);
    draw(here().query);
  };
  return {
    draw,
    element: h('aside.facets', { label: 'Filters' }, h('details', { open: matchMedia('(min-width: 1100px)').matches }, h('summary', 'Filters'), lists)),
  };
}

function filtersOf(query) {
  const filters = new URLSearchParams(query);
  filters.delete('at');
  filters.delete('tab');
  return String(filters);
}

const nameOf = (search) => [...new URLSearchParams(search)].map(([name, value]) => (name === 'q' ? value : `${name} ${value}`)).join(', ');
