"use strict";

const { duration } = require("./admin.js");
const { APIError, ActivitiesMissing } = require("./errors.js");
const { line } = require("./printable.js");
const report = require("./report.js");

/** A device, by its name in the scenario or by its token. Each call asks the server. */
class Device {
  #admin;

  constructor(admin, name) {
    this.name = name;
    this.#admin = admin;
  }

  get #path() {
    return `/devices/${encodeURIComponent(this.name)}`;
  }

  state() {
    return this.#admin.get(this.#path);
  }

  async displayed() {
    return (await this.state()).displayed;
  }

  async stored() {
    return (await this.state()).stored;
  }

  async history() {
    return (await this.state()).history;
  }

  async change(change) {
    await this.#admin.call("PATCH", this.#path, change);
  }

  online() {
    return this.change({ online: true });
  }

  offline() {
    return this.change({ online: false });
  }

  uninstall() {
    return this.change({ registered: false });
  }

  app(change, topic) {
    return this.change(topic === undefined ? { app: change } : { apps: { [topic]: change } });
  }

  notifications(allowed) {
    return this.change({ notifications: allowed });
  }

  budget(kind, allowed, per) {
    return this.change({ budgets: { [kind]: { allowed, per: duration(per) } } });
  }

  platform(platform) {
    return this.change({ platform });
  }

  power(power) {
    return this.change({ power });
  }

  async renewToken() {
    const { name, token } = await this.#admin.call("POST", `${this.#path}/token`);
    if (name !== this.name) this.name = token;
    return token;
  }

  subscribe(channel, name) {
    return this.change({ subscribe: { channel, name } });
  }

  unsubscribe(channel) {
    return this.change({ unsubscribe: channel });
  }

  startActivity(name) {
    return this.change({ startActivity: { name } });
  }

  endActivity(name) {
    return this.change({ endActivity: name });
  }

  dismissActivity(name) {
    return this.change({ dismissActivity: name });
  }

  // As `wait`, less than the 5 s after which Jest and Vitest give a test up.
  async waitForActivities(count = 1, topic = undefined, timeout = "3s") {
    const question = { count, topic, timeout: duration(timeout) };
    const { status, answer } = await this.#admin.await(`${this.#path}/activities/wait`, question);
    if (status === 408) throw await this.#activitiesMissing(question, answer.activities);
    if (status >= 400) throw new APIError(status, answer);
    return answer.activities;
  }

  async #activitiesMissing({ count, topic, timeout }, seen) {
    const lines = [
      `Not enough Live Activities within ${timeout}.`,
      `  expected  at least ${counted(count)} of ${this.name}${topic === undefined ? "" : ` with topic ${topic}`}, not ended`,
      `  seen      ${counted(seen.length)}`,
    ];
    return new ActivitiesMissing(lines.map(line).join("\n") + (await report.whyNone(this.#admin)), seen);
  }

  async open(sequence, action, text) {
    await this.#admin.post(`${this.#path}/displayed/${sequence}/open`, { action, text });
  }

  async dismiss(sequence) {
    await this.#admin.call("DELETE", `${this.#path}/displayed/${sequence}`);
  }

  async delete() {
    await this.#admin.call("DELETE", this.#path);
  }
}

function counted(number) {
  return `${number} Live ${number === 1 ? "Activity" : "Activities"}`;
}

module.exports = { Device };
