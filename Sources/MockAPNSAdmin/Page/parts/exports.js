// Files to keep: records as `verify --log` reads them, and reports.

import { call, text } from '../base/api.js';
import { said } from '../base/dialogs.js';
import { h } from '../base/dom.js';
import { counted } from '../base/text.js';

const PAGE = 1000;

/**
 * Hands a file to the browser.
 *
 * @param {string} name
 * @param {BlobPart[]} parts
 * @param {string} type
 */
export function save(name, parts, type) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * All records that match, as JSON lines.
 *
 * @param {Record<string, any>} match
 */
export async function exportLog(match) {
  /** @type {string[]} */
  const lines = [];
  for (let after = 0; ;) {
    const { requests } = await call('POST', '/requests/find', { requests: match, limit: PAGE, after });
    for (const record of requests) lines.push(JSON.stringify(record), '\n');
    if (requests.length < PAGE) break;
    after = requests[requests.length - 1].sequence;
  }
  save('pushes.jsonl', lines, 'application/jsonl');
  said(`Saved ${counted(lines.length / 2, 'record')} as pushes.jsonl.`);
}

/** The report of the expectations, for CI. */
export async function exportJUnit() {
  const report = await text('/verify?format=junit', { method: 'POST', body: '{}' });
  save('mock-apns.junit.xml', [report], 'application/xml');
  said('Saved the report as mock-apns.junit.xml.');
}
