// Broadcast channels: all of them, with the latest calls.

import {
  action, channelLink, count, field, get, grid, h, identity, input, page, post, refill, said, section, select, stepping, tell, watch,
} from '../base.js';
import { callsOf, latest, nameOf, POLICIES, remove, TOPICS } from '../parts/channels.js';

/** How many channels are shown; the API has the others. */
const MOST = 1000;

export function open() {
  const [name, topic] = [input({ placeholder: 'none' }), input({ required: true })];
  const storage = select(Object.entries(POLICIES));
  const tables = h('section');
  const create = async () => {
    const channel = await post('/channels', { topic: topic.value.trim(), storage: storage.value, ...(name.value && { name: name.value }) });
    name.value = '';
    said(`Created: ${nameOf(channel)}`);
    tell('channel');
  };
  watch(TOPICS, async () => [await get(`/channels?limit=${MOST}`), await latest()], ([{ channels, total }, calls]) => refill(tables, h('section', channels.length ? grid('Channels', ['Channel', 'Topic', 'Environment', 'Stores', 'Subscribers', 'Published', ''],
    channels.map((each) => [channelLink(each.channelID, each.name), each.topic, each.environment, POLICIES[each.storage], count(each.subscribers), count(each.published),
      action('Delete', () => remove(each), { label: `Delete ${nameOf(each)}` })]))
    : h('div.empty', h('h2', 'No channels yet'), h('p', 'Providers create them, scenarios declare them.')),
  total > channels.length && h('p.muted', `The first ${count(channels.length)} of ${count(total)}.`)), callsOf(calls)), 1000);
  identity().then((known) => {
    topic.value ||= known.topic;
  });
  return {
    title: 'Channels', keys: stepping(tables, 'th a'),
    element: page('Channels', null, tables, section('New channel', h('form.send', { onsubmit: create },
      field('Name', name), field('Topic', topic), field('Stores', storage), h('div.whole.line', action('Create', null, { type: 'submit', class: 'primary' }))))),
  };
}
