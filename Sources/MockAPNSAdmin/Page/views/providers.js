// Providers: each connection with who is behind it, how it fares, and what can happen to it.

import {
  action, ago, at, check, confirmed, count, counted, dotted, everyone, fill, find, forbid, foreign, get, go, grid, h, icon, link, now, on, page, post, refill, said, sheet, tell,
  timely, watch,
} from '../base.js';
import { goAwayDialog } from '../parts/faults.js';
import { limitsNow, OLD } from '../parts/token.js';

const ENDINGS = { end: 'Close', truncate: 'FIN without close_notify', reset: 'TCP RST', silent: 'Go silent' };
const COLUMNS = ['#', 'Provider', 'User agent', 'Address', 'Pushes', 'Errors', 'In flight', 'Provider token', 'Opened', ''];
/** Connections that are shown, newest first. */
const MOST = 50;
/** Milliseconds between two looks: each asks about every connection with new requests. */
const BREATH = 2500;

export function open({ query }) {
  const showClosed = h('input', { type: 'checkbox', checked: query.has('closed'), onchange: () => go(at('providers', { closed: showClosed.checked && 1 }), true) });
  const list = h('div');
  const number = h('span.muted');
  const forAll = [action('GOAWAY to all', () => goAwayDialog('all')),
    action('Close all', async () => (await confirmed('Close all connections?', 'Close')) && end('all', 'end'))];
  /** By id: what its requests tell, and how many there were then. */
  const told = new Map();
  const look = watch('connection rows clock', async () => {
    const { connections } = await get('/connections');
    const opened = connections.filter((one) => !one.closedAt);
    const shown = (showClosed.checked ? connections : opened).sort((one, other) => other.id - one.id).slice(0, MOST);
    await Promise.all(shown.map(async (one) => {
      const key = `${one.requests} ${one.connection}`;
      if (one.connection !== null && told.get(one.id)?.key !== key) told.set(one.id, { key, ...await requestsOf(one.connection) });
    }));
    return { shown, opened: opened.length, total: connections.length, found: shown.map(({ id }) => told.get(id)), limits: await limitsNow(), minute: minute() };
  }, ({ shown, opened, total, found, limits }) => {
    fill(number, counted(opened, 'open connection'));
    for (const each of forAll) forbid(each, opened ? '' : 'No open connection');
    refill(list, shown.length ? grid('Connections', COLUMNS, shown.map((one, index) => row(one, limits, found[index])))
      : h('div.empty', h('h2', 'No connections'), h('p', total ? 'All are closed.' : 'A provider appears here as soon as it connects.')));
  }, BREATH);
  // Tokens age even without pushes.
  let drawnIn = minute();
  on('tick', () => {
    if (drawnIn === minute()) return;
    drawnIn = minute();
    look();
  });
  return {
    title: 'Providers',
    update(address) {
      showClosed.checked = address.query.has('closed');
      look();
    },
    element: page('Providers', [number, check('Including closed ones', showClosed), h('span.grow'), forAll], list),
  };
}

/** The newest request of a connection says who sends; and how many were refused. */
async function requestsOf(connection) {
  const requests = { ...everyone, connection };
  const [{ requests: [newest] }, { count: errors }] = await Promise.all([
    find({ requests }, { limit: 1, whole: true }), post('/requests/count', { requests: { ...requests, status: { atLeast: 400 } } }).catch(() => ({ count: null })),
  ]);
  return { errors, agent: newest?.headers.find(([name]) => name === 'user-agent')?.[1], authentication: newest?.authentication };
}

function row(one, limits, { errors, agent, authentication } = {}) {
  const {
    id, connection, clientCertificate, closedAt, closedBy, explanation, goAwaysSent, inFlight, openedAt, providerTokens, remoteAddress, requests,
    serverName, teamID, tlsVersion,
  } = one;
  const { keyID, teamID: team = teamID } = authentication ?? {};
  const within = (more) => at('pushes', { q: `connection:${connection}${more}` });
  return [
    connection ? link(within(''), connection) : `id ${id}`,
    clientCertificate ? foreign(clientCertificate.subject)
      : [keyID ? ['key ', foreign(keyID)] : 'no token in the log', h('br'), h('span.muted', team ? ['team ', foreign(team)] : '')],
    agent ? foreign(agent) : h('span.muted', requests ? 'none' : '–'), [remoteAddress, h('br'), h('span.muted', dotted(tlsVersion ?? 'TLS failed', serverName))],
    count(requests), errors ? link(within(' is:refused'), count(errors)) : errors ?? '–', inFlight,
    clientCertificate ? h('span.muted', 'certificate')
      : [authentication?.issuedAt ? age(authentication, limits) : '–', providerTokens > 1 && [h('br'), h('span.muted', counted(providerTokens, 'token'))]],
    [timely(() => ago(openedAt, Date.now())),
      closedAt && [h('br'), h('span.muted', { title: explanation }, `closed (${closedBy})`)],
      goAwaysSent > 0 && [h('br'), h('span.muted', counted(goAwaysSent, 'GOAWAY'))]],
    !closedAt && h('div.actions.start', action('GOAWAY…', () => goAwayDialog(id), { label: `GOAWAY to connection ${connection ?? id}…` }),
      action('Close…', () => endDialog(id), { label: `Close connection ${connection ?? id}…` })),
  ];
}

/** The minute of both clocks that may judge tokens. */
const minute = () => [Date.now(), now()].map((time) => Math.floor(time / 60_000)).join();

/** How old a provider token is, and until when it holds. */
function age({ issuedAt, verdict }, { lifetime, followsClock }) {
  const seconds = (followsClock ? now() : Date.now()) / 1000 - issuedAt;
  const isRefused = verdict && verdict !== 'valid';
  const isOld = seconds >= lifetime * OLD;
  const kind = isRefused || seconds >= lifetime ? 'broken' : isOld ? 'refused' : 'ok';
  const ends = new Date((issuedAt + lifetime) * 1000).toISOString().slice(11, 16);
  const rest = seconds >= lifetime ? 'too old' : `${isOld ? `expires in ${Math.ceil((lifetime - seconds) / 60)} min, at` : 'fresh until'} ${ends}`;
  return h(`span.status.${kind}`, icon(kind), dotted(`${Math.floor(seconds / 60)} min old`, rest, isRefused && verdict));
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
