// What a session has.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  APIError, ActivitiesMissing, RequestsMissing, UnexpectedRequests, openSession, sharedServer, withSession,
} from "mock-apns";
import { alice, push } from "./pushing.mjs";

const manual = { clock: { manual: "now" }, devices: [{ name: "alice", token: alice, topic: "com.example.app" }] };
const session = (scenario, body) => withSession({ scenario }, body);

test("pushes and their records", session(undefined, async (apns) => {
  assert.equal(await push(apns), 200);
  assert.equal(await push(apns, { headers: { "apns-priority": "7" } }), 400);
  const [first] = await apns.wait(1, { pushType: "alert" });
  assert.equal(first.payload.aps.alert, "Goal");
  assert.equal(await apns.count(), 2);
  assert.equal(await apns.count({ status: { oneOf: [400, 503] }, collapseID: null }), 1);
  assert.equal(await apns.dropped(), 0);
  assert.deepEqual((await apns.requests({ status: 400 })).map((each) => each.reason), ["BadPriority"]);
  assert.match(await apns.log(), /^2 requests:\n {2}1 .*alert to aaaaaaaa…aaaa, 200[^]*, 400 BadPriority\n {5}apns-priority is "7"/);
}));

test("more records than a page has", session(undefined, async (apns) => {
  for (const repeat of [1000, 1]) await apns.call("POST", "/pushes", { token: alice, payload: { aps: {} }, repeat });
  assert.equal((await apns.requests({ sentBy: "admin" })).length, 1001);
}));

test("a wait that times out tells what came nearest", session(undefined, async (apns) => {
  await push(apns);
  await assert.rejects(apns.wait(2, { status: 429 }, 50), (error) => {
    assert.ok(error instanceof RequestsMissing);
    assert.match(error.message, /^Not enough requests within 50ms\.\n {2}expected {2}at least 2 requests with status 429\n/);
    assert.equal(error.nearMisses[0].differences[0].found, 200);
    return true;
  });
  await assert.rejects(apns.wait(0), TypeError);
}));

test("none may come", session(undefined, async (apns) => {
  await apns.waitForNone({}, 50);
  const none = assert.rejects(apns.waitForNone({}, "1m"), (error) => {
    assert.ok(error instanceof UnexpectedRequests);
    assert.equal(error.requests.length, 1);
    return /request 1: status 200, \/3\/device\/aaaa/.test(error.message);
  });
  // The wait has to be there before the push.
  await apns.waitForNone({}, 200);
  await push(apns);
  await none;
}));

test("rules", session(undefined, async (apns) => {
  const name = await apns.rule({ reject: "TooManyRequests" }, { times: 1, when: { pushType: "alert" } });
  assert.equal(await push(apns), 429);
  assert.equal(await push(apns), 200);
  await apns.rule({ reject: "Unregistered" }, { name: "a/b" });
  await apns.deleteRule("a/b");
  await apns.deleteRule(name);
  assert.equal(await push(apns), 200);
}));

test("an error of the API", session(undefined, async (apns) => {
  await assert.rejects(apns.rule({ rejekt: "TooManyRequests" }), (error) => {
    assert.ok(error instanceof APIError);
    assert.equal(error.message, 'then.rejekt is not a key of a step; did you mean "reject"?');
    assert.deepEqual([error.status, error.code, error.pointer], [400, "badValue", "/then/rejekt"]);
    assert.ok(!error.stack.includes("/lib/"), error.stack);
    return true;
  });
}));

test("devices and the clock", session(manual, async (apns) => {
  const device = apns.device("alice");
  await device.offline();
  await push(apns, { headers: { "apns-expiration": "9999999999" } });
  assert.equal((await device.stored()).length, 1);
  await apns.advance("10m");
  await apns.advance(1000);
  assert.deepEqual(await device.displayed(), []);
  await device.online();
  const [shown] = await device.displayed();
  assert.equal(shown.payload.aps.alert, "Goal");
  await device.dismiss(shown.sequence);
  assert.deepEqual(await device.displayed(), []);
  await device.power("saving");
  await push(apns, { headers: { "apns-priority": "5" } });
  const { power, token, received, stored } = await device.state();
  assert.deepEqual([power, token, received, stored.length], ["saving", alice, 1, 1]);
  await device.power("normal");
  assert.deepEqual(await device.stored(), []);
  await device.platform("tvOS");
  assert.equal((await device.state()).platform, "tvOS");
  await assert.rejects(device.platform("tvos"), { pointer: "/platform" });
  await device.change({ platform: "iOS", power: "saving" });
  await device.uninstall();
  await apns.advance("30d");
  assert.equal(await push(apns), 410);
  await device.delete();
  const bob = await apns.addDevice({ name: "bob", topic: "com.example.app", online: false });
  assert.equal((await bob.state()).online, false);
}));

const actions = [{ id: "WATCH", title: "Watch" }, { id: "REPLY", title: "Reply", textInput: {} }];
const phone = { ...manual, apps: [{ topic: "com.example.app", categories: [{ id: "GAME", actions }] }] };

test("what a device does with a push, and its user", session(phone, async (apns) => {
  const device = apns.device("alice");
  const background = { headers: { "apns-push-type": "background", "apns-priority": "5" }, payload: { aps: { "content-available": 1 } } };
  const states = async () => (await device.history()).map(({ sequence, state }) => `${sequence} ${state}`);
  await device.app({ state: "forceQuit" });
  assert.equal(await push(apns, background), 200);
  const [{ clock, ...entry }] = await device.history();
  assert.deepEqual(entry, { sequence: 1, state: "dropped", why: "The user has force-quit the app, so the push does not wake it." });
  assert.ok(Date.parse(clock));
  await device.app({ state: "notRunning" }, "com.example.app");
  await device.budget("background", 1, 3_600_000);
  for (let count = 0; count < 2; count++) await push(apns, background);
  await apns.advance("1h");
  assert.deepEqual(await states(), ["1 dropped", "2 woke", "3 heldByBudget", "3 woke"]);

  await device.notifications({ sound: false, alert: false });
  for (const alert of ["1-0", "2-0", "3-0"]) await push(apns, { payload: { aps: { alert, category: "GAME" } } });
  const shown = await device.displayed();
  assert.equal(shown[0].shown.banner, false);
  await device.open(shown[0].sequence);
  await device.open(shown[1].sequence, "WATCH");
  await device.open(shown[2].sequence, "REPLY", "Yes");
  assert.deepEqual((await states()).slice(-3), ["4 opened", "5 opened", "6 opened"]);
  assert.match((await device.history()).at(-2).why, /"WATCH"/);
  const { displayed, notifications, app, apps, budgets } = await device.state();
  assert.deepEqual(displayed, []);
  assert.deepEqual(notifications, { authorization: "authorized", alert: false, badge: true, sound: false });
  assert.deepEqual([app.state, apps["com.example.app"].state], ["forceQuit", "background"]);
  assert.deepEqual(budgets, { background: { allowed: 1, per: "1h" } });
  await device.notifications(false);
  assert.equal((await device.state()).notifications, false);
  await assert.rejects(device.open(7), { status: 404 });
}));

test("Live Activities with tokens of their own, and a new token", session({ liveActivities: { tokens: "own" } }, async (apns) => {
  const device = await apns.addDevice({ topic: "com.example.app" });
  const headers = { "apns-topic": "com.example.app.push-type.liveactivity", "apns-push-type": "liveactivity" };
  const send = (to, event, rest) => push(apns, {
    device: to, headers, payload: { aps: { event, timestamp: 1, "content-state": {}, ...rest } },
  });
  const start = { "attributes-type": "Match", attributes: {}, alert: { title: "Goal" }, "input-push-token": 1 };
  assert.equal(await send(device.name, "start", start), 400);
  const { token: old, pushToStartToken } = await device.state();
  assert.equal(await send(pushToStartToken, "start", start), 200);
  const [{ topic, token }] = await device.waitForActivities();
  assert.equal(topic, "com.example.app");
  assert.equal(await send(token, "update", { timestamp: 2 }), 200);
  assert.equal(await send(token, "end", { timestamp: 3 }), 200);
  assert.equal(await send(token, "update", { timestamp: 4 }), 410);
  await device.change({ startActivity: { name: "score" } });
  await assert.rejects(device.waitForActivities(2, topic, 50), (error) => {
    assert.ok(error instanceof ActivitiesMissing);
    assert.equal(error.message, "Not enough Live Activities within 50ms.\n"
      + `  expected  at least 2 Live Activities of ${old} with topic com.example.app, not ended\n  seen      1 Live Activity`);
    return error.activities[0].name === "score";
  });
  await assert.rejects(device.waitForActivities(0), { pointer: "/count" });

  const renewed = await device.renewToken();
  assert.deepEqual([device.name, (await device.state()).token], [renewed, renewed]);
  assert.deepEqual([await push(apns, { device: old }), await push(apns, { device: renewed })], [410, 200]);
  const bob = await apns.addDevice({ name: "bob" });
  await bob.renewToken();
  assert.equal(bob.name, "bob");
}));

test("channels", session(manual, async (apns) => {
  const { channelID } = await apns.addChannel({ name: "match" });
  const device = apns.device("alice");
  await device.subscribe("match", "score");
  assert.equal((await apns.channel(channelID)).subscribers, 1);
  assert.equal(await apns.uniqueSubscribers(), 1);
  await device.endActivity("score");
  await device.subscribe(channelID);
  await device.unsubscribe("match");
  await device.startActivity("own");
  assert.equal((await device.state()).activities.length, 1);
  await device.dismissActivity("own");
  assert.equal((await device.state()).activities.length, 0);
  assert.deepEqual((await apns.channels()).map(({ name, storage }) => [name, storage]), [["match", "mostRecent"]]);
  await apns.deleteChannel(channelID);
  assert.deepEqual(await apns.channels(), []);
  assert.deepEqual(apns.manageURLs, []);
}));

test("scenarios: an object, its text, a path, a URL, a built-in one", session(undefined, async (apns) => {
  const folder = mkdtempSync(join(tmpdir(), "mock-apns-test-"));
  try {
    const file = join(folder, "gone.json");
    const text = JSON.stringify({ rules: [{ then: { reject: "Unregistered" } }] });
    writeFileSync(file, text);
    for (const scenario of [JSON.parse(text), text, file, pathToFileURL(file)]) {
      await apns.play(scenario);
      assert.equal(await push(apns), 410);
    }
    await apns.play("tour");
    assert.equal((await apns.device("alice").state()).online, false);
    await apns.play({});
    writeFileSync(file, '{\n  "rulez": []\n}');
    await assert.rejects(apns.play(file), { message: new RegExp(`^${file}: Line 2, column 3: rulez is not a key`) });
    await assert.rejects(apns.play({ rulez: [], clok: 1 }), { message: /^rulez is not a key of .*\nclok is not a key of/ });
    await assert.rejects(apns.play("no-such"), { message: /no-such, and none of that name is built in/ });
    await assert.rejects(apns.play("no/such.json"), { message: /^There is no scenario \/.*no\/such\.json\.$/ });
    await assert.rejects(apns.play(7), TypeError);
    // Where a key lies is relative to the scenario.
    writeFileSync(join(folder, "own.p8"), apns.signingKey);
    const keys = [{ keyID: "OWNKEY1234", file: "own.p8" }];
    writeFileSync(file, JSON.stringify({ authentication: { teams: [{ teamID: "OWNTEAM123", keys }] } }));
    await apns.play(file);
    assert.deepEqual([apns.keyID, apns.teamID], ["OWNKEY1234", "OWNTEAM123"]);
    assert.throws(() => apns.token(), { message: /The signing key OWNKEY1234 is the scenario's own/ });
  } finally {
    rmSync(folder, { recursive: true });
  }
}));

test("what was expected has to hold before another scenario replaces it", async () => {
  const apns = await openSession({ scenario: { expect: [{ requests: { status: 429 }, count: 1 }] } });
  await apns.reset();
  await push(apns);
  await assert.rejects(apns.reset(), { name: "ExpectationsFailed" });
  await assert.rejects(apns.play({}), { name: "ExpectationsFailed" });
  await apns.close({ judge: false });
  await apns.close();
});

test("lint and GOAWAY", session(undefined, async (apns) => {
  await push(apns, { payload: { aps: { alert: "Goal", badge: "1" } } });
  assert.deepEqual((await apns.lint({ severity: "error" })).map((each) => each.rule), ["badge-type"]);
  assert.deepEqual(await apns.lint({ rule: "badge-type", sequence: 2 }), []);
  assert.deepEqual(await apns.goAway({ reason: "Shutdown" }), []);
}));

test("provider tokens", session(undefined, async (apns) => {
  assert.equal(apns.token(), apns.token());
  const claims = JSON.parse(Buffer.from(apns.token({ issuedAt: 1000 }).split(".")[1], "base64url"));
  assert.deepEqual(claims, { iss: apns.teamID, iat: 1000 });
  assert.equal(await push(apns, { headers: { authorization: `bearer ${apns.token({ issuedAt: 1000 })}` } }), 403);
}));

test("client certificates", session(undefined, async (apns) => {
  const { cert, key, p12, password, topics } = await apns.clientCertificate();
  assert.equal(await push(apns, { cert, key }), 200);
  assert.equal(await push(apns, { pfx: p12, passphrase: password, cert: undefined }), 200);
  assert.ok(topics.includes(apns.topic));
  assert.deepEqual((await apns.clientCertificate({ kind: "voip" })).topics, [`${apns.topic}.voip`]);
}));

test("variables for another process", session(undefined, async (apns) => {
  const { env } = apns;
  assert.equal(env.MOCK_APNS_URL, apns.url);
  assert.equal(env.MOCK_APNS_URL, `https://${env.MOCK_APNS_HOST}:${env.MOCK_APNS_PORT}`);
  assert.equal(env.MOCK_APNS_ADMIN_URL, apns.adminURL);
  for (const [variable, content] of [["MOCK_APNS_CA", apns.ca], ["MOCK_APNS_KEY", apns.signingKey]]) {
    assert.equal(readFileSync(env[variable], "utf8"), content);
    assert.equal(dirname(env[variable]), env.MOCK_APNS_CERTS);
  }
  assert.ok(new X509Certificate(readFileSync(env.MOCK_APNS_CLIENT_CERT)));
  assert.ok(readFileSync(env.SSL_CERT_FILE, "utf8").endsWith(apns.ca));
  assert.match(env.NO_PROXY, /127\.0\.0\.1/);
  assert.equal(statSync(env.MOCK_APNS_KEY).mode & 0o777, 0o600);
  await apns.close();
  assert.ok(!existsSync(env.MOCK_APNS_CERTS));
}));

test("a session has the name of its test", session(undefined, async (apns) => {
  assert.match(apns.name, /^a-session-has-the-name-of-its-test-[0-9a-f]{8}$/);
  const sessions = (await (await sharedServer()).call("GET", "/sessions")).sessions.map((each) => each.name);
  assert.ok(sessions.includes(apns.name));
  const hooked = await openSession({}, { name: "From a hook" });
  assert.match(hooked.name, /^from-a-hook-[0-9a-f]{8}$/);
  await hooked.close();
}));

test("what a session can be asked for", async () => {
  const server = await sharedServer();
  const apns = await server.session({ name: "checkout", expiresAfter: "5m" });
  assert.equal(apns.name, "checkout");
  await assert.rejects(openSession({ name: "checkout" }), { status: 409, code: "taken" });
  await assert.rejects(openSession({ nam: "checkout" }), { message: /nam is not a key of a session; did you mean "name"\?/ });
  await assert.rejects(openSession({ publishedPorts: "1-2:3" }), { message: /1-2:3 is not a mapping of ports/ });
  await assert.rejects(openSession({ publishedPorts: "1:2,3:4" }), { message: /not published; .*--session-ports 2-4/ });
  const mapped = await openSession({ publishedPorts: "1-2:1-2,1024-65535:1024-65535" });
  assert.equal(mapped.host, "127.0.0.1");
  assert.equal(await push(mapped), 200);
  await mapped.close();
  await apns.close();
});
