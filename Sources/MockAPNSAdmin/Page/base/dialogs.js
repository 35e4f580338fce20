// Dialogs, and short messages at the edge of the page.

import { button, fill, h } from './dom.js';
import { remember, remembered } from './theme.js';

const status = h('div.toasts', { role: 'status', 'aria-live': 'polite' });
const alerts = h('div.toasts', { role: 'alert' });
document.body.append(status, alerts);

/**
 * Says that something was done.
 *
 * @param {string} text
 * @param {import('./dom.js').Child} [more]
 */
export function said(text, more) {
  const toast = h('div.toast', null, h('span', null, text), more);
  fill(status, toast);
  setTimeout(() => toast.remove(), 6000);
}

/**
 * Says that something failed; stays until it is closed.
 *
 * @param {any} error
 */
export function failed(error) {
  if (error?.name === 'AbortError') return;
  const text = error?.name === 'TypeError' ? 'The server cannot be reached.' : String(error?.message ?? error);
  const toast = h('div.toast.error', null, h('span', null, text), button('Close', () => toast.remove(), { class: 'quiet' }));
  fill(alerts, toast);
}

/**
 * A dialog with a heading. Focus comes back to where it was.
 *
 * @param {string} title
 * @param {...import('./dom.js').Child} content
 * @returns {HTMLDialogElement}
 */
export function sheet(title, ...content) {
  const before = document.activeElement;
  const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' },
    h('header', null, h('h2', { id: 'dialog-title' }, title),
      button(null, () => dialog.close(), { icon: 'close', class: 'quiet', 'aria-label': 'Close' })),
    content);
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  });
  dialog.addEventListener('click', (/** @type {Event} */ event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Asks once before something cannot be undone.
 *
 * @param {string} question
 * @param {string} verb what the button says.
 * @param {string} [kind] under which "do not ask again" is remembered.
 * @returns {Promise<boolean>}
 */
export function confirmed(question, verb, kind) {
  if (kind && remembered(`sure.${kind}`, false)) return Promise.resolve(true);
  return new Promise((resolve) => {
    let answer = false;
    const box = h('input', { type: 'checkbox' });
    const dialog = sheet(question, kind && h('label.check', null, box, 'Do not ask again'),
      h('div.actions', null, button('Cancel', () => dialog.close()), button(verb, () => {
        answer = true;
        if (kind && box.checked) remember(`sure.${kind}`, true);
        dialog.close();
      }, { class: 'danger', autofocus: true })));
    dialog.addEventListener('close', () => resolve(answer));
  });
}

/**
 * Asks for the token of the admin port.
 *
 * @param {string} message what the server says.
 * @returns {Promise<string>}
 */
export function askForToken(message) {
  return new Promise((resolve, reject) => {
    /** @type {string | null} */
    let answer = null;
    const field = h('input', { type: 'password', autocomplete: 'off', required: true, 'aria-label': 'Token', autofocus: true });
    const dialog = sheet('This server asks for a token', h('p.muted', null, message),
      h('form', { method: 'dialog', onsubmit: () => (answer = field.value) }, h('div.actions', null, field, h('button.primary', null, 'Go on'))));
    dialog.addEventListener('close', () => (answer ? resolve(answer) : reject(new Error('Without the token nothing can be shown.'))));
  });
}

/**
 * Copies a text, and says so.
 *
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a secure context browsers have no other way.
    const area = h('textarea.offscreen', { 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  said(`Copied ${what}.`);
}
