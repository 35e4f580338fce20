// Keys: single letters, dead in fields, and switched off by who wants to.

import { home } from './api.js';
import { h } from './dom.js';
import { go } from './router.js';
import { remember, remembered } from './theme.js';
import { sheet } from './dialogs.js';

const GO = { l: 'pushes', d: 'devices', f: 'faults', e: 'expect', n: 'send', s: 'scenario' };

const HELP = [
  ['j, k or arrows', 'next, previous'], ['Enter', 'open'], ['Esc', 'back, close'], ['/', 'search'], ['p', 'pause, go on'],
  ['f', 'fault for what is selected'], ['s', 'send a push'], ['r', 'send the selected push again'], ['c', 'copy it as curl'],
  ['x', 'delete'], ['g then l d f e n s', 'pushes, devices, faults, expectations, send, scenario'], ['?', 'this list'],
];

export const keys = {
  /** What the view does with keys. @type {Record<string, () => void>} */
  view: {},
  isOn: true,
  begin() {
    this.isOn = remembered('keys', true);
    let isGoing = 0;
    document.addEventListener('keydown', (event) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      if (document.querySelector('dialog[open]')) return;
      const target = event.target instanceof HTMLElement ? event.target : document.body;
      const isField = target.matches('input:not([type=checkbox], [type=radio]), textarea, select');
      if (event.key === 'Escape') {
        if (isField) return target.blur();
        return this.view.Escape?.();
      }
      if (isField || !this.isOn) return;
      const isControl = target.matches('button, a[href], summary, input, [role=tab]');
      if (event.key === 'Enter' && isControl) return;
      if (event.key.startsWith('Arrow') && isControl && target.matches('[role=tab]')) return;
      if (isGoing && Date.now() - isGoing < 1500 && event.key in GO) {
        isGoing = 0;
        event.preventDefault();
        return go(`${home}/${GO[/** @type {keyof GO} */ (event.key)]}`);
      }
      isGoing = event.key === 'g' ? Date.now() : 0;
      const name = { ArrowDown: 'j', ArrowUp: 'k' }[event.key] ?? event.key;
      if (name === '?') this.help();
      else if (this.view[name]) {
        event.preventDefault();
        this.view[name]();
      } else if (name === 's') {
        event.preventDefault();
        go(`${home}/send`);
      }
    });
  },
  help() {
    const box = h('input', {
      type: 'checkbox', checked: this.isOn,
      onchange: () => {
        this.isOn = box.checked;
        remember('keys', this.isOn);
      },
    });
    sheet('Keys', h('dl.keys', null, HELP.map(([key, what]) => [h('dt', null, h('kbd', null, key)), h('dd', null, what)])),
      h('label.check', null, box, 'Single keys do something'));
  },
};
