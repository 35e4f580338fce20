// What a test that fails shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withServer, withSession, openSession, ExpectationsFailed } from "mock-apns";
import { push } from "./pushing.mjs";

const busy = {
  rules: [{ name: "busy", times: 2, then: { reject: "TooManyRequests" } }],
  expect: [{ name: "tried again", requests: { status: 200 }, count: 1 }],
};
const report = `1 of 1 expectation failed.
FAILED  tried again
  expected  exactly 1 request with status 200
  seen      0 requests
  nearest   request 1: status is 429, not 200`;

/** The error of a test. */
const failure = (run, ...context) => run(...context).then(() => assert.fail("it passed"), (error) => error);

test("the report is the failure", async () => {
  for (const run of [withSession, withServer]) {
    const error = await failure(run({ scenario: busy }, push));
    assert.ok(error instanceof ExpectationsFailed);
    assert.ok(error.message.startsWith(`${report}\n\nmock-apns has received:\n1 request:\n`), error.message);
    assert.ok(error.stack.includes(report));
    assert.equal(error.results[0].name, "tried again");
    assert.deepEqual(error.unusedRules, []);
  }
});

test("the test's own error comes first, and stays what it is", async () => {
  const own = new RangeError("my own mistake");
  const error = await failure(withSession({ scenario: busy }, async (apns) => {
    await push(apns);
    throw own;
  }));
  assert.equal(error, own);
  assert.ok(error.message.startsWith(`my own mistake\n\n${report}\n\nmock-apns has received:\n`), error.message);
  assert.ok(error.stack.startsWith(`RangeError: my own mistake\n\n${report}`), error.stack);
  assert.ok(error.stack.includes("verdict.test.mjs"), error.stack);
});

test("errors that cannot be changed, or are none", async () => {
  for (const own of ["my own mistake", Object.freeze(new Error("my own mistake")), new DOMException("my own mistake"), undefined]) {
    const error = await failure(withSession({ scenario: busy }, () => Promise.reject(own)));
    assert.ok(error.message.startsWith(own === undefined ? "undefined\n" : "my own mistake\n"), error.message);
    assert.ok(error.message.includes("FAILED  tried again"), error.message);
  }
});

test("why nothing came", async () => {
  const error = await failure(withSession({ scenario: busy }, () => {}));
  assert.equal(error.message.match(/No request arrived/g).length, 1, error.message);
  assert.match(error.message, /There was no connection\.$/);
  const untrusted = await failure(withSession({ scenario: busy }, (apns) => push(apns, { ca: [] }).catch(() => {})));
  assert.match(untrusted.message, /\nConnection 1 is closed by client: /);
});

test("a provider's text cannot look like a verdict", async () => {
  const error = await failure(withSession({}, async (apns) => {
    await push(apns, { payload: { aps: { alert: "\u202e\u001b[2J" } }, headers: { "apns-collapse-id": "x" } });
    throw new Error("own");
  }));
  assert.ok(error.message.includes(String.raw`\u{202E}`), error.message);
  assert.ok(!/[\u202e\u001b]/.test(error.message));
});

test("a test that has run out of time", async (t) => {
  const shown = t.mock.method(console, "error", () => {});
  const controller = new AbortController();
  const run = withSession({ scenario: busy }, () => controller.abort() ?? new Promise(() => {}));
  const error = await failure(run, { signal: controller.signal });
  assert.match(error.message, /^The test has run out of time\.\n\n1 of 1 expectation failed\./);
  assert.equal(shown.mock.calls[0].arguments[0], error.message);
});

test("it declares no parameters, and passes on what it gets", async () => {
  let got;
  const run = withSession({}, (apns, ...context) => (got = context));
  assert.equal(run.length, 0);
  await run({ name: "x" }, 2);
  assert.deepEqual(got, [{ name: "x" }, 2]);
});

test("end in afterEach", async () => {
  const good = await openSession();
  await good.end();
  await good.end();
  const bad = await openSession({ scenario: busy });
  await assert.rejects(bad.end(), ExpectationsFailed);
  // After a failure of its own, node:test shows nothing of what a hook throws.
  const shown = [];
  const failed = await openSession({ scenario: busy });
  await failed.end({ error: new Error("own"), diagnostic: (text) => shown.push(text) });
  assert.match(shown[0], /FAILED {2}tried again/);
  const skipped = await openSession({ scenario: busy });
  await skipped.close({ judge: false });
  await skipped.end();
});

test("verify", withSession({}, async (apns) => {
  await push(apns);
  const { results, report: text } = await apns.verify({ requests: { status: 200 }, count: 1 }, { connections: 1 });
  assert.equal(results.length, 2);
  assert.match(text, /^Both expectations hold|^All 2 expectations hold/);
  await assert.rejects(apns.verify({ requests: { status: 429 }, count: 1 }), { name: "ExpectationsFailed" });
}));

test("a manual clock goes to the end of the timeline", withSession({ scenario: {
  clock: { manual: "now" },
  devices: [{ name: "alice", token: "a".repeat(64), topic: "com.example.app", online: false }],
  timeline: [{ at: "10m", do: { device: "alice", online: true } }],
  expect: [{ device: "alice", displayed: [{ "/aps/alert": "Goal" }] }],
} }, (apns) => push(apns, { headers: { "apns-expiration": "9999999999" } })));
