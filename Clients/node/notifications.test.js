// Run it with: node --test notifications.test.js
const assert = require("node:assert/strict");
const { connect } = require("node:http2");
const { withSession } = require("mock-apns");

// Jest has it by itself, and Vitest imports it from "vitest".
const { test } = require("node:test");

const alice = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0";

const busy = {
  rules: [{ name: "busy", times: 2, then: { reject: "TooManyRequests" } }],
  expect: [{ name: "tried again until it worked", requests: { status: 200 }, count: 1 }],
};

test("tries again when APNs is busy", withSession({ scenario: busy }, async (apns) => {
  await push(apns, alice, "Goal");
  const [request] = await apns.wait(1, { status: 200 });
  assert.equal(request.pushType, "alert");
  assert.equal(request.payload.aps.alert, "Goal");
}));

/** Your provider; the package signs the token of this one. */
async function push(apns, device, text) {
  const connection = connect(apns.url, { ca: apns.ca });
  for (let tries = 0; tries < 3; tries++) {
    const status = await new Promise((resolve, reject) => {
      const request = connection.request({
        ":method": "POST", ":path": `/3/device/${device}`, authorization: `bearer ${apns.token()}`,
        "apns-topic": apns.topic, "apns-push-type": "alert",
      });
      request.on("response", (fields) => resolve(fields[":status"]));
      request.on("error", reject);
      request.resume();
      request.end(JSON.stringify({ aps: { alert: text } }));
    });
    if (status === 200) break;
  }
  connection.close();
}
