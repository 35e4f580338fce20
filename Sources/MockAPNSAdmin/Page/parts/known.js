// A push of which only its row in the log is known: the server is gone, or its record is.

import { button, deviceLabel, facts, foreign, h, timeElement } from '../base.js';
import { statusElement } from './status.js';

export const known = (row, error, close) => h('div.panel.known',
  h('div.line', h('h2', `Push ${row.sequence}`), statusElement(row), h('span.grow'), close && button('Close', close)),
  h('p.title', row.title ? foreign(row.title) : h('span.muted', 'No text')),
  h('p.explanation', error.status === 404 ? 'Its record is not in the log any more: deleted, or dropped to make room (--log-limit).'
    : `Its record cannot be read: ${error.name === 'TypeError' ? 'the server is unreachable' : error.message}.`, ' This is what its row says.'),
  facts([
    ['Time', timeElement(row.time, row.time)], ['Device', deviceLabel(row)], ['Token', row.token && h('span.token', `${row.token.slice(0, 8)}…`)],
    ['Push type', row.pushType], ['Topic', row.topic], ['apns-id', row.apnsID], ['Collapse id', row.collapseID && foreign(row.collapseID)],
    ['Decided by', row.decidedBy], ['Delivery', row.delivery], ['Replaced by', row.replacedBy],
  ]));
