// Texts for people: times, sizes, and what came from a payload.

import { h } from './dom.js';

/** A value of a payload, or of the API, as a text. */
export const shownValue = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** JSON as people lay it out. */
export const json = (value) => JSON.stringify(value, null, 2);

/** Words that are there, as one line. */
export const dotted = (...words) => words.flat().filter(Boolean).join(' · ');

/** A text of a payload, in its own direction, which it keeps to itself. */
export const foreign = (text, tag = 'span.foreign') => h(tag, { dir: 'auto' }, text);

export const count = (number) => Math.round(number).toLocaleString('en-US');

/** `1 push`, `2 pushes`. */
export const counted = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
export const pushes = (number) => counted(number, 'push', 'pushes');

const UNITS = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];

/** A time that lasts, in short. */
export function lasting(seconds) {
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** Microseconds, as people read them. */
export const millis = (microseconds) => `${(microseconds / 1000).toFixed(1)} ms`;

/** How long ago, in short; `now` in milliseconds. */
export function ago(time, now) {
  const seconds = Math.round((now - Date.parse(time)) / 1000);
  return seconds < 2 ? 'now' : `${lasting(seconds)} ago`;
}

/** The distance between two times, in short: `+613 ms`, `+1.6 s`, `+2 min 5 s`. */
export function apart(milliseconds) {
  const size = Math.abs(milliseconds);
  const sign = milliseconds < 0 ? '−' : '+';
  if (size < 1000) return `${sign}${size} ms`;
  if (size < 59_950) return `${sign}${(size / 1000).toFixed(1)} s`;
  const seconds = Math.round(size / 1000);
  return `${sign}${lasting(seconds)}${seconds < 3600 && seconds % 60 ? ` ${seconds % 60} s` : ''}`;
}

/** A time of the day in UTC, with the date unless it is today. */
export function clockTime(time) {
  const [date, rest] = time.split('T');
  return (date === new Date().toISOString().slice(0, 10) ? '' : `${date} `) + rest.replace(/(\.\d+)?Z$/, '');
}

/** A time that says all of itself in its title, and when it is copied. */
export const timeElement = (time, text) => h('time', { datetime: time, title: time }, text ?? clockTime(time));

/** An expiration of APNs, in UNIX seconds. */
export function expiration(seconds) {
  if (seconds === 0) return '0 (now or never)';
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? seconds : `${seconds} (${date.toISOString().slice(0, 19)}Z)`;
}

/** A word as a POSIX shell leaves it. */
export const shellQuoted = (word) => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** What stands for a channel in addresses: ids have slashes. */
export const channelKey = ({ name, channelID }) => name ?? channelID.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** A device's name, or the first digits of its token. */
export const deviceLabel = ({ device, name = device, token }) => name || (token ? `${token.slice(0, 8)}…` : '–');
