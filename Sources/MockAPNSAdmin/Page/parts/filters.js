// The search field with what it was understood as.

import { button, fill, h, input, json, sheet, sign, snippet, throttled } from '../base.js';
import { completion, KEYS, meant } from './completion.js';
import { filtersOf } from './parameters.js';
import { matchOf, parse } from './query.js';

/** The field, and its chips. `change` gets parameters of the address, with null for one that is dropped; `toList` leaves the field. */
export function searchField(change, toList) {
  const search = (text) => change({ q: text.trim() });
  const keyed = ({ key }) => {
    if (key === 'Enter') toList();
    if (key === 'Escape') search(field.value = '');
  };
  const field = input({
    type: 'search', placeholder: 'Search', label: 'Search the pushes', oninput: throttled(() => search(field.value), 250),
  });
  const list = completion(field, () => search(field.value));
  field.addEventListener('keydown', keyed);
  const chips = h('div.chips');
  const chip = (label, drop) => h('span.chip', h('span', { dir: 'auto' }, label), sign('✕', `Remove the filter ${label}`, drop));
  return {
    element: h('div.search', { role: 'search' }, field, list, sign('?', 'What can be searched for', help)), chips,
    focus: () => field.select(),
    show(query, terms) {
      const text = query.get('q') ?? '';
      if (document.activeElement !== field) field.value = text;
      const own = parse(text);
      field.setAttribute('aria-invalid', own.some((term) => term.problem));
      const rewrite = (old, next = []) => search(field.value = own.flatMap((each) => (each === old ? next : each.text)).join(' '));
      const filters = filtersOf(query).flatMap(([name, key, values]) => values.map((value) =>
        chip(`${name.startsWith('-') ? 'not ' : ''}${key} ${value}`, () => change({ [name]: values.filter((other) => other !== value) }))));
      fill(chips, filters, own.map((term) => {
        const better = meant(term.text);
        if (term.problem) return h('span.chip.wrong', `${term.text}: ${term.problem}`);
        return better ? h('span.chip.wrong', `No key “${term.text.replace(/:.*/s, '')}”. Did you mean `, button(better, () => rewrite(term, better)), '?')
          : chip(term.label, () => rewrite(term));
      }), terms.length > 0 && button('As MATCH', () => showMatch(terms), { class: 'quiet', title: 'For tests and scenarios' }));
    },
    problem: (error) => fill(chips, h('span.chip.wrong', error.message)),
  };
}

/** What can be written without keys, and with them. */
const SYNTAX = { goal: 'anywhere: payload, device, token, ids, topic, reason, key, user agent', '"two words"': 'exactly this', '-word': 'not this', '#295': 'push 295', 'status:4xx,503': 'any of them' };

const help = () => sheet('Search', h('dl.keys', [...Object.entries(SYNTAX), ...Object.entries(KEYS).map(([key, [what]]) => [`${key}:`, what])]
  .map(([example, what]) => [h('dt', h('code', example)), h('dd', what)])));

const showMatch = (terms) => sheet('This search, for a test', terms.some((term) => !term.match && !term.lint) && h('p', 'Without times, user agents, numbers of pushes and “replaced”, which no MATCH can say.'),
  snippet(json(matchOf(terms)), 'the MATCH'));
