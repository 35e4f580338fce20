import MockAPNS
import MockAPNSCore

/// Decides who may use the admin API, before routing.
///
/// A web page in a browser must neither control the server nor read the signing key from it. A page of another origin
/// is recognized by the fields that its browser sends, and a page whose own host name resolves to this machine (DNS
/// rebinding) by the name in `Host`. Every other client that can reach the port may use the API, unless there is a
/// token.
struct AccessPolicy: Sendable {
    /// The relevant parts of a request; for each field all values, in order.
    struct Caller: Sendable {
        var method = "GET"
        /// The parts of the path between slashes.
        var path: [String] = []
        var host: [String] = []
        var origin: [String] = []
        var fetchSite: [String] = []
        var fetchMode: [String] = []
        var authorization: [String] = []
    }

    /// Why a request is refused.
    enum Rejection: Equatable {
        /// `Host` is not one of this server's names; its value, if present.
        case unknownHost(String?)
        /// Several `Host` fields, with no reason to prefer any; their number.
        case severalHosts(Int)
        /// A page of another origin; the field that shows this, and its value.
        case foreignOrigin(field: String, value: String)
        /// A token is required, and the request has none or a wrong one.
        case unauthorized(isWrong: Bool)
    }

    private let names: HostNames
    private let token: [UInt8]?

    /// - Parameters:
    ///   - access: names and token.
    ///   - serverNames: the additional names in the server's certificate.
    init(_ access: MockAPNSServer.AdminAccess, serverNames: [String]) {
        names = HostNames(access.names + serverNames)
        token = access.token.map { Array($0.utf8) }
    }

    /// Returns why the request is refused; `nil` if it is allowed.
    func rejection(of caller: Caller) -> Rejection? {
        // Health checks use all kinds of names, and get no information.
        let path = "/" + caller.path.joined(separator: "/")
        let isHealthCheck = path == APICall.isAlive.path || path == APICall.isReady.path
        let isPage = caller.path.isEmpty || caller.path[0] == "ui"
        if !isHealthCheck, let rejection = unknownHost(caller.host) { return rejection }
        let isVisit = isPage && caller.method == "GET" && caller.fetchMode == ["navigate"]
        if !isVisit, let rejection = foreignOrigin(caller) { return rejection }
        // A browser cannot send a token when it navigates to a page.
        if let token, !isHealthCheck, !isPage, !Self.has(token, caller.authorization) {
            return .unauthorized(isWrong: !caller.authorization.isEmpty)
        }
        return nil
    }

    /// Returns a rejection unless there is exactly one value, and it is known.
    private func unknownHost(_ values: [String]) -> Rejection? {
        guard values.count < 2 else { return .severalHosts(values.count) }
        guard let host = values.first, let authority = Authority(host), names.contains(authority.host) else {
            return .unknownHost(values.first)
        }
        return nil
    }

    private func foreignOrigin(_ caller: Caller) -> Rejection? {
        if let site = caller.fetchSite.first(where: { ["cross-site", "same-site"].contains($0.lowercased()) }) {
            return .foreignOrigin(field: "Sec-Fetch-Site", value: site)
        }
        // As the browser sent it, because ports may be mapped on the way, and a proxy may speak TLS.
        let own = ["http", "https"].flatMap { scheme in caller.host.prefix(1).map { "\(scheme)://\($0.lowercased())" } }
        if let origin = caller.origin.first(where: { !own.contains($0.lowercased()) }) {
            return .foreignOrigin(field: "Origin", value: origin)
        }
        return nil
    }

    /// Returns whether the value of `Authorization` is `Bearer` with this token. The time it takes reveals nothing
    /// about the token.
    private static func has(_ token: [UInt8], _ authorization: [String]) -> Bool {
        guard authorization.count == 1 else { return false }
        let parts = authorization[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
        let given = Array(parts[1].utf8)
        var difference = token.count ^ given.count
        for index in token.indices { difference |= Int(token[index] ^ (index < given.count ? given[index] : 0)) }
        return difference == 0
    }
}
