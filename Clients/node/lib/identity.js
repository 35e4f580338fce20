"use strict";

const { createPrivateKey, sign } = require("node:crypto");
const { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

// Where systems keep the authorities that they trust: Debian, Alpine and others; macOS and BSD; Fedora.
const ROOTS = ["/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt"];
// The variables that name certificates to trust, each with those that its clients fall back to.
const BUNDLES = {
  SSL_CERT_FILE: ["SSL_CERT_FILE"],
  REQUESTS_CA_BUNDLE: ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"],
  CURL_CA_BUNDLE: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"],
  NODE_EXTRA_CA_CERTS: ["NODE_EXTRA_CA_CERTS"],
};
const LOOPBACK = ["localhost", "127.0.0.1", "::1"];
// A provider token has to be at least this old before another may replace it, in milliseconds; it is valid for an hour.
const TOKEN_AGE = 30 * 60_000;

// Key and its ids -> the latest token and when it was made. Sessions of one server share its key.
const tokens = new Map();

/** A provider token of this identity, the same for half an hour; or one of another time, in UNIX seconds. */
function providerToken({ signingKey, keyID, teamID }, issuedAt) {
  const owner = [teamID, keyID, signingKey].join();
  const known = tokens.get(owner);
  const now = Date.now();
  if (issuedAt === undefined && known && Math.abs(now - known.made) < TOKEN_AGE) return known.token;
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: teamID, iat: Math.floor(issuedAt ?? now / 1000) };
  const message = `${encode({ alg: "ES256", kid: keyID })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(message), { key: createPrivateKey(signingKey), dsaEncoding: "ieee-p1363" });
  const token = `${message}.${signature.toString("base64url")}`;
  if (issuedAt === undefined) tokens.set(owner, { made: now, token });
  return token;
}

/** Writes the files of an identity to a folder, and returns the variables that `mock-apns exec` sets for its command. */
function environment(identity, folder, admin) {
  const { hostname, port } = new URL(identity.apns);
  const host = hostname.replace(/^\[|\]$/g, "");
  const write = (name, content) => writeWhole(join(folder, name), content);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  write("client.p12", Buffer.from(identity.clientStore, "base64"));
  const variables = {
    MOCK_APNS_URL: identity.apns,
    MOCK_APNS_HOST: host,
    MOCK_APNS_PORT: port || "443",
    MOCK_APNS_ADMIN_URL: admin.url,
    MOCK_APNS_CERTS: folder,
    MOCK_APNS_CA: write("ca.pem", identity.certificateAuthority),
    MOCK_APNS_KEY_ID: identity.keyID,
    MOCK_APNS_TEAM_ID: identity.teamID,
    MOCK_APNS_TOPIC: identity.topic,
    MOCK_APNS_CLIENT_CERT: write("client.pem", identity.clientCertificate),
    MOCK_APNS_CLIENT_KEY: write("client.key", identity.clientKey),
  };
  if (identity.signingKey) variables.MOCK_APNS_KEY = write(`AuthKey_${identity.keyID}.p8`, identity.signingKey);
  if (admin.token) variables.MOCK_APNS_ADMIN_TOKEN = admin.token;
  if (identity.manage?.length) {
    variables.MOCK_APNS_MANAGE_URL = identity.manage[0];
    variables.MOCK_APNS_MANAGE_PORT = new URL(identity.manage[0]).port;
    for (const [index, name] of (identity.manageEnvironments ?? []).entries()) {
      if (name !== "serverName") variables[`MOCK_APNS_MANAGE_${name.toUpperCase()}_URL`] ??= identity.manage[index];
    }
  }
  for (const [name, origins] of Object.entries(BUNDLES)) {
    // Node trusts its own roots besides.
    const sources = [...origins.map((each) => process.env[each]), ...(name === "NODE_EXTRA_CA_CERTS" ? [] : ROOTS)];
    let known = "";
    for (const source of sources) known ||= certificates(source);
    variables[name] = write(`${name.toLowerCase()}.pem`, known + identity.certificateAuthority);
  }
  for (const name of ["no_proxy", "NO_PROXY"]) {
    const known = process.env[name] || process.env.no_proxy || process.env.NO_PROXY;
    variables[name] = known === "*" ? known : [...(known ? [known] : []), ...new Set([host, ...LOOPBACK])].join();
  }
  return variables;
}

/** Writes a file that others may be reading: it is there as a whole, or as it was. */
function writeWhole(file, content) {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}

/** The certificates in a file or a folder; nothing if they cannot be read. */
function certificates(path) {
  if (!path || !existsSync(path)) return "";
  try {
    const files = statSync(path).isDirectory() ? readdirSync(path).sort().map((name) => join(path, name)) : [path];
    return files.filter((file) => statSync(file).isFile()).map((file) => `${readFileSync(file, "utf8")}\n`).join("");
  } catch {
    return "";
  }
}

module.exports = { environment, providerToken };
