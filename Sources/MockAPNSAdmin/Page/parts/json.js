// JSON as a tree of text; what is deep is folded.

import { h } from '../base.js';

const DEPTH = 3;

export function tree(value, depth = 0) {
  if (value === null || typeof value !== 'object') return h(`span.json.${value === null ? 'null' : typeof value}`, { dir: 'auto' }, JSON.stringify(value));
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries = Object.entries(value);
  if (!entries.length) return h('span.json', open + close);
  return h('details.json', { open: depth < DEPTH }, h('summary', open, h('span.folded', ` ${entries.length} ${close}`)),
    h('ul', entries.map(([key, each]) => h('li', open === '{' && [h('span.key', { dir: 'auto' }, JSON.stringify(key)), ': '], tree(each, depth + 1)))),
    h('span.end', close));
}
