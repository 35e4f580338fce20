// What a person sees on a device: notifications, Live Activities, the Lock Screen. Own drawing; read out as a list.

import { get } from '../base/api.js';
import { button, fill, h, icon } from '../base/dom.js';
import { ago, clockTime, counted, foreign, visible } from '../base/text.js';
import { tree } from './json.js';

const LEVELS = { 'time-sensitive': 'Time Sensitive', critical: 'Critical', passive: 'Quietly' };

/** An app's icon: its first letter, on a colour of its own. @param {string} app @param {number} [badge] */
export function appIcon(app, badge = 0) {
  let hue = 0;
  for (const letter of app) hue = (hue * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  return h('span.app-icon', { style: { background: `hsl(${hue} 55% 34%)` }, 'aria-hidden': 'true' },
    visible([...app][0] ?? '?').toUpperCase(), badge > 0 && h('span.badge', null, badge));
}

/**
 * A notification, as a person reads it.
 *
 * @param {any} shown of the API.
 * @param {{when?: string, more?: import('../base/dom.js').Child, isSmall?: boolean}} [options]
 */
export function notification(shown, { when = 'now', more, isSmall = false } = {}) {
  const level = LEVELS[/** @type {keyof LEVELS} */ (shown.level)];
  const isLong = (shown.body ?? '').length > 170 || (shown.body ?? '').split('\n').length > 4;
  const body = shown.body !== null && foreign(shown.body, 'p.body.foreign');
  const marks = [
    shown.sound && h('span.mark', { title: 'plays a sound' }, icon('sound'), h('span.sr', null, 'sound '), visible(shown.sound)),
    shown.badge !== null && h('span.mark', null, `badge ${shown.badge}`), shown.thread && h('span.mark', null, 'thread ', visible(shown.thread)),
  ].filter(Boolean);
  return h('article.notification', { class: shown.level },
    appIcon(shown.app),
    h('div.text', null,
      h('h3', null, level && h('span.level', null, level, h('span.sr', null, ', ')), h('span.app', null, visible(shown.app)), h('span.sr', null, ': ')),
      h('span.when', null, when),
      shown.title && foreign(shown.title, 'p.headline.foreign'), shown.subtitle && foreign(shown.subtitle, 'p.subtitle.foreign'), body,
      isLong && !isSmall && button('more', (event) => {
        if (body) body.classList.add('whole');
        if (event.currentTarget instanceof Element) event.currentTarget.remove();
      }, { class: 'quiet small' }),
      !isSmall && shown.actions.length > 0 && h('ul.choices', { 'aria-label': 'Actions' }, shown.actions.slice(0, 4).map((/** @type {any} */ action) =>
        h('li', { class: action.destructive ? 'destructive' : '' }, visible(action.title)))),
      !isSmall && marks.length > 0 && h('p.marks', null, marks),
      !isSmall && shown.notes.map((/** @type {string} */ note) => h('p.side-note', null, visible(note))), more));
}

/**
 * A Live Activity.
 *
 * @param {any} activity
 * @param {number} now by the scenario's clock, in milliseconds.
 */
export function activityCard(activity, now) {
  const ended = activity.event === 'end';
  return h('article.activity', { class: activity.isStale ? 'stale' : '' },
    h('h3', null, h('span.pill', null, 'Live'), visible(activity.attributesType ?? 'Live Activity')),
    h('p.muted', null, activity.event, activity.isStale && ', stale', activity.channel && `, channel ${visible(activity.channel)}`,
      activity.endsAt && ` · ${ended ? 'goes' : 'ends'} ${clockTime(activity.endsAt)}`, activity.startedAt && ` · began ${ago(activity.startedAt, now)}`),
    activity.state && h('div.tree', null, tree(activity.state)),
    activity.ignored?.length > 0 && h('ul.dropped', null, activity.ignored.map((/** @type {any} */ push) => h('li', null, `${push.sequence}: `, visible(push.why)))));
}

/** The tab Screen of one push. @param {any} record @param {HTMLElement} element */
export async function screenOf(record, element) {
  fill(element, h('p.muted', null, 'Asking…'));
  const screen = await get(`/requests/${record.sequence}/screen`);
  fill(element, h('p.explanation', { class: screen.shows === 'nothing' ? '' : 'ok' }, visible(screen.text)),
    screen.shown && h('div.glass', null, notification(screen.shown)), screen.activity && h('div.glass', null, activityCard(screen.activity, Date.now())),
    h('p.muted.small', null, 'Focus, the scheduled summary, and what the user has set are not modelled.'));
}

/**
 * What is displayed, newest first, in stacks of one app and thread.
 *
 * @param {any} device
 * @returns {any[][]}
 */
export function stacks(device) {
  /** @type {Map<string, any[]>} */
  const found = new Map();
  for (const one of device.displayed.slice().reverse()) {
    const key = `${one.shown.app}\n${one.shown.thread ?? ''}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key)?.push(one);
  }
  return [...found.values()];
}

/** What is remarkable about a device. @param {any} device */
export function signs(device) {
  return [
    !device.online && 'offline', device.power === 'saving' && 'saving power', !device.notifications && 'notifications off',
    device.registered !== true && (device.registered === false || device.registered.unregisteredAt ? 'uninstalled (410)' : 'token expired'),
    device.stored.length > 0 && `${device.stored.length} stored`, device.badge > 0 && `badge ${device.badge}`,
  ].filter(Boolean);
}

/**
 * A small screen, for the list of devices.
 *
 * @param {any} device
 * @param {number} now
 */
export function smallScreen(device, now) {
  const all = stacks(device);
  return h('div.glass.small', null,
    all.length === 0 && !device.activities?.length && h('p.nothing', null, 'Nothing on the screen'),
    (device.activities ?? []).slice(-1).map((/** @type {any} */ one) => h('p.pill-line', null, h('span.pill', null, 'Live'), visible(one.attributesType ?? 'Live Activity'))),
    all.slice(0, 3).map(([one, ...rest]) => notification(one.shown, { when: ago(one.displayedAt, now), isSmall: true, more: rest.length > 0 && h('p.muted', null, `${rest.length} more`) })),
    all.length > 3 && h('p.muted', null, counted(all.length - 3, 'more stack')));
}
