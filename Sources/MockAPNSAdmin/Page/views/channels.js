// Broadcast channels: all of them, or one with the calls about it.

import {
  action, at, call, channelKey, channelLink, confirmed, count, everyone, facts, field, find, foreign, go, get, grid, h, identity, input, link, page, post,
  pushLink, refill, said, section, select, shownValue, stepping, tell, timeElement, watch,
} from '../base.js';
import { statusElement } from '../parts/status.js';

const POLICIES = { none: 'no message', mostRecent: 'most recent message' };
const TOPICS = 'channel scenario';

export const open = ({ path: [id] }) => (id ? one(id) : list());

const nameOf = ({ name, channelID }) => name ?? channelID;

/** How many channels are shown; the API has the others. */
const MOST = 1000;

/** One channel, or undefined: it may just have been deleted. */
const named = async (name) => (await get(`/channels?name=${encodeURIComponent(name)}`)).channels[0];

/** The latest calls about one channel, or about all: those that were refused have channels that are in no list. */
const latest = async (channel) => (await find({ requests: { ...everyone, call: { exists: true }, channel: channel?.channelID } }, { limit: 50 })).requests;

const callsOf = (calls) => section('Calls', calls.length ? grid('Calls', ['#', 'Time', 'Call', 'Channel', 'Answer', 'Text', 'Delivered'], calls.map((each) => [pushLink(each.sequence, each.sequence),
  timeElement(each.time), each.call, foreign(each.channel ?? ''), statusElement(each), foreign(each.title ?? ''), each.delivered])) : h('p.muted', 'None in the log.'));

async function remove(channel) {
  if (!(await confirmed(`Delete the channel ${nameOf(channel)} for good?`, 'Delete'))) return;
  go(at('channels'));
  await call('DELETE', `/channels/${encodeURIComponent(channelKey(channel))}`);
  said(`Deleted: ${nameOf(channel)}`);
  tell('channel');
}

function list() {
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

function one(id) {
  const element = h('div');
  let channel;
  watch(TOPICS, async () => {
    channel = await named(id);
    return [channel, channel && await latest(channel)];
  }, ([, calls]) => refill(element, channel ? drawn(calls) : h('div.empty', h('h1', 'No such channel'), h('p', link(at('channels'), 'All channels')))), 1000);
  const drawn = (calls) => page(foreign(nameOf(channel)), [h('span.grow'), action('Delete', () => remove(channel), { title: 'Key x' }), link(at('channels'), 'All channels')],
    facts([['Id', h('code', channel.channelID)], ['Topic', channel.topic], ['Environment', channel.environment], ['Stores', POLICIES[channel.storage]],
      ['Created', timeElement(channel.createdAt)], ['Subscribers', channel.subscribers], ['Published', channel.published], ['Delivered', channel.delivered],
      ['Stored', channel.stored && shownValue(channel.stored)]]),
    callsOf(calls));
  return { title: id, element, keys: { Escape: () => go(at('channels')), x: () => channel && remove(channel) } };
}
