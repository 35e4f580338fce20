// Dialogs, short messages at the edge of the page, and what is handed to the clipboard and to files.

import { remember, remembered } from './api.js';
import { button, check, code, fill, h, sign } from './dom.js';

const status = h('div.toasts', { role: 'status' });
const alerts = h('div.toasts', { role: 'alert' });
document.body.append(status, alerts);

/** Says that something was done. */
export function said(text) {
  const toast = h('div.toast', text);
  fill(status, toast);
  setTimeout(() => toast.remove(), 6000);
}

/** Says that something failed; stays until it is closed. */
export function failed(error) {
  if (error?.name === 'AbortError') return;
  const text = error?.name === 'TypeError' ? 'Server unreachable.' : String(error?.message ?? error);
  fill(alerts, h('div.toast.error', h('span', text), button('Close', settled, { class: 'quiet' })));
}

/** Removes a reported failure: another view is open, or the server is back. */
export const settled = () => fill(alerts);

/** A dialog with a heading. Focus comes back to where it was. */
export function sheet(title, ...content) {
  const before = document.activeElement;
  const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' },
    h('div.head', h('h2', { id: 'dialog-title' }, title), sign('✕', 'Close', () => dialog.close())), content);
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before.isConnected) before.focus();
  });
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * What a button opens below it; `opened` is called before it is seen. It closes when a link in it is followed. Escape closes
 * it, and is no way back from the view below it.
 */
export function dropdown(opener, label, opened, ...content) {
  const panel = h('div.drop', {
    popover: 'auto', role: 'dialog', label, onclick: ({ target }) => target.closest('a') && panel.hidePopover(),
    ontoggle({ newState }) {
      if (newState !== 'open') return;
      opened?.();
      const { bottom, left } = opener.getBoundingClientRect();
      panel.style.top = `${bottom + 4}px`;
      panel.style.left = `${Math.max(8, Math.min(left, innerWidth - panel.offsetWidth - 8))}px`;
    },
  }, content);
  opener.popoverTargetElement = panel;
  return h('span', { onkeydown: (event) => event.key === 'Escape' && panel.matches(':popover-open') && event.stopPropagation() }, opener, panel);
}

/** A dialog with a form, which closes when its action is done. A failure is shown, and leaves it open. */
export function form(title, verb, act, ...content) {
  const dialog = sheet(title, h('form', {
    async onsubmit() {
      await act();
      dialog.close();
    },
  }, content, h('div.actions', button('Cancel', () => dialog.close()), h('button.primary', verb))));
  return dialog;
}

/** Asks before something cannot be undone, unless that is not wanted any more. */
export function confirmed(question, verb) {
  return remembered('sure', false) || new Promise((resolve) => {
    const box = h('input', { type: 'checkbox' });
    const dialog = sheet(question, check('Do not ask again', box),
      h('div.actions', button('Cancel', () => dialog.close(), { autofocus: true }), button(verb, () => dialog.close('yes'), { class: 'danger' })));
    dialog.addEventListener('close', () => {
      const isSure = dialog.returnValue === 'yes';
      if (isSure) remember('sure', box.checked);
      resolve(isSure);
    });
  });
}

/** Asks for the token of the admin port; `message` is what the server says. */
export function askForToken(message) {
  return new Promise((resolve, reject) => {
    const token = h('input', { type: 'password', autocomplete: 'off', required: true, label: 'Token', autofocus: true });
    const dialog = form('This server requires a token', 'Go on', () => resolve(token.value), h('p.muted', message), token);
    dialog.addEventListener('close', () => reject(new Error('Nothing is shown without the token.')));
  });
}

/** Copies a text, and says so. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a secure context browsers have no other way.
    const area = h('textarea.sr', { value: text });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  said(`Copied ${what}.`);
}

/** Hands a file to the browser. */
export function save(name, parts, type) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  said(`Saved as ${name}.`);
}

/** A text to be copied, with the button for it. */
export const snippet = (text, what) => h('div.snippet', code(text), button('Copy', () => copy(text, what)));
