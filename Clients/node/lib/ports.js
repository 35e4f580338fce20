"use strict";

const { isIP } = require("node:net");
const { MockAPNSError } = require("./errors.js");

/** The published port for each of the server's, by a mapping as a container has it: `12300-12399:2300-2399`, or several. */
function mapping(text) {
  if (text === undefined) return undefined;
  const published = new Map();
  for (const part of String(text).split(",")) {
    const [, outer, outerEnd = outer, inner, innerEnd = inner] = /^(\d+)(?:-(\d+))?:(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (outer === undefined || outerEnd - outer !== innerEnd - inner || outerEnd - outer < 0 || outerEnd > 65535) {
      throw new MockAPNSError(`${text} is not a mapping of ports as a container has it, such as 12300-12399:2300-2399.`);
    }
    for (let port = Number(inner); port <= innerEnd; port++) published.set(port, port - inner + Number(outer));
  }
  return (port) => {
    if (published.has(port)) return published.get(port);
    const inner = [...published.keys()].sort((a, b) => a - b);
    const range = `${inner[0]}-${inner[inner.length - 1]}`;
    throw new MockAPNSError(`The session has port ${port}, which is not published; start the server with --session-ports ${range}.`);
  };
}

/**
 * The address at which we reach a session, where the server cannot know it: its ports are mapped, or its host has another name
 * here.
 */
function reachable(reported, adminHost, mapped) {
  const { hostname, port } = new URL(reported);
  if (!mapped && (!isLoopback(hostname) || isLoopback(adminHost))) return undefined;
  const host = adminHost.includes(":") ? `[${adminHost}]` : adminHost;
  return `https://${host}:${mapped ? mapped(Number(port)) : port}`;
}

function isLoopback(host) {
  const bare = host.replace(/^\[|\]$/g, "");
  return isIP(bare) ? bare.startsWith("127.") || bare === "::1" : bare === "localhost" || bare.endsWith(".localhost");
}

module.exports = { mapping, reachable };
