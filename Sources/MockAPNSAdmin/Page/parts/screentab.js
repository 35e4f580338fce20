// The tab Screen of one push: what that shows, or the whole phone as it was right after it.

import { button, deviceLink, get, h, here, pushLink } from '../base.js';
import { withNames } from './channels.js';
import { adjust } from './compare.js';
import { phone } from './phone.js';
import { activityCard, notification, notModeled, screenHeading } from './screens.js';

/** The device right after a push; or why that is unknown. */
async function phoneAfter({ sequence, token, clock }, signal) {
  try {
    return phone(await withNames(await get(`/devices/${token}?at=${sequence}`, signal)), null, Date.parse(clock));
  } catch (error) {
    if (error.status !== 404) throw error;
    return h('p.explanation', error.message);
  }
}

/** `forms` shows the push's notification in another way, below a heading. */
export async function screenOf(record, forms, signal) {
  const { sequence, token, topic } = record;
  const isPhone = Boolean(token && here().query.get('screen'));
  const [{ shows, text, shown, activity }, whole] = await Promise.all([get(`/requests/${sequence}/screen`, signal), isPhone && phoneAfter(record, signal)]);
  const linked = text.split(/Push (\d+)/).map((part, index) => (index % 2 ? pushLink(part) : part));
  const choice = (id, label, screen) => button(label, () => adjust({ screen }), { id, 'aria-pressed': isPhone === Boolean(screen) });
  return [token && h('div.line', { role: 'group', label: 'What is shown' }, choice('this-push', 'This push'), choice('whole-phone', 'Whole phone', 'phone'), deviceLink({ name: record.device, token })),
    h('p.explanation', { class: shows === 'nothing' ? '' : 'ok' }, linked),
    whole || [!forms && screenHeading(), shown && (forms ? forms(shown) : h('div.glass', notification(shown))), activity && h('div.glass', activityCard(activity, topic)), notModeled()]];
}
