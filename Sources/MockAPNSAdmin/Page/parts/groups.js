// The log in groups: pushes with the same collapse id, apns-id or token stand together.

import { pushes } from '../base.js';

/** What can be grouped by, as in the address. */
export const GROUPS = { __proto__: null, collapseID: 'collapse id', apnsID: 'apns-id', token: 'token' };

/** Rows from the events have the first digits of their token only. */
const valueOf = (row, by) => (by === 'token' ? row.device ?? row.token?.slice(0, 8) : row[by]);

/**
 * The rows, which are newest first, after the heads of their groups; the group of the newest row comes first. Heads of
 * pushes that may be tried again have them as `attempts`, oldest first.
 */
export function grouped(rows, by, folded) {
  if (!GROUPS[by]) return rows;
  const groups = new Map();
  for (const row of rows) {
    const value = valueOf(row, by) ?? '';
    if (!groups.has(value)) groups.set(value, []);
    groups.get(value).push(row);
  }
  return [...groups].flatMap(([value, all]) => {
    const group = `${by} ${value}`;
    const isOpen = !folded.has(group);
    return [{ group, isOpen, attempts: by !== 'token' && value && all.length > 1 ? all.toReversed() : null, label: `${value ? `${GROUPS[by]} ${value}` : `no ${GROUPS[by]}`} · ${pushes(all.length)}` }, ...(isOpen ? all : [])];
  });
}
