// Stands in for Testcontainers for Node 12, as far as Clients/testcontainers uses it. The variable ENGINE is the command that
// runs a container.
const { spawn } = require("node:child_process");
const { once } = require("node:events");
const { createInterface } = require("node:readline");

class Wait {
  static forHttp(path, port) {
    return { path, port };
  }
}

class GenericContainer {
  constructor(image) {
    this.image = image;
  }
  withCommand(command) {
    this.command = command;
    return this;
  }
  withExposedPorts(...ports) {
    this.ports = ports;
    return this;
  }
  withWaitStrategy(waitStrategy) {
    this.waitStrategy = waitStrategy;
    return this;
  }
  async start() {
    const engine = spawn(process.env.ENGINE, [this.image, this.ports.join(","), "--", ...this.command], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = await once(createInterface(engine.stdout), "line");
    const started = new StartedGenericContainer(engine, new Map(line.split(" ").map((pair) => pair.split(":").map(Number))));
    const { path, port } = this.waitStrategy;
    const place = `http://${started.getHost()}:${started.getMappedPort(port)}${path}`;
    for (let tries = 0; tries < 600; tries++) {
      const answer = await fetch(place).catch(() => undefined);
      if (answer?.status === 200) return started;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`URL ${path} not accessible after 60000ms`);
  }
}

class StartedGenericContainer {
  constructor(engine, ports) {
    this.engine = engine;
    this.published = ports;
  }
  getHost() {
    return "localhost";
  }
  getMappedPort(port) {
    const found = this.published.get(port);
    if (found === undefined) throw new Error(`No port binding found for :${port}/tcp`);
    return found;
  }
  async stop() {
    const ended = once(this.engine, "exit");
    this.engine.stdin.end();
    await ended;
  }
}

module.exports = { GenericContainer, Wait };
