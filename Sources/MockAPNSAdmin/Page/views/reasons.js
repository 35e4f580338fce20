// The reasons of APNs, with status and meaning. A push's Why leads here.

import { at, count, fill, grid, h, link, page, store, watch } from '../base.js';

/** By status. */
const REASONS = {
  400: {
    BadCollapseId: 'Collapse id over 64 bytes', BadDeviceToken: 'Malformed, or of the other environment',
    BadExpirationDate: 'No integer', BadMessageId: 'apns-id is no UUID', BadPriority: 'Not 10, 5 or 1; or 10 for background',
    BadTopic: 'Malformed topic', DeviceTokenNotForTopic: 'Of another topic, or topic without its push type’s suffix',
    DuplicateHeaders: 'Header field twice', IdleTimeout: 'Idle for too long', InvalidPushType: 'Unknown, or not for this topic',
    MissingDeviceToken: 'Path without a device token', MissingTopic: 'None, and no certificate for just one', PayloadEmpty: 'Payload of 0 bytes',
    TopicDisallowed: 'Not for this key, team or certificate',
  },
  403: {
    BadCertificate: 'Not valid', BadCertificateEnvironment: 'For the other environment',
    ExpiredProviderToken: 'Older than an hour', Forbidden: 'Not allowed',
    InvalidProviderToken: 'Malformed, or wrong signature, key or team', MissingProviderToken: 'Neither provider token nor client certificate',
    UnrelatedKeyIdInToken: 'Key not allowed beside the first', BadEnvironmentKeyInToken: 'For the other environment',
    BadEnvironmentKeyIdInToken: 'The same, in Apple’s table',
  },
  404: { BadPath: 'Not /3/device/TOKEN' },
  405: { MethodNotAllowed: 'Not POST' },
  410: { ExpiredToken: 'Has expired', Unregistered: 'App removed from the device' },
  413: { PayloadTooLarge: 'Over 4096 bytes, 5120 for VoIP' },
  429: { TooManyProviderTokenUpdates: 'Too soon after another', TooManyRequests: 'Too many to this device' },
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
  return { title: 'Reasons', element: page('Reasons', null, list) };
}
