// Servers: found, started, used, ended.
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import * as esm from "mock-apns";
import { push } from "./pushing.mjs";

const { APNs, StartError, connect, sharedServer, startServer } = esm;
const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "mock-apns-test-"));
after(() => rmSync(folder, { recursive: true }));

/** A command in a folder of its own. */
function command(name, text) {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Runs with other variables. */
async function withVariables(variables, run) {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  for (const [name, value] of Object.entries(variables)) if (value === undefined) delete process.env[name];
  try {
    return await run();
  } finally {
    process.env = before;
  }
}

test("a server of one's own", async () => {
  const apns = await startServer({ scenario: "tour", environment: "production", topic: ["com.example.a", "com.example.b"] });
  const { MOCK_APNS_CERTS: files } = apns.env;
  assert.ok(apns.isRunning);
  assert.equal((await apns.device("alice").state()).online, false);
  await apns.play({});
  assert.equal(await push(apns), 200);
  // As in production.
  assert.equal((await apns.requests())[0].uniqueID, null);
  assert.equal(apns.topic, "com.example.a");
  await apns.reset();
  assert.equal(await apns.count(), 0);

  const session = await apns.session();
  const other = await connect(apns.adminURL.replace("http://", ""));
  assert.ok(other instanceof APNs);
  assert.deepEqual([other.url, other.port], [apns.url, apns.port]);
  await other.close();

  await apns.stop();
  assert.ok(!apns.isRunning);
  assert.ok(!existsSync(dirname(files)));
  await session.close();
  await assert.rejects(apns.count(), { message: "The server was stopped." });
});

test("a token", async () => {
  const apns = await startServer({ adminToken: "secret", noPage: true });
  await assert.rejects(connect(apns.adminURL), { status: 401 });
  const other = await connect(apns.adminURL, { adminToken: "secret" });
  assert.equal(other.env.MOCK_APNS_ADMIN_TOKEN, "secret");
  await other.close();
  await apns.stop();
});

test("channels have an address of their own", async () => {
  const apns = await startServer({ managePort: 0 });
  assert.ok(apns.manageURLs.length);
  assert.equal(apns.env.MOCK_APNS_MANAGE_URL, apns.manageURLs[0]);
  await apns.stop();
});

test("a server that ends by itself says why, and the shared one is replaced", async () => {
  const first = await sharedServer();
  assert.equal(await sharedServer(), first);
  process.kill((await first.call("GET", "/identity")).pid, "SIGKILL");
  await assert.rejects(first.count(), { message: /ended by itself \(signal SIGKILL\)/ });
  const second = await sharedServer();
  assert.notEqual(second, first);
  assert.equal(await second.count(), 0);
  await first.stop();
});

test("what cannot be started", async () => {
  const broken = command("broken", "echo 'mock-apns: error: no luck' >&2; exit 3");
  const cases = [
    [{ executable: join(folder, "nowhere") }, /^There is no executable .*nowhere\.$/],
    [{ executable: folder }, /cannot be run/],
    [{ executable: broken }, /broken could not be started \(exit code 3\): no luck$/],
    [{ executable: command("other", "echo hello; exec sleep 60") }, /other is not mock-apns: its first line is "hello"\.$/],
    [{ initialStream: 5 }, /could not be started .*--initial-stream/],
  ];
  for (const [options, message] of cases) {
    await assert.rejects(startServer(options), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, message);
      return true;
    });
  }
  await withVariables({ MOCK_APNS_EXECUTABLE: undefined, PATH: "/nowhere" }, () =>
    assert.rejects(startServer(), { message: /^The command mock-apns is not on the PATH/ }));
});

test("folders that are named", async () => {
  const certs = join(folder, "certs");
  const apns = await withVariables({ MOCK_APNS_OPTIONS: `--certs ${certs}` }, () => startServer());
  assert.equal(readFileSync(join(certs, "ca.pem"), "utf8"), apns.ca);
  await apns.stop();
  const again = await startServer({ certs });
  assert.equal(again.ca, apns.ca);
  await again.stop();
  assert.ok(existsSync(certs));
});

test("addresses at which there is no server", async () => {
  await assert.rejects(connect("ftp://x"), { message: /is not the address of an admin port/ });
  const other = createServer((request, answer) => answer.end("<html>")).listen(0, "127.0.0.1");
  await once(other, "listening");
  const url = `http://127.0.0.1:${other.address().port}`;
  await assert.rejects(connect(url), { message: `What answers at ${url} is not mock-apns; it said "<html>".` });
  other.close();
  await once(other, "close");
  await assert.rejects(connect(url), { message: new RegExp(`^No mock-apns answers at ${url}: .*ECONNREFUSED`) });
});

test("import and require give the same", () => {
  const cjs = require("mock-apns");
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
  for (const name of Object.keys(cjs)) assert.equal(cjs[name], esm[name]);
});

test("types for all that is public", () => {
  const types = readFileSync(new URL("../lib/index.d.ts", import.meta.url), "utf8");
  for (const [name, value] of Object.entries(esm)) {
    assert.match(types, new RegExp(`^export (class|function) ${name}\\b`, "m"));
    const own = value.prototype && !(value.prototype instanceof Error) ? Object.getOwnPropertyNames(value.prototype) : [];
    const members = types.split(`export class ${name} `)[1]?.split("\n}")[0];
    for (const member of own.filter((each) => each !== "constructor" && each !== "folder")) {
      assert.match(members, new RegExp(`\\b${member}\\b`));
    }
  }
});

test("one server for all test files", async () => {
  const setup = require("mock-apns/setup");
  assert.equal((await import("mock-apns/setup")).default, setup);
  await withVariables({ MOCK_APNS_ADMIN_URL: undefined }, async () => {
    const stop = await setup();
    assert.equal(process.env.MOCK_APNS_ADMIN_URL, (await sharedServer()).adminURL);
    await (await setup())();
    // As a test file finds it, in a thread of its own.
    const worker = new Worker(
      `require("mock-apns").openSession().then((apns) => apns.close()).then(() => require("mock-apns").sharedServer())
         .then((server) => require("node:worker_threads").parentPort.postMessage(server.adminURL))`,
      { eval: true, env: process.env });
    const [url] = await once(worker, "message");
    assert.equal(url, process.env.MOCK_APNS_ADMIN_URL);
    await stop();
  });
});
