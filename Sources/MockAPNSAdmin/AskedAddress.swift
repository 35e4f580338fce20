import MockAPNS

/// Where whoever asks reaches the server.
///
/// A server that listens on every address, as in a container, does not know by which name others reach it; the one by
/// which its admin listener was asked is good for the providers' port too.
struct AskedAddress {
    /// The provider address, `https://mock-apns:2197`.
    let apns: String
    /// The admin address, as it was asked.
    let admin: String
    /// The provider address's host, an IPv6 one without brackets.
    let host: String

    /// - Parameters:
    ///   - authority: the request's `Host`, with its port.
    ///   - admin: the admin listener's own address.
    init(_ server: MockAPNSServer, admin: String, authority: String?) {
        guard HostText.isEveryAddress(server.configuration.host), let authority, let name = Self.name(in: authority)
        else {
            (apns, self.admin, host) = (server.url, admin, server.host)
            return
        }
        apns = "https://\(name):\(server.ports[0])"
        self.admin = "http://\(authority)"
        host = name.filter { $0 != "[" && $0 != "]" }
    }

    /// The host without the port, as it stands in a URL; `nil` where something in it would mean more to a shell or a URL.
    static func name(in authority: String) -> String? {
        let isPlain = authority.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._:[]".contains($0)) }
        let name = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return isPlain && !name.isEmpty ? String(name) : nil
    }
}
