// The same for `import`. It is required, because Vitest transforms what it imports from a package that npm has linked.
import { createRequire } from "node:module";

export const {
  APIError, APNs, ActivitiesMissing, Device, ExpectationsFailed, MockAPNSError, RequestsMissing, Server, Session, StartError,
  UnexpectedRequests, connect, openSession, sharedServer, startServer, withServer, withSession,
} = createRequire(import.meta.url)("./index.js");
