// Beside the log: what there is in the current search, and how often; each value can be chosen, or left out. And saved searches.

import { at, button, count, h, icon, on, post, refill, remember, remembered, section, sign, store, tell, throttled, totals } from '../base.js';
import { PARAMETERS, searchOf } from './parameters.js';
import { parse, questionOf, understood } from './query.js';
import { kindOf } from './status.js';

/** Values of one kind that are shown. */
const MOST = 8;
/** Milliseconds between two counts. */
const BREATH = 1000;

/** Counts of values that have the same beginning, together: `{ '4xx': 3 }`, or `{ Stored: 2 }`. */
const together = (beginning) => (numbers) => {
  const all = {};
  for (const [value, number] of Object.entries(numbers)) all[beginning(value)] = (all[beginning(value)] ?? 0) + number;
  return all;
};

/**
 * Kinds, by the parameter of the address, and the field by which the API counts them; `among` are the requests that count, and
 * `read` makes other values of what it answers.
 */
const FACETS = {
  status: { title: 'Answer', by: 'status', shown: together((status) => `${status[0]}xx`) }, reason: { title: 'Reason', by: 'reason' },
  device: { title: 'Device', by: 'device' },
  // A device is known by its name; of other tokens, the first digits tell enough.
  token: { title: 'Token', by: 'token', among: { device: { exists: false } }, read: together((token) => token.slice(0, 8)) },
  pushType: { title: 'Type', by: 'pushType' }, topic: { title: 'Topic', by: 'topic' },
  keyID: { title: 'Key', by: 'keyID' }, teamID: { title: 'Team', by: 'teamID' }, connection: { title: 'Connection', by: 'connection' },
  decidedBy: { title: 'Decided by', by: 'decidedBy' },
  // What came late is among what was delivered, and can be found by itself.
  delivery: { title: 'Delivery', by: 'delivery', shown: (numbers) => ({
    ...together((delivery) => delivery.split(' ')[0])(numbers), ...Object.fromEntries(Object.entries(numbers).filter(([value]) => value.endsWith('(From Storage)'))),
  }) },
};

/** Counts of the current search, by parameter; and those without a search. */
let counts = {};
let whole = {};

/** The values of a key of the search that are in the log, with how often each is. */
export function valuesOf(key) {
  const ofRules = Object.entries(whole.decidedBy ?? {}).filter(([value]) => value.startsWith('rule:'));
  if (key === 'rule') return Object.fromEntries(ofRules.map(([value, number]) => [value.slice(5), number]));
  const [name] = Object.entries(PARAMETERS).find(([, each]) => each === key) ?? [];
  return whole[name] ?? {};
}

const same = (numbers) => numbers;

const isChosen = (query, name) => query.has(name) || query.has(`-${name}`);

/** Asks the API for all kinds. What is chosen of one does not hide its other values. */
async function counted(query) {
  const all = {};
  const ask = async (chosen, facets, among) => {
    const { requests, q } = questionOf(understood(parse(searchOf(chosen))));
    const { by } = await post('/requests/count', { requests: { ...requests, ...among }, q, by: facets.map(([, each]) => each.by) });
    for (const [name, { by: field, read = same }] of facets) all[name] = read(by[field]);
  };
  const isAlone = ([name, { among }]) => among || isChosen(query, name);
  const facets = Object.entries(FACETS);
  await Promise.all([ask(query, facets.filter((facet) => !isAlone(facet))), ...facets.filter(isAlone).map((facet) => {
    const others = new URLSearchParams(query);
    for (const each of [facet[0], `-${facet[0]}`]) others.delete(each);
    return ask(others, [facet], facet[1].among);
  })]);
  return all;
}

/** Reads what values there are, for completion. */
export const learn = throttled(async () => {
  whole = await counted(new URLSearchParams()).catch(() => whole);
  tell('values');
}, 5 * BREATH);

/** A topic whose last parts stay in sight: `com.exam…chess.voip`. */
export function tailed(topic) {
  const [, head, tail] = /^(.*\.)((?:[^.]*\.push-type|[^.]+)\.[^.]+)$/s.exec(topic) ?? [null, '', topic];
  return h('span.tailed', h('span.head', head), h('span', tail));
}

/** `change` gets parameters of the address, each with its values. */
export function facets(change) {
  const lists = h('div.lists');
  const details = h('details', { open: matchMedia('(min-width: 68.75em)').matches, ontoggle: () => look() }, h('summary', 'Filters'), lists);
  let query = new URLSearchParams();
  let shown = '';
  /** Totals are there at once; the others are asked for. */
  const current = () => {
    const { byStatus, byReason, byTopic } = totals();
    return { ...counts, ...(!searchOf(query) && byStatus && { status: byStatus, reason: byReason, topic: byTopic }) };
  };
  const look = throttled(async () => {
    // What changes a thousand times a second is counted by the server alone.
    if (!details.open || document.hidden || store.state === 'offline' || store.isSampling) return drawNow();
    const asked = searchOf(query);
    const found = await counted(query).catch(() => null);
    if (!found || asked !== searchOf(query)) return null;
    counts = found;
    return drawNow();
  }, BREATH);
  function value(name, each, number) {
    const [chosen, others] = [query.getAll(name), query.getAll(`-${name}`)];
    const toggled = (list) => (list.includes(each) ? list.filter((other) => other !== each) : [...list, each]);
    const without = (list) => list.filter((other) => other !== each);
    return h('li.line', h('button.facet', {
      type: 'button', 'aria-pressed': chosen.includes(each), title: each, onclick: () => change({ [name]: toggled(chosen), [`-${name}`]: without(others) }),
    }, name === 'status' && icon(kindOf({ status: each[0] * 100 })), h('span.name', { dir: 'auto' }, name === 'topic' ? tailed(each) : each),
    number > 0 && h('span.count', count(number))),
    button('not', () => change({ [name]: without(chosen), [`-${name}`]: toggled(others) }), {
      class: 'quiet not', label: `Not ${each}`, 'aria-pressed': others.includes(each),
    }));
  }
  function group(all, name, { title, shown: reduced = same }) {
    const numbers = reduced(all[name] ?? {});
    const chosen = [...query.getAll(name), ...query.getAll(`-${name}`)];
    const values = Object.entries({ ...Object.fromEntries(chosen.map((each) => [each, 0])), ...numbers }).sort((one, other) => other[1] - one[1]);
    const most = values.filter(([each], index) => index < MOST || chosen.includes(each));
    return values.length > 0 && section(title, h('ul', most.map(([each, number]) => value(name, each, number))),
      values.length > most.length && h('p.muted', `${count(values.length - most.length)} more: search ${PARAMETERS[name]}:`));
  }
  function drawNow() {
    const all = current();
    const isSinceStart = store.summary && !store.counts && !searchOf(query);
    const saved = remembered('searches', []);
    const key = JSON.stringify([String(query), all, saved, isSinceStart]);
    if (key === shown) return;
    shown = key;
    const now = filtersOf(query);
    refill(lists, Object.entries(FACETS).map(([name, facet]) => group(all, name, facet)), isSinceStart && h('p.muted', 'Counted since the start.'),
      section('Saved', h('ul', saved.map((search) => h('li.line', h('a.facet', { href: at('pushes', new URLSearchParams(search)) }, nameOf(search)),
        sign('✕', `Forget ${nameOf(search)}`, () => keep(saved.filter((each) => each !== search)))))),
      now && !saved.includes(now) ? button('Save this search', () => keep([...saved, now]))
        : !saved.length && h('p.muted', 'No search yet.')));
  }
  on('rows', throttled(drawNow, BREATH / 4));
  const keep = (searches) => {
    remember('searches', searches);
    drawNow();
  };
  return {
    /** Draws what is known of a search, and counts again when its first rows are there. */
    draw(address, isThere) {
      query = address;
      drawNow();
      if (isThere) look();
    },
    element: h('aside.facets', { label: 'Filters' }, details),
  };
}

function filtersOf(query) {
  const filters = new URLSearchParams(query);
  for (const name of ['at', 'tab', 'with', 'all', 'screen']) filters.delete(name);
  return String(filters);
}

const nameOf = (search) => [...new URLSearchParams(search)].map(([name, value]) => (name === 'q' ? value : `${name} ${value}`)).join(', ');
