// The admin API: the only module that knows how to ask it. It asks for the token when one is wanted, which the browser keeps.

// A reverse proxy may put something before all paths.
const [, prefix = '', name] = location.pathname.match(/^(.*?)\/ui(?:\/sessions\/([a-z0-9-]+))?(?=\/|$)/) ?? [];
/** The session that the page is about; undefined for the server's own. */
export const session = name;
/** What all addresses of the page begin with. */
export const home = `${prefix}/ui${session ? `/sessions/${session}` : ''}`;
/** What all calls begin with. */
export const root = `${prefix}/api/v1${session ? `/sessions/${session}` : ''}`;

/** A call that was refused: its status, and what the API says. */
export class Refusal extends Error {
  constructor(status, { message, pointer } = {}) {
    super(message ?? `The server answered ${status}.`);
    this.status = status;
    this.pointer = pointer;
  }
}

/**
 * What the browser keeps for the page. One that refuses to breaks nothing. `where` is `localStorage`, or `sessionStorage`
 * for what lasts as long as the tab.
 */
export function remembered(key, otherwise, where = 'localStorage') {
  try {
    return JSON.parse(window[where].getItem(`mock-apns.${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(key, value, where = 'localStorage') {
  try {
    window[where].setItem(`mock-apns.${key}`, JSON.stringify(value));
  } catch {
    // Then it is forgotten with the page.
  }
}

/** The token of the admin port, and how the page asks for it: `ask(message)` promises one. */
export const access = { token: remembered('token', '', 'sessionStorage'), ask: null };
let asking = null;

const errorOf = async (answer) => (await answer.json().catch(() => ({}))).error;

/** One request, with the token. */
export async function request(path, options = {}) {
  for (;;) {
    const { token } = access;
    const answer = await fetch(root + path, { ...options, headers: { ...(token && { Authorization: `Bearer ${token}` }), ...options.headers } });
    if (answer.ok) return answer;
    const error = await errorOf(answer);
    if (answer.status !== 401) throw new Refusal(answer.status, error);
    if (token === access.token) {
      asking ??= access.ask(token ? 'That token is wrong.' : error?.message).finally(() => {
        asking = null;
      });
      remember('token', access.token = await asking, 'sessionStorage');
    }
  }
}

/** A call, whose body is an object or the text of one, and whose answer is text. */
export async function text(method, path, body, signal) {
  const answer = await request(path, { method, signal, body: typeof body === 'string' ? body : JSON.stringify(body) });
  return answer.text();
}

/** A call whose answer is JSON. */
export const call = async (...call) => JSON.parse((await text(...call)) || 'null');
export const get = (path, signal) => call('GET', path, undefined, signal);
export const post = (path, body) => call('POST', path, body);

/** Pushes of everyone: a MATCH means those of providers, unless it says otherwise. */
export const everyone = { sentBy: { oneOf: ['provider', 'admin'] } };

/** A page of the log, newest first, by a question: `{ requests: MATCH, lint }`. Its records are rows, unless they are wanted `whole`. */
export const find = (question, { limit = 100, before, whole } = {}) =>
  post(`/requests/find${whole ? '' : '?fields=row'}`, { ...question, order: 'desc', limit, after: before });
