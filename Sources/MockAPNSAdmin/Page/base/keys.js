// Keys: single letters, without effect in fields; they can be switched off.

import { check, h } from './dom.js';
import { at, go } from './router.js';
import { remember, remembered } from './api.js';
import { sheet } from './dialogs.js';

/** The views' names in addresses, and what people call them. */
export const VIEWS = { pushes: 'Pushes', devices: 'Devices', providers: 'Providers', faults: 'Faults', expect: 'Expectations', lint: 'Lint', channels: 'Channels', send: 'Send', scenario: 'Scenario', differences: 'Differences' };
/** What goes to them after `g`, in their order; not to the last one, which only a relay has. */
const LETTERS = 'ldpfeicns';
const ARROWS = { ArrowDown: 'j', ArrowUp: 'k' };
/** How long `g` waits for the letter of a view, in milliseconds. */
const PATIENCE = 1500;

const HELP = {
  'j, k or arrows': 'next, previous', Enter: 'open', Esc: 'back, close, no search', '/': 'search', p: 'pause, go on', f: 'fault for what is selected, or all',
  s: 'send a push', r: 'send it again', c: 'copy it as curl', m: 'mark it, to compare the next one (Ctrl and a click, too)', w: 'compare it with what worked', d: 'pushes to its device', x: 'delete what the search found',
  [`g then ${[...LETTERS].join(' ')}`]: 'the views, in their order', 'Ctrl+Enter': 'send, play, begin', '?': 'this list',
};

/** Keys of the view that is open, each with what it does. */
export const keys = { view: {}, areOn: remembered('keys', true), listen, help };

function listen() {
  let going = -Infinity;
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.defaultPrevented) return;
    const dialog = document.querySelector('dialog[open]');
    const isField = target.matches('input:not([type=checkbox]), textarea, select');
    // It sends what is written, or plays it; a question that this asks is not answered by the same key.
    if (key === 'Enter' && (event.ctrlKey || event.metaKey) && (isField || target.matches('body, main'))) {
      event.preventDefault();
      (dialog ?? document.getElementById('main')).querySelector('.primary')?.click();
    }
    if (dialog || event.metaKey || event.ctrlKey || event.altKey) return;
    if (key === 'Escape') return isField ? target.blur() : keys.view.Escape?.();
    if (isField || !keys.areOn) return;
    if (key === 'Enter' && target.matches('button, a[href], summary, input')) return;
    const view = event.timeStamp - going < PATIENCE && Object.keys(VIEWS)[LETTERS.indexOf(key)];
    going = key === 'g' ? event.timeStamp : -Infinity;
    const act = view ? () => go(at(view)) : keys.view[ARROWS[key] ?? key] ?? { '?': help, s: () => go(at('send')) }[key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function help() {
  const box = (label, checked, keep) => check(label, h('input', { type: 'checkbox', checked, onchange: (event) => keep(event.target.checked) }));
  sheet('Keys', h('dl.keys', Object.entries(HELP).map(([key, what]) => [h('dt', h('kbd', key)), h('dd', what)])),
    box('Single-key shortcuts', keys.areOn, (areOn) => remember('keys', keys.areOn = areOn)),
    box('Ask before deleting, resetting, playing', !remembered('sure', false), (asks) => remember('sure', !asks)));
}
