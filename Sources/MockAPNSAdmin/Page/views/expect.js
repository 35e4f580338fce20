// Expectations, live: what holds, what fails, and the pushes that came nearest.

import { call, get, post } from '../base/api.js';
import { failed } from '../base/dialogs.js';
import { button, fill, h, icon, link, throttled } from '../base/dom.js';
import { address, go, here } from '../base/router.js';
import { on } from '../base/store.js';
import { counted, visible } from '../base/text.js';
import { exportJUnit } from '../parts/exports.js';
import { expectation } from '../parts/copies.js';

/** @param {import('../base/router.js').Address} at @returns {import('../app.js').View} */
export function open(at) {
  const own = h('div');
  const tried = h('div');
  const field = h('textarea', { rows: 7, spellcheck: 'false', 'aria-label': 'Expectations to try, as in a scenario', oninput: () => soon() });
  let last = '';
  const judge = throttled(async () => {
    try {
      const verification = await post('/verify', {});
      const key = JSON.stringify(verification.results);
      if (key === last) return;
      last = key;
      const results = verification.results;
      const good = results.filter((/** @type {any} */ one) => one.passed).length;
      fill(own, results.length === 0 ? await example()
        : [h('p.verdict', { class: verification.passed ? 'ok' : 'broken' }, icon(verification.passed ? 'ok' : 'broken'), h('b', null, `${good} of ${counted(results.length, 'expectation')} hold${results.length === 1 ? 's' : ''}`), ' if the run ended now'), list(results)]);
    } catch (error) {
      if (last === '') failed(error);
    }
  }, 1000);
  const tryOut = throttled(async () => {
    const text = field.value.trim();
    if (!text) return fill(tried);
    try {
      const value = JSON.parse(text);
      const { results } = await call('POST', '/verify', { expect: Array.isArray(value) ? value : [value] });
      fill(tried, list(results));
    } catch (error) {
      fill(tried, h('p.explanation.refused', null, visible(/** @type {Error} */ (error).message)));
    }
  }, 1000);
  const soon = throttled(() => {
    go(address(['expect'], { try: field.value.trim() }), { replace: true });
    tryOut();
  }, 400);
  const example = async () => {
    const { requests } = await get('/requests?order=desc&limit=1');
    return h('div.empty', null, h('h2', null, 'The scenario expects nothing'), h('p', null, 'A scenario says how a good provider behaves, as in:'),
      h('pre.code', { tabindex: '0' }, JSON.stringify({ expect: [requests[0] ? expectation(requests[0]) : { name: 'tried again until it worked', requests: { status: 200 }, count: 1 }] }, null, 2)));
  };
  const take = () => {
    const text = here().query.get('try') ?? '';
    if (document.activeElement !== field && field.value.trim() !== text) {
      field.value = text;
      tryOut();
    }
  };
  const ends = [on(['rows', 'changes', 'devices', 'clock', 'scenario', 'connections'], () => {
    judge();
    if (field.value.trim()) tryOut();
  })];
  judge();
  field.value = at.query.get('try') ?? '';
  if (field.value) tryOut();
  return {
    title: 'Expectations', update: take,
    element: h('div.page', null, h('div.toolbar', null, h('h1', null, 'Expectations'), h('span.grow'), button('JUnit', () => exportJUnit().catch(failed), { icon: 'download', title: 'Save the report for CI' })),
      h('section', null, own),
      h('section', null, h('h2', null, 'Try one'), h('p.muted', null, 'One expectation or a list, as in ', h('code', null, 'expect'), ' of a scenario. A push has one for itself under “Copy as”.'), field, tried)),
    end() {
      for (const end of ends) end();
      judge.cancel();
      tryOut.cancel();
      soon.cancel();
    },
  };
}

/** @param {any[]} results */
function list(results) {
  return h('ul.results', null, results.map((one) => h('li', { class: one.passed ? 'passed' : 'failed' },
    h('h3', null, icon(one.passed ? 'ok' : 'broken'), h('span.sr', null, one.passed ? 'holds: ' : 'fails: '), visible(one.name)),
    h('p', null, h('span.muted', null, 'expected '), visible(one.expected), h('span.muted', null, ' · seen '), visible(one.seen)),
    !one.passed && one.nearMisses.length > 0 && h('div.wide', { tabindex: '0', role: 'region', 'aria-label': 'Nearest pushes' }, h('table.plain.misses', null, h('thead', null, h('tr', null, ['Nearest', 'Field', 'Expected', 'Found'].map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', null, one.nearMisses.map((/** @type {any} */ miss) => miss.differences.map((/** @type {any} */ each, /** @type {number} */ index) => h('tr', null,
        h('th', { scope: 'row' }, index === 0 && link(address(['pushes', String(miss.sequence)]), `Push ${miss.sequence}`)), h('td', null, visible(each.field)),
        h('td', null, visible(each.expected)), h('td.found', null, each.found === null ? 'nothing' : visible(typeof each.found === 'string' ? each.found : JSON.stringify(each.found))))))))))));
}
