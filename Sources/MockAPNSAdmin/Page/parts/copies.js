// A push in other words: curl, an expectation, a rule, Swift; and what sends it again.

import { access, root, shellQuoted } from '../base.js';

/** A device token to start from. */
export const SAMPLE_TOKEN = '00fc13ad'.repeat(8);
/** Fields that APNs reads, but for an id, which would not be unique. */
const FIELDS = /^apns-(?!id$)/;

const BEARER = '$(mock-apns token --key "$MOCK_APNS_KEY" --key-id "$MOCK_APNS_KEY_ID" --team-id "$MOCK_APNS_TEAM_ID")';

function line(path, headers, body, method) {
  const fields = headers.map(([name, value]) => `     -H ${shellQuoted(value === '' ? `${name};` : `${name}: ${value}`)} \\\n`).join('');
  // The first line sets the variables of this server.
  return `curl -fsS ${access.token && '-H "Authorization: Bearer $MOCK_APNS_ADMIN_TOKEN" '}'${location.origin}${root}/identity?format=shell' -o mock-apns.env && . ./mock-apns.env\n`
    + `curl -i --http2 -X ${method ?? 'POST'} --cacert "$MOCK_APNS_CA" -H "authorization: bearer ${BEARER}" \\\n${fields}`
    + `     ${body && `--data-raw ${shellQuoted(body)} `}"$MOCK_APNS_URL"${shellQuoted(path)}\n`;
}

/** The body of a record, as text. */
export const bodyOf = ({ payload, payloadText }) => payloadText ?? (payload === null ? '' : JSON.stringify(payload));

export const curl = (record) => line(record.path ?? `/3/device/${record.token ?? SAMPLE_TOKEN}`,
  record.headers.filter(([name]) => FIELDS.test(name)), bodyOf(record), record.method);

export const firstPush = ({ topic }) => line(`/3/device/${SAMPLE_TOKEN}`, [['apns-topic', topic], ['apns-push-type', 'alert']], '{"aps":{"alert":"Hello"}}');

/** What tells this push or call from others, as a MATCH. */
function likeness({ call, channel, channelName, device, token, topic, pushType, collapseID, payload }) {
  // The next channel that is created has another id.
  if (call) return { call, ...(channel && call !== 'create' && { channel: channelName ?? channel }) };
  const alert = payload?.aps?.alert;
  return {
    ...(device ? { device } : token && { token }), ...(topic && { topic }), ...(pushType && { pushType }), ...(collapseID && { collapseID }),
    ...(typeof alert === 'string' ? { payload: { '/aps/alert': alert } } : typeof alert?.title === 'string' && { payload: { '/aps/alert/title': alert.title } }),
  };
}

export const expectation = (record) => ({
  name: `${record.call ?? `${record.pushType ?? 'push'} to ${record.device ?? 'the device'}`} is answered ${record.status ?? record.outcome}`,
  requests: { ...likeness(record), ...(record.sentBy === 'admin' && { sentBy: 'admin' }), ...(record.status ? { status: record.status } : { outcome: record.outcome }) }, count: { atLeast: 1 },
});

export const rule = (record) => ({
  name: `like ${record.sequence}`, when: { on: record.call && (record.call === 'publish' ? 'broadcast' : 'channels'), ...likeness(record) }, times: 1, then: { reject: record.reason ?? 'TooManyRequests' },
});

const swiftString = (text) => `"${text.replace(/[\\"]/g, '\\$&').replace(/[\0-\x1f\x7f]/g, (letter) => `\\u{${letter.charCodeAt(0).toString(16)}}`)}"`;

export function swift(record) {
  const { call, channel, device, token, topic } = likeness(record);
  const parts = [call && `.call(.${call})`, channel && `.channel(${swiftString(channel)})`, device ? `.device(${swiftString(device)})` : token && `.token(${swiftString(token)})`, topic && `.topic(${swiftString(topic)})`, record.status && `.status(${record.status})`];
  return `let pushes = try await apns.requests(matching: ${parts.filter(Boolean).join('')}, count: 1, within: .seconds(5))\n`;
}

/** What sends a push like that record, as the body of `POST /pushes`. */
export function again(record) {
  const { token, topic, pushType, priority, expiration, collapseID, payload, payloadText } = record;
  const has = (name) => record.headers.some(([each]) => each === name);
  return {
    token, topic, pushType, ...(has('apns-priority') && { priority }), ...(has('apns-expiration') && { expiration }),
    ...(collapseID && { collapseID }), ...(payloadText === null ? { payload } : { body: payloadText }),
  };
}
