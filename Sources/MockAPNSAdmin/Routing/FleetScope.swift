import HTTPTypes
import Hummingbird
import MockAPNS
import MockAPNSCore
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps apart what a member of a fleet answers by itself, what all of them do, and what only the collector knows.
struct FleetScope<Context: RequestContext>: RouterMiddleware {
    let server: MockAPNSServer

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let fleet = server.fleet else { return try await next(request, context) }
        let collector = server.collecting
        let (request, isScoped) = try collector == nil ? request.takingScope() : (request, false)
        let parts = request.uri.path.split(separator: "/").dropFirst(2).map(String.init)
        let refusal =
            collector == nil
            ? Self.refusalOfReplica(request.method, parts, isScoped: isScoped, fleet.collector)
            : Self.refusalOfCollector(request, parts)
        if let refusal { throw refusal }
        guard let collector, Self.isForAll(request.method, parts) else { return try await next(request, context) }
        return try await callAll(request, parts, collector) { try await next(request, context) }
    }

    private func callAll(
        _ request: Request, _ parts: [String], _ fleet: any FleetCollecting, _ own: () async throws -> Response
    ) async throws -> Response {
        // A device that only this server does not know would be declared by mistake elsewhere.
        if request.method == .patch, parts.first == "devices", !(await knows(parts[1], fleet)) {
            return try await own()
        }
        var call = FleetCall(method: request.method.rawValue, path: request.uri.string)
        if parts.count == 4, parts[0] == "devices", parts[2] == "displayed" {
            guard let shown = await displayed(parts[3], on: parts[1], fleet) else { return try await own() }
            call.replica = shown.replica
            call.path = "/api/v1/devices/\(parts[1])/displayed/\(shown.number)"
        }
        var request = request
        call.body = try await request.keptBody(upTo: ScenarioResource.textLimit)
        // Each replica would make another.
        if request.method == .post, parts == ["channels"] {
            call.body = Self.adding("channelID", to: call.body) { Self.randomBytes(16).base64EncodedString() }
        } else if request.method == .post, parts == ["devices"] {
            var random = SeededRandom(seed: .random(in: .min ... .max))
            call.body = Self.adding("token", to: call.body) { DeviceToken(drawnFrom: &random).hex }
        }
        let answer = await fleet.call(call)
        return Response.json(ByteBuffer(bytes: answer.body), status: HTTPResponse.Status(code: answer.status))
    }

    private static func randomBytes(_ count: Int) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// Returns an object with a member added, unless it has it.
    private static func adding(_ key: String, to body: [UInt8], _ text: () -> String) -> [UInt8] {
        guard let value = try? JSONText.read(body), let members = value.object, value[key] == nil,
            let brace = body.firstIndex(of: UInt8(ascii: "{"))
        else { return body }
        let member = #""\#(key)":"\#(text())"\#(members.isEmpty ? "" : ",")"#
        return body[...brace] + Array(member.utf8) + body[(brace + 1)...]
    }

    /// Whether a device is known to any replica.
    private func knows(_ device: String, _ fleet: any FleetCollecting) async -> Bool {
        if view(of: device) != nil { return true }
        _ = await fleet.gather()
        return view(of: device) != nil
    }

    /// Returns the number by which replicas know a push that a device displays here: that in the order of the fleet, or
    /// its sequence number on the only replica that has it.
    private func displayed(
        _ sequence: String, on device: String, _ fleet: any FleetCollecting
    ) async -> (number: Int, replica: String?)? {
        guard let sequence = Int(sequence) else { return nil }
        var shown = view(of: device)?.displayed(sequence)
        if shown == nil {
            _ = await fleet.gather()
            shown = view(of: device)?.displayed(sequence)
        }
        guard let shown else { return nil }
        if let number = shown.number { return (number, nil) }
        guard let origin = server.requestLog.withSubject(shown.sequence, { $0.origin }) ?? nil else { return nil }
        return (origin.sequence, origin.replica)
    }

    /// Returns a device here.
    ///
    /// - Parameter part: its name or token as part of a path.
    private func view(of part: String) -> DeviceView? { server.view(of: part.withoutPercentEncoding ?? part) }

    private static func refusalOfReplica(
        _ method: HTTPRequest.Method, _ parts: [String], isScoped: Bool, _ collector: String?
    ) -> APIError? {
        if let refusal = refusalOfSessions(method, parts) { return refusal }
        if isChange(method, parts) {
            let advice =
                collector.map { "make the call on its collector (\($0))" }
                ?? "start its collector with mock-apns collect, and make the call there"
            return conflict("This is one replica of a fleet, and all of them have to be alike; \(advice).")
        }
        guard !isScoped else { return nil }
        if let refusal = refusalOfDeleting(method, parts) { return refusal }
        guard dependsOnOthers(method, parts) else { return nil }
        let address = collector.map { "ask its collector (\($0))" } ?? "ask its collector, which mock-apns collect runs"
        return conflict(
            "This is one replica of a fleet and knows only its own share; \(address). ?scope=replica asks this replica alone."
        )
    }

    /// Whether a call changes the state that all members share. Replicas number their connections by themselves.
    private static func isChange(_ method: HTTPRequest.Method, _ parts: [String]) -> Bool {
        switch (method, parts.first) {
        case (.get, _), (.head, _): false
        case (.post, "scenario"): parts.count == 1
        case (_, "connections"): parts.count > 1 && parts[1] == "all"
        case (_, "devices"), (_, "rules"), (_, "outages"), (_, "clock"), (_, "channels"), (_, "scenario"), (_, "reset"):
            true
        default: false
        }
    }

    /// Whether an answer is about all replicas.
    private static func dependsOnOthers(_ method: HTTPRequest.Method, _ parts: [String]) -> Bool {
        switch (method, parts.first) {
        case (_, "summary"), (_, "verify"): true
        case (.post, "requests"): ["count", "wait"].contains(parts.last)
        default: false
        }
    }

    /// Whether a collector has the replicas carry out a call.
    private static func isForAll(_ method: HTTPRequest.Method, _ parts: [String]) -> Bool {
        switch (method, parts.first) {
        // The replicas count what rules decide and move the clock.
        case (.get, "rules"), (.get, "clock"), (.get, "channels"): true
        case (.get, _), (.head, _): false
        case (_, "connections"): true
        default: isChange(method, parts)
        }
    }

    private static func refusalOfCollector(_ request: Request, _ parts: [String]) -> APIError? {
        if let refusal = refusalOfSessions(request.method, parts) { return refusal }
        if let refusal = refusalOfDeleting(request.method, parts) { return refusal }
        // Paths are text, of which a switch cannot name all: what is not said here, the log of the collector answers.
        switch (request.method, parts.first) {
        case (.get, "identity") where request.uri.queryParameters["format"] == "shell":
            return conflict("A collector serves no providers; ask a replica for what they need.")
        case (.post, "pushes"): return conflict("A collector decides nothing; ask a replica to send a push.")
        default: return nil
        }
    }

    private static func refusalOfDeleting(_ method: HTTPRequest.Method, _ parts: [String]) -> APIError? {
        guard parts.first == "requests", method == .delete || parts.last == "delete" else { return nil }
        return conflict(
            "The log of a fleet goes on without a break; POST /api/v1/reset on the collector starts everything over.")
    }

    private static func refusalOfSessions(_ method: HTTPRequest.Method, _ parts: [String]) -> APIError? {
        guard parts.first == "sessions", method != .get || parts.count > 1 else { return nil }
        return conflict("A member of a fleet has no sessions; use a server by itself for them.")
    }

    private static func conflict(_ message: String) -> APIError {
        APIError(status: .conflict, code: "fleet", message: message)
    }
}

extension Request {
    /// Returns the request without the parameter `scope`, and whether it was there.
    fileprivate func takingScope() throws -> (request: Request, isScoped: Bool) {
        guard let scope = uri.queryParameters["scope"] else { return (self, false) }
        guard scope == "replica" else {
            throw APIError.badRequest(
                "badParameter", "scope is \"\(scope.prefix(80))\"; expected \"replica\".", pointer: "/scope")
        }
        let others = (uri.query ?? "").split(separator: "&").filter { $0 != "scope=replica" }
        var head = head
        head.path = uri.path + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
        return (Request(head: head, body: body), true)
    }
}
