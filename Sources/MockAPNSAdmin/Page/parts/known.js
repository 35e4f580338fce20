// A push of which only its row in the log is known: the server is gone, or its record is.

import { button, facts, foreign, h } from '../base.js';
import { plainFacts } from './issue.js';
import { statusElement } from './status.js';

export const known = (row, error, close) => h('div.panel.known',
  h('div.line', h('h2', `Push ${row.sequence}`), statusElement(row), h('span.grow'), close && button('Close', close)),
  h('p.title', row.title ? foreign(row.title) : h('span.muted', 'No text')),
  h('p.explanation', error.status === 404 ? 'Its record was deleted, or dropped (--log-limit).'
    : `Its record cannot be read: ${error.name === 'TypeError' ? 'the server is unreachable' : error.message}.`),
  facts(plainFacts(row)));
