// Node, with nothing but its standard library. Run it with: mock-apns exec -- node push.mjs DEVICE-TOKEN...
// NODE_EXTRA_CA_CERTS, which exec sets, lets Node trust the server.

import { sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:http2";

const { MOCK_APNS_URL, MOCK_APNS_KEY, MOCK_APNS_KEY_ID, MOCK_APNS_TEAM_ID, MOCK_APNS_TOPIC } = process.env;

function providerToken() {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const header = encode({ alg: "ES256", kid: MOCK_APNS_KEY_ID });
  const message = `${header}.${encode({ iss: MOCK_APNS_TEAM_ID, iat: Math.floor(Date.now() / 1000) })}`;
  const key = { key: readFileSync(MOCK_APNS_KEY), dsaEncoding: "ieee-p1363" };
  return `${message}.${sign("sha256", Buffer.from(message), key).toString("base64url")}`;
}

const token = providerToken();
const session = connect(MOCK_APNS_URL);
for (const device of process.argv.slice(2)) {
  await new Promise((resolve, reject) => {
    const request = session.request({
      ":method": "POST", ":path": `/3/device/${device}`, authorization: `bearer ${token}`,
      "apns-topic": MOCK_APNS_TOPIC, "apns-push-type": "alert",
    });
    request.on("response", (fields) => console.log(fields[":status"]));
    request.on("end", resolve);
    request.on("error", reject);
    request.resume();
    request.end('{"aps":{"alert":"Hello"}}');
  });
}
session.close();
