// JSON as a tree of text; what is deep is folded.

import { counted, h } from '../base.js';

const DEPTH = 3;

/** `comma` is what follows it. */
export function tree(value, depth = 0, comma = '') {
  if (value === null || typeof value !== 'object') return [h(`span.json.${value === null ? 'null' : typeof value}`, { dir: 'auto' }, JSON.stringify(value)), comma];
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries = Object.entries(value);
  if (!entries.length) return h('span.json', open + close + comma);
  return h('details.json', { open: depth < DEPTH }, h('summary', open, h('span.folded', `…${close} ${counted(entries.length, open === '{' ? 'member' : 'item')}`)),
    h('ul', entries.map(([key, each], index) => h('li', open === '{' && [h('span.key', { dir: 'auto' }, JSON.stringify(key)), ': '], tree(each, depth + 1, entries[index + 1] && ',')))),
    h('span.end', close, comma));
}
