// Faults: quick ones, outages, the rules in their order, and the connections with what can happen to them.

import {
  action, ago, at, check, confirmed, count, counted, fill, forbid, get, grid, h, link, page, post, refill, said, section, sheet, tell, watch,
} from '../base.js';
import { begin, faultDialog, FAULTS, goAwayDialog, labelOf } from '../parts/faults.js';
import { endingOutages, left, removing, watchRules } from '../parts/rules.js';

const ENDINGS = { end: 'Close', truncate: 'FIN without close_notify', reset: 'TCP RST', silent: 'Go silent' };
/** Connections that are shown, newest first. */
const MOST = 200;
/** Rules that are shown; the API has the others. */
const MOST_RULES = 1000;

export function open() {
  const list = h('ul.outages');
  const running = section('Outages', list);
  const rules = h('div.rules');
  watchRules(`limit=${MOST_RULES}`, (first, outages, total) => {
    running.hidden = !outages.length;
    refill(list, outages.map(([{ reason, rule }, time]) => h('li', h('b', reason), ` to every push, ${time} (${rule ?? 'the timeline'}) `, endingOutages('End'))));
    refill(rules, first.length ? grid('Rules', ['Rule', 'On', 'Decided', 'Left', ''],
      first.map((rule) => [link(at('pushes', { q: `rule:"${rule.name}"` }), rule.name), rule.on, rule.decided ?? '–', left(rule), removing(rule)]))
      : h('p.muted', 'No rules: every push is decided by the checks of APNs.'),
    total > first.length && h('p.muted', `The first ${count(first.length)} of ${count(total)}.`));
  });
  return {
    title: 'Faults',
    element: page('Faults', action('Fault…', () => faultDialog(), { class: 'primary' }),
      section('Quick, for all pushes', h('div.actions.start', FAULTS.map((each) => action(labelOf(each), () => begin(each))))),
      running, section('Rules, tried in this order', rules), section('Connections', connections())),
  };
}

async function end(id, ending) {
  const { connections } = await post(`/connections/${id}/close`, JSON.stringify(ending));
  said(`Ended: ${counted(connections.length, 'connection')}.`);
  tell('connection');
}

function endDialog(id) {
  const dialog = sheet(`End connection ${id}`, h('div.actions.start', Object.entries(ENDINGS).map(([ending, label]) => action(label, () => {
    dialog.close();
    end(id, ending);
  }))));
}

function connections() {
  const showClosed = h('input', { type: 'checkbox', onchange: () => draw() });
  const list = h('div');
  const number = h('span.muted');
  const forAll = [action('GOAWAY to all', () => goAwayDialog('all')),
    action('Close all', async () => (await confirmed('Close all connections?', 'Close')) && end('all', 'end'))];
  let all = [];
  const draw = () => {
    const open = all.filter((one) => !one.closedAt);
    fill(number, counted(open.length, 'open connection'));
    for (const each of forAll) forbid(each, open.length ? '' : 'No open connection');
    const shown = (showClosed.checked ? all : open).toSorted((one, other) => other.id - one.id).slice(0, MOST);
    fill(list, shown.length > 0 && grid('Connections', ['#', 'From', 'TLS', 'Authentication', 'Pushes', 'In flight', 'PINGs', 'Opened', ''], shown.map((one) => [
      link(at('pushes', { q: `connection:${one.connection}` }), one.connection ?? `id ${one.id}`), one.remoteAddress,
      [one.tlsVersion ?? 'failed', one.serverName && ` ${one.serverName}`], one.clientCertificate ? one.clientCertificate.subject : counted(one.providerTokens, 'token'),
      one.requests, one.inFlight, one.pings, [ago(one.openedAt, Date.now()), one.closedAt && `, closed (${one.closedBy})`],
      !one.closedAt && [action('GOAWAY…', () => goAwayDialog(one.id)), ' ', action('Close…', () => endDialog(one.id))],
    ])));
  };
  watch('connection rows', () => get('/connections'), (found) => {
    all = found.connections;
    draw();
  }, 1000);
  return [h('div.line', number, check('Including closed ones', showClosed), h('span.grow'), forAll), list];
}
