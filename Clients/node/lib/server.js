"use strict";

const { spawn } = require("node:child_process");
const { closeSync, openSync, readFileSync } = require("node:fs");
const { join, resolve } = require("node:path");
// Those of Node, which a test's false clock leaves alone.
const { clearTimeout, setTimeout } = require("node:timers");
const { Admin } = require("./admin.js");
const { APNs } = require("./apns.js");
const { StartError } = require("./errors.js");
const { Folder } = require("./folder.js");

const VARIABLE = "MOCK_APNS_EXECUTABLE";
// How long to wait for the ready line, and for the end, in milliseconds. They only end what hangs.
const START = 120_000;
const END = 10_000;
// The server gives open streams five seconds, which no test has to wait for; a second signal ends it at once.
const GRACE = 1000;

/** The process of a server, with a folder of its own. Both end with this process, at the latest. */
class Process {
  constructor(executable, words, token) {
    this.executable = executable;
    this.folder = new Folder(() => this.stop());
    this.stderr = join(this.folder.path, "stderr.txt");
    const command = ["serve", "--exit-with-parent", ...words];
    const isNamed = words.includes("--certs") || /(^|\s)--certs[\s=]/.test(process.env.MOCK_APNS_OPTIONS);
    if (!isNamed) command.push("--certs", join(this.folder.path, "certs"));
    // What runs the tests may wait until no process holds its standard error any more, so the server gets another.
    const stderr = openSync(this.stderr, "w");
    this.child = spawn(executable, command, {
      // Control-C is for the tests, which end the server.
      detached: true,
      env: { ...process.env, ...(token && { MOCK_APNS_ADMIN_TOKEN: token }) },
      stdio: ["ignore", "pipe", stderr, this.folder.life],
    });
    closeSync(stderr);
    this.ended = new Promise((done) => {
      this.child.once("exit", (code, signal) => done(signal ? `signal ${signal}` : `exit code ${code}`));
      this.child.once("error", () => done("not started"));
    });
    this.hasEnded = false;
    this.ended.then(() => (this.hasEnded = true));
  }

  /** Waits for the ready line; from then on the server does not keep this process alive. */
  async untilReady() {
    const line = await this.#firstLine();
    this.child.unref();
    this.child.stdout.resume();
    this.child.stdout.unref();
    try {
      const ready = JSON.parse(line);
      if (ready.event === "ready") return ready;
    } catch {}
    throw new StartError(`${this.executable} is not mock-apns: its first line is ${JSON.stringify(line.slice(0, 80))}.`);
  }

  #firstLine() {
    return new Promise((done, fail) => {
      const { child, executable } = this;
      const timer = setTimeout(
        () => fail(new StartError(`${executable} said nothing for ${START / 1000} s, and so is not ready.`)), START);
      const settle = (act, value) => {
        clearTimeout(timer);
        child.stdout.removeAllListeners("data");
        child.removeListener("close", closed);
        act(value);
      };
      const closed = async () => settle(fail, new StartError(await this.lastWords("could not be started", END)));
      let text = "";
      child.stdout.setEncoding("utf8").on("data", (part) => {
        text += part;
        if (text.includes("\n")) settle(done, text.split("\n")[0]);
      });
      child.once("error", (error) => settle(fail, new StartError(whyNot(executable, error))));
      child.once("close", closed);
    });
  }

  /** How it ended and what it said, if it ends within this time. */
  async lastWords(what, patience) {
    const how = await within(patience, this.ended);
    if (how === undefined) return undefined;
    let words = readFileSync(this.stderr, "utf8").trim();
    // Usage and help follow after what was wrong.
    words = words.split(/\n(?:Usage:|Help:|See ')/)[0].slice(-2000);
    words = words.replace(/^(mock-apns: error: |mock-apns: |Error: )/, "");
    return `${this.executable} ${what} (${how}): ${words || "it said nothing."}`;
  }

  /** Ends it and removes its folder, once. */
  stop() {
    this.stopping ??= this.#stop();
    return this.stopping;
  }

  async #stop() {
    this.child.ref();
    for (const [signal, patience] of [["SIGTERM", GRACE], ["SIGTERM", END], ["SIGKILL", END]]) {
      if (this.hasEnded) break;
      this.child.kill(signal);
      await within(patience, this.ended);
    }
    this.child.stdout.destroy();
    this.folder.remove();
  }
}

class Server extends APNs {
  #process;

  constructor(admin, identity, process) {
    super(admin, identity);
    this.#process = process;
  }

  get isRunning() {
    return !this.#process.hasEnded;
  }

  folder() {
    return join(this.#process.folder.path, "provider");
  }

  async close() {
    await super.close();
    await this.#process.stop();
  }

  stop() {
    return this.close();
  }
}

async function startServer({ scenario, executable, ...options } = {}) {
  const process = new Process(executableNamed(executable), words(options), options.adminToken);
  try {
    const ready = await process.untilReady();
    const explain = async () => (process.stopping ? "The server was stopped." : process.lastWords("ended by itself", GRACE));
    const admin = new Admin(ready.admin, options.adminToken, explain);
    const server = new Server(admin, await admin.get("/identity"), process);
    if (scenario !== undefined) await server.play(scenario);
    return server;
  } catch (error) {
    await process.stop();
    throw error;
  }
}

/** The command: the one that is given, or that the variable names, or that is in the PATH. */
function executableNamed(given) {
  const named = given ?? process.env[VARIABLE];
  return named ? resolve(String(named)) : "mock-apns";
}

function whyNot(executable, { code, message }) {
  if (code !== "ENOENT") return `${executable} cannot be run: ${message}.`;
  if (executable !== "mock-apns") return `There is no executable ${executable}.`;
  return `The command mock-apns is not on the PATH; install it, or name it by the variable ${VARIABLE}.`;
}

/** Options in JavaScript as those of the command. A token is no argument, since others can read those. */
function words({ adminToken, ...options }) {
  const found = options.verbose || /--verbose/.test(process.env.MOCK_APNS_OPTIONS) ? [] : ["--quiet"];
  for (const [name, value] of Object.entries({ port: 0, adminPort: 0, ...options })) {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each === true) found.push(option);
      else if (each !== undefined && each !== null && each !== false) found.push(option, String(each));
    }
  }
  return found;
}

/** What a promise gives, or nothing if that takes too long. */
function within(milliseconds, promise) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    promise.then((value) => {
      clearTimeout(timer);
      done(value);
    });
  });
}

module.exports = { Server, startServer };
