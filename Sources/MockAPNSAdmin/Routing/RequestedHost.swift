import MockAPNS

/// The addresses by which a client reaches the server.
///
/// A server that listens on every address, as in a container, does not know the name that others use for it; the name
/// used for its admin listener is right for the provider port too. Behind mapped ports or a proxy, only the client
/// knows the address, and provides it.
struct RequestedHost {
    /// The provider address, such as `https://mock-apns:2197`.
    let apns: String
    /// The admin address used by the client.
    var admin: String
    /// The host of the provider address, with IPv6 without brackets.
    let host: String
    /// The port of the provider address.
    let port: Int

    /// - Parameters:
    ///   - authority: the request's `Host`, with its port.
    ///   - admin: the admin listener's own address.
    init(_ server: MockAPNSServer, admin: String, authority: String?) {
        // A collector has none.
        port = server.ports.first ?? 0
        guard !server.ports.isEmpty, HostText.isEveryAddress(server.configuration.host), let authority,
            let name = Self.name(in: authority)
        else {
            (apns, self.admin, host) = (server.url, admin, server.host)
            return
        }
        apns = "https://\(name):\(port)"
        self.admin = "http://\(authority)"
        host = name.filter { $0 != "[" && $0 != "]" }
    }

    /// - Parameters:
    ///   - url: the provider address as known to the client, `https://HOST:PORT`.
    ///   - admin: the admin listener's own address.
    ///   - authority: the request's `Host`, with its port.
    /// - Throws: ``APIError`` if the address is another kind of URL.
    init(_ url: String, admin: String, authority: String?) throws {
        let scheme = "https://"
        let rest = url.dropFirst(scheme.count)
        let text = String(rest.hasSuffix("/") ? rest.dropLast() : rest)
        guard url.prefix(scheme.count).lowercased() == scheme, let name = Self.name(in: text),
            let parsed = Authority(text), parsed.port != 0
        else {
            throw APIError.badRequest(
                "badParameter",
                "url is \"\(url.prefix(80))\"; expected the address at which providers reach this server, such as https://mock-apns:2197.",
                pointer: "/url")
        }
        port = parsed.port ?? 443
        apns = "https://\(name):\(port)"
        self.admin = authority.flatMap { Self.name(in: $0) == nil ? nil : "http://\($0)" } ?? admin
        host = name.filter { $0 != "[" && $0 != "]" }
    }

    /// Returns the host without the port, in URL form; `nil` if it contains anything with a special meaning in a shell
    /// or a URL.
    static func name(in authority: String) -> String? {
        let isPlain = authority.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-._:[]".contains($0))
        }
        let name = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return isPlain && !name.isEmpty ? String(name) : nil
    }
}
