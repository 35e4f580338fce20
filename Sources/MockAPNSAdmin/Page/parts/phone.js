// A device as a person holds it: Lock Screen, Live Activities, notifications in their stacks.

import { ago, dotted, h, now, pushLink, timely } from '../base.js';
import { activityCard, appIcon, notification, notModeled, permission, screenHeading, stacks } from './screens.js';

/**
 * `dismiss(label, all, attributes)` makes a button that dismisses notifications; without it there are none. `then` is the
 * moment at which the device was so, in milliseconds; else it is now.
 */
export function phone(device, dismiss, then) {
  const moment = () => then ?? now();
  const { online, power, activities, badge, displayed, topics } = device;
  const all = stacks(device);
  const today = new Date(moment()).toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  const one = ({ shown, displayedAt, sequence }) => notification(shown, timely(() => ago(displayedAt, moment())),
    h('p.links', pushLink(sequence), dismiss?.('Dismiss', [{ sequence }], { class: 'quiet' })));
  return h('section.phone', { label: 'Screen' }, screenHeading(),
    h('div.lock', h('p', today), h('p.time', timely(() => new Date(moment()).toISOString().slice(11, 16))),
      h('p.signs', dotted(!online && 'No connection', power === 'saving' && 'Low Power', permission(device) === 'denied' && 'Notifications off'))),
    h('ul', { label: 'Lock Screen, newest first' }, activities.toReversed().map((activity) => h('li', activityCard(activity, activity.topic))),
      all.map(([first, ...rest]) => h('li', one(first), rest.length > 0 && h('details.stack', h('summary', `${rest.length} more`), rest.map(one))))),
    !all.length && !activities.length && h('p.nothing', 'Nothing on the screen'),
    badge > 0 && h('p.dock', appIcon(all[0]?.[0].shown.app ?? topics[0]?.split('.').pop() ?? 'app', badge), h('span.sr', `The badge is ${badge}`)),
    all.length > 0 && dismiss?.('Clear', displayed, { class: 'quiet' }), notModeled());
}
