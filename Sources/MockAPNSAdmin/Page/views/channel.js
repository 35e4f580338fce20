// One broadcast channel: what was published to it over time, who listens, and the calls about it.

import {
  action, at, count, counted, deviceLink, everyone, facts, find, foreign, form, get, go, grid, h, json, link, now, page, post, pushLink, refill, said, section, shownValue,
  snippet, tell, timeElement, watch,
} from '../base.js';
import { callsOf, latest, named, nameOf, POLICIES, remove, TOPICS } from '../parts/channels.js';
import { curl } from '../parts/copies.js';
import { activityName } from '../parts/screens.js';
import { statusElement, statusWord } from '../parts/status.js';

/** Pushes whose content-state is shown, members of it that have columns, and devices that are looked through. */
const MOST = 50;
const COLUMNS = 6;
const DEVICES = 1000;

export function open({ path: [id] }) {
  const element = h('div');
  let channel;
  watch(`${TOPICS} device`, async () => {
    channel = await named(id);
    if (!channel) return null;
    const { channelID } = channel;
    const [calls, { requests: published }, { devices }] = await Promise.all([
      latest(channel), find({ requests: { ...everyone, call: 'publish', channel: channelID } }, { limit: MOST, whole: true }),
      channel.subscribers ? get(`/devices?limit=${DEVICES}`) : { devices: [] },
    ]);
    const listening = devices.flatMap(({ name, token, activities }) =>
      activities.filter((each) => each.channel === channelID).map((activity) => ({ name, token, activity })));
    return { channel, calls, published, listening };
  }, (found) => refill(element, found ? drawn(found) : h('div.empty', h('h1', 'No such channel'), h('p', link(at('channels'), 'All channels')))), 1000);
  return { title: id, element, keys: { Escape: () => go(at('channels')), x: () => channel && remove(channel) } };
}

const drawn = ({ channel, calls, published, listening }) => page(foreign(nameOf(channel)), [h('span.grow'),
  action('Publish…', () => publish({ channel, published })), action('Delete', () => remove(channel), { title: 'Key x' }), link(at('channels'), 'All channels')],
  facts([['Id', h('code', channel.channelID)], ['Topic', channel.topic], ['Environment', channel.environment], ['Stores', POLICIES[channel.storage]],
    ['Created', timeElement(channel.createdAt)], ['Published', channel.published], ['Delivered', channel.delivered], ['Stored', channel.stored && pushLink(channel.stored)]]),
  h('div.flow.apart', statesOf(published), subscribersOf(channel, listening), callsOf(calls), fromShell(channel, published)));

/** What devices ignore, or APNs refuses, changes nothing. */
const counts = ({ status, ignored }) => status === 200 && !ignored;

const stateOf = ({ payload }) => payload?.aps?.['content-state'];

/** A row for each push, newest first; what differs from the push before is marked. */
function statesOf(published) {
  const isObject = (state) => state !== null && typeof state === 'object' && !Array.isArray(state);
  const names = [...new Set(published.flatMap((each) => (isObject(stateOf(each)) ? Object.keys(stateOf(each)) : [])))].slice(0, COLUMNS);
  const columns = ['#', 'Time', 'Answer', 'Event', ...names.map((name) => foreign(name)), ''];
  return section('Content state over time', published.length ? grid('Content state', columns, published.map((each, index) => {
    const state = stateOf(each);
    const before = published.slice(index + 1).find(counts);
    const value = (name) => {
      const [text, old] = [state, before && stateOf(before)].map((one) => (one?.[name] === undefined ? '–' : shownValue(one[name])));
      return before && counts(each) && text !== old ? h('mark', { title: 'Changed' }, h('b', foreign(text))) : foreign(text);
    };
    const rest = isObject(state) ? Object.fromEntries(Object.entries(state).filter(([name]) => !names.includes(name))) : state;
    const event = foreign(shownValue(each.payload?.aps?.event ?? '–'));
    return [pushLink(each.sequence, each.sequence), timeElement(each.time), statusElement(each), event, ...names.map(value),
      isObject(rest) && !Object.keys(rest).length ? '' : rest !== undefined && foreign(shownValue(rest))];
  })) : h('p.muted', 'Nothing was published to it.'));
}

function subscribersOf({ subscribers }, listening) {
  return section(counted(subscribers, 'subscriber'), h('ul', listening.map(({ activity, ...device }) => h('li',
    deviceLink(device), ' · ', foreign(activityName(activity)),
    activity.sequence ? [' · shows ', pushLink(activity.sequence)] : h('span.muted', ' · shows no push yet')))),
  subscribers > listening.length && h('p.muted', `${count(subscribers - listening.length)} more.`));
}

/** What could be published next. */
function payloadOf(published) {
  const newest = published.find(counts);
  return json({ aps: { timestamp: Math.floor(now() / 1000), event: 'update', 'content-state': (newest && stateOf(newest)) ?? {} } });
}

/** Asks what to publish. */
function publish({ channel, published }) {
  const area = h('textarea', { rows: 10, spellcheck: 'false', label: 'Payload', autofocus: true, value: payloadOf(published) });
  form(`Publish to ${nameOf(channel)}`, 'Publish', async () => {
    const record = await post('/pushes', { channel: channel.channelID, pushType: 'liveactivity', priority: 10, expiration: 0, body: area.value });
    said(`${record.sequence}: ${statusWord(record)}`);
    tell('channel');
  }, area);
}

/** The same as a provider. */
function fromShell({ channelID, topic }, published) {
  const headers = Object.entries({ 'apns-channel-id': channelID, 'apns-push-type': 'liveactivity', 'apns-priority': '10', 'apns-expiration': '0' });
  return section('Publish, from a shell', snippet(curl({ method: 'POST', path: `/4/broadcasts/apps/${topic}`, headers, payload: null, payloadText: payloadOf(published) }), 'the command'));
}
