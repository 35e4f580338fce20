"use strict";

const http = require("node:http");
const { APIError, MockAPNSError } = require("./errors.js");
const { line } = require("./printable.js");

// For answers that come at once, in milliseconds. It only ends what hangs.
const PATIENCE = 60_000;
// The longest wait of the API, in milliseconds.
const LONGEST_WAIT = 600_000;

/** The admin API of a server, or of one session of it. */
class Admin {
  /** `explain` may say why no server answers. */
  constructor(url, token = process.env.MOCK_APNS_ADMIN_TOKEN, explain = async () => {}) {
    let parts;
    try {
      parts = new URL(url.includes("//") ? url : `http://${url}`);
    } catch {}
    if (parts?.protocol !== "http:") {
      throw new MockAPNSError(`${url} is not the address of an admin port, such as http://127.0.0.1:2198.`);
    }
    const path = parts.pathname.replace(/\/+$/, "");
    this.url = parts.origin + path;
    this.host = parts.hostname.replace(/^\[|\]$/g, "");
    this.base = path.includes("/api/v1") ? this.url : `${this.url}/api/v1`;
    this.server = this.url.split("/api/v1")[0];
    this.token = token || undefined;
    this.explain = explain;
  }

  /** The API of one session of the server. */
  session(name) {
    return new Admin(`${this.server}/api/v1/sessions/${name}`, this.token, this.explain);
  }

  get(path) {
    return this.call("GET", path);
  }

  post(path, body) {
    return this.call("POST", path, body);
  }

  /** Makes one call and returns the answer; the body is text, or an object to send as JSON. */
  async call(method, path, body) {
    const { status, answer } = await this.exchange(method, path, body);
    if (status >= 400) throw new APIError(status, answer);
    return answer;
  }

  /** Makes one call and returns status and answer, even those of an error. */
  async exchange(method, path, body, timeout = PATIENCE) {
    const { status, text } = await this.#send(method, path, body, timeout).catch(async (error) => {
      const why = await this.explain(error);
      throw new MockAPNSError(why ?? `No mock-apns answers at ${this.url}: ${error.message || error.code}.`);
    });
    try {
      return { status, answer: JSON.parse(text) };
    } catch {
      throw new MockAPNSError(`What answers at ${this.url} is not mock-apns; it said "${line(text.slice(0, 80))}".`);
    }
  }

  /** Makes one call that waits for something to come. */
  await(path, question) {
    return this.exchange("POST", path, question, PATIENCE + LONGEST_WAIT);
  }

  // Without `fetch`, which is missing in some of the environments of Jest, and without connections that are kept.
  #send(method, path, body, timeout) {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const headers = {
      ...(text !== undefined && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
      ...(this.token && { Authorization: `Bearer ${this.token}` }),
    };
    return new Promise((resolve, reject) => {
      const request = http.request(this.base + path, { method, headers, agent: false, timeout }, (response) => {
        let answer = "";
        response.setEncoding("utf8");
        response.on("data", (part) => (answer += part));
        response.on("end", () => resolve({ status: response.statusCode, text: answer }));
        response.on("error", reject);
      });
      request.on("timeout", () => request.destroy(new Error(`nothing came for ${timeout / 1000} s`)));
      request.on("error", reject);
      request.end(text);
    });
  }
}

/** Milliseconds, or a duration as the API takes it. */
function duration(value) {
  return typeof value === "number" ? `${Math.round(value)}ms` : value;
}

module.exports = { Admin, duration };
