/** `"250ms"`, `"5s"`, `"20m"`, `"1h"`, `"30d"`, or a number of milliseconds. */
export type Duration = string | number;

/**
 * The name of a built-in scenario, the path of a file, relative to the folder in which the tests run, its file URL, or the
 * scenario itself, as an object or as text.
 */
export type Scenario = string | { readonly href: string } | { readonly [name: string]: unknown };

/**
 * A value that has to be equal, `null` for absent, or a condition as in a scenario: `{ prefix: "score-" }`,
 * `{ oneOf: [429, 503] }`, `{ atLeast: 5 }`, `{ exists: true }`, `{ not: … }`.
 */
export type Matcher = null | string | number | boolean | { readonly [condition: string]: unknown };

/** Conditions for a push that a rule can have; all of them must hold. */
export interface PushMatch {
  device?: Matcher;
  token?: Matcher;
  topic?: Matcher;
  pushType?: Matcher;
  priority?: Matcher;
  collapseID?: Matcher;
  apnsID?: Matcher;
  expiration?: Matcher;
  keyID?: Matcher;
  teamID?: Matcher;
  header?: { readonly [name: string]: Matcher };
  /** Values in the payload by JSON Pointer. */
  payload?: { readonly [pointer: string]: Matcher };
  body?: Matcher;
  payloadBytes?: Matcher;
  connection?: Matcher;
  requestOnConnection?: Matcher;
  providerToken?: Matcher;
  inFlight?: Matcher;
  serverName?: Matcher;
  sentBy?: Matcher;
  call?: Matcher;
  channel?: Matcher;
  requestID?: Matcher;
}

/** Conditions for recorded requests; all of them must hold. */
export interface Match extends PushMatch {
  uniqueID?: Matcher;
  status?: Matcher;
  reason?: Matcher;
  outcome?: Matcher;
  decidedBy?: Matcher;
  delivery?: Matcher;
}

/** One request, and what was decided about it, as the server recorded it; see the article Request records. */
export interface RequestRecord {
  /** 1 for the first request since the last reset. */
  readonly sequence: number;
  readonly time: string;
  /** The time of the scenario's clock. */
  readonly clock: string;
  /** 1 for the first connection since the last reset. */
  readonly connection: number | null;
  readonly connectionID: number | null;
  readonly stream: number | null;
  readonly method: string | null;
  readonly path: string | null;
  /** The device token. */
  readonly token: string | null;
  /** The name of a declared device. */
  readonly device: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly topic: string | null;
  readonly pushType: string | null;
  readonly priority: number | null;
  readonly expiration: number | null;
  readonly collapseID: string | null;
  readonly apnsID: string | null;
  readonly uniqueID: string | null;
  /** Streams that were open on the connection, this one included. */
  readonly inFlight: number;
  /** The body, if it is JSON. */
  readonly payload: any;
  /** A body that is not JSON. */
  readonly payloadText: string | null;
  readonly payloadBase64?: string;
  readonly payloadBytes: number;
  readonly sentBy: "provider" | "admin";
  readonly authentication: { readonly method: "token" | "certificate" | "none"; readonly [name: string]: unknown };
  readonly providerTokenNumber: number | null;
  /** The status of the answer; `null` while there is none. */
  readonly status: number | null;
  /** Why it was rejected, such as `BadDeviceToken`. */
  readonly reason: string | null;
  readonly retryAfter?: number;
  readonly resetCode?: string | number;
  readonly outcome: string;
  /** `checks`, `device`, `connection`, `outage`, `rule:NAME` or `upstream`. */
  readonly decidedBy: string;
  /** A sentence that explains a rejection. */
  readonly explanation: string | null;
  /** What became of an accepted push, such as `Delivered to Device`. */
  readonly delivery: string | null;
  readonly replacedBy: number | null;
  readonly latencyMicroseconds: number;
  /** All that APNs did with an accepted push, oldest first. */
  readonly deliveries: readonly { readonly state: string; readonly clock: string }[];
  /** What the upstream of a relay answered. */
  readonly relayed?: {
    readonly status: number | null;
    readonly reason: string | null;
    readonly latencyMicroseconds: number;
    readonly headers: readonly (readonly [string, string])[];
  };
  /** What mock-apns would have answered to a relayed push. */
  readonly own?: { readonly status: number | null; readonly reason: string | null };
  /** Whether both answers to a relayed push are the same. */
  readonly agrees?: boolean;
  /** The kind of a call about broadcast channels. */
  readonly call?: "create" | "read" | "delete" | "list" | "publish" | null;
  readonly channel?: string | null;
  readonly channelName?: string | null;
  readonly requestID?: string | null;
  readonly storagePolicy?: 0 | 1 | null;
  readonly subscribers?: number | null;
  readonly delivered?: number | null;
  readonly stored?: boolean | null;
  readonly ignored?: string | null;
}

/** A request that almost matched, and where it differs. */
export interface NearMiss {
  readonly sequence: number;
  readonly differences: readonly { readonly field: string; readonly expected: string; readonly found: unknown }[];
  readonly explanation?: string;
}

/** The result of one expectation. */
export interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly expected: string;
  readonly seen: string;
  readonly nearMisses: readonly NearMiss[];
}

/** The results of expectations that all hold. */
export interface Verification {
  readonly passed: true;
  readonly results: readonly Result[];
  /** The rules that never applied. */
  readonly unusedRules: readonly string[];
  /** The results as text. */
  readonly report: string;
}

/** What lint finds: a likely mistake in payloads, or of the provider. */
export interface Finding {
  readonly rule: string;
  readonly severity: "error" | "warning" | "note";
  /** The push that the message is about. */
  readonly sequence?: number;
  /** A JSON Pointer to the value in the payload. */
  readonly pointer: string;
  readonly message: string;
  readonly source: string;
  /** The number of pushes that have it. */
  readonly count: number;
  readonly firstSequence?: number;
  readonly lastSequence?: number;
}

/** A broadcast channel, with the figures that Apple's console shows. */
export interface Channel {
  readonly name: string | null;
  readonly channelID: string;
  readonly topic: string;
  readonly environment: "sandbox" | "production";
  readonly storage: "none" | "mostRecent";
  readonly createdAt: string;
  readonly published: number;
  readonly delivered: number;
  /** Live Activities that listen to it. */
  readonly subscribers: number;
  /** The `sequence` of the push that is stored for devices that are offline. */
  readonly stored: number | null;
}

interface Notification {
  /** The number of the push's record. */
  readonly sequence: number;
  readonly collapseID: string | null;
  readonly payload: any;
}

/** A notification that a device shows. */
export interface DisplayedNotification extends Notification {
  readonly displayedAt: string;
  /** What a person reads. */
  readonly shown: { readonly [name: string]: unknown };
}

/** A notification that waits for a device. */
export interface StoredNotification extends Notification {
  readonly expiresAt: string;
}

/** A Live Activity of a device, as the server sent it. */
export interface Activity {
  /** The bundle id of its app. */
  readonly topic: string | null;
  /** Where to push its updates and its end; `null` if it has no token of its own, or none that was asked for. */
  readonly token: string | null;
  readonly [name: string]: any;
}

/** The state of an app, on which it depends what a push does. */
export interface AppCondition {
  state?: "background" | "foreground" | "notRunning" | "forceQuit" | "neverLaunched";
  /** Whether the user allows Background App Refresh. */
  backgroundRefresh?: boolean;
  /** Whether it shows its notifications while it is in the foreground. */
  presentsInForeground?: boolean;
}

/** What the user allows the app to do with notifications. */
export interface NotificationSettings {
  authorization?: "authorized" | "provisional" | "denied" | "notDetermined";
  /** Whether there are banners. */
  alert?: boolean;
  badge?: boolean;
  sound?: boolean;
}

/** What a device allows an app so often only. */
export type Budget = "background" | "pushToStart" | "liveActivityPriority10" | "widgets";

/** What became of a push on its device, once APNs had delivered it. */
export interface HistoryEntry {
  /** The number of the push's record. */
  readonly sequence: number;
  /** When it happened, by the scenario's clock. */
  readonly clock: string;
  readonly state: "shown" | "woke" | "heldByBudget" | "dropped" | "ignored" | "replaced" | "opened" | "dismissed";
  /** What happened and why, in a sentence. */
  readonly why: string;
}

/** A device as it was when asked for. */
export interface DeviceState {
  readonly name: string | null;
  readonly token: string;
  readonly topics: readonly string[];
  readonly environment: "sandbox" | "production";
  readonly online: boolean;
  readonly registered: unknown;
  /** `true` for everything, `false` for nothing. */
  readonly notifications: boolean | Readonly<Required<NotificationSettings>>;
  readonly platform: "iOS" | "iPadOS" | "macOS" | "watchOS" | "tvOS" | "visionOS";
  readonly app: Readonly<Required<AppCondition>>;
  /** The states of single apps by bundle id; the others have that of `app`. */
  readonly apps: { readonly [topic: string]: Readonly<Required<AppCondition>> };
  readonly budgets: { readonly [kind in Budget]?: { readonly allowed: number; readonly per: string } };
  readonly power: "normal" | "saving";
  /**
   * Where to push the start of a Live Activity; an object by bundle id if it has several apps. `null` if Live Activities have no
   * tokens of their own: all of their pushes go to `token` then.
   */
  readonly pushToStartToken: string | null | { readonly [topic: string]: string };
  /** The number on the app's icon. */
  readonly badge: number;
  /** Newest last. */
  readonly displayed: readonly DisplayedNotification[];
  /** The Live Activities on its screen, newest last. */
  readonly activities: readonly Activity[];
  /** Oldest first. */
  readonly stored: readonly StoredNotification[];
  /** The number of pushes that it has received. */
  readonly received: number;
  /** What became of the pushes that reached it, newest last. */
  readonly history: readonly HistoryEntry[];
}

/** A device, by its name in the scenario or by its token. Each call asks the server. */
export class Device {
  private constructor();
  /** The name or token by which it was asked for; a token is the new one after `renewToken`. */
  readonly name: string;
  /** Everything that the server knows of it, such as the token to push to. */
  state(): Promise<DeviceState>;
  /** The notifications that it shows, newest last. */
  displayed(): Promise<readonly DisplayedNotification[]>;
  /** The notifications that wait for it, oldest first. */
  stored(): Promise<readonly StoredNotification[]>;
  /** What became of the pushes that reached it, and why, newest last. */
  history(): Promise<readonly HistoryEntry[]>;
  /** Changes what is given. */
  change(change: {
    online?: boolean; registered?: unknown; power?: "normal" | "saving"; platform?: DeviceState["platform"];
    notifications?: boolean | NotificationSettings; app?: AppCondition; apps?: { [topic: string]: AppCondition };
    budgets?: { [kind in Budget]?: { allowed: number; per: string } };
    startActivity?: { name?: string; topic?: string; token?: string };
  }): Promise<void>;
  /** Connects it; what is stored for it is delivered. */
  online(): Promise<void>;
  /** Disconnects it; pushes are stored for it. */
  offline(): Promise<void>;
  /** Removes the app: pushes are answered with 410 Unregistered from now on. */
  uninstall(): Promise<void>;
  /**
   * Changes the state of its apps, or of the one with this bundle id: `app({ state: "forceQuit" })`. That app has a state of its
   * own from then on, which a change without `topic` leaves as it is.
   */
  app(change: AppCondition, topic?: string): Promise<void>;
  /** Changes what the user allows: everything, nothing, or what is given, as in `notifications({ sound: false })`. */
  notifications(allowed: boolean | NotificationSettings): Promise<void>;
  /** Allows each app so many pushes of a kind per period. One beyond it is delivered to the device, which holds or drops it. */
  budget(kind: Budget, allowed: number, per: Duration): Promise<void>;
  /** Changes what kind of device it is, on which it depends what a push does: `platform("tvOS")`. */
  platform(platform: DeviceState["platform"]): Promise<void>;
  /**
   * Has it save power, `power("saving")`, or no longer, `power("normal")`. While it saves power, pushes of priority 5 and 1 are
   * stored. They are delivered when it no longer does.
   */
  power(power: DeviceState["power"]): Promise<void>;
  /** Gives it a new token, as a new phone has it, and returns that. The old one is answered with 410 Unregistered from now on. */
  renewToken(): Promise<string>;
  /** Starts a Live Activity on a broadcast channel, given by name or id. With a name, `endActivity` can end it. */
  subscribe(channel: string, name?: string): Promise<void>;
  /** Dismisses the Live Activities on a broadcast channel, as a user does. */
  unsubscribe(channel: string): Promise<void>;
  /** Starts a Live Activity of the device's first app, as the app does. */
  startActivity(name: string): Promise<void>;
  /** Ends the Live Activity of that name or update token, as the app does. */
  endActivity(name: string): Promise<void>;
  /** Takes the Live Activity of that name or update token off the screen, as a user does. */
  dismissActivity(name: string): Promise<void>;
  /**
   * Waits until it has so many Live Activities that have not ended, of any app or one, and returns all of these; throws
   * `ActivitiesMissing` when the time is over, 3 s by default.
   */
  waitForActivities(count?: number, topic?: string, timeout?: Duration): Promise<Activity[]>;
  /** Opens the notification of a push, as a user does, or chooses one of its actions. `text` is what the user types. */
  open(sequence: number, action?: string, text?: string): Promise<void>;
  /** Takes the notification of a push off the screen, as a user does. */
  dismiss(sequence: number): Promise<void>;
  /** Deletes it, and what is stored for it. */
  delete(): Promise<void>;
}

/** A client certificate, for a provider that signs no tokens: `connect(url, { ca, ...certificate })`. */
export interface ClientCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  /** Both as PKCS#12, with the password `password`. */
  readonly p12: Uint8Array;
  readonly password: string;
  /** The topics that it may push to. If there is only one, a push without `apns-topic` goes there. */
  readonly topics: readonly string[];
}

/** What a rule does with one push, as in a scenario: `{ reject: "TooManyRequests", retryAfter: 2 }`. */
export interface Step {
  readonly [name: string]: unknown;
}

/** What a rule may have beside `then`. */
export interface RuleOptions {
  when?: PushMatch & { on?: string };
  name?: string;
  skip?: number;
  times?: number;
  every?: number;
  probability?: number;
  repeat?: string;
  countPer?: string;
  count?: string;
}

export interface SessionOptions {
  /** What it plays; by default nothing, or what a server plays that was started elsewhere. */
  scenario?: Scenario;
  /** Lowercase letters, digits and hyphens; the lines of `--log` have it. */
  name?: string;
  /** Its port for providers, by default any free one. */
  port?: number;
  /** It also gets the connections to the server's own ports that ask for this name. */
  serverName?: string;
  /** It ends by itself after this time without a push or a call, an hour by default. */
  expiresAfter?: Duration;
  /** How a container publishes the ports of sessions, if under other numbers: `"12300-12399:2300-2399"`, or several with commas. */
  publishedPorts?: string;
}

/** The options of `mock-apns serve` in camelCase, and two more. They override the scenario. */
export interface ServerOptions {
  scenario?: Scenario;
  /** The command; by default that of the variable MOCK_APNS_EXECUTABLE, else mock-apns in the PATH. */
  executable?: string;
  auth?: string;
  environment?: string;
  initialStreams?: number;
  serverName?: string | readonly string[];
  trustKey?: string | readonly string[];
  host?: string;
  port?: number | readonly number[];
  managePort?: number | string | readonly (number | string)[];
  /** The port of a proxy (HTTP CONNECT) for providers whose host is fixed; 0 takes any free one. */
  proxyPort?: number;
  adminHost?: string;
  adminPort?: number;
  adminName?: string | readonly string[];
  /** What a reverse proxy puts before all paths of the page and the API, such as `/mock`. */
  adminPrefix?: string;
  adminToken?: string;
  certs?: string;
  topic?: string | readonly string[];
  fleet?: string;
  fleetName?: string;
  fleetDelay?: string;
  replica?: string;
  log?: string;
  logLimit?: number;
  noPage?: boolean;
  sessionPorts?: string;
  threads?: number;
  verbose?: boolean;
}

/** A running server: what a provider needs to push to it, what it has received, and how it answers next. */
export class APNs {
  protected constructor();

  /** Where to push to, such as `https://127.0.0.1:40123`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Where to manage broadcast channels: an address for each `managePort`. If there is none, use `url`. */
  readonly manageURLs: readonly string[];
  /** The certificate authority that the provider has to trust, PEM: `connect(apns.url, { ca: apns.ca })`. */
  readonly ca: string;
  /** The key that provider tokens are signed with, PEM. */
  readonly signingKey: string;
  readonly keyID: string;
  readonly teamID: string;
  /** The topic to push to: the app's bundle id. */
  readonly topic: string;
  /** The address of its admin API. */
  readonly adminURL: string;
  /** All of it as environment variables, those of `mock-apns exec`, for a provider in another process. Writes files. */
  readonly env: { [variable: string]: string };
  /** A provider token, for `authorization: bearer TOKEN`; the same for half an hour. `issuedAt`, in UNIX seconds, makes another. */
  token(options?: { issuedAt?: number }): string;
  /**
   * A client certificate. Without a kind it is for all of the app's pushes. The kinds for one topic are `voip`, `pass`, `website`,
   * `watchkit` and `mdm`; the rejected ones are `expired`, `revoked`, `wrong-environment`, `unknown-authority` and `not-push`.
   */
  clientCertificate(options?: { kind?: string; topic?: string }): Promise<ClientCertificate>;

  /** The requests that match, in order. */
  requests(match?: Match): Promise<RequestRecord[]>;
  /** The number of requests in the log that match. */
  count(match?: Match): Promise<number>;
  /** The number of requests that the log no longer has, because it is full. */
  dropped(): Promise<number>;
  /**
   * Waits until at least `count` requests match (1), those before the call included, and returns all that do. Throws
   * `RequestsMissing` after `timeout` (3 s).
   */
  wait(count?: number, match?: Match, timeout?: Duration): Promise<[RequestRecord, ...RequestRecord[]]>;
  /** Makes sure that no request that matches comes for a time (1 s), from now on. Throws `UnexpectedRequests` if one does. */
  waitForNone(match?: Match, time?: Duration): Promise<void>;
  /** The last requests as text, each with the reason for its rejection. */
  log(): Promise<string>;

  /** Judges these expectations, written as in a scenario, or else the scenario's own. Throws `ExpectationsFailed`. */
  verify(...expect: { readonly [name: string]: unknown }[]): Promise<Verification>;
  /** Moves a manual clock to the end of the timeline, and judges what the scenario expects. */
  finish(): Promise<Verification>;
  /** Likely mistakes in what was pushed: of a rule, at least that severe, or in one push. */
  lint(options?: { rule?: string; severity?: "note" | "warning" | "error"; sequence?: number }): Promise<Finding[]>;

  /** Adds a rule before all others and returns its name: `rule({ reject: "TooManyRequests" }, { times: 2 })`. */
  rule(then: Step | readonly Step[], options?: RuleOptions): Promise<string>;
  deleteRule(name: string): Promise<void>;
  /** A device by its name in the scenario, or by its token. */
  device(name: string): Device;
  /** Declares a device, written as in a scenario. */
  addDevice(declaration: { name?: string; token?: string; readonly [name: string]: unknown }): Promise<Device>;
  /** The broadcast channels, in order of creation. */
  channels(): Promise<Channel[]>;
  /** A broadcast channel by its name or id. */
  channel(name: string): Promise<Channel>;
  /** Creates a broadcast channel, as a provider does, but with a name if you like. */
  addChannel(declaration?: {
    name?: string; topic?: string; channelID?: string; storage?: "none" | "mostRecent";
  }): Promise<Channel>;
  /** Deletes a broadcast channel for good, by its name or id. */
  deleteChannel(name: string): Promise<void>;
  /** How many devices have a Live Activity on a channel of the app. */
  uniqueSubscribers(topic?: string): Promise<number>;
  /** Moves a manual clock. Everything due by then happens before it returns. */
  advance(by: Duration): Promise<void>;
  /**
   * Sends GOAWAY to all open connections, or to the one with that `connectionID`; returns their ids. A client may not have read it
   * by then, and its next push can fail with `NGHTTP2_REFUSED_STREAM`.
   */
  goAway(frame?: {
    reason?: string; text?: string; errorCode?: string | number; lastStream?: "this" | "previous" | "zero" | "all";
    then?: "drain" | "close" | "stayOpen"; connection?: number | "all";
  }): Promise<number[]>;
  /** Plays a scenario from its beginning; everything else starts over, as with `reset`. */
  play(scenario: Scenario): Promise<void>;
  /** Starts over: log, devices, rules, clock and counters. In a session, what was expected so far has to hold. */
  reset(): Promise<void>;
  /** Opens a session: a server of its own within this one. */
  session(options?: SessionOptions): Promise<Session>;
  /** Makes one call of the admin API, such as `call("GET", "/connections")`. */
  call(method: string, path: string, body?: unknown): Promise<any>;

  /**
   * For `afterEach`: judges what the scenario expects, and closes. Give it the test of node:test or Vitest,
   * `afterEach((t) => apns.end(t))`: if that has failed already, its error gets the report, and what the server has received.
   */
  end(context?: unknown): Promise<void>;
  /** Removes the files that were made for the provider. The server goes on. */
  close(): Promise<void>;
}

/** A server of its own within a running one: address, scenario, clock, log and connections. */
export class Session extends APNs {
  /** The name that it has on the server. */
  readonly name: string;
  /** Ends it. With `judge: false` its expectations do not count for `mock-apns exec` either. */
  close(options?: { judge?: boolean }): Promise<void>;
}

/** A server that was started here. It ends with this process, however that ends, and never keeps it running. */
export class Server extends APNs {
  readonly isRunning: boolean;
  /** Ends it, and removes what it made. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** A test as what runs tests calls it. */
export type TestFunction = (...context: any[]) => Promise<void>;

/**
 * A test with a session of its own: `test("…", withSession({ scenario }, async (apns) => { … }))`. It fails unless what the
 * scenario expects holds at its end, or it has skipped itself. After `apns`, it gets what the test itself would get.
 */
export function withSession(options: SessionOptions, test: (apns: Session, ...context: any[]) => unknown): TestFunction;
export function withSession(test: (apns: Session, ...context: any[]) => unknown): TestFunction;

/** As `withSession`, with a server of its own. */
export function withServer(options: ServerOptions, test: (apns: Server, ...context: any[]) => unknown): TestFunction;
export function withServer(test: (apns: Server, ...context: any[]) => unknown): TestFunction;

/**
 * Opens a session on the shared server; for `beforeEach`, with `end` in `afterEach`. Given the test of node:test or Vitest,
 * `beforeEach(async (t) => { apns = await openSession({ scenario }, t); })`, it has the name of the test, and is not judged if the
 * test skips itself.
 */
export function openSession(options?: SessionOptions, context?: unknown): Promise<Session>;

/** The server of this process, started when it is first needed, or the one that MOCK_APNS_ADMIN_URL names. */
export function sharedServer(): Promise<APNs>;

/** Starts a server on free ports, and returns when it is ready. */
export function startServer(options?: ServerOptions): Promise<Server>;

/** Uses a server that is running, by the address of its admin port. The default token is that of MOCK_APNS_ADMIN_TOKEN. */
export function connect(adminURL: string, options?: { adminToken?: string }): Promise<APNs>;

/** Something is wrong with mock-apns, or with the way it is used. */
export class MockAPNSError extends Error {}

/** The server could not be started, or ended by itself. */
export class StartError extends MockAPNSError {}

/** The server rejected a call. */
export class APIError extends MockAPNSError {
  /** The status of the answer. */
  readonly status: number;
  /** For programs. */
  readonly code: string;
  /** A JSON Pointer to what is wrong in what was sent; it can be empty. */
  readonly pointer: string;
}

/** Expectations do not hold. The message is the report. */
export class ExpectationsFailed extends MockAPNSError {
  readonly results: readonly Result[];
  readonly unusedRules: readonly string[];
}

/** `wait` timed out. The message shows the requests that almost matched. */
export class RequestsMissing extends MockAPNSError {
  readonly nearMisses: readonly NearMiss[];
}

/** `waitForActivities` timed out. `activities` are those that there were. */
export class ActivitiesMissing extends MockAPNSError {
  readonly activities: readonly Activity[];
}

/** A request came while `waitForNone` waited. */
export class UnexpectedRequests extends MockAPNSError {
  readonly requests: readonly RequestRecord[];
}
