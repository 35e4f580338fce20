"use strict";

const { APNs, Session, connect } = require("./apns.js");
const { Device } = require("./device.js");
const { withoutOurs, ...errors } = require("./errors.js");
const { Server, startServer } = require("./server.js");
const { openSession, sharedServer, withServer, withSession } = require("./testing.js");

module.exports = {
  APNs, Device, Server, Session, connect, openSession, sharedServer, startServer, withServer, withSession, ...errors,
};
