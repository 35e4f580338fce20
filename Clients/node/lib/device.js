"use strict";

/** A device, by its name in the scenario or by its token. Each call asks the server. */
class Device {
  #admin;
  #path;

  constructor(admin, name) {
    this.name = name;
    this.#admin = admin;
    this.#path = `/devices/${encodeURIComponent(name)}`;
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

  subscribe(channel, name) {
    return this.change({ subscribe: { channel, name } });
  }

  unsubscribe(channel) {
    return this.change({ unsubscribe: channel });
  }

  endActivity(name) {
    return this.change({ endActivity: name });
  }

  async dismiss(sequence) {
    await this.#admin.call("DELETE", `${this.#path}/displayed/${sequence}`);
  }

  async delete() {
    await this.#admin.call("DELETE", this.#path);
  }
}

module.exports = { Device };
