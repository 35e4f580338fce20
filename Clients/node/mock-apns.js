// A mock APNs server for tests in Node 18 or newer, with nothing but its standard library.

const { spawn } = require("node:child_process");
const { once } = require("node:events");
const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { createInterface } = require("node:readline");

/** Starts a server, unless MOCK_APNS_ADMIN_URL names one that is running. Returns a function that stops it. */
async function start() {
  if (process.env.MOCK_APNS_ADMIN_URL) return () => {};
  const certs = mkdtempSync(join(tmpdir(), "mock-apns-"));
  const options = ["--exit-with-parent", "--quiet", "--port", "0", "--admin-port", "0", "--certs", certs];
  // With an inherited standard error, what runs the tests might wait for the server, too.
  const server = spawn("mock-apns", ["serve", ...options], { stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  server.stderr.on("data", (text) => (words += text));
  await once(server, "spawn").catch((error) => {
    rmSync(certs, { recursive: true });
    throw error.code === "ENOENT" ? new Error("The command mock-apns is not on the PATH.") : error;
  });
  for await (const line of createInterface({ input: server.stdout })) {
    process.env.MOCK_APNS_ADMIN_URL = JSON.parse(line).admin;
    break;
  }
  if (!process.env.MOCK_APNS_ADMIN_URL) {
    await once(server, "close");
    rmSync(certs, { recursive: true });
    throw new Error(`mock-apns did not start: ${words}`);
  }
  return async () => {
    server.kill();
    await once(server, "exit");
    rmSync(certs, { recursive: true });
  };
}

/** Runs a test with a session of its own, which has to end as its scenario expects. */
async function withSession(scenario, test) {
  const apns = await call("POST", `${process.env.MOCK_APNS_ADMIN_URL}/api/v1/sessions`, { scenario });
  // Less than the 5 s after which Jest gives a test up, without the report.
  apns.wait = async (count, requests, timeout = "3s") => {
    const found = await call("POST", `${apns.admin}/requests/wait`, { count, requests, timeout });
    if (found.requests.length >= count) return found.requests;
    const expect = [{ requests, count: { atLeast: count } }];
    throw new Error((await call("POST", `${apns.admin}/verify`, { expect })).report);
  };
  const errors = [];
  try {
    await test(apns);
  } catch (error) {
    errors.push(error);
  }
  try {
    const { passed, report } = await call("DELETE", apns.admin);
    if (!passed) errors.unshift(new Error(report));
  } catch (error) {
    errors.push(error);
  }
  if (errors.length === 1) throw errors[0];
  // Not all that run tests show the cause of an error.
  if (errors.length) throw new Error(errors.map((error) => error.stack ?? error).join("\nand besides: "), { cause: errors[0] });
}

async function call(method, url, body) {
  const answer = await fetch(url, { method, body: body && JSON.stringify(body) }).catch((error) => {
    const why = error.cause?.code ?? error.message;
    throw new Error(`${method} ${url}: no server answers there (${why}).`, { cause: error });
  });
  const text = await answer.text();
  if (!answer.ok && answer.status !== 408) throw new Error(`${method} ${url}: ${text}`);
  return JSON.parse(text);
}

module.exports = { start, withSession };
