// The pushes of a search as one HTML file, which opens without a server and without a script.

import { counted, dotted, facts, find, foreign, h, pushes, save, sleep } from '../base.js';
import { laidOut, plainFacts } from './issue.js';
import { questionOf } from './query.js';
import { statusWord } from './status.js';

/** The most pushes of one page, and those that are drawn at once. */
const MOST = 1000;
const AT_ONCE = 25;

const HEAD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Pushes of mock-apns</title>
<style>
:root { color-scheme: light dark; font: 0.9rem/1.5 system-ui, sans-serif; }
body { max-width: 1200px; margin: 0 auto; padding: 16px; overflow-wrap: anywhere; }
summary { display: grid; grid-template-columns: 4rem 13rem 16rem 8rem 1fr; gap: 12px; padding: 4px 0; border-bottom: 1px solid #8886; }
dl { display: grid; grid-template-columns: 9rem minmax(0, 1fr); }
dd { margin: 0; }
pre { padding: 8px; background: #8882; white-space: pre-wrap; unicode-bidi: plaintext; }
.foreign { unicode-bidi: isolate; }
@media (max-width: 800px) { summary { display: block; } summary * { margin-right: 12px; } }
</style>
`;

/** One push: a line, and behind it what it was. */
function entry(record, title) {
  return h('details', h('summary', h('span', String(record.sequence)), h('span', record.time.replace('T', ' ').replace('Z', '')), h('b', statusWord(record)),
    h('span', record.device ?? record.token?.slice(0, 8) ?? '–'), foreign(title ?? (record.pushType === 'background' ? 'background' : 'no text'))),
  facts([['Why', record.explanation], ...plainFacts(record)]), h('pre', laidOut(record)));
}

/** Saves what a search finds; `search` is its text. */
export async function savePage(terms, search) {
  const question = questionOf(terms);
  const [whole, rows] = await Promise.all([find(question, { limit: MOST, whole: true }), find(question, { limit: MOST })]);
  const titles = new Map(rows.requests.map(({ sequence, title }) => [sequence, title]));
  const found = whole.requests;
  const rest = whole.total > whole.requests.length && `the newest of ${counted(whole.total, 'record')}`;
  const main = h('main', h('h1', 'Pushes'), h('p', dotted(search && `Search: ${search}`, pushes(found.length), rest, location.host, new Date().toISOString())));
  for (const [index, record] of found.entries()) {
    main.append(entry(record, titles.get(record.sequence)));
    // Others want to draw, too.
    if (index % AT_ONCE === 0) await sleep();
  }
  save('pushes.html', [HEAD, new XMLSerializer().serializeToString(main)], 'text/html');
}
