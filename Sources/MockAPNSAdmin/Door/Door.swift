/// Decides who may call the admin API, before anything is routed.
///
/// A web page in somebody's browser must neither control the server nor read the signing key from it. A page of another
/// origin gives itself away by the fields that its browser sends, and a page whose own host name was pointed at this
/// machine (DNS rebinding) by the name in `Host`. Anyone else who can reach the port may call, unless there is a token.
struct Door: Sendable {
    /// What a request says of itself; of each field all values, in order.
    struct Knock: Sendable {
        var method = "GET"
        /// The path's parts, between slashes.
        var path: [String] = []
        var host: [String] = []
        var origin: [String] = []
        var fetchSite: [String] = []
        var fetchMode: [String] = []
        var authorization: [String] = []
    }

    /// Why a request is turned away.
    enum Refusal: Equatable {
        /// `Host` is not one of this server's names; its value, if present.
        case unknownHost(String?)
        /// That many `Host` fields, of which none can be preferred.
        case severalHosts(Int)
        /// A page of another origin asks; the field that shows it, and what it says.
        case foreignOrigin(field: String, value: String)
        /// There is a token, and the request has none, or another.
        case unauthorized(isWrong: Bool)
    }

    private let names: HostNames
    private let token: [UInt8]?

    /// - Parameters:
    ///   - access: names and token.
    ///   - serverNames: the further names in the server's certificate.
    init(_ access: AdminServer.Access, serverNames: [String]) {
        names = HostNames(access.names + serverNames)
        token = access.token.map { Array($0.utf8) }
    }

    /// Why the request is turned away; `nil` lets it in.
    func refusal(of knock: Knock) -> Refusal? {
        // Health checks come by all kinds of names, and nothing is told to them.
        let isHealthCheck = knock.path == ["livez"] || knock.path == ["readyz"]
        let isPage = knock.path.isEmpty || knock.path[0] == "ui"
        if !isHealthCheck, let refusal = unknownHost(knock.host) { return refusal }
        let isVisit = isPage && knock.method == "GET" && knock.fetchMode == ["navigate"]
        if !isVisit, let refusal = foreignOrigin(knock) { return refusal }
        // A browser cannot send a token with a navigation.
        if let token, !isHealthCheck, !isPage, !Self.has(token, knock.authorization) {
            return .unauthorized(isWrong: !knock.authorization.isEmpty)
        }
        return nil
    }

    /// One value is wanted, and it has to be known.
    private func unknownHost(_ values: [String]) -> Refusal? {
        guard values.count < 2 else { return .severalHosts(values.count) }
        guard let host = values.first, let authority = Authority(host), names.contains(authority.host) else {
            return .unknownHost(values.first)
        }
        return nil
    }

    private func foreignOrigin(_ knock: Knock) -> Refusal? {
        if let site = knock.fetchSite.first(where: { ["cross-site", "same-site"].contains($0.lowercased()) }) {
            return .foreignOrigin(field: "Sec-Fetch-Site", value: site)
        }
        // As the browser sent it, since ports may be mapped on the way.
        let own = knock.host.first.map { "http://\($0.lowercased())" }
        if let origin = knock.origin.first(where: { $0.lowercased() != own }) {
            return .foreignOrigin(field: "Origin", value: origin)
        }
        return nil
    }

    /// Whether the value of `Authorization` is `Bearer` and that token. How long it takes tells nothing about the token.
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
