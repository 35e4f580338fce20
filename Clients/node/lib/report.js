"use strict";

const { line } = require("./printable.js");

const SHOWN = 50;

/** The last requests, or why none came. */
async function log(admin) {
  const page = await admin.get(`/requests?order=desc&limit=${SHOWN}`);
  const records = page.requests.reverse();
  if (!records.length) return `No request arrived.${await connections(admin)}`;
  const total = page.total + page.dropped;
  const last = total > records.length ? `, the last ${records.length}:` : ":";
  const lines = [`${total} request${total === 1 ? "" : "s"}${last}`];
  for (const record of records) {
    lines.push(`${String(record.sequence).padStart(3)}  ${record.time.slice(11, 23)}  ${summary(record)}`);
    for (const detail of [record.explanation, headers(record), body(record)]) if (detail) lines.push(`     ${line(detail)}`);
  }
  return lines.join("\n");
}

/** A request and its answer in a few words. */
function summary(record) {
  const token = record.token?.length >= 20 ? `${record.token.slice(0, 8)}…${record.token.slice(-4)}` : record.token;
  const to = record.device || token || record.path;
  const what = `${record.pushType ?? "push"} ${to ? `to ${to}` : "without a path"}`;
  const answer = [record.status ?? record.outcome, record.reason].filter(Boolean).join(" ");
  return line(`${what}, ${answer}${record.decidedBy === "checks" ? "" : `, decided by ${record.decidedBy}`}`);
}

function headers({ priority, expiration, collapseID }) {
  const shown = Object.entries({ priority, expiration, "collapse-id": collapseID }).filter(([, value]) => value != null);
  return shown.map(([name, value]) => `${name} ${value}`).join(", ");
}

function body({ payload, payloadText }) {
  const text = payloadText ?? (payload == null ? "" : JSON.stringify(payload));
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}

/** How connections ended that brought no request. */
async function connections(admin) {
  const found = (await admin.get("/connections")).connections.filter((each) => each.connection !== null);
  if (!found.length) return " There was no connection.";
  return found.slice(-5).map(({ connection, closedBy, explanation }) => {
    const end = closedBy ? `closed by ${closedBy}` : "open";
    return `\n${line(`Connection ${connection} is ${end}${explanation ? `: ${explanation}` : "."}`)}`;
  }).join("");
}

/** Why no request came, if none did. */
async function whyNone(admin) {
  const { total } = await admin.get("/requests?limit=1");
  return total === 0 ? `\nNo request arrived.${await connections(admin)}` : "";
}

module.exports = { log, whyNone };
