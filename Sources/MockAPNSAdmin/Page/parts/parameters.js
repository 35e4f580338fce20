// Filters in the address, and the search that says the same.

/** Parameters of the address that are filters, and the key of the search that says the same; with “-” before it, what is left out. */
export const PARAMETERS = {
  __proto__: null, status: 'status', device: 'device', token: 'token', topic: 'topic', reason: 'reason', pushType: 'type', delivery: 'delivery',
  keyID: 'key', teamID: 'team', connection: 'connection', decidedBy: 'decided',
};

/** The filters of an address: `[name, key, values]`; several values of one mean any of them. */
export const filtersOf = (query) => [...new Set(query.keys())]
  .map((name) => [name, PARAMETERS[name.replace(/^-/, '')], query.getAll(name)]).filter(([, key]) => key);

const listed = (values) => (values.some((value) => /[\s,]/.test(value)) ? values.map((value) => `"${value}"`) : values).join(',');

/** All filters of an address as one search. */
export const searchOf = (query) => [query.get('q') ?? '',
  ...filtersOf(query).map(([name, key, values]) => `${name.startsWith('-') ? '-' : ''}${key}:${listed(values)}`)].join(' ').trim();
