// A push for an issue, as Markdown: what was pushed, the answer, why, the payload.

import { get, json } from '../base.js';
import { bodyOf } from './copies.js';
import { statusWord } from './status.js';

/** A fence that the text cannot end. */
const fenced = (text, language = '') => {
  const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
};

/** A value within a line, as it is: nothing of it is Markdown. */
function inline(value) {
  const text = String(value).replace(/\s+/g, ' ');
  const fence = '`'.repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return `${fence}${space}${text}${space}${fence}`;
}

/** What a push was, by name; of a record, or of a row in the log, which has less. */
export function plainFacts(record) {
  const [, agent] = record.headers?.find(([name]) => name === 'user-agent') ?? [];
  const { keyID, teamID } = record.authentication ?? {};
  return [
    ['Time', record.time], ['Device', record.device], ['Token', record.token], ['Topic', record.topic],
    ['Push type', record.pushType], ['Priority', record.priority],
    ['Expiration', record.expiration], ['Collapse id', record.collapseID], ['apns-id', record.apnsID],
    ['Key and team', keyID && `${keyID}, ${teamID}`],
    ['Connection', record.connection], ['User agent', agent], ['Decided by', record.decidedBy], ['Delivery', record.delivery], ['Replaced by', record.replacedBy],
  ].filter(([, value]) => value !== null && value !== undefined);
}

/** The body of a push, laid out if it is JSON. */
export const laidOut = (record) => (record.payload === null ? bodyOf(record) || record.payloadBase64 || '' : json(record.payload));

export async function issue(record) {
  const { checks } = await get(`/requests/${record.sequence}/checks`);
  const failed = checks.filter(({ state }) => state === 'failed');
  const why = [record.explanation, ...failed.map(({ check, expected, found, source }) =>
    `${check}: ${expected} Found: ${found ?? 'nothing'}.${source ? ` ${source}` : ''}`)].filter(Boolean);
  return [`### Push ${record.sequence}: ${statusWord(record)}`, plainFacts(record).map(([name, value]) => `- ${name}: ${inline(value)}`).join('\n'),
    why.length > 0 && `**Why**\n\n${why.map((each) => fenced(each)).join('\n\n')}`,
    `**Payload** (${record.payloadBytes} bytes)\n\n${fenced(laidOut(record), record.payload === null ? '' : 'json')}`, '']
    .filter((part) => part !== false).join('\n\n');
}
