// What can be written in the search: keys, and values that there are, below the field; and what a mistaken key meant.

import { count, h, on } from '../base.js';
import { learn, valuesOf } from './facets.js';
import { TERM } from './query.js';

const words = (text) => text.split(' ');

/** Keys of the search: what each is about, and values that are always known. */
export const KEYS = {
  status: ['answer, or its class', words('2xx 4xx 5xx')], reason: ['why it was refused'], device: ['name of the device'],
  token: ['beginning of the device token'],
  type: ['push type', words('alert background complication controls fileprovider liveactivity location mdm pushtotalk voip widgets')],
  topic: ['topic'], collapse: ['collapse id'], id: ['apns-id'], priority: ['priority', words('10 5 1')], rule: ['rule that decided'],
  decided: ['what decided', words('checks device connection outage upstream')], key: ['key of the provider token'], team: ['its team'],
  connection: ['number of the connection'],
  delivery: ['delivery', words('Delivered Stored Discarded')], outcome: ['outcome', words('responded delayed stalled reset goAway closed ignored cancelled')],
  by: ['who sent it', words('provider admin')], is: ['a quality', words('refused stored replaced background sent linted')],
  has: ['a field that is there', words('collapse device id reason')],
  lint: ['rule of lint'], agent: ['part of the user agent'], larger: ['bytes of the payload', words('1k 3k')], smaller: ['bytes of the payload', words('100 1k')],
  slower: ['time to the answer', words('100ms 1s')], after: ['time of day, or date'], before: ['time of day, or date'],
  payload: ['JSON Pointer, such as /aps/badge>3', words('/aps/alert/title /aps/badge /aps/category /aps/content-available=1 /aps/sound /aps/thread-id')],
};
/** Suggestions that are shown. */
const MOST = 8;
/** Letters of a word from which on values are suggested. */
const ENOUGH = 2;

const quoted = (value) => (/[\s",]/.test(value) ? `"${value.replaceAll('"', '')}"` : value);

const spelled = (value, typed) => value.toLowerCase().startsWith(typed) || (typed.length >= ENOUGH && value.toLowerCase().includes(typed));

/** The values of a key but those that are listed, each with how often it is found, if that is known: those that are frequent first. */
function known(key, typed, listed) {
  const found = Object.entries(valuesOf(key));
  const others = (KEYS[key]?.[1] ?? []).filter((value) => !found.some(([each]) => each === value)).map((value) => [value, null]);
  return found.sort((one, other) => other[1] - one[1]).concat(others).filter(([value]) => spelled(value, typed) && value.toLowerCase() !== typed && !`,${listed}`.includes(`,${quoted(value)},`));
}

/** What could stand at the end of this text: the place from which on it is replaced, and by what. */
function suggestions(text) {
  const last = [...text.matchAll(TERM)].at(-1);
  const part = last && last.index + last[0].length === text.length ? last[0] : '';
  const [, not, key, listed, typed] = /^(-?)(\w+):((?:"[^"]*",|[^",]*,)*)"?([^"]*)$/.exec(part) ?? [];
  const from = text.length - part.length;
  if (key) {
    const items = known(key, typed.toLowerCase(), listed).slice(0, MOST)
      .map(([value, number]) => ({ text: `${not}${key}:${listed}${quoted(value)} `, label: value, note: '', number }));
    return { from, items };
  }
  const word = part.replace(/^-/, '').toLowerCase();
  const sign = part.startsWith('-') ? '-' : '';
  const keys = Object.entries(KEYS).filter(([name]) => name.startsWith(word))
    .map(([name, [note]]) => ({ text: `${sign}${name}:`, label: `${name}:`, note, number: null }));
  const values = word.length < ENOUGH ? [] : Object.keys(KEYS).flatMap((name) => Object.entries(valuesOf(name))
    // Rules have a key of their own.
    .filter(([value]) => spelled(value, word) && !value.startsWith('rule:')).map(([value, number]) => ({ text: `${sign}${name}:${quoted(value)} `, label: value, note: name, number })));
  return { from, items: [...values.slice(0, MOST - Math.min(3, keys.length)), ...keys].slice(0, MOST) };
}

/** How many letters of two words do not go together, in whatever order. */
function unlike(one, other) {
  const rest = [...other];
  const strange = [...one].filter((letter) => !rest.includes(letter) || !rest.splice(rest.indexOf(letter), 1));
  return Math.max(strange.length, rest.length);
}

/** What a part of a search with a key that does not exist meant; null if it is none, or like no other. */
export function meant(part) {
  const [, not, key, rest] = /^(-?)([a-z]+)(:.*)$/is.exec(part) ?? [];
  if (!key || KEYS[key]) return null;
  const word = key.toLowerCase();
  const near = Object.keys(KEYS).find((name) => word === name || word === `apns${name}`)
    ?? Object.keys(KEYS).find((name) => name.length > 2
      && (word.includes(name) || (word.length > 2 && name.startsWith(word)) || (name[0] === word[0] && unlike(word, name) < 2)));
  return near ? not + near + rest : null;
}

/** The list below a search field; `apply` is told of the text that it made. */
export function completion(field, apply) {
  const list = h('ul.completion', { role: 'listbox', id: 'completion', label: 'Suggestions', hidden: true });
  let items = [];
  let from = 0;
  let chosen = -1;
  /** Whether the user has typed, and not closed it. */
  let isWanted = false;
  const states = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': 'completion', 'aria-expanded': false };
  for (const [name, value] of Object.entries(states)) field.setAttribute(name, value);

  function close() {
    isWanted = false;
    items = [];
    draw();
  }
  function suggest() {
    const caret = field.selectionStart ?? field.value.length;
    ({ from, items } = suggestions(field.value.slice(0, caret)));
    chosen = -1;
    isWanted = true;
    draw();
  }
  function draw() {
    list.hidden = !items.length;
    field.setAttribute('aria-expanded', items.length > 0);
    list.replaceChildren(...items.map(({ label, note, number }, index) => h('li', {
      role: 'option', id: `option-${index}`, 'aria-selected': index === chosen, onpointerdown: (event) => event.preventDefault(), onclick: () => take(index),
    }, h('span.name', { dir: 'auto' }, label), h('span.muted', note), number > 0 && h('span.count', count(number)))));
    if (chosen < 0) field.removeAttribute('aria-activedescendant');
    else field.setAttribute('aria-activedescendant', `option-${chosen}`);
  }
  function take(index) {
    const { text } = items[index];
    const rest = field.value.slice(field.selectionStart ?? field.value.length).trimStart();
    field.value = field.value.slice(0, from) + text + rest;
    field.setSelectionRange(from + text.length, from + text.length);
    apply();
    if (text.endsWith(':')) suggest();
    else close();
  }
  field.addEventListener('focus', learn);
  // Who types faster than the server counts.
  on('values', () => isWanted && chosen < 0 && suggest());
  field.addEventListener('input', suggest);
  field.addEventListener('click', () => items.length || suggest());
  field.addEventListener('blur', close);
  field.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !items.length) suggest();
    if (!items.length) return;
    if (step) {
      chosen = (chosen + step + items.length + (chosen < 0 && step < 0 ? 1 : 0)) % items.length;
      draw();
    } else if (event.key === 'Enter' && chosen >= 0) take(chosen);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  return list;
}
