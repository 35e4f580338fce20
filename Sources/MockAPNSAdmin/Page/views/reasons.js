// The reasons of APNs, with status and meaning. A push's Why leads here.

import { at, count, fill, get, grid, h, link, page, store, watch } from '../base.js';

export function open({ query }) {
  const list = h('div');
  const asked = query.get('reason');
  let all;
  watch('summary', async () => {
    all ??= (await get('/reasons')).reasons.sort((one, other) => one.status - other.status);
    return store.summary?.byReason ?? {};
  }, (seen) => {
    const isFirst = !list.firstChild;
    fill(list, grid('Reasons', ['Reason', 'Status', 'Means', 'Seen'], all.map(({ reason, status, meaning }) => [
      reason === asked ? h('mark', { 'aria-current': 'true' }, reason) : reason, status, meaning, seen[reason] && link(at('pushes', { reason }), count(seen[reason]))])));
    if (isFirst) list.querySelector('mark')?.scrollIntoView({ block: 'center' });
  });
  return { title: 'Reasons', element: page('Reasons', null, list) };
}
