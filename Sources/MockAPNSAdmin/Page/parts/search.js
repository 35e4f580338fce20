// The search field, what it was understood as, and saved searches.

import { copy, sheet } from '../base/dialogs.js';
import { button, fill, h, icon, throttled } from '../base/dom.js';
import { matchOf, parse, SYNTAX } from './query.js';

/** @param {(text: string) => void} search */
export function searchField(search) {
  const soon = throttled(() => search(field.value.trim()), 250);
  const field = h('input', {
    type: 'search', placeholder: 'Search', 'aria-label': 'Search the pushes', spellcheck: 'false', autocomplete: 'off',
    'aria-describedby': 'search-help', oninput: () => soon(),
  });
  const chips = h('div.chips');
  const element = h('div.search', { role: 'search' }, icon('search'), field,
    button(null, help, { icon: 'help', class: 'quiet', 'aria-label': 'What can be searched for', title: 'What can be searched for' }),
    h('span.sr', { id: 'search-help' }, 'Words, or fields such as status:410 and device:alice'));
  return {
    element, chips,
    focus() {
      field.focus();
      field.select();
    },
    /**
     * @param {string} text
     * @param {{name: string, value: string}[]} filters of the address, beside the text.
     * @param {import('./query.js').Term[]} terms
     * @param {(name: string) => void} drop
     */
    show(text, filters, terms, drop) {
      if (document.activeElement !== field) field.value = text;
      const own = parse(text);
      const wrong = own.filter((term) => term.problem);
      field.setAttribute('aria-invalid', String(wrong.length > 0));
      fill(chips,
        filters.map(({ name, value }) => chip(`${name} ${value}`, () => drop(name))),
        own.map((term, index) => term.problem
          ? h('span.chip.wrong', null, `${term.text}: ${term.problem}`)
          : chip(term.label, () => {
            field.value = own.filter((_, other) => other !== index).map((each) => each.text).join(' ');
            search(field.value);
          })),
        terms.length > 0 && button('As MATCH', () => showMatch(terms), { class: 'quiet small', title: 'The same search for tests and scenarios' }));
      chips.hidden = chips.childElementCount === 0;
    },
    /** @param {any} error */
    problem(error) {
      fill(chips, h('span.chip.wrong', null, String(error?.message ?? error)));
      chips.hidden = false;
    },
  };
}

/** @param {string} label @param {() => void} drop */
function chip(label, drop) {
  return h('span.chip', null, h('span', { dir: 'auto' }, label), button(null, drop, { icon: 'close', 'aria-label': `Remove the filter ${label}` }));
}

function help() {
  sheet('Search', h('dl.keys.wide', null, SYNTAX.map(([example, what]) => [h('dt', null, h('code', null, example)), h('dd', null, what)])));
}

/** @param {import('./query.js').Term[]} terms */
function showMatch(terms) {
  const text = JSON.stringify({ requests: matchOf(terms) }, null, 2);
  sheet('This search, for a test', h('p.muted', null, 'As the body of POST /api/v1/requests/find, count or wait, and as an expectation of a scenario.'),
    h('pre.code', { tabindex: '0' }, text), h('div.actions', null, button('Copy', () => copy(text, 'the MATCH'), { icon: 'copy' })));
}
