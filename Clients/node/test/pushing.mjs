// A provider for the tests.
import { connect } from "node:http2";

export const alice = "a".repeat(64);

/** Pushes once, and returns the status of the answer. */
export async function push(apns, { device = alice, headers = {}, payload = { aps: { alert: "Goal" } }, ...tls } = {}) {
  const connection = connect(apns.url, { ca: apns.ca, ...tls });
  try {
    return await new Promise((resolve, reject) => {
      connection.on("error", reject);
      const request = connection.request({
        ":method": "POST", ":path": `/3/device/${device}`, "apns-topic": apns.topic, "apns-push-type": "alert",
        ...(!tls.cert && { authorization: `bearer ${apns.token()}` }), ...headers,
      });
      request.on("response", (fields) => resolve(fields[":status"]));
      request.on("error", reject);
      request.resume();
      request.end(JSON.stringify(payload));
    });
  } finally {
    connection.close();
  }
}
