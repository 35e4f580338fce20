// What differs between two records, by field, and in the payload by JSON Pointer; or between any two JSON documents.

/** Members that are compared, as the panel orders them. What every record has of its own, such as its time, says nothing. */
const ANSWER = ['status', 'reason', 'retryAfter', 'outcome', 'resetCode', 'decidedBy', 'explanation', 'delivery', 'replacedBy'];
const FIELDS = ['call', 'device', 'token', 'channel', 'topic', 'pushType', 'priority', 'expiration', 'collapseID', 'apnsID', 'connection', 'sentBy'];
const PROOF = ['method', 'keyID', 'teamID', 'issuedAt', 'verdict'];
/** Header fields that are compared, but those that are members of a record already; a member is null if the field says nonsense. */
const HEADER = /^(?!:|authorization$|content-length$)/;
const MEMBERS = {
  'apns-topic': 'topic', 'apns-push-type': 'pushType', 'apns-priority': 'priority', 'apns-expiration': 'expiration', 'apns-collapse-id': 'collapseID', 'apns-id': 'apnsID',
};

export const GROUPS = { answer: 'Answer', field: 'Fields', header: 'Other header fields', payload: 'Payload' };

/** The values of a JSON document that hold no others, by pointer. */
function leaves(value, pointer = '', all = {}) {
  const members = value !== null && typeof value === 'object' ? Object.entries(value) : [];
  for (const [key, each] of members) leaves(each, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, all);
  if (!members.length) all[pointer] = value;
  return all;
}

/** Members of a record, where `null` is no value; in a payload it is one. */
const named = (names, record) => Object.fromEntries(names.map((name) => [name, record[name] ?? undefined]));

/** All that is compared of a record, in groups. */
const parts = (record) => ({
  answer: named(ANSWER, record),
  field: { ...named(FIELDS, record), ...named(PROOF, record.authentication) },
  header: Object.fromEntries(record.headers.filter(([name]) => HEADER.test(name) && (record[MEMBERS[name]] ?? null) === null)),
  payload: record.payload === null ? { body: record.payloadText ?? record.payloadBase64 } : leaves(record.payload),
});

/** Everything that either of two lists of values has: `[{group, name, from, to}]`; a value that is not there is `undefined`. */
const pairs = (from, to, group) => Object.keys({ ...from, ...to }).map((name) => ({ group, name, from: from[name], to: to[name] }))
  .filter((each) => each.from !== undefined || each.to !== undefined);

/** Everything that either record has. */
export function compared(one, other) {
  const [before, after] = [parts(one), parts(other)];
  return Object.keys(GROUPS).flatMap((group) => pairs(before[group], after[group], group));
}

export const differs = ({ from, to }) => JSON.stringify(from) !== JSON.stringify(to);

/** The values in which two JSON documents differ. */
export function changes(one, other) {
  const [from, to] = [leaves(one), leaves(other)];
  const all = pairs(from, to).filter(differs);
  // What was empty and has members now, or the other way, is told by these.
  return all.filter(({ name }) => name in from === name in to || !all.some((each) => each.name.startsWith(`${name}/`)));
}
