// Faults: the rules in their order, quick ones, and the connections with what can happen to them.

import { get, post } from '../base/api.js';
import { confirmed, failed, said, sheet } from '../base/dialogs.js';
import { button, fill, h, link, throttled } from '../base/dom.js';
import { address } from '../base/router.js';
import { on, tell } from '../base/store.js';
import { ago, counted, visible } from '../base/text.js';
import { FAULTS, begin, faultDialog, ruleOf } from '../parts/faultDialog.js';
import { left, removeRule } from '../parts/ruleChips.js';

const ENDS = [['end', 'Close'], ['truncate', 'FIN without close_notify'], ['reset', 'TCP RST'], ['silent', 'Go silent']];

/** @returns {import('../app.js').View} */
export function open() {
  const rules = h('div.rules');
  const connections = h('div');
  const showClosed = h('input', { type: 'checkbox', onchange: () => drawConnections() });
  /** @type {any[]} */
  let known = [];
  let last = '';
  const drawRules = throttled(async () => {
    try {
      const { rules: all } = await get('/rules');
      const key = JSON.stringify(all);
      if (key === last) return;
      last = key;
      fill(rules, all.length === 0 ? h('p.muted', null, 'No rules: every push is decided by the checks of APNs.')
        : h('table.plain', null, h('thead', null, h('tr', null, ['Rule', 'On', 'Decided', 'Left', ''].map((name) => h('th', { scope: 'col' }, name)))),
          h('tbody', null, all.map((/** @type {any} */ rule) => h('tr', { class: rule.usedUp ? 'used-up' : '' },
            h('th', { scope: 'row' }, link(address(['pushes'], { q: `rule:"${rule.name}"` }), visible(rule.name))), h('td', null, rule.on), h('td', null, rule.decided ?? '–'), h('td', null, left(rule)),
            h('td.end', null, button('Remove', () => removeRule(rule.name), { class: 'small', 'aria-label': `Remove ${rule.name}` })))))));
    } catch (error) {
      if (last === '') failed(error);
    }
  }, 500);
  const order = async (/** @type {string | number} */ id, /** @type {string} */ verb, /** @type {any} */ body, /** @type {string} */ text) => {
    try {
      const { connections: ids } = await post(`/connections/${id}/${verb}`, body);
      said(`${text}: ${counted(ids.length, 'connection')}.`);
      tell('connections');
    } catch (error) {
      failed(error);
    }
  };
  const drawConnections = () => {
    const all = known.filter((one) => showClosed.checked || !one.closedAt).sort((one, other) => other.id - one.id).slice(0, 200);
    const open = known.filter((one) => !one.closedAt).length;
    fill(connections,
      h('div.line', null, h('span.muted', null, `${counted(open, 'open connection')}`), h('label.check', null, showClosed, 'Closed ones, too'), h('span.grow'),
        button('GOAWAY to all', () => order('all', 'goaway', { reason: 'Shutdown' }, 'GOAWAY sent'), { disabled: open === 0 }),
        button('Close all', async () => (await confirmed('Close all connections?', 'Close', 'close')) && order('all', 'close', 'end', 'Closed'), { disabled: open === 0 })),
      all.length > 0 && h('div.wide', { tabindex: '0', role: 'region', 'aria-label': 'Connections' }, h('table.plain', null, h('thead', null, h('tr', null, ['#', 'From', 'TLS', 'Proof', 'Pushes', 'In flight', 'PINGs', 'Opened', ''].map((name) => h('th', { scope: 'col' }, name)))),
        h('tbody', null, all.map((one) => h('tr', null, h('th', { scope: 'row' }, link(address(['pushes'], { q: `connection:${one.connection}` }), one.connection ?? `id ${one.id}`)), h('td', null, one.remoteAddress),
          h('td', null, one.tlsVersion ?? 'failed', one.serverName && h('span.muted', null, ` ${visible(one.serverName)}`)), h('td', null, one.clientCertificate ? visible(one.clientCertificate.subject) : counted(one.providerTokens, 'token')), h('td', null, one.requests), h('td', null, one.inFlight), h('td', null, one.pings),
          h('td', null, ago(one.openedAt, Date.now()), one.closedAt && h('span.muted', null, `, closed (${one.closedBy})`)),
          h('td.end', null, !one.closedAt && [button('GOAWAY', () => order(one.id, 'goaway', { reason: 'Shutdown' }, 'GOAWAY sent'), { class: 'small' }), ' ',
            button('Close…', () => ends(one.id), { class: 'small' })])))))));
  };
  const ends = (/** @type {number} */ id) => {
    const dialog = sheet(`End connection ${id}`, h('div.actions.start', null, ENDS.map(([value, label]) => button(label, () => {
      dialog.close();
      order(id, 'close', value, 'Ended');
    }))));
  };
  const refreshConnections = throttled(async () => {
    try {
      known = (await get('/connections')).connections;
      drawConnections();
    } catch {
      // The state of the stream says it.
    }
  }, 1000);
  const stop = [on(['rules', 'rows', 'scenario'], drawRules), on(['connections', 'rows'], refreshConnections)];
  drawRules();
  refreshConnections();
  return {
    title: 'Faults',
    element: h('div.page', null, h('div.toolbar', null, h('h1', null, 'Faults'), button('Fault…', () => faultDialog(), { icon: 'bolt', class: 'primary' })),
      h('section', null, h('h2', null, 'Quick, for all pushes'), h('div.actions.start', null, FAULTS.map((fault) => button(
        fault.times ? `next ${fault.times === 1 ? '' : `${fault.times}: `}${fault.name}` : fault.name, () => begin(ruleOf(fault, {}, fault.times ?? null)), { title: fault.label })))),
      h('section', null, h('h2', null, 'Rules, tried in this order'), rules), h('section', null, h('h2', null, 'Connections'), connections)),
    end() {
      for (const end of stop) end();
      drawRules.cancel();
      refreshConnections.cancel();
    },
    keys: { f: () => faultDialog() },
  };
}
