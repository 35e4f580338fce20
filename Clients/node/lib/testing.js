"use strict";

const { randomBytes } = require("node:crypto");
const { connect } = require("./apns.js");
const { APIError } = require("./errors.js");
const { startServer } = require("./server.js");
const { conclude, failure } = require("./verdict.js");

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

/** A server that was started elsewhere. A session of it begins with what it plays. */
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

async function openSession(options = {}, context) {
  const server = await sharedServer();
  const beginsWith = options.scenario === undefined ? (await shared).scenario : undefined;
  return ofTest(context, await server.session({ name: sessionName(context), beginsWith, ...options }));
}

/** A test's name as one of a session, with something that no other run has. */
function sessionName(context) {
  const name = context?.name ?? context?.task?.name;
  if (typeof name !== "string") return undefined;
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 54).replace(/^-+|-+$/g, "") || "test";
  return `${words}-${randomBytes(4).toString("hex")}`;
}

function withSession(options, test) {
  return judged(openSession, "withSession", options, test);
}

function withServer(options, test) {
  return judged(openServer, "withServer", options, test);
}

async function openServer(options, context) {
  const server = await startServer(options);
  server.isJudged = true;
  return ofTest(context, server);
}

/** What a test has opened, which then knows whether the test has skipped itself: those who run tests do not say. */
function ofTest(context, apns) {
  const skip = context?.skip;
  if (typeof skip !== "function") return apns;
  context.skip = (...words) => {
    apns.isSkipped = words[0] !== false; // With Vitest it may be a condition.
    return skip.apply(context, words);
  };
  return apns;
}

/**
 * A test as a function for whatever runs tests. It declares no parameters: to Jest one would mean that it waits for a callback.
 */
function judged(open, name, options, test) {
  if (typeof options === "function") [options, test] = [undefined, options];
  if (typeof test !== "function") throw new TypeError(`${name} takes a function: ${name}({ … }, async (apns) => { … }).`);
  return async (...words) => {
    const [context] = words;
    const run = async () => {
      const apns = await open(options, context);
      const errors = [];
      const tested = (async () => test(apns, ...words))();
      await Promise.race([endedEarly(context), tested]).catch((error) => errors.push(error));
      const error = await conclude(apns, errors);
      if (!error) return;
      if (context?.signal?.aborted) show(error, context);
      throw error;
    };
    const done = run();
    // node:test reports a test that was ended early when its hooks are done, so one of them waits for the verdict.
    if (context?.signal) context.after?.(() => done.catch(() => {}));
    return done;
  };
}

/**
 * Fails when the test's time is up, or an error was not caught. Such a test may hang for ever. When its session ends, so does its
 * provider's connection, which would keep the process alive.
 */
function endedEarly(context) {
  const signal = context?.signal;
  return new Promise((_, fail) => {
    const tell = () => fail(failure(context)?.own ?? new Error("The test was ended early."));
    if (signal?.aborted) tell();
    signal?.addEventListener("abort", tell, { once: true });
  });
}

/** What a test throws after it was ended early would not be reported otherwise. */
function show(error, context) {
  const failed = failure(context);
  if (failed) failed.show(error);
  else console.error(`${context.name ?? context.task?.name}: ${error.message}`);
}

module.exports = { openSession, sharedServer, withServer, withSession };
