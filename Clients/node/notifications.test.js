// Run it with: node --test notifications.test.js
const assert = require("node:assert/strict");
const { connect } = require("node:http2");
const { start, withSession } = require("./mock-apns.js");

// Jest has these by itself, and starts the server in its globalSetup.
const { test, before, after } = require("node:test");
let stop;
before(async () => (stop = await start()));
after(() => stop());

const alice = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0";

const busy = {
  rules: [{ name: "busy", times: 2, then: { reject: "TooManyRequests" } }],
  expect: [{ name: "tried again until it worked", requests: { status: 200 }, count: 1 }],
};

test("tries again when APNs is busy", () =>
  withSession(busy, async (apns) => {
    await push(apns, alice, "Goal");
    const [request] = await apns.wait(1, { status: 200 });
    assert.equal(request.pushType, "alert");
    assert.equal(request.payload.aps.alert, "Goal");
  }));

/** Your provider; this one shows a client certificate. */
async function push(apns, device, text) {
  const { certificateAuthority: ca, clientCertificate: cert, clientKey: key, topic } = apns;
  const connection = connect(apns.apns, { ca, cert, key });
  for (let tries = 0; tries < 3; tries++) {
    const status = await new Promise((resolve, reject) => {
      const request = connection.request({
        ":method": "POST", ":path": `/3/device/${device}`, "apns-topic": topic, "apns-push-type": "alert",
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
