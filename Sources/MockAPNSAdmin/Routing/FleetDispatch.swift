import MockAPNS
import MockAPNSCore
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Lets those members of a fleet answer a call that its ``FleetScope`` names.
struct FleetDispatch {
    let call: APICall
    let server: MockAPNSServer

    /// - Parameter own: answers as a server by itself does.
    func answer(_ request: Request, _ own: Router.Answer) async throws -> Response {
        guard let fleet = server.fleet else { return try await own(request) }
        guard let collector = server.collecting else {
            let (request, isScoped) = try request.takingScope()
            if let rejection = refusalOfReplica(request, isScoped: isScoped, fleet.collector) { throw rejection }
            return try await own(request)
        }
        switch call.scope {
        case .member, .collector, .providers: return try await own(request)
        case .replica: throw APIError.fleet("A collector decides nothing; ask a replica to send a push.")
        case .log: throw Self.log
        case .sessions: throw Self.sessions
        // It has no answer that could be compared.
        case .question where request.method == .HEAD: return try await own(request)
        case .question, .everyReplica, .everyMember, .connection:
            return try await callAll(request, collector, own)
        }
    }

    private func callAll(
        _ request: Request, _ fleet: any FleetCollecting, _ own: Router.Answer
    ) async throws -> Response {
        let values = call.variables.map { String(request.variables[String($0)] ?? "") }
        var shipped = FleetCall(call, values, query: request.query ?? "")
        switch call {
        // A device that only this server does not know would be declared by mistake elsewhere.
        case .changeDevice: guard await knows(values[0], fleet) else { return try await own(request) }
        case .dismissNotification, .sendDismissal, .openNotification:
            guard let shown = await displayed(values[1], on: values[0], fleet) else { return try await own(request) }
            shipped.replica = shown.replica
            shipped.values[1] = "\(shown.number)"
            shipped.query = ""
        // However it is written.
        case .playScenario where try request.flag("reset"): shipped.query = FleetCall.startingOver
        default: break
        }
        shipped.body = request.body
        // Each replica would make another.
        switch call {
        case .createChannel:
            shipped.body = Self.adding("channelID", to: shipped.body) { Self.randomBytes(16).base64EncodedString() }
        case .declareDevice:
            var random = SeededRandom(seed: .random(in: .min ... .max))
            shipped.body = Self.adding("token", to: shipped.body) { DeviceToken(drawnFrom: &random).hex }
        default: break
        }
        let answer = await fleet.call(shipped)
        if answer.isSuccess, let changed = changedDevice(values, answer) {
            return Response.device(changed, status: HTTPResponseStatus(statusCode: answer.status))
        }
        return Response.json(ByteBuffer(bytes: answer.body), status: HTTPResponseStatus(statusCode: answer.status))
    }

    /// Returns the device that the call has changed, as it is here: replicas know the pushes that it displays by other
    /// numbers.
    private func changedDevice(_ values: [String], _ answer: FleetAnswer) -> DeviceView? {
        switch call {
        case .declareDevice: (try? JSONText.read(answer.body))?["token"]?.string.flatMap { view(of: $0) }
        case .changeDevice, .dismissNotification, .sendDismissal, .openNotification: view(of: values[0])
        default: nil
        }
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

    private func refusalOfReplica(_ request: Request, isScoped: Bool, _ collector: String?) -> APIError? {
        switch call.scope {
        case .member, .providers, .replica, .question: return nil
        case .sessions: return Self.sessions
        case .log: return isScoped ? nil : Self.log
        // Replicas number their connections by themselves.
        case .connection where request.variables["id"] != "all": return nil
        case .connection, .everyReplica, .everyMember:
            let advice =
                collector.map { "make the call on its collector (\($0))" }
                ?? "start its collector with mock-apns collect, and make the call there"
            return .fleet("This is one replica of a fleet, and all of them have to be alike; \(advice).")
        case .collector:
            if isScoped { return nil }
            let address =
                collector.map { "ask its collector (\($0))" } ?? "ask its collector, which mock-apns collect runs"
            return .fleet(
                "This is one replica of a fleet and knows only its own share; \(address). ?scope=replica asks this replica alone."
            )
        }
    }

    private static var log: APIError {
        .fleet("The log of a fleet goes on without a break; \(APICall.reset) on the collector starts everything over.")
    }

    private static var sessions: APIError {
        .fleet("A member of a fleet has no sessions; use a server by itself for them.")
    }
}

extension Request {
    /// Returns the request without the parameter `scope`, and whether it was there.
    fileprivate func takingScope() throws -> (request: Request, isScoped: Bool) {
        guard let scope = try parameter("scope") else { return (self, false) }
        guard scope == "replica" else {
            throw APIError.badRequest(
                "badParameter", "scope is \"\(scope.prefix(80))\"; expected \"replica\".", pointer: "/scope")
        }
        var request = self
        let others = (query ?? "").split(separator: "&").filter { $0 != "scope=replica" }
        request.query = others.isEmpty ? nil : others.joined(separator: "&")
        return (request, true)
    }
}
