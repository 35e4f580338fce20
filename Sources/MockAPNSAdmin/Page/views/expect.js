// Expectations, live: what holds, what fails, and the pushes that came nearest.

import {
  at, button, code, counted, everyone, fill, find, go, grid, h, icon, json, on, page, post, pushLink, save, section, shownValue, text, throttled,
  watch,
} from '../base.js';
import { UNKNOWN } from '../parts/badges.js';
import { expectation } from '../parts/copies.js';
import { linked } from '../parts/numbers.js';

const TOPICS = 'rows update device clock scenario connection rule';
/** How many rules that never applied are named. */
const MOST = 20;
/** Nearest pushes that are shown at once. */
const NEAREST = 5;

/** What was tried last: it stays while other views are open. */
let draft = '';

export function open({ query }) {
  const own = h('div');
  const tried = h('div');
  /** Who comes to try one finds its box. */
  let isSought = query.has('try');
  const area = h('textarea', { rows: 7, spellcheck: 'false', label: 'Expectations to try, as in a scenario', value: query.get('try') ?? draft, oninput: throttled(() => {
    if (area.isConnected) go(at('expect', { try: area.value.trim() }), true);
    tryOut();
  }, 400) });
  const tryOut = async () => {
    const given = draft = area.value.trim();
    try {
      fill(tried, given && list((await post('/verify', { expect: [JSON.parse(given)].flat() })).results));
    } catch (error) {
      fill(tried, h('p.explanation.refused', error.message));
    }
  };
  watch(TOPICS, async () => {
    const { results, passed, unusedRules } = await post('/verify', {});
    const newest = results.length ? [] : (await find({ requests: everyone }, { limit: 1, whole: true })).requests;
    return { results, passed, unusedRules, like: newest.map(expectation) };
  }, ({ results, passed, unusedRules, like }) => {
    const shape = passed ? 'ok' : 'broken';
    const holding = results.filter((one) => one.passed).length;
    fill(own, results.length ? [h(`p.verdict.${shape}`, icon(shape), h('span', h('b', `${holding} of ${counted(results.length, 'expectation')} hold${results.length === 1 ? 's' : ''}`), ' if the run ended now')), list(results)]
      : h('div.empty', h('h2', 'The scenario expects nothing'), h('p', 'For example:'),
        code(json({ expect: like.length ? like : [{ name: 'tried again until it worked', requests: { status: 200 }, count: 1 }] }))),
    unusedRules.length > 0 && h('p.muted', `${counted(unusedRules.length, 'rule')} never applied: ${unusedRules.slice(0, MOST).join(', ')}`));
    if (isSought && document.activeElement.matches('body, main')) area.focus({ preventScroll: true });
    if (isSought) area.scrollIntoView({ block: 'center' });
    isSought = false;
  }, 1000);
  on(TOPICS, throttled(() => area.value && tryOut(), 1000));
  tryOut();
  return {
    title: 'Expectations',
    update(address) {
      const given = address.query.get('try') ?? '';
      if (document.activeElement === area || area.value.trim() === given) return;
      area.value = given;
      tryOut();
    },
    element: page('Expectations', button('JUnit', async () => save('mock-apns.junit.xml', [await text('POST', '/verify?format=junit', {})], 'application/xml')),
      h('section', own), section('Try one', h('p.muted', 'One, or a list; see also “Use as” of a push.'), area, tried)),
  };
}

/** What needs a look comes first. */
const rank = ({ passed, seen }) => (passed ? 2 : UNKNOWN.test(seen) ? 1 : 0);

const list = (results) => h('ul.results', results.toSorted((one, other) => rank(one) - rank(other)).map(({ passed, name, expected, seen, nearMisses }) => h('li', { class: passed ? 'passed' : UNKNOWN.test(seen) ? '' : 'failed' },
  h('p.verdict', passed ? [icon('ok'), h('span.sr', 'holds: ')] : UNKNOWN.test(seen) ? [icon('none'), 'cannot be judged: '] : [icon('broken'), h('span.sr', 'fails: ')], name),
  h('p', h('span.muted', 'expected '), expected, h('span.muted', ' · seen '), linked(seen)),
  !passed && nearMisses.length > 0 && [nearest(nearMisses.slice(0, NEAREST)),
    nearMisses.length > NEAREST && h('details', h('summary', `${nearMisses.length - NEAREST} more`), nearest(nearMisses.slice(NEAREST)))])));

const nearest = (misses) => grid('Nearest pushes', ['Nearest', 'Field', 'Expected', 'Found'], misses.flatMap(({ sequence, differences }) =>
  differences.map((each, index) => [index === 0 && pushLink(sequence), each.field, each.expected, each.found === null ? 'nothing' : shownValue(each.found)])));
