// What a person sees on a device: notifications, Live Activities, the Lock Screen. Own drawing; read out as a list.

import { ago, button, channelLink, clockTime, counted, dotted, foreign, h, now, pushLink, timely } from '../base.js';
import { tree } from './json.js';

const LEVELS = { 'time-sensitive': 'Time Sensitive', critical: 'Critical', passive: 'Quietly' };
/** Maximum number of lines or letters of a body. */
const LINES = 4;
const LETTERS = 170;

export const levelOf = (shown) => LEVELS[shown.level];

/** An app's color, from its name. */
export const colorOf = (app) => `hsl(${[...app].reduce((hue, letter) => (hue * 31 + letter.codePointAt(0)) % 360, 0)} 55% 34%)`;

/** An app's icon: its first letter, on its color. */
export function appIcon(app, badge = 0) {
  const element = h('span.app-icon', { 'aria-hidden': 'true' }, ([...app][0] ?? '?').toUpperCase(), badge > 0 && h('span.badge', badge));
  element.style.background = colorOf(app);
  return element;
}

/** A notification, as a person reads it: `shown` of the API, when it came, and what follows it. */
export function notification(shown, when = 'now', more = null, isSmall = false) {
  const { app, title, subtitle, body, badge, thread, actions, notes, banner } = shown;
  const level = levelOf(shown);
  const isLong = body?.length > LETTERS || body?.split('\n').length > LINES;
  /** A text; a key that stands for one, since the app has no string for it, is underlined. */
  const line = (text, tag, prefix = '') => text
    && foreign(notes.some((note) => note.startsWith(`There is no string for the ${prefix}loc-key `)) ? h('u', { title: 'No string' }, text) : text, tag);
  const text = line(body, 'p.body.foreign');
  return h(`article.notification.${shown.level}`, appIcon(app), h('div.text',
    h('h3', level && h('span.level', level, h('span.sr', ', ')), app, h('span.sr', ': ')), h('span.when', when),
    line(title, 'p.headline.foreign', 'title-'), line(subtitle, 'p.subtitle.foreign', 'subtitle-'), text,
    !isSmall && [
      isLong && button('more', (event) => {
        text.classList.add('whole');
        event.currentTarget.remove();
      }, { class: 'quiet' }),
      actions.length > 0 && h('ul.choices', { label: 'Actions' }, actions.map((action) =>
        h('li', { class: action.destructive ? 'destructive' : '' }, action.title))),
      remarks(notes, !banner && 'Notification Center only', soundOf(shown), badge !== null && `badge ${badge}`, thread && `thread ${thread}`),
    ], more));
}

const soundOf = ({ sound }) => sound && `sound ${sound}`;

/** What is to be known beside the texts. */
const remarks = (notes, ...marks) => [marks.some(Boolean) && h('p.marks', dotted(marks)), notes.map((note) => h('p.side-note', note))];

/** The name by which the app started a Live Activity, or the type of its attributes. */
export const activityName = ({ name, attributesType }) => name ?? attributesType ?? 'Live Activity';

/** A Live Activity of an app, by its topic. */
export function activityCard(activity, topic) {
  const { event, isStale, channel, channelName, sequence, endsAt, startedAt, staleDate, state, alert, relevanceScore, ignored = [] } = activity;
  return h('article.activity', { class: isStale ? 'stale' : '' }, h('h3', h('span.pill', 'Live'), activityName(activity)),
    h('p.muted', sequence && pushLink(sequence), ' ', dotted(topic?.replace('.push-type.liveactivity', ''), event, isStale ? 'stale' : staleDate && `stale from ${clockTime(staleDate)}`,
      endsAt && `${event === 'end' ? 'goes' : 'ends'} ${clockTime(endsAt)}`, startedAt && `began ${clockTime(startedAt)}`, relevanceScore !== null && `relevance ${relevanceScore}`),
      channel && [' · channel ', channelLink(channel, channelName)]),
    alert && [h('p', foreign(dotted(alert.title, alert.body))), remarks(alert.notes, soundOf(alert))], state && h('div.tree', tree(state)), h('ul.dropped', ignored.map((push) => h('li', `${push.sequence}: ${push.why}`))));
}

/** For those who go from heading to heading: those of notifications are below it. */
export const screenHeading = () => h('h2.sr', 'Screen');

export const notModeled = () => h('details', h('summary', 'Not modeled'),
  h('p.muted', 'Focus and the scheduled summary.'));

/** Whether the app is gone, and its notifications with it; a token can expire without that. */
const isUninstalled = ({ registered }) => registered === false || Boolean(registered.unregisteredAt);

/** What is displayed, newest first, in stacks of one app and thread. */
export function stacks(device) {
  const found = new Map();
  for (const one of isUninstalled(device) ? [] : device.displayed.toReversed()) {
    const key = `${one.shown.app}\n${one.shown.thread ?? ''}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(one);
  }
  return [...found.values()];
}

/** What the user allows of notifications. */
export const permission = ({ notifications }) => notifications.authorization ?? (notifications ? 'authorized' : 'denied');
const PERMISSIONS = { denied: 'notifications off', provisional: 'notifies provisionally', notDetermined: 'may not notify yet' };

/** What is remarkable about a device, for `dotted`. */
export const signs = ({ online, power, notifications, registered, stored, badge, app }) => [
  !online && 'offline', power === 'saving' && 'saving power', PERMISSIONS[permission({ notifications })],
  registered !== true && (isUninstalled({ registered }) ? 'uninstalled (410)' : 'token expired'),
  app.state !== 'background' && `app ${app.state}`, stored.length > 0 && `${stored.length} stored`, badge > 0 && `badge ${badge}`,
];

/** A small screen, for the list of devices. */
export function smallScreen(device) {
  const all = stacks(device);
  const { activities } = device;
  return h('div.glass.small', !all.length && !activities.length && h('p.nothing', 'Nothing on the screen'),
    activities.slice(-1).map((one) => h('p', h('span.pill', 'Live'), activityName(one))),
    all.slice(0, 3).map(([one, ...rest]) => notification(one.shown, timely(() => ago(one.displayedAt, now())), rest.length > 0 && h('p.muted', `${rest.length} more`), true)),
    all.length > 3 && h('p.muted', counted(all.length - 3, 'more stack')));
}
