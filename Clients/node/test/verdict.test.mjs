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
    // One that node:test can send from one process to the other.
    assert.equal(Object.prototype.toString.call(error), "[object Error]");
    assert.equal(error.cause, own);
    assert.ok(error.stack.includes(error.message), error.stack);
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

test("what is the same is said once", async () => {
  const error = await failure(withServer(async (apns) => {
    process.kill((await apns.call("GET", "/identity")).pid, "SIGKILL");
    await apns.count();
  }));
  assert.equal(error.message.match(/ended by itself \(signal SIGKILL\)/g).length, 1, error.message);
});

test("a request without a path", async () => {
  const error = await failure(withSession(async (apns) => {
    await push(apns, { headers: { ":path": "no path" } }).catch(() => {});
    throw new Error("own");
  }));
  assert.match(error.message, /\n {2}1 .* push without a path, reset/);
});

test("a test that is ended early", async (t) => {
  const shown = t.mock.method(console, "error", () => {});
  const run = withSession({ scenario: busy }, (apns, context) => context.controller.abort() ?? new Promise(() => {}));
  // What node:test has as its error is the first one, and gets the others.
  for (const own of ["test timed out after 5ms", new RangeError("my own mistake")]) {
    const text = own.message ?? own;
    const controller = new AbortController();
    const hooks = [];
    const error = Object.assign(new Error(text), { cause: own });
    const context = { name: "its name", controller, signal: controller.signal, error, after: (hook) => hooks.push(hook) };
    run(context).catch(() => {});
    await hooks[0]();
    assert.ok(error.message.startsWith(`${text}\n\n1 of 1 expectation failed.\nFAILED  tried again`), error.message);
    assert.equal(error.cause.message, error.message);
    if (own.message) assert.equal(error.cause, own);
  }
  assert.equal(shown.mock.callCount(), 0);
  // Others have no error to add to.
  const controller = new AbortController();
  const error = await failure(run, { name: "its name", controller, signal: controller.signal });
  assert.match(error.message, /^The test was ended early\.\n\n1 of 1 expectation failed\./);
  assert.deepEqual(shown.mock.calls.map((call) => call.arguments), [[`its name: ${error.message}`]]);
});

test("a function that throws at once leaves nothing behind", async () => {
  const controller = new AbortController();
  const run = withSession(() => {
    throw new RangeError("my own mistake");
  });
  assert.match((await failure(run, { signal: controller.signal })).message, /^my own mistake\n/);
  // node:test does so at the end of each test, and would tell of an unhandled rejection.
  controller.abort();
});

test("options may be left out, the function may not", async () => {
  for (const [name, run] of Object.entries({ withSession, withServer })) {
    await run((apns) => push(apns))();
    for (const words of [[], [{}], [{ scenario: busy }, "x"]]) {
      assert.throws(() => run(...words), { name: "TypeError", message: new RegExp(`^${name} takes a function: ${name}\\(`) });
    }
  }
});

test("a test that skips itself is not judged", async () => {
  const context = () => ({ skipped: [], skip(why) { this.skipped.push(why); } });
  for (const run of [withSession, withServer]) {
    const skipping = context();
    await run({ scenario: busy }, (apns, t) => t.skip("why"))(skipping);
    assert.deepEqual(skipping.skipped, ["why"]);
    // The condition of Vitest.
    assert.ok(await failure(run({ scenario: busy }, (apns, t) => t.skip(false)), context()) instanceof ExpectationsFailed);
    const own = await failure(run({ scenario: busy }, (apns, t) => t.skip() ?? Promise.reject(new Error("own"))), context());
    assert.ok(!own.message.includes("FAILED"), own.message);
  }
  const hooked = context();
  const apns = await openSession({ scenario: busy }, hooked);
  hooked.skip();
  await apns.end(hooked);
  assert.ok(apns.isClosed);
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
  await assert.rejects((await openSession({ scenario: busy })).end({ error: null }), /No request arrived/);
  const skipped = await openSession({ scenario: busy });
  await skipped.close({ judge: false });
  await skipped.end();
});

test("end tells a test that has failed why", async () => {
  for (const [scenario, expected] of [[{}, ""], [busy, `\n\n${report}`]]) {
    // As node:test has it, and as Vitest does.
    const own = new RangeError("my own mistake");
    const made = { name: "Error", message: "my own mistake", stack: "Error: my own mistake\n    at goal.test.mjs:1:1" };
    for (const context of [{ error: new Error("", { cause: own }) }, { task: { result: { state: "fail", errors: [made] } } }]) {
      const apns = await openSession({ scenario });
      await push(apns);
      await apns.end(context);
      const error = context.error?.cause ?? made;
      assert.equal(error, context.error ? own : made);
      assert.ok(error.message.startsWith(`my own mistake${expected}`), error.message);
      assert.match(error.message, /\n\nmock-apns has received:\n1 request:\n/);
      assert.ok(error.stack.includes(error.message), error.stack);
    }
  }
  // A later attempt of Vitest has the errors of those before.
  const again = await openSession({ scenario: busy });
  await assert.rejects(again.end({ task: { result: { state: "pass", errors: [new Error("own")] } } }), ExpectationsFailed);
  // Node 18 does not say whether a test has failed.
  const shown = [];
  const old = await openSession({ scenario: busy });
  await assert.rejects(old.end({ diagnostic: (text) => shown.push(text) }), ExpectationsFailed);
  assert.match(shown[0], /FAILED {2}tried again/);
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
