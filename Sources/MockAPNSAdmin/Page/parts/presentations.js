// The forms in which a person meets a notification: on the Lock Screen, as a banner, expanded.

import { foreign, h } from '../base.js';
import { notification } from './screens.js';

const form = (name, ...content) => h('figure.form', h('figcaption.muted', name), content);

/** A notification of the API in all its forms. */
export function presentations(shown) {
  const { hiddenBody, banner } = shown;
  return h('div.forms',
    form('Lock Screen', h('div.glass', notification(shown, 'now', hiddenBody && h('p.side-note', 'Without previews: ', foreign(hiddenBody)), true))),
    form('Banner', banner ? h('div.glass.as-banner', notification(shown, 'now', null, true)) : h('p.muted', 'None: it goes to Notification Center only.')),
    form('Expanded', h('div.glass.expanded', notification(shown))));
}
