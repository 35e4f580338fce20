"use strict";

const { withoutOurs } = require("./errors.js");

/**
 * Ends a session, or a server, with its test: judges it, unless the test was skipped, and closes it. Returns the first error, with
 * the others and what the server received in its message, or nothing if there is none.
 */
async function conclude(apns, errors) {
  const attempt = (act) => act().catch((error) => errors.push(error));
  const judge = !apns.isSkipped;
  let log;
  if (!apns.isClosed) {
    if (judge) await attempt(() => apns.finish());
    if (errors.length) log = await apns.log().catch((error) => error.message);
    await attempt(() => apns.close({ judge }));
  }
  return errors.length ? withNotes(errors, log) : undefined;
}

/**
 * The error of a test that has failed already, and how to have it shown with more. Whatever else such a test throws, node:test
 * shows nothing of it. Node 18 does not tell whether a test has failed.
 */
function failure(context) {
  const { error } = context ?? {};
  if (error) return { own: error.cause, show: (more) => Object.assign(error, { cause: more, message: more.message }) };
  const { state, errors } = context?.task?.result ?? {};
  // Vitest has made an object of it, which is changed in place.
  return state === "fail" ? { own: errors.at(-1), show() {} } : undefined;
}

/** Not everything shows the cause of an error, so all of them are one message. */
function withNotes([error, ...others], log) {
  const messages = [...new Set([error, ...others].map((each) => String(each?.message ?? each).trimEnd()))];
  // The message of an expectation says itself that no request arrived.
  if (log && !messages.some((each) => each.includes(log))) messages.push(`mock-apns has received:\n${log}`);
  const message = messages.join("\n\n");
  const hasStack = typeof error?.stack === "string";
  const shown = hasStack && canBeChanged(error) ? error : new Error(message, { cause: error });
  const stack = hasStack && error.stack.includes(error.message) ? error.stack.replace(error.message, () => message) : shown.stack;
  for (const [name, value] of [["message", message], ["stack", withoutOurs(stack)]]) {
    Object.defineProperty(shown, name, { value, configurable: true, writable: true });
  }
  // Jest makes a message of its own for an assertion of Node that has none of the test's.
  if (shown.generatedMessage) shown.generatedMessage = false;
  return shown;
}

/** An error of the web, such as that of an aborted fetch, does not get from one process of node:test to the other. */
function canBeChanged(error) {
  return Object.isExtensible(error) && Object.prototype.toString.call(error) !== "[object DOMException]";
}

module.exports = { conclude, failure };
