"use strict";

const { sharedServer } = require("./testing.js");

/** For `globalSetup` of Jest and Vitest: one server for all test files, which have sessions of it. */
module.exports = async () => {
  if (process.env.MOCK_APNS_ADMIN_URL) return () => {};
  const server = await sharedServer();
  process.env.MOCK_APNS_ADMIN_URL = server.adminURL;
  return () => server.close();
};
