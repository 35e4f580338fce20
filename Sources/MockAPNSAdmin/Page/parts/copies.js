// A push in other words: curl, an expectation, a rule, Swift, JSON.

import { session } from '../base/api.js';
import { shellQuoted } from '../base/text.js';

const TOKEN = '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0';
/** Fields that curl or the line itself says, or that are of one try only. */
const LEFT_OUT = new Set(['authorization', 'content-length', 'content-type', 'user-agent', 'accept', 'host', 'te', 'accept-encoding', 'connection']);

/** The variables of this server, for the lines below. */
function environment() {
  const token = sessionToken() ? '-H "Authorization: Bearer $MOCK_APNS_ADMIN_TOKEN" ' : '';
  const path = session ? `/api/v1/sessions/${session}/identity` : '/api/v1/identity';
  return `curl -fsS ${token}'${location.origin}${path}?format=shell' -o mock-apns.env && . ./mock-apns.env\n`;
}

function sessionToken() {
  try {
    return sessionStorage.getItem('mock-apns.token');
  } catch {
    return null;
  }
}

const BEARER = '$(mock-apns token --key "$MOCK_APNS_KEY" --key-id "$MOCK_APNS_KEY_ID" --team-id "$MOCK_APNS_TEAM_ID")';

/**
 * @param {string} token of a device
 * @param {[string, string][]} headers
 * @param {string} body
 */
function line(token, headers, body) {
  const fields = headers.map(([name, value]) => `     -H ${shellQuoted(value === '' ? `${name};` : `${name}: ${value}`)} \\\n`).join('');
  return `${environment()}curl -i --http2 --cacert "$MOCK_APNS_CA" -H "authorization: bearer ${BEARER}" \\\n${fields}`
    + `     --data-raw ${shellQuoted(body)} \\\n     "$MOCK_APNS_URL"${shellQuoted(`/3/device/${token}`)}\n`;
}

/** The body of a record, as text. @param {any} record */
export function bodyOf(record) {
  return record.payloadText ?? (record.payload === null ? '' : JSON.stringify(record.payload));
}

/** The header fields that the provider chose. @param {any} record @returns {[string, string][]} */
export function ownHeaders(record) {
  return record.headers.filter(([name]) => !name.startsWith(':') && !LEFT_OUT.has(name.toLowerCase()) && name.toLowerCase() !== 'apns-id');
}

/** @param {any} record */
export function curl(record) {
  return line(record.token ?? TOKEN, ownHeaders(record), bodyOf(record));
}

/** @param {{topic: string}} identity */
export function firstPush(identity) {
  return line(TOKEN, [['apns-topic', identity.topic], ['apns-push-type', 'alert']], '{"aps":{"alert":"Hello"}}');
}

/** What tells this push from others. @param {any} record */
export function likeness(record) {
  /** @type {Record<string, any>} */
  const match = {};
  if (record.device) match.device = record.device;
  else if (record.token) match.token = record.token;
  if (record.topic) match.topic = record.topic;
  if (record.pushType) match.pushType = record.pushType;
  if (record.collapseID) match.collapseID = record.collapseID;
  const alert = record.payload?.aps?.alert;
  if (typeof alert === 'string') match.payload = { '/aps/alert': alert };
  else if (typeof alert?.title === 'string') match.payload = { '/aps/alert/title': alert.title };
  return match;
}

/** @param {any} record */
export function expectation(record) {
  return {
    name: `${record.pushType ?? 'push'} to ${record.device ?? 'the device'} is answered ${record.status ?? record.outcome}`,
    requests: { ...likeness(record), ...(record.status ? { status: record.status } : { outcome: record.outcome }) }, count: { atLeast: 1 },
  };
}

/** @param {any} record */
export function rule(record) {
  const { payload, ...when } = likeness(record);
  return {
    name: `like ${record.sequence}`, when: { ...when, ...(payload ? { payload } : {}) }, times: 1,
    then: record.reason ? { reject: record.reason } : { reject: 'TooManyRequests' },
  };
}

/** @param {string} text */
const swiftString = (text) => `"${text.replace(/[\\"]/g, '\\$&').replace(/[\u0000-\u001f\u007f]/g, (letter) => `\\u{${letter.charCodeAt(0).toString(16)}}`)}"`;

/** @param {any} record */
export function swift(record) {
  const parts = [record.device ? `.device(${swiftString(record.device)})` : record.token ? `.token(${swiftString(record.token)})` : ''];
  if (record.topic) parts.push(`.topic(${swiftString(record.topic)})`);
  if (record.status) parts.push(`.status(${record.status})`);
  return `let pushes = try await apns.requests(matching: ${parts.join('')}, count: 1, within: .seconds(5))\n`;
}
