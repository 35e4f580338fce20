/// A call of the admin listener, by the name of its operation in the OpenAPI document.
///
/// This is the only place where the paths of the API are text. Routes, the check of parameters, what a fleet ships, what
/// the commands ask, and what messages name are made from it.
package enum APICall: String, Sendable, CaseIterable {
    case isAlive, isReady, metrics
    case openAPI, identity, clientCertificate, summary, getTimeline, getFleet, listReasons, events, push
    case listRequests, deleteRequests, getRequest, getScreen, getChecks, getDifferences
    case findRequests, countRequests, countDeliveries, deleteFoundRequests, waitForRequests
    case listConnections, sendGoAway, closeConnections
    case listChannels, createChannel, getChannel, deleteChannel
    case listDevices, declareDevice, getDevice, changeDevice, deleteDevice, dismissNotification
    case openNotification, sendDismissal, renewDeviceToken, waitForActivities
    case listRules, addRule, deleteRule, endOutages
    case getClock, advanceClock
    case getScenario, playScenario, checkScenario, reset, listScenarios, getBuiltInScenario
    case getRecording, record, listDifferences
    case verify, lint, listLintedPushes, lintPayload
    case listSessions, openSession, getSession, endSession

    /// An HTTP method.
    package enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// A row of the table. The path is below ``base`` unless it begins with a slash.
    private typealias Row = (method: Method, path: String, parameters: [String], scope: FleetScope)

    private var row: Row {
        switch self {
        case .isAlive: (.get, "/livez", [], .member)
        case .isReady: (.get, "/readyz", [], .member)
        case .metrics: (.get, "/metrics", [], .member)
        case .openAPI: (.get, "openapi.json", [], .member)
        case .identity: (.get, "identity", ["format", "url"], .providers)
        case .clientCertificate: (.get, "identity/certificate", ["kind", "topic"], .member)
        case .summary: (.get, "summary", [], .collector)
        case .getTimeline: (.get, "timeline", TimelineQuery.parameters, .collector)
        case .getFleet: (.get, "fleet", [], .member)
        case .listReasons: (.get, "reasons", [], .member)
        case .events: (.get, "events", ["fields", "rate"], .member)
        case .push: (.post, "pushes", [], .replica)
        case .listRequests: (.get, "requests", RequestQuery.parameters, .member)
        case .deleteRequests: (.delete, "requests", RequestField.allCases.map(\.rawValue) + ["q"], .log)
        case .getRequest: (.get, "requests/{id}", ["fields"], .member)
        case .getScreen: (.get, "requests/{id}/screen", [], .member)
        case .getChecks: (.get, "requests/{id}/checks", [], .member)
        case .getDifferences: (.get, "requests/{id}/differences", ["from"], .member)
        case .findRequests: (.post, "requests/find", ["fields"], .member)
        case .countRequests: (.post, "requests/count", [], .collector)
        case .countDeliveries: (.get, "deliveries.csv", [], .collector)
        case .deleteFoundRequests: (.post, "requests/delete", [], .log)
        case .waitForRequests: (.post, "requests/wait", [], .collector)
        case .listConnections: (.get, "connections", [], .member)
        case .sendGoAway: (.post, "connections/{id}/goaway", [], .connection)
        case .closeConnections: (.post, "connections/{id}/close", [], .connection)
        case .listChannels: (.get, "channels", ChannelQuery.parameters, .question)
        case .createChannel: (.post, "channels", [], .everyMember)
        case .getChannel: (.get, "channels/{channel}", [], .question)
        case .deleteChannel: (.delete, "channels/{channel}", [], .everyMember)
        case .listDevices: (.get, "devices", DeviceQuery.parameters, .member)
        case .declareDevice: (.post, "devices", [], .everyReplica)
        case .getDevice: (.get, "devices/{device}", ["at"], .member)
        case .changeDevice: (.patch, "devices/{device}", [], .everyReplica)
        case .deleteDevice: (.delete, "devices/{device}", [], .everyReplica)
        case .dismissNotification: (.delete, "devices/{device}/displayed/{sequence}", [], .everyReplica)
        case .openNotification: (.post, "devices/{device}/displayed/{sequence}/open", [], .everyReplica)
        case .sendDismissal: (.post, "devices/{device}/displayed/{sequence}/dismiss", [], .everyReplica)
        case .renewDeviceToken: (.post, "devices/{device}/token", [], .everyReplica)
        case .waitForActivities: (.post, "devices/{device}/activities/wait", [], .member)
        case .listRules: (.get, "rules", RuleQuery.parameters, .question)
        case .addRule: (.post, "rules", [], .everyMember)
        case .deleteRule: (.delete, "rules/{name}", [], .everyMember)
        case .endOutages: (.delete, "outages", [], .everyReplica)
        case .getClock: (.get, "clock", [], .question)
        case .advanceClock: (.post, "clock/advance", [], .everyMember)
        case .getScenario: (.get, "scenario", ["current"], .member)
        case .playScenario: (.put, "scenario", ["reset"], .everyMember)
        case .checkScenario: (.post, "scenario/check", [], .member)
        case .reset: (.post, "reset", [], .everyMember)
        case .listScenarios: (.get, "scenarios", [], .member)
        case .getBuiltInScenario: (.get, "scenarios/{name}", [], .member)
        case .getRecording: (.get, "recording", [], .member)
        case .record: (.post, "recording", [], .member)
        case .listDifferences: (.get, "differences", [], .member)
        case .verify: (.post, "verify", ["format", "finish", "allowMissing"], .collector)
        case .lint: (.get, "lint", ["rule", "severity", "sequence", "sentBy"], .member)
        case .listLintedPushes:
            (.get, "lint/pushes", ["rule", "severity", "sentBy", "after", "before", "limit"], .member)
        case .lintPayload: (.post, "lint", [], .member)
        case .listSessions: (.get, "sessions", [], .member)
        case .openSession: (.post, "sessions", [], .sessions)
        case .getSession: (.get, "sessions/{name}", [], .sessions)
        case .endSession: (.delete, "sessions/{name}", ["judge"], .sessions)
        }
    }

    /// The beginning of all paths of the API.
    package static let base = "/api/v1/"

    /// The method.
    package var method: Method { row.method }

    /// The path, with `{name}` for each variable part, such as `/api/v1/devices/{device}`.
    package var path: String {
        let path = row.path
        return path.first == "/" ? path : Self.base + path
    }

    /// The parameters of its URL.
    package var parameters: [String] { row.parameters }

    /// The members of a fleet that carry it out.
    package var scope: FleetScope { row.scope }

    /// Whether it is part of the API; health checks and metrics are not, and take any parameter.
    package var isOfAPI: Bool { row.path.first != "/" }

    /// The names of the variable parts of the path, in order.
    package var variables: [Substring] {
        row.path.split(separator: "/").filter { $0.first == "{" }.map { $0.dropFirst().dropLast() }
    }

    /// Returns the path with values, percent-encoded, in place of its variable parts.
    package func path(_ values: [String]) -> String {
        var rest = values[...]
        return path.split(separator: "/").map { part in
            "/" + (part.first == "{" ? rest.popFirst() ?? "" : String(part))
        }.joined()
    }

    /// Returns a path as it is below the path of a session; an empty one is that of the server itself.
    package static func path(_ path: String, below session: String) -> String {
        session.isEmpty || !path.hasPrefix(base) ? path : "\(session)/\(path.dropFirst(base.count))"
    }
}

extension APICall: CustomStringConvertible {
    /// The call as people write it, such as `POST /api/v1/reset`.
    package var description: String { "\(method.rawValue) \(path)" }
}
