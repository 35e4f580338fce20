"use strict";

// What each public name does is said in index.d.ts, where editors find it.

const { setTimeout: sleep } = require("node:timers/promises");
const { Admin, duration } = require("./admin.js");
const { Device } = require("./device.js");
const { APIError, ExpectationsFailed, MockAPNSError, RequestsMissing, UnexpectedRequests } = require("./errors.js");
const { Folder } = require("./folder.js");
const { environment, providerToken } = require("./identity.js");
const ports = require("./ports.js");
const { block, line } = require("./printable.js");
const report = require("./report.js");
const { read } = require("./scenario.js");
const { conclude, failure } = require("./verdict.js");

// How long to wait for a port while others have all of them, in milliseconds.
const PORT = 5000;

class APNs {
  #admin;
  #identity;
  #identityPath;
  #folder;
  #environment;

  /** For the functions below; those who use the package call `connect`, `startServer` or `openSession`. */
  constructor(admin, identity, { identityPath = "/identity", isJudged = false } = {}) {
    this.#admin = admin;
    this.#identity = identity;
    this.#identityPath = identityPath;
    /** Whether `reset` and `play` judge what was expected until then. */
    this.isJudged = isJudged;
    /** Whether its test has skipped itself, and is not judged. */
    this.isSkipped = false;
    this.isClosed = false;
  }

  // What a provider has to be given.

  get url() {
    return this.#identity.apns;
  }

  get host() {
    return new URL(this.url).hostname.replace(/^\[|\]$/g, "");
  }

  get port() {
    return Number(new URL(this.url).port || 443);
  }

  get manageURLs() {
    return this.#identity.manage ?? [];
  }

  get ca() {
    return this.#identity.certificateAuthority;
  }

  get signingKey() {
    const { signingKey, keyID } = this.#identity;
    if (signingKey) return signingKey;
    throw new MockAPNSError(`The signing key ${keyID} is the scenario's own; the server does not hand it out.`);
  }

  get keyID() {
    return this.#identity.keyID;
  }

  get teamID() {
    return this.#identity.teamID;
  }

  get topic() {
    return this.#identity.topic;
  }

  get adminURL() {
    return this.#admin.url;
  }

  get env() {
    this.#environment ??= environment(this.#identity, this.folder(), this.#admin);
    return { ...this.#environment };
  }

  /** Where the files of `env` are. */
  folder() {
    this.#folder ??= new Folder();
    return this.#folder.path;
  }

  token({ issuedAt } = {}) {
    return providerToken({ ...this.#identity, signingKey: this.signingKey }, issuedAt);
  }

  async clientCertificate({ kind, topic } = {}) {
    const answer = await this.#admin.get(`/identity/certificate${query({ kind, topic })}`);
    const { certificate: cert, key, store, password, topics } = answer;
    return { cert, key, p12: Buffer.from(store, "base64"), password, topics };
  }

  // What came.

  async requests(match = {}) {
    const found = [];
    for (;;) {
      const after = found.at(-1)?.sequence ?? 0;
      const page = await this.#admin.post("/requests/find", { requests: match, limit: 1000, after });
      found.push(...page.requests);
      if (page.requests.length < 1000) return found;
    }
  }

  async count(match = {}) {
    return (await this.#admin.post("/requests/count", { requests: match })).count;
  }

  async dropped() {
    return (await this.#admin.post("/requests/count", {})).dropped;
  }

  // Less than the 5 s after which Jest and Vitest give a test up, without saying what was missing.
  async wait(count = 1, match = {}, timeout = "3s") {
    if (!(count >= 1)) throw new TypeError(`wait takes a number of requests, not ${count}; waitForNone waits for none.`);
    const question = { requests: match, count, timeout: duration(timeout) };
    const { status, answer } = await this.#admin.await("/requests/wait", question);
    if (status === 408) throw await this.#requestsMissing(question, answer);
    if (status >= 400) throw new APIError(status, answer);
    return answer.requests;
  }

  async #requestsMissing({ requests, count, timeout }, answer) {
    const { report: text } = await this.#admin.post("/verify", { expect: [{ requests, count: { atLeast: count } }] });
    const lines = text.split("\n").filter((each) => each.startsWith("  "));
    if (!lines.length) lines.push(`  seen      ${answer.total} of ${count}`); // They came just now.
    const message = [`Not enough requests within ${timeout}.`, ...lines].join("\n");
    return new RequestsMissing(message + (await report.whyNone(this.#admin)), answer.nearMisses);
  }

  async waitForNone(match = {}, time = "1s") {
    const question = { requests: match, count: 0, for: duration(time) };
    const { status, answer } = await this.#admin.await("/requests/wait", question);
    if (status === 409 && answer.requests) {
      const came = answer.requests.map((each) => `  ${line(`request ${each.sequence}: status ${each.status}, ${each.path}`)}`);
      throw new UnexpectedRequests(["A request came that was not expected.", ...came].join("\n"), answer.requests);
    }
    if (status >= 400) throw new APIError(status, answer);
  }

  log() {
    return report.log(this.#admin);
  }

  // What is expected.

  verify(...expect) {
    return this.#verify("/verify", expect.length ? { expect } : {});
  }

  finish() {
    return this.#verify("/verify?finish=true", {});
  }

  async #verify(path, question) {
    const answer = await this.#admin.post(path, question);
    if (answer.passed) return answer;
    throw new ExpectationsFailed(block(answer.report.trimEnd()) + (await report.whyNone(this.#admin)), answer);
  }

  async lint({ rule, severity, sequence } = {}) {
    return (await this.#admin.get(`/lint${query({ rule, severity, sequence })}`)).findings;
  }

  // What to do next.

  async rule(then, options = {}) {
    return (await this.#admin.post("/rules", { ...options, then })).name;
  }

  async deleteRule(name) {
    await this.#admin.call("DELETE", `/rules/${encodeURIComponent(name)}`);
  }

  device(name) {
    return new Device(this.#admin, name);
  }

  async addDevice(declaration) {
    const { name, token } = await this.#admin.post("/devices", declaration);
    return this.device(name ?? token);
  }

  async channels() {
    return (await this.#channelPages()).flatMap((page) => page.channels);
  }

  async #channelPages() {
    const pages = [];
    for (let after = 0; after !== null; after = pages.at(-1).next) {
      pages.push(await this.#admin.get(`/channels?limit=1000&after=${after}`));
    }
    return pages;
  }

  channel(name) {
    return this.#admin.get(`/channels/${inURL(name)}`);
  }

  addChannel({ topic = this.topic, storage = "mostRecent", ...rest } = {}) {
    return this.#admin.post("/channels", { topic, storage, ...rest });
  }

  async deleteChannel(name) {
    await this.#admin.call("DELETE", `/channels/${inURL(name)}`);
  }

  async uniqueSubscribers(topic = this.topic) {
    // Each page has the apps of its channels.
    const apps = (await this.#channelPages()).flatMap((page) => page.apps).filter((app) => app.topic === topic);
    const byEnvironment = new Map(apps.map((app) => [app.environment, app.uniqueSubscribers]));
    return [...byEnvironment.values()].reduce((sum, each) => sum + each, 0);
  }

  async advance(by) {
    await this.#admin.post("/clock/advance", { by: duration(by) });
  }

  async goAway({ connection = "all", ...frame } = {}) {
    return (await this.#admin.post(`/connections/${encodeURIComponent(connection)}/goaway`, frame)).connections;
  }

  async play(scenario) {
    const { text, name } = await read(scenario, this.#admin);
    await this.#judgeSoFar();
    const { status, answer } = await this.#admin.exchange("PUT", "/scenario?reset=true", text);
    if (status >= 400) throw new APIError(status, answer, await this.#mistakes(text, name, answer));
    this.#identity = await this.#admin.get(this.#identityPath);
    this.#environment = undefined;
  }

  /** Lines and columns mean something in a file only. Of another scenario, all mistakes are told without them. */
  async #mistakes(text, name, answer) {
    if (name) return `${name}: ${answer.error?.message}`;
    const { answer: checked } = await this.#admin.exchange("POST", "/scenario/check", text);
    return checked.mistakes?.map((each) => line(each.message)).join("\n") || undefined;
  }

  async reset() {
    await this.#judgeSoFar();
    await this.#admin.call("POST", "/reset");
  }

  async #judgeSoFar() {
    if (this.isJudged && (await this.count())) await this.verify();
  }

  // Sessions.

  // What a session begins with goes to the API, as does all that is not named here. A scenario is played once the session is
  // open, so that its mistakes are told as elsewhere.
  async session({ scenario, beginsWith, publishedPorts, expiresAfter, ...asked } = {}) {
    const mapped = ports.mapping(publishedPorts);
    const answer = await this.#postSession({ ...asked, scenario: beginsWith, expiresAfter: duration(expiresAfter) });
    const admin = this.#admin.session(answer.name);
    const address = ports.reachable(answer.apns, admin.host, mapped);
    const identityPath = `/identity${query({ url: address })}`;
    const session = new Session(admin, answer, { identityPath, isJudged: true });
    try {
      if (address) session.#identity = await admin.get(identityPath);
      if (scenario !== undefined) await session.play(scenario);
    } catch (error) {
      await session.close({ judge: false });
      throw error;
    }
    return session;
  }

  async #postSession(asked) {
    const deadline = performance.now() + PORT;
    for (;;) {
      const { status, answer } = await this.#admin.exchange("POST", "/sessions", asked);
      if (status < 400) return answer;
      if (status !== 503 || performance.now() > deadline) throw new APIError(status, answer);
      await sleep(50);
    }
  }

  // Its end.

  async end(context) {
    if (this.isClosed) return;
    const failed = failure(context);
    const error = await conclude(this, failed ? [failed.own] : []);
    if (failed) failed.show(error);
    else if (error) {
      // Node 18 does not tell whether the test has failed, and shows nothing of what its hooks throw if it has.
      if (context?.diagnostic && context.error === undefined) context.diagnostic(error.message);
      throw error;
    }
  }

  async close() {
    this.isClosed = true;
    this.#folder?.remove();
    this.#folder = this.#environment = undefined;
  }

  /** Makes one call of this server's API. */
  call(method, path, body) {
    return this.#admin.call(method, path, body);
  }
}

class Session extends APNs {
  constructor(admin, identity, options) {
    super(admin, identity, options);
    this.name = identity.name;
  }

  async close({ judge = true } = {}) {
    if (this.isClosed) return;
    await super.close();
    await this.call("DELETE", judge ? "" : "?judge=false").catch((error) => {
      // It has expired, or ended with its server.
      if (error.status !== 404 && error instanceof APIError) throw error;
    });
  }
}

async function connect(adminURL, { adminToken } = {}) {
  const admin = new Admin(adminURL, adminToken);
  return new APNs(admin, await admin.get("/identity"));
}

function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

/** A channel's id in the alphabet of URLs, since it may have slashes; a name as it is. */
function inURL(channel) {
  return encodeURIComponent(channel.endsWith("=") ? channel.replaceAll("+", "-").replaceAll("/", "_") : channel);
}

module.exports = { APNs, Session, connect };
