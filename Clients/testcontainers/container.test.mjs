// Testcontainers for Node 10 or newer, with the package mock-apns. Run it with: node --test container.test.mjs
//
// The tests of mock-apns have no engine: they run this file with a stand-in for Testcontainers.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { after, test } from "node:test";
import { withSession } from "mock-apns";
import { GenericContainer, Wait } from "testcontainers";

// One container for the tests of this file. Four of them can have a session at a time; others wait.
const sessionPorts = [2300, 2301, 2302, 2303];
const container = await new GenericContainer("mock-apns")
  .withCommand(["--session-ports", "2300-2303"])
  .withExposedPorts(2198, ...sessionPorts)
  .withWaitStrategy(Wait.forHttp("/readyz", 2198))
  .start();
after(() => container.stop());
process.env.MOCK_APNS_ADMIN_URL = `http://${container.getHost()}:${container.getMappedPort(2198)}`;
const publishedPorts = sessionPorts.map((port) => `${container.getMappedPort(port)}:${port}`).join(",");

const scenario = { expect: [{ requests: { status: 200 }, count: 1 }] };

test("a goal", withSession({ scenario, publishedPorts }, async (apns) => {
  await push(apns, "Goal");
  const [request] = await apns.wait(1, { status: 200 });
  assert.equal(request.payload.aps.alert, "Goal");
}));

/** Your provider; the package signs the token of this one. */
async function push(apns, text) {
  const headers = { authorization: `bearer ${apns.token()}`, "apns-topic": apns.topic, "apns-push-type": "alert" };
  const connection = connect(apns.url, { ca: apns.ca });
  const request = connection.request({ ":method": "POST", ":path": `/3/device/${"a".repeat(64)}`, ...headers });
  await once(request.end(JSON.stringify({ aps: { alert: text } })).resume(), "close");
  connection.close();
}
