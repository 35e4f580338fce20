import MockAPNS
import MockAPNSCore
import NIOHTTP1

/// A request to the admin listener, with its whole body.
struct Request: Sendable {
    /// Maximum size of a request body in bytes, except for scenarios.
    static let bodyLimit = 1 << 20

    var method: HTTPMethod
    /// The path, percent-encoded as the client wrote it.
    var path: String
    /// What follows the question mark, percent-encoded.
    var query: String?
    /// What the client has to put before the paths of this server; empty for nothing.
    var prefix = ""
    var fields = HTTPHeaders()
    var body: [UInt8] = []
    /// The values of the variable parts of the path, by name, percent-encoded.
    var variables: [String: Substring] = [:]
    /// The client; `nil` for calls of other members of a fleet.
    var client: Client?

    /// - Parameter target: the target in origin form, `/path?query`, or in absolute form (RFC 9112, section 3.2).
    init(_ method: HTTPMethod, _ target: String, fields: HTTPHeaders = [:], body: [UInt8] = []) {
        let parts = Self.originForm(target).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.method = method
        path = String(parts[0].prefix { $0 != "#" })
        query = parts.count > 1 ? String(parts[1].prefix { $0 != "#" }) : nil
        self.fields = fields
        self.body = body
    }

    /// The client's name for this server: the first `Host`.
    var authority: String? { fields.first(name: "Host") }

    /// The parts of the path between slashes.
    var pathParts: [Substring] { path.split(separator: "/") }

    private static func originForm(_ target: String) -> Substring {
        guard target.first != "/", let scheme = target.firstRange(of: "://") else { return target[...] }
        let place = target[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
        return place.first == "/" ? place : "/" + place
    }

    /// Returns a variable part of the path, without its percent-encoding.
    func pathPart(_ name: String) throws -> String {
        let part = variables[name] ?? ""
        guard let plain = String(part).withoutPercentEncoding else {
            throw APIError.badRequest(
                "badPath", "\"\(part.prefix(80))\" in the path is not valid percent-encoding.", pointer: "")
        }
        return plain
    }
}

extension Request {
    /// The client of a request, which may leave before it has its answer.
    final class Client: Sendable {
        private struct State: Sendable {
            var hasLeft = false
            var work: [@Sendable () -> Void] = []
        }

        private let state = Guarded(State())

        /// Records that the client has left, and cancels what is done for it alone.
        func leave() {
            let work = state.withLock { state in
                state.hasLeft = true
                return state.work
            }
            for cancel in work { cancel() }
        }

        fileprivate func atLeaving(_ cancel: @escaping @Sendable () -> Void) {
            let hasLeft = state.withLock { state in
                if !state.hasLeft { state.work.append(cancel) }
                return state.hasLeft
            }
            if hasLeft { cancel() }
        }
    }

    /// Does what takes long, and gives up if the client disconnects or the server stops. Other work for a request is
    /// finished in any case.
    func whileConnected<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let client else { return try await work() }
        let task = Task { try await work() }
        client.atLeaving { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension String {
    /// The text with percent-encoding removed; `nil` if the result is not UTF-8, or a percent sign is not followed by
    /// two digits. (Foundation has this, but FoundationEssentials does not.)
    var withoutPercentEncoding: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.first != UInt8(ascii: "+"),
                    let value = UInt8(Substring(digits), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
