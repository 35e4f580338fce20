// Texts for people: times, sizes, and what came from a payload.

import { h } from './dom.js';

/**
 * A text of a payload as it can be shown: control characters are seen, line ends stay.
 *
 * @param {unknown} text
 */
export function visible(text) {
  return String(text).replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, (letter) =>
    letter === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + letter.charCodeAt(0)));
}

/**
 * A text of a payload, in its own direction, which it keeps to itself.
 *
 * @param {unknown} text
 * @param {string} [tag]
 */
export function foreign(text, tag = 'span.foreign') {
  return h(tag, { dir: 'auto' }, visible(text));
}

/**
 * A number with thin spaces between thousands.
 *
 * @param {number} number
 */
export function count(number) {
  return Math.round(number).toLocaleString('en-US');
}

/**
 * `1 push`, `2 pushes`.
 *
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function counted(number, one, many = one + 's') {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/**
 * How long ago, in short.
 *
 * @param {string} time
 * @param {number} now in milliseconds.
 */
export function ago(time, now) {
  const seconds = Math.round((now - Date.parse(time)) / 1000);
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 2) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

/**
 * A time of the day in UTC, with the date unless it is today.
 *
 * @param {string} time
 */
export function clockTime(time) {
  const [date, rest] = String(time).split('T');
  const today = new Date().toISOString().slice(0, 10);
  return (date === today ? '' : `${date} `) + (rest ?? '').replace(/(\.\d+)?Z$/, '');
}

/**
 * A time that says all of itself in its title, and when it is copied.
 *
 * @param {string} time
 * @param {string} [text]
 */
export function timeElement(time, text) {
  return h('time', { datetime: time, title: time }, text ?? clockTime(time));
}

/**
 * An expiration of APNs, in UNIX seconds.
 *
 * @param {number} seconds
 */
export function expiration(seconds) {
  if (seconds === 0) return '0 (now or never)';
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : `${seconds} (${date.toISOString().slice(0, 19)}Z)`;
}

/**
 * A word as a POSIX shell leaves it.
 *
 * @param {string} word
 */
export function shellQuoted(word) {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * A device's name, or the first digits of its token.
 *
 * @param {{device?: string | null, token?: string | null}} of
 */
export function deviceLabel(of) {
  return of.device || (of.token ? `${of.token.slice(0, 8)}…` : '–');
}

/**
 * A name that only this moment has.
 *
 * @param {string} stem
 */
export function freshName(stem) {
  return `${stem} #${Date.now().toString(36).slice(-4)}${Math.floor(Math.random() * 36).toString(36)}`;
}
