// Recording: what is done and pushed between two clicks becomes steps of a scenario. The server records, for all tabs.

import { action, at, fill, get, go, h, on, post, said, tell, watch } from '../base.js';

export const WHAT = 'Faults, device changes, pushes and moves of the clock';

/** As the API says it, once that is known; a server that cannot record has no buttons for it. */
let state;
/**
 * The latest that was stopped here; a reload forgets it. Its steps and answers, of which equal ones are there once, have `isOn`:
 * whether they are wanted. Its scenario has all of them.
 */
export let latest = null;

async function toggle() {
  try {
    const answer = await post('/recording', { state: state === 'recording' ? 'stop' : 'start' });
    if (answer.state === 'recording') return said(`Recording. ${WHAT} become steps of a scenario.`);
    const { steps, scenario } = answer;
    for (const step of steps) step.isOn = true;
    const answers = [...Map.groupBy(answer.answers, ({ element }) => JSON.stringify(element)).values()]
      .map((equal) => ({ list: 'expect', element: equal[0].element, sequences: equal.map(({ sequence }) => sequence) }));
    if (answers.length) scenario.expect = [...scenario.expect ?? [], ...answers.map(({ element }) => element)];
    latest = { ...answer, answers };
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
  for (const [list, all] of Map.groupBy([...steps, ...answers], (each) => each.list)) {
    const first = list === 'rules' ? 0 : scenario[list].length - all.length;
    const wanted = all.filter(({ isOn }) => isOn);
    whole[list] = scenario[list].toSpliced(first, all.length, ...wanted.map((step, index) => {
      const { after, ...rest } = step.element;
      // What is counted for each value by itself skips nothing of the recording.
      if (rest.skip && !rest.countPer) rest.skip = Math.max(0, without(rest.skip, step, rest.when));
      if (!after) return rest;
      if (after.count) {
        const count = without(after.count, step);
        return count > 0 ? { after: { ...after, count }, ...rest } : { at: '0s', ...rest };
      }
      // All, or those with these numbers.
      const place = (each) => each < first ? each : wanted.includes(all[each - first]) ? first + wanted.indexOf(all[each - first]) : [];
      const others = after.flatMap?.(place) ?? after;
      return first + index && others.length ? { ...rest, after: others } : rest;
    }));
    if (!whole[list].length) delete whole[list];
  }
  return whole;
}
