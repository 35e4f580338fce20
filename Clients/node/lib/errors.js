"use strict";

const { block } = require("./printable.js");

/** Something is wrong with mock-apns, or with the way it is used. */
class MockAPNSError extends Error {
  constructor(message) {
    super(block(message));
    this.name = this.constructor.name;
    this.stack = withoutOurs(this.stack);
  }
}

/** A stack without the lines of this package, so that what runs the tests points at the test. */
function withoutOurs(stack) {
  return stack.split("\n").filter((line) => !/^\s+at /.test(line) || !line.includes(__dirname)).join("\n");
}

/** The server could not be started, or ended by itself. */
class StartError extends MockAPNSError {}

/** The server rejected a call. */
class APIError extends MockAPNSError {
  constructor(status, answer, message = answer?.error?.message) {
    super(message ?? `mock-apns answered ${status}.`);
    this.status = status;
    this.code = answer?.error?.code ?? "";
    this.pointer = answer?.error?.pointer ?? "";
  }
}

/** An expectation does not hold. The message is the report; what it was made of is for programs, and not printed. */
class ExpectationsFailed extends MockAPNSError {
  constructor(message, { results, unusedRules }) {
    super(message);
    hide(this, { results, unusedRules });
  }
}

/** `wait` timed out. */
class RequestsMissing extends MockAPNSError {
  constructor(message, nearMisses) {
    super(message);
    hide(this, { nearMisses });
  }
}

/** `waitForActivities` timed out. */
class ActivitiesMissing extends MockAPNSError {
  constructor(message, activities) {
    super(message);
    hide(this, { activities });
  }
}

/** A request came while `waitForNone` waited. */
class UnexpectedRequests extends MockAPNSError {
  constructor(message, requests) {
    super(message);
    hide(this, { requests });
  }
}

/** Adds properties that are not printed with an error. */
function hide(error, properties) {
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(error, name, { value });
}

module.exports = {
  MockAPNSError, StartError, APIError, ExpectationsFailed, RequestsMissing, ActivitiesMissing, UnexpectedRequests, withoutOurs,
};
