"use strict";

const { randomBytes } = require("node:crypto");
const { connect } = require("./apns.js");
const { APIError, withoutOurs } = require("./errors.js");
const { startServer } = require("./server.js");

// A promise of the server that all sessions of this process share, and of what its sessions begin with.
let shared;

async function sharedServer() {
  const url = process.env.MOCK_APNS_ADMIN_URL;
  shared ??= url ? theirs(url) : startServer().then((server) => ({ server }));
  const { server } = await shared;
  // One of our own that ended by itself is replaced.
  if (server.isRunning === false) {
    shared = undefined;
    return sharedServer();
  }
  return server;
}

/** A server that somebody else has started. A session of it begins with what it plays. */
async function theirs(url) {
  try {
    const server = await connect(url);
    return { server, scenario: await server.call("GET", "/scenario") };
  } catch (error) {
    if (error.status !== 401) throw error;
    const why = process.env.MOCK_APNS_ADMIN_TOKEN
      ? "wants another token than that of the variable MOCK_APNS_ADMIN_TOKEN"
      : "requires a token: set the variable MOCK_APNS_ADMIN_TOKEN";
    throw new APIError(401, { error }, `The mock-apns at ${url} ${why}.`);
  }
}

async function openSession(options = {}) {
  const server = await sharedServer();
  if (options.scenario !== undefined) return server.session(options);
  return server.session({ ...options, beginsWith: (await shared).scenario });
}

/** A test's name as one of a session, with something that no other run has. */
function sessionName(context) {
  const name = context?.name ?? context?.task?.name;
  if (typeof name !== "string") return undefined;
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 54).replace(/^-+|-+$/g, "") || "test";
  return `${words}-${randomBytes(4).toString("hex")}`;
}

function withSession(options, test) {
  return judged((context) => openSession({ name: sessionName(context), ...options }), test);
}

function withServer(options, test) {
  return judged(async () => {
    const server = await startServer(options);
    server.isJudged = true;
    return server;
  }, test);
}

/**
 * A test as a function for whatever runs tests. It declares no parameters: to Jest one would mean that it waits for a callback.
 */
function judged(open, test) {
  return async (...context) => {
    const apns = await open(context[0]);
    const errors = [];
    const attempt = async (act) => {
      try {
        await act();
      } catch (error) {
        errors.push(error);
      }
    };
    // A test that has run out of time may hang for ever. When its session ends, so does its provider's connection, which would
    // keep the process alive.
    await attempt(() => Promise.race([timeIsUp(context[0]?.signal), test(apns, ...context)]));
    let log;
    if (!apns.isClosed) {
      await attempt(() => apns.finish());
      if (errors.length) log = await apns.log().catch((error) => error.message);
      await attempt(() => apns.close());
    }
    if (!errors.length) return;
    const error = withNotes(errors, log);
    // When its time is up, node:test looks at nothing that a test throws.
    if (context[0]?.signal?.aborted) console.error(error.message);
    throw error;
  };
}

function timeIsUp(signal) {
  return new Promise((_, fail) => {
    const tell = () => fail(new Error("The test has run out of time."));
    if (signal?.aborted) tell();
    signal?.addEventListener("abort", tell, { once: true });
  });
}

/** The first error, with the others and what the server received in its message: not everything shows the cause of an error. */
function withNotes([error, ...others], log) {
  const messages = [error, ...others].map((each) => String(each?.message ?? each).trimEnd());
  // The message of an expectation says itself that no request arrived.
  if (log && !messages.some((each) => each.includes(log))) messages.push(`mock-apns has received:\n${log}`);
  const message = messages.join("\n\n");
  if (typeof error?.stack !== "string" || !Object.isExtensible(error)) return new Error(message, { cause: error });
  const stack = error.stack.includes(error.message) ? error.stack.replace(error.message, () => message) : error.stack;
  // Some errors, such as that of an aborted fetch, have a message that cannot be set.
  Object.defineProperty(error, "message", { value: message, configurable: true, writable: true });
  Object.defineProperty(error, "stack", { value: withoutOurs(stack), configurable: true, writable: true });
  // Jest makes a message of its own for an assertion of Node that has none of the test's.
  if (error.generatedMessage) error.generatedMessage = false;
  return error;
}

module.exports = { openSession, sharedServer, withServer, withSession };
