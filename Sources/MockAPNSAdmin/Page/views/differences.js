// Where the upstream of a relay answers otherwise than mock-apns would, and a report of that for an issue.

import { action, at, copy, count, get, grid, h, icon, link, page, pushes, pushLink, refill, session, store, watch } from '../base.js';
import { statusElement, statusWord, verdict } from '../parts/status.js';

export function open() {
  const list = h('div');
  // A relay's summary has it.
  watch('summary', () => store.summary && (store.summary.relay ?? {}), (found) => refill(list, found && (found.relayed || found.unanswered ? drawn(found)
    : h('div.empty', h('h2', 'Nothing was passed on yet'), h('p', h('code', 'mock-apns relay'), ' passes pushes on to another APNs.')))));
  return { title: 'Differences', element: page('Differences', null, list) };
}

const sentence = ({ relayed, agreed, unanswered }) => `The upstream answered ${count(agreed)} of ${pushes(relayed)} as mock-apns would have answered.${unanswered ? ` It did not answer ${pushes(unanswered)}.` : ''}`;

function drawn(found) {
  const { differences, unanswered } = found;
  const shape = differences.length || unanswered ? 'refused' : 'ok';
  return [h(`p.verdict.${shape}`, icon(shape), sentence(found)), differences.length > 0 && [grid('Differences', ['mock-apns', 'Upstream', 'Pushes', 'First'],
    differences.map(({ own, theirs, count: number, example }) => [statusElement(verdict(own)), statusElement(verdict(theirs)),
      link(at('pushes', alike(theirs)), count(number), { title: 'All that the upstream answered so' }), pushLink(example)])),
  h('div.actions.start', action('Copy report', async () => copy(await report(found), 'the report')), h('span.muted', 'For an issue: both answers and how often, nothing of the pushes.'))]];
}

/** The filters of all that the upstream answered so; the log has no reason that mock-apns does not know. */
const alike = ({ status, reason }) => ({ decidedBy: 'upstream', status, reason: reason in store.summary.byReason && reason, q: !status && 'outcome:reset' });

/** Reasons are words; whatever else an upstream says is not for others. */
const word = ({ status, reason }) => statusWord(verdict({ status, reason: /^[a-z_]{1,40}$/i.test(reason ?? '') ? reason : reason && '(another reason)' })).trim();

async function report(found) {
  // The document is the server's, also on the page of a session.
  const { info } = await get(`${session ? '/../..' : ''}/openapi.json`);
  return `### mock-apns ${info.version} beside another APNs\n\n${sentence(found)}\n\n${found.differences.map(({ own, theirs, count: number }) =>
    `- ${word(theirs)} where mock-apns answers ${word(own)}: ${pushes(number)}\n`).join('')}`;
}
