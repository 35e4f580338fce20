// Node, with its standard library. Run it with: mock-apns suite -- node driver.mjs
import { randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const { MOCK_APNS_URL: url, MOCK_APNS_KEY: key, MOCK_APNS_KEY_ID: kid, MOCK_APNS_TEAM_ID: iss } = process.env;
const names = { topic: "apns-topic", pushType: "apns-push-type", priority: "apns-priority",
  expiration: "apns-expiration", collapseID: "apns-collapse-id" };
const dropped = new Set();
let token = providerToken(), session;

function providerToken() {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "ES256", kid })}.${encode({ iss, iat: Math.floor(Date.now() / 1000) })}`;
  const signature = sign("sha256", text, { key: readFileSync(key), dsaEncoding: "ieee-p1363" });
  return `bearer ${text}.${signature.toString("base64url")}`;
}

function connected() {
  if (!session || session.closed || session.destroyed) {
    session = connect(url).on("error", () => {});
    session.ready = once(session, "remoteSettings", { signal: AbortSignal.timeout(2000) }).catch(() => {});
  }
  return session;
}

const send = (used, headers, body) => new Promise((resolve, reject) => {
  const request = used.request(headers).setEncoding("utf8");
  let fields, text = "";
  request.setTimeout(2000, () => used.destroy(new Error("timed out")));
  request.on("response", (got) => fields = got).on("data", (part) => text += part).on("error", reject).end(body);
  request.on("close", () => fields ? resolve([fields, text]) : reject(new Error("no answer")));
});

// The driver.

async function deliver({ id, token: device, payload, ...push }) {
  const fields = { ":method": "POST", ":path": `/3/device/${device}`, "apns-id": randomUUID() };
  for (const member in push) fields[names[member]] = push[member];
  let result = { error: "the device token was dropped" };
  for (let number = 0; number < 6 && !dropped.has(device); number++) {
    const used = connected(), signed = token;
    let status, reason, wait = 0;
    try {
      await used.ready;
      const [answer, text] = await send(used, { ...fields, authorization: signed }, JSON.stringify(payload));
      status = answer[":status"];
      reason = /"reason":"(\w+)"/.exec(text)?.[1];
      wait = 1000 * (answer["retry-after"] ?? 0);
      result = { status, reason };
    } catch (error) {
      result = { error: String(error) };
    }
    if (status === 410 || reason === "BadDeviceToken") dropped.add(device);
    const expired = reason === "ExpiredProviderToken" && number < 2;
    if (expired && signed === token) token = providerToken();
    if (expired || status === 500 || !status || reason === "TooManyProviderTokenUpdates") used.close();
    const doubtful = reason === "InvalidProviderToken" && number < 2;
    if (status && !expired && !doubtful && ![429, 500, 503].includes(status)) break;
    await sleep(wait + 25 * 2 ** number);
  }
  console.log(JSON.stringify({ id, ...result }));
}

const pushes = [];
for await (const line of createInterface({ input: process.stdin })) pushes.push(deliver(JSON.parse(line)));
await Promise.all(pushes);
process.exit();
