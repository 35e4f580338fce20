// What is known and done about broadcast channels, one or all.

import {
  at, call, channelKey, confirmed, everyone, find, foreign, get, go, grid, h, pushLink, said, section, tell, timeElement,
} from '../base.js';
import { statusElement } from './status.js';

export const POLICIES = { none: 'no message', mostRecent: 'most recent message' };
export const TOPICS = 'channel scenario';

export const nameOf = ({ name, channelID }) => name ?? channelID;

/** One channel, or undefined: it may just have been deleted. */
export const named = async (name) => (await get(`/channels?name=${encodeURIComponent(name)}`)).channels[0];

/** Gives the Live Activities of a device the names of their channels, which people know them by. */
export async function withNames(device) {
  await Promise.all((device?.activities ?? []).filter(({ channel }) => channel).map(async (each) => {
    each.channelName = (await named(each.channel).catch(() => null))?.name;
  }));
  return device;
}

/** The latest calls about one channel, or about all: those that were refused have channels that are in no list. */
export const latest = async (channel) => (await find({ requests: { ...everyone, call: { exists: true }, channel: channel?.channelID } }, { limit: 50 })).requests;

export const callsOf = (calls) => section('Calls', calls.length ? grid('Calls', ['#', 'Time', 'Call', 'Channel', 'Answer', 'Text', 'Delivered'], calls.map((each) => [pushLink(each.sequence, each.sequence),
  timeElement(each.time), each.call, foreign(each.channel ?? ''), statusElement(each), foreign(each.title ?? ''), each.delivered])) : h('p.muted', 'None in the log.'));

export async function remove(channel) {
  if (!(await confirmed(`Delete the channel ${nameOf(channel)} for good?`, 'Delete'))) return;
  go(at('channels'));
  await call('DELETE', `/channels/${encodeURIComponent(channelKey(channel))}`);
  said(`Deleted: ${nameOf(channel)}`);
  tell('channel');
}
