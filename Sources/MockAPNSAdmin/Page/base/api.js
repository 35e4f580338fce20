// The admin API: the only module that knows its paths. It asks for the token when one is wanted.

/**
 * A row of the log: what the events tell of a push.
 *
 * @typedef {{sequence: number, time: string, device?: string | null, token?: string | null, pushType?: string | null,
 *   topic?: string | null, status?: number | null, reason?: string | null, title?: string | null,
 *   delivery?: string | null, decidedBy?: string, replacedBy?: number | null, collapseID?: string | null,
 *   apnsID?: string | null, sentBy?: string, outcome?: string}} Row
 */

const place = location.pathname.match(/^\/ui\/sessions\/([a-z0-9-]+)(?=\/|$)/);
/** The session that the page is about; null is the server's own. */
export const session = place ? place[1] : null;
/** What all addresses of the page begin with. */
export const home = session ? `/ui/sessions/${session}` : '/ui';
const root = session ? `/api/v1/sessions/${session}` : '/api/v1';

/** A call that was refused: its status, and what the API says. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, message?: string, pointer?: string}} error
   */
  constructor(status, error) {
    super(error.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = error.code ?? '';
    this.pointer = error.pointer ?? '';
  }
}

/** Asks for the token of the admin port; set by the page. @type {{ask: (message: string) => Promise<string>}} */
export const tokens = { ask: () => Promise.reject(new Error('no token')) };
/** @type {Promise<string> | null} */
let asking = null;

const KEY = 'mock-apns.token';

/** @returns {string | null} */
function token() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return kept;
  }
}
/** @type {string | null} */
let kept = null;

/** @param {string} value */
function keep(value) {
  kept = value;
  try {
    sessionStorage.setItem(KEY, value);
  } catch {
    // Then it lasts as long as the page.
  }
}

/** The header fields that every call has. */
export function credentials() {
  const value = token();
  return value ? { Authorization: `Bearer ${value}` } : {};
}

/**
 * One request, with the token; asks for it where it is missing or wrong.
 *
 * @param {string} path below the API, or from the root of the server.
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function request(path, options = {}) {
  const url = path.startsWith('/api/') || path.startsWith('/ui/') ? path : root + path;
  for (;;) {
    const sent = token();
    const answer = await fetch(url, { ...options, headers: { ...credentials(), ...options.headers } });
    if (answer.status !== 401) return answer;
    if (token() === sent) {
      const { error } = await answer.json().catch(() => ({ error: {} }));
      asking ??= tokens.ask(error?.message ?? '').finally(() => {
        asking = null;
      });
      keep(await asking);
    }
  }
}

/**
 * A call whose answer is JSON.
 *
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body] an object, or the text of one.
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function call(method, path, body, signal) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await request(path, { method, body: text, signal });
  const content = await answer.text();
  if (answer.ok) return content ? JSON.parse(content) : null;
  let error = {};
  try {
    error = JSON.parse(content).error ?? {};
  } catch {
    // A proxy on the way may have written it.
  }
  throw new Refusal(answer.status, error);
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
export const get = (path, signal) => call('GET', path, undefined, signal);
/** @param {string} path @param {unknown} [body] */
export const post = (path, body) => call('POST', path, body);

/**
 * A call whose answer is text.
 *
 * @param {string} path
 * @param {RequestInit} [options]
 */
export async function text(path, options) {
  const answer = await request(path, options);
  if (answer.ok) return answer.text();
  const { error } = await answer.json().catch(() => ({ error: {} }));
  throw new Refusal(answer.status, error ?? {});
}

/**
 * A page of the log, newest first.
 *
 * @param {object} match
 * @param {{limit?: number, before?: number}} [page]
 * @returns {Promise<{requests: any[], total: number, dropped: number}>}
 */
export function find(match, { limit = 100, before } = {}) {
  return post('/requests/find', { requests: match, order: 'desc', limit, ...(before ? { after: before } : {}) });
}

/**
 * What the log shows of a record.
 *
 * @param {any} record
 * @returns {Row}
 */
export function rowOf(record) {
  return {
    sequence: record.sequence, time: record.time, device: record.device, token: record.token, pushType: record.pushType,
    topic: record.topic, status: record.status, reason: record.reason,
    title: 'title' in record ? record.title : titleOf(record.payload), delivery: record.delivery,
    decidedBy: record.decidedBy, replacedBy: record.replacedBy, collapseID: record.collapseID, apnsID: record.apnsID,
    sentBy: record.sentBy, outcome: record.outcome,
  };
}

/** @param {any} payload */
function titleOf(payload) {
  const alert = payload?.aps?.alert;
  if (typeof alert === 'string') return alert;
  const text = alert?.title ?? alert?.body ?? alert?.['title-loc-key'] ?? alert?.['loc-key'];
  return typeof text === 'string' ? text : null;
}

/** What this server's API has, as its document says. */
export const features = { sends: false, checks: false, screens: false, rows: false, dismisses: false, checksScenarios: false, current: false };

/** Reads the API's document. */
export async function discover() {
  const { paths, components } = await get('/api/v1/openapi.json');
  const has = (/** @type {string} */ path, method = 'get') => Boolean(paths[`/api/v1${path}`]?.[method]);
  features.sends = has('/pushes', 'post');
  features.checks = has('/requests/{id}/checks');
  features.screens = has('/requests/{id}/screen');
  features.dismisses = has('/devices/{device}/displayed/{sequence}', 'delete');
  features.checksScenarios = has('/scenario/check', 'post');
  features.current = (paths['/api/v1/scenario']?.get.parameters ?? []).some((/** @type {any} */ one) => one.name === 'current');
  features.rows = (paths['/api/v1/events']?.get.parameters ?? []).some((/** @type {any} */ one) => one.name === 'fields');
  // A MATCH means pushes of providers, unless it says otherwise: the page shows its own, too.
  if (components.schemas.Match.properties.sentBy) everyone.sentBy = { oneOf: ['provider', 'admin'] };
}

/** The condition that pushes of everyone fulfil. @type {Record<string, any>} */
export const everyone = {};
