// The same for `import`; one module, so that all of a process share one server.
import mockAPNs from "./index.js";

export const {
  APIError, APNs, Device, ExpectationsFailed, MockAPNSError, RequestsMissing, Server, Session, StartError, UnexpectedRequests,
  connect, openSession, sharedServer, startServer, withServer, withSession,
} = mockAPNs;
