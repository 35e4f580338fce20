// The reasons of APNs, with status and meaning. A push's Why leads here.

import { at, count, fill, grid, h, link, page, store, watch } from '../base.js';

/** By status. */
const REASONS = {
  400: {
    BadCollapseId: 'Collapse id of more than 64 bytes', BadDeviceToken: 'Device token malformed, or of the other environment',
    BadExpirationDate: 'Expiration that is no integer', BadMessageId: 'apns-id that is no UUID', BadPriority: 'Priority other than 10, 5, 1; or 10 for background',
    BadTopic: 'Malformed topic', DeviceTokenNotForTopic: 'Device token of another topic, or topic without the suffix of its push type',
    DuplicateHeaders: 'Header field that comes twice', IdleTimeout: 'Connection idle for too long', InvalidPushType: 'Push type unknown, or not for this topic',
    MissingDeviceToken: 'Path without a device token', MissingTopic: 'No topic, and no certificate for just one', PayloadEmpty: 'Payload of 0 bytes',
    TopicDisallowed: 'Topic that key, team or certificate may not use',
  },
  403: {
    BadCertificate: 'Client certificate not valid', BadCertificateEnvironment: 'Client certificate for the other environment',
    ExpiredProviderToken: 'Provider token older than an hour', Forbidden: 'Not allowed',
    InvalidProviderToken: 'Provider token malformed, or with a wrong signature, key or team', MissingProviderToken: 'Neither provider token nor client certificate',
    UnrelatedKeyIdInToken: 'Key that may not share a connection with the first', BadEnvironmentKeyInToken: 'Key for the other environment',
    BadEnvironmentKeyIdInToken: 'The same, as Apple’s table spells it',
  },
  404: { BadPath: 'Path other than /3/device/TOKEN' },
  405: { MethodNotAllowed: 'Method other than POST' },
  410: { ExpiredToken: 'Device token that has expired', Unregistered: 'App removed from the device' },
  413: { PayloadTooLarge: 'Payload of more than 4096 bytes, 5120 for VoIP' },
  429: { TooManyProviderTokenUpdates: 'New provider token too soon after another', TooManyRequests: 'Too many pushes to this device' },
  500: { InternalServerError: 'Fault of APNs' },
  503: { ServiceUnavailable: 'APNs not available', Shutdown: 'APNs closes the connection' },
};

export function open({ query }) {
  const list = h('div');
  watch('summary', () => store.summary?.byReason ?? {}, (seen) => fill(list, grid('Reasons', ['Reason', 'Status', 'Means', 'Seen'],
    Object.entries(REASONS).flatMap(([status, reasons]) => Object.entries(reasons).map(([reason, meaning]) => {
      const isAsked = reason === query.get('reason');
      return [isAsked ? h('mark', { 'aria-current': 'true' }, reason) : reason, status, meaning, seen[reason] && link(at('pushes', { reason }), count(seen[reason]))];
    })))));
  queueMicrotask(() => document.querySelector('main mark')?.scrollIntoView({ block: 'center' }));
  return { title: 'Reasons', element: page('Reasons', h('span.muted', 'Why APNs refuses a push'), list) };
}
