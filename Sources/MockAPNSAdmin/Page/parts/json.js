// JSON as a tree of text; what is deep is folded.

import { h } from '../base/dom.js';
import { visible } from '../base/text.js';

const DEPTH = 3;

/**
 * @param {any} value
 * @param {number} [depth]
 * @returns {HTMLElement}
 */
export function tree(value, depth = 0) {
  if (value === null || typeof value !== 'object') return leaf(value);
  const isList = Array.isArray(value);
  const entries = isList ? value.map((each, index) => [index, each]) : Object.entries(value);
  const [open, close] = isList ? '[]' : '{}';
  if (entries.length === 0) return h('span.json', null, open + close);
  const items = h('ul', null, entries.map(([key, each]) => h('li', null,
    !isList && [h('span.key', { dir: 'auto' }, visible(JSON.stringify(key))), ': '], tree(each, depth + 1))));
  return h('details.json', { open: depth < DEPTH }, h('summary', null, open, h('span.folded', null, ` ${entries.length} ${close}`)), items, h('span.end', null, close));
}

/** @param {any} value */
function leaf(value) {
  const kind = value === null ? 'null' : typeof value;
  return h(`span.json.${kind}`, { dir: 'auto' }, visible(JSON.stringify(value)));
}
