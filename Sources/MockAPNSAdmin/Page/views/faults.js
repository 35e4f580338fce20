// Faults: quick ones, outages, the rules in their order, and the connections with what can happen to them.

import {
  action, ago, at, check, confirmed, counted, everyone, fill, find, forbid, get, grid, h, lasting, link, now, on, page, post, said, section,
  sheet, tell, watch,
} from '../base.js';
import { begin, faultDialog, FAULTS, goAwayDialog, labelOf } from '../parts/faults.js';
import { allRules, left, removing, ruleName } from '../parts/rules.js';

const ENDINGS = { end: 'Close', truncate: 'FIN without close_notify', reset: 'TCP RST', silent: 'Go silent' };
/** Connections that are shown, newest first. */
const MOST = 200;

export function open() {
  const fault = () => faultDialog();
  return {
    title: 'Faults', keys: { f: fault },
    element: page('Faults', action('Fault…', fault, { class: 'primary' }),
      section('Quick, for all pushes', h('div.actions.start', FAULTS.map((each) => action(labelOf(each), () => begin(each))))),
      runningOutages(), section('Rules, tried in this order', rules()), section('Connections', connections())),
  };
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration of a scenario, `30s`, in milliseconds. */
function milliseconds(duration) {
  const [, number, unit] = /^(\d+)([a-z]+)$/.exec(duration);
  return number * UNITS[unit];
}

/**
 * The outages that run, by the rules that begin some, and the last push that each has decided: with the rule's name, its reason,
 * and its end in milliseconds.
 */
async function outages() {
  const { rules = [] } = await get('/scenario?current=true');
  const begun = await Promise.all(rules.filter((rule) => rule.name).flatMap(({ name, then }) => [then].flat().filter((step) => step.outage).map(async ({ outage }) => {
    const [last] = (await find({ ...everyone, decidedBy: `rule:${name}` }, { limit: 1 })).requests;
    return { name, reason: outage.reason, end: last ? Date.parse(last.clock) + milliseconds(outage.for) : 0 };
  })));
  return begun.filter(({ end }) => end > now());
}

function runningOutages() {
  const list = h('ul.outages');
  const element = section('Outages', list);
  let running = [];
  const draw = () => {
    running = running.filter(({ end }) => end > now());
    element.hidden = !running.length;
    fill(list, running.map(({ name, reason, end }) => h('li', h('b', reason), ` to every push, ${lasting((end - now()) / 1000)} left (`, ruleName(name), ')')));
  };
  watch('rules rows clock', outages, (found) => {
    running = found;
    draw();
  });
  on('tick', draw);
  return element;
}

function rules() {
  const element = h('div.rules');
  watch('rules rows scenario', allRules, (all) => fill(element, all.length ? grid('Rules', ['Rule', 'On', 'Decided', 'Left', ''],
    all.map((rule) => [link(at('pushes', { q: `rule:"${rule.name}"` }), ruleName(rule.name)), rule.on, rule.decided ?? '–', left(rule), removing(rule)]))
    : h('p.muted', 'No rules: every push is decided by the checks of APNs.')));
  return element;
}

async function end(id, ending) {
  const { connections } = await post(`/connections/${id}/close`, JSON.stringify(ending));
  said(`Ended: ${counted(connections.length, 'connection')}.`);
  tell('connections');
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
  watch('connections rows', () => get('/connections'), (found) => {
    all = found.connections;
    draw();
  }, 1000);
  return [h('div.line', number, check('Including closed ones', showClosed), h('span.grow'), forAll), list];
}
