"use strict";

const { spawn } = require("node:child_process");
const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join, resolve } = require("node:path");

// Removes a folder when the other end of its standard input is closed: nobody does that, but the end of the processes that
// have it does.
const REMOVER = 'read -r _; rm -rf -- "$0"';

/** A temporary folder that goes with this process, however that ends. */
class Folder {
  constructor() {
    this.path = resolve(mkdtempSync(join(tmpdir(), "mock-apns-")));
    this.remover = spawn("/bin/sh", ["-c", REMOVER, this.path], {
      cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"],
    });
    this.remover.on("error", () => {}); // Without a shell the folder stays if this process is killed.
    this.remover.stdin.on("error", () => {});
    // Neither keeps this process alive.
    this.remover.unref();
    this.remover.stdin.unref();
  }

  /** What another process has to inherit for the folder to stay until that has ended, too. */
  get life() {
    return this.remover.stdin;
  }

  remove() {
    this.remover.kill("SIGKILL");
    this.remover.stdin.destroy();
    rmSync(this.path, { recursive: true, force: true });
  }
}

module.exports = { Folder };
