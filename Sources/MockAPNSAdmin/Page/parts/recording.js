// Recording: what is done and pushed between two clicks becomes steps of a scenario. The server records, for all tabs.

import { action, at, fill, get, go, h, on, post, said, tell, watch } from '../base.js';

export const WHAT = 'Faults, device changes, pushes and moves of the clock';

/** As the API says it, once that is known; a server that cannot record has no buttons for it. */
let state;
/** The latest that was stopped here, whose steps and answers have `isOn`: whether they are wanted. A reload forgets it. */
export let latest = null;

async function toggle() {
  try {
    const answer = await post('/recording', { state: state === 'recording' ? 'stop' : 'start' });
    if (answer.state === 'recording') return said(`Recording. ${WHAT} become steps of a scenario.`);
    const seen = Map.groupBy(answer.answers, ({ element }) => JSON.stringify(element));
    for (const step of answer.steps) step.isOn = true;
    latest = { ...answer, answers: [...seen.values()].map((equal) => ({ ...equal[0], sequences: equal.map(({ sequence }) => sequence) })) };
    go(at('scenario', 'recording'));
    tell('recorded');
    // The button that was clicked may be gone.
    return document.getElementById('main').focus();
  } finally {
    tell('record');
  }
}

/** Begins a recording or ends it; the chip is in every view while one is on. */
export function recordButton(isChip) {
  const element = action('', toggle, { title: `${WHAT} become a scenario`, class: isChip && 'chip recording' });
  const draw = () => {
    const isOn = state === 'recording';
    element.hidden = isChip ? !isOn : !state;
    fill(element, isChip ? [h('span.dot'), 'Recording · Stop'] : isOn ? 'Stop recording' : 'Record');
  };
  on('recording', draw);
  draw();
  return element;
}

/** Asks whether one is on: other tabs may begin and end it. */
export function watchRecording() {
  addEventListener('focus', () => tell('record'));
  watch('record restart', () => get('/recording').catch(() => ({})), (found) => {
    ({ state } = found);
    tell('recording');
  });
}

/** The scenario with the steps and the answers that are wanted. */
export function assembled({ scenario, steps, answers }) {
  const whole = { ...scenario };
  const isFor = (push, when = {}) => Object.entries(when).every(([name, value]) => push[name] === value);
  /** A number of pushes without those that are left out before a step. */
  const without = (number, { sequence }, when) => steps.reduce((rest, { isOn, element: { push, times = 1 }, ...each }) =>
    rest - (push && !isOn && each.sequence <= sequence && isFor(push, when) ? times : 0), number);
  for (const list of ['devices', 'rules', 'timeline', 'workload']) {
    const all = steps.filter((step) => step.list === list);
    const wanted = all.filter(({ isOn }) => isOn);
    const isFirst = list === 'rules';
    const given = scenario[list] ?? [];
    const base = isFirst ? given.slice(all.length) : given.slice(0, given.length - all.length);
    const own = wanted.map((step, index) => {
      const { after, ...rest } = step.element;
      // What is counted for each value by itself skips nothing of the recording.
      if (rest.skip && !rest.countPer) rest.skip = Math.max(0, without(rest.skip, step, rest.when));
      if (!after) return rest;
      if (after.count) {
        const count = without(after.count, step);
        return count > 0 ? { after: { ...after, count }, ...rest } : { at: '0s', ...rest };
      }
      // All, or those with these numbers.
      const others = after.map?.((each) => wanted.indexOf(all[each])).filter((each) => each >= 0).map((each) => each + base.length) ?? after;
      return index + base.length && others.length ? { ...rest, after: others } : rest;
    });
    whole[list] = isFirst ? [...own, ...base] : [...base, ...own];
    if (!whole[list].length) delete whole[list];
  }
  const expected = answers.filter(({ isOn }) => isOn).map(({ element }) => element);
  return expected.length ? { ...whole, expect: [...scenario.expect ?? [], ...expected] } : whole;
}
