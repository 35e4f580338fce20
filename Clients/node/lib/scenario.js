"use strict";

const { existsSync, readFileSync, statSync } = require("node:fs");
const { dirname, resolve } = require("node:path");
const { fileURLToPath } = require("node:url");
const { APIError, MockAPNSError } = require("./errors.js");

/**
 * Reads a scenario: an object, its text, a path, a file URL, or the name of a built-in one. Returns its text, and what to call it
 * in messages, which is empty unless it is a file.
 */
async function read(scenario, admin) {
  if (scenario === undefined) return { text: "{}", name: "" };
  if (typeof scenario === "string" && scenario.trimStart().startsWith("{")) return { text: scenario, name: "" };
  const isURL = typeof scenario?.href === "string";
  if (typeof scenario === "object" && scenario !== null && !isURL) return { text: JSON.stringify(scenario), name: "" };
  if (typeof scenario !== "string" && !isURL) {
    throw new TypeError(`A scenario is an object, its text, a path, or the name of a built-in one, not ${String(scenario)}.`);
  }
  const path = isURL ? fileURLToPath(scenario.href) : resolve(scenario);
  // A folder may have the name of a built-in scenario.
  if (existsSync(path) && statSync(path).isFile()) {
    return { text: withAbsolutePaths(readFileSync(path, "utf8"), dirname(path)), name: path };
  }
  if (isURL || !/^[\w-]+$/.test(scenario)) throw new MockAPNSError(`There is no scenario ${path}.`);
  const { status, answer } = await admin.exchange("GET", `/scenarios/${scenario}`);
  if (status === 404) {
    const message = `There is no scenario ${path}, and none of that name is built in; mock-apns scenario lists those.`;
    throw new APIError(status, answer, message);
  }
  if (status >= 400) throw new APIError(status, answer);
  return { text: JSON.stringify(answer), name: "" };
}

/** The text, with absolute paths to the files of keys and authorities: those in a file are relative to it. */
function withAbsolutePaths(text, folder) {
  if (!/"(file|authorities)"/.test(text)) return text;
  try {
    const scenario = JSON.parse(text);
    const { teams = [], clientCertificates } = scenario.authentication;
    for (const key of teams.flatMap((team) => team.keys ?? [])) if (key.file) key.file = resolve(folder, key.file);
    if (clientCertificates?.authorities) {
      clientCertificates.authorities = clientCertificates.authorities.map((each) => resolve(folder, each));
    }
    return JSON.stringify(scenario);
  } catch {
    return text; // The server says what is wrong with it.
  }
}

module.exports = { read };
