"use strict";

const { spawn } = require("node:child_process");
const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join, resolve } = require("node:path");
const { clearInterval, setInterval } = require("node:timers"); // which a test's false clock leaves alone

// Removes a folder when the other end of its standard input is closed: only the end of the processes that hold it does
// that.
const REMOVER = 'read -r _; rm -rf -- "$0"';

// How often to look whether the runner is still there, in milliseconds.
const LOOK = 250;

/** A temporary folder that goes with this process, however that ends. */
class Folder {
  /** `leave` is called when a runner has started this process and is gone. */
  constructor(leave = () => this.remove()) {
    this.path = resolve(mkdtempSync(join(tmpdir(), "mock-apns-")));
    this.remover = spawn("/bin/sh", ["-c", REMOVER, this.path], {
      cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"],
    });
    this.remover.on("error", () => {}); // Without a shell the folder stays if this process is killed.
    this.remover.stdin.on("error", () => {});
    // Neither keeps this process alive.
    this.remover.unref();
    this.remover.stdin.unref();
    this.#leaveWithRunner(leave);
  }

  /**
   * Runners start processes for test files. When a runner is killed, these go on, and a test that hangs would keep everything for
   * ever.
   */
  #leaveWithRunner(leave) {
    const isStartedByRunner = process.env.NODE_TEST_CONTEXT || process.send;
    if (!isStartedByRunner) return;
    const runner = process.ppid;
    this.look = setInterval(() => isThere(runner) || leave(), LOOK).unref();
  }

  /** What another process has to inherit for the folder to stay until that has ended, too. */
  get life() {
    return this.remover.stdin;
  }

  remove() {
    clearInterval(this.look);
    this.remover.kill("SIGKILL");
    this.remover.stdin.destroy();
    rmSync(this.path, { recursive: true, force: true });
  }
}

function isThere(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

module.exports = { Folder };
